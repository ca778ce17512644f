// Statements "this bounds that case" in one shape, true ones and false ones, for the enumeration harness.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "muster/accounting/oracle/harness_case.h"

namespace muster::accounting::oracle {

// The claimed upper bound at a grid point of the case.
using ClaimedBound = std::function<double(double at)>;

struct Claim {
  std::string name;
  bool proven;
  // What it claims of this case; empty where it does not speak of it.
  std::function<ClaimedBound(const Case&)> of;
  int every = 1;  // asked of one case in so many, where evaluating it is slow
};

// The accountant's own code: bounds/*.h. Must never be below the truth.
std::vector<Claim> proven_claims();

// Statements that look right and are not (docs/theory/false-claims.md). Each must be caught.
std::vector<Claim> false_claims();

}  // namespace muster::accounting::oracle
