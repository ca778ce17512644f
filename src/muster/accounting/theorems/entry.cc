#include "muster/accounting/theorems/entry.h"

namespace muster::accounting {

std::vector<std::string> with_mechanism(const Mechanism& mechanism, std::vector<std::string> assumptions) {
  add_assumptions(mechanism, assumptions);
  return assumptions;
}

bool summable(const Mechanism& mechanism) { return pure_epsilon0(mechanism).value_or(0) <= kLargestEpsilon0; }

}  // namespace muster::accounting
