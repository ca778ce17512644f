// Claimed bounds of a case (harness_case.h) for the enumeration harness, in the same form for true and false
// claims.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/oracle/harness_case.h"

namespace muster::accounting::oracle {

// A claim about one case: an upper or a lower bound at each epsilon or Renyi order of its grid.
struct Claimed {
  enum class Kind { upper, lower };
  std::string name;
  Kind kind;
  std::function<double(double at)> bound;
};

// A source of claims. `of` appends its claims about a case, which may be none or several.
struct BoundUnderTest {
  bool proven;
  std::function<void(const Case&, std::vector<Claimed>&)> of;
  int every = 1;  // one in `every` cases is used: more than 1 for claims that are slow to evaluate
};

// The proven bounds. For each Mechanism that truly describes the case's randomizer, they include the proven
// replace-one bounds that applicable.h lists. The lower bounds are among them only if the Mechanism has
// exactly the case's laws and all rates are equal. There are also theorems applied to the profile of the
// case's laws, and Renyi bounds of papers. An upper bound must never be below the truth, and a lower bound
// never above it.
std::vector<BoundUnderTest> proven_bounds();

// False statements that look right (docs/theory/false-claims.md). Each must be caught.
std::vector<BoundUnderTest> false_bounds();
std::vector<std::string> false_bound_names();

}  // namespace muster::accounting::oracle
