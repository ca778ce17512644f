#include "muster/theorems/subset/subset.h"

#include <fmt/format.h>

#include <utility>

#include "muster/core/error.h"

namespace muster::accounting {

SumCurve subset_curve(ReportingSum sum, double n, double k) {
  if (!(k >= 1 && k < n)) {
    throw Error(ErrorCode::uncovered, "participation.subset", fmt::format("{} of {}", k, n),
                "1 <= k < n; k = n is a plain shuffle", "the swap theorem needs a client outside the subset");
  }
  return {std::move(sum), {.factor = 1 / n, .count = k, .rate = 1, .threshold = n}};
}

}  // namespace muster::accounting
