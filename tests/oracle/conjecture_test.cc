// Searches for a counterexample to an unproven conjecture of docs/theory/open-questions.md. It says that, for
// a plain shuffle of any randomizer with the profile f, and independent copies X*_i of the law X* of f
// (docs/theory/profile-only.md),
//
//     delta(epsilon) <= 1/n times the mean of ( X*_1 + ... + X*_n )_+  +  f(infinity).
//
// If this test ever fails, it has found a counterexample, which belongs on that page.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/oracle/harness_truth.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting::oracle {
namespace {

TEST(PlainShuffleConjecture, NoCounterexampleAmongRandomCases) {
  std::mt19937_64 engine(5);
  int points = 0;
  long double tightest = 0;
  for (int trial = 0; trial < 900; ++trial) {
    const auto kind = static_cast<Kind>(engine() % 9);
    const int n = 2 + static_cast<int>(engine() % 3);
    const Case c = random_case(kind, Participation::Kind::shuffle, n, engine);
    if (c.quantity != Quantity::hockey_stick) continue;
    const std::vector<Interval> exact = truth(c);
    for (std::size_t i = 0; i < c.grid.size(); ++i) {
      const std::vector<Atom> law = profile_law(c.laws, c.grid[i]);
      if (law.size() > 14) continue;  // the slow sum would have too many compositions
      const long double bound = swap_sum(law, n, 1, c.grid[i], 0) + profile(c.laws, 1e300L);
      EXPECT_LE(exact[i].lower, bound * (1 + 1e-12L) + 1e-16L) << describe(c) << " at " << c.grid[i];
      if (bound > 1e-9L) tightest = std::max(tightest, exact[i].lower / bound);
      ++points;
    }
  }
  EXPECT_GT(points, 3000);
  EXPECT_GT(tightest, 0.999L);
}

}  // namespace
}  // namespace muster::accounting::oracle
