// The enumeration harness: one loop that holds every claim against the exact truth of random small cases.
//
// True and false claims run through the same comparison: truth.lower > bound is a violation, with
// no tolerance, because the truth carries its own error bound and a proven bound claims to
// contain its own. A point is one grid point of one case, the truth there the worst over all its
// datasets and both orders of all its pairs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/oracle/bounds_under_test.h"

namespace muster::accounting::oracle {

struct Tally {
  bool proven = true;
  long points = 0;
  long at_top = 0;  // of these at the end of the grid: epsilon = epsilon0
  long violations = 0;
  long double tightest = 0;  // largest truth / upper, or lower / truth, where the bound is above 1e-12
  std::string where;         // the first violation, or else the tightest point
};

struct Report {
  std::map<std::string, Tally> tallies;  // by claim
  long cases = 0;
  long points = 0;  // grid points under a proven upper bound, each counted once
  std::string table() const;
};

Report run(const std::vector<BoundUnderTest>& bounds, long cases, unsigned seed);

}  // namespace muster::accounting::oracle
