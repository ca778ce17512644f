// The enumeration harness: one loop that compares every claim with the exact truth of random small cases.
//
// True and false claims go through the same comparison. An upper bound below truth.lower, or a lower bound
// above truth.upper, is a violation. No tolerance is needed, because the truth is an interval that includes
// its numerical error, and a proven bound claims to include its own. A point is one grid point of one case.
// The truth at a point is the largest value over all the case's data sets and ordered pairs of records.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/oracle/bounds_under_test.h"

namespace muster::accounting::oracle {

struct Tally {
  bool proven = true;
  long points = 0;
  long at_top = 0;  // points at the end of their grid, which is epsilon0 for divergences with finite epsilon0
  long violations = 0;
  long double tightest = 0;  // largest truth / upper, or lower / truth, where the bound is above 1e-12
  std::string where;         // the first violation, or else the tightest point
};

struct Report {
  std::map<std::string, Tally> tallies;  // one tally per claim, by its name
  long cases = 0;
  long points = 0;  // grid points under a proven upper bound, each counted once
  std::string table() const;
};

// Compares all claims with the truth of `cases` random cases, which `seed` determines.
Report run(const std::vector<BoundUnderTest>& bounds, long cases, unsigned seed);

}  // namespace muster::accounting::oracle
