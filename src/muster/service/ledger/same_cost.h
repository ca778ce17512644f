// Whether two epsilons are the cost of the same rounds, although two machines computed them.
//
// The accountant has the same bits on all processors that fuse multiply-adds, but older processors and other
// compilers and C libraries change the last digits, by about 1e-14 of an epsilon. Both values are proven,
// because each computation rounds outward by itself. So a ledger states the cost as the machine that wrote it
// found it, and no other machine may take that for a forgery. The function is pure and may be called from any
// thread.
#pragma once

#include <algorithm>
#include <cmath>

namespace muster::service {

inline bool same_cost(double one, double other) {
  constexpr double kArithmetic = 1e-9;  // relative
  return std::abs(one - other) <= kArithmetic * std::max(one, other);
}

}  // namespace muster::service
