// Statements "this bounds that case" in one shape, true ones and false ones, for the enumeration harness.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/oracle/harness_case.h"

namespace muster::accounting::oracle {

// What a claim says of one case, at any of its grid points.
struct Claimed {
  enum class Side { upper, lower };
  std::string name;
  Side side;
  std::function<double(double at)> bound;
};

// A source of claims. `of` appends what it says of a case: nothing, one statement or several.
struct BoundUnderTest {
  bool proven;
  std::function<void(const Case&, std::vector<Claimed>&)> of;
  int every = 1;  // asked of one case in so many, where evaluating it is slow
};

// The accountant's own code: every bound of applicable.h for each description that fits
// the case, lower ones included, and theorems fed with the exact profile. Uppers must
// never be below the truth, lowers never above.
std::vector<BoundUnderTest> proven_bounds();

// Statements that look right and are not (docs/theory/false-claims.md). Each must be caught.
std::vector<BoundUnderTest> false_bounds();
std::vector<std::string> false_bound_names();

}  // namespace muster::accounting::oracle
