// The enumeration harness: one loop that holds every claim against the exact truth of random small cases.
//
// True and false claims run through the same comparison: truth.lower > bound is a violation, with no
// tolerance, because the truth carries its own error bound and a proven bound claims to contain its own. A
// point is one grid point of one case, the truth there the worst over all its datasets and both orders of all
// its pairs.
#pragma once

#include <string>
#include <vector>

#include "muster/accounting/oracle/harness_claims.h"

namespace muster::accounting::oracle {

struct Tally {
  std::string claim;
  bool proven = true;
  long points = 0;
  long at_top = 0;  // of these at the end of the grid: epsilon = epsilon0
  long violations = 0;
  long double tightest = 0;  // largest truth / bound where the bound is above 1e-12
  std::string where;         // the first violation, or else the tightest point
};

struct Report {
  std::vector<Tally> tallies;  // in the order of the claims
  long cases = 0;
  long points = 0;  // grid points, each counted once however many claims speak of it
  std::string table() const;
};

Report run(const std::vector<Claim>& claims, long cases, unsigned seed);

}  // namespace muster::accounting::oracle
