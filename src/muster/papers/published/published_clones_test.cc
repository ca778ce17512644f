// Tests the clone bounds: at one round they equal the theorems' formulas, more rounds cost more, and a bound
// that does not apply says so.
#include "muster/papers/published/published_clones.h"

#include <gtest/gtest.h>

#include "muster/papers/published/published_shuffle_gaussian.h"
#include "muster/theorems/everyone/clones.h"

namespace muster::accounting {
namespace {

Question at_delta(double delta) { return {Question::Kind::epsilon_at_delta, delta}; }

TEST(PublishedClones, OneRoundIsTheTheorem) {
  const Bound closed = clone_closed_form_bound(1e5, 4, 1, at_delta(1e-6));
  ASSERT_TRUE(closed.upper);
  // The authors' program prints this value, and tools/golden/plain_shuffle.py computes it.
  EXPECT_NEAR(*closed.upper, 0.5378040242, 1e-9);
  EXPECT_EQ(closed.validity, Validity::as_published);
  const Bound ten = clone_closed_form_bound(1e5, 4, 10, at_delta(1e-6));
  EXPECT_GT(*ten.upper, *closed.upper);
  const Bound outside = clone_closed_form_bound(100, 4, 1, at_delta(1e-6));
  EXPECT_FALSE(outside.upper);
  EXPECT_FALSE(outside.assumptions.empty());
  const Bound delta = clone_closed_form_bound(1e5, 4, 1, {Question::Kind::delta_at_epsilon, *closed.upper});
  ASSERT_TRUE(delta.upper);
  EXPECT_LE(*delta.upper, 1.2e-6);
  EXPECT_GE(*delta.upper, 1e-6 * (1 - 1e-6));
}

// For one round, the epsilon of the clone pair holds, and a finer search over delta0 lowers its delta by at
// most half.
TEST(PublishedClones, ApproximatePairHolds) {
  const double n = 6e4, mu = 0.4, delta = 1e-5;
  const std::vector<Bound> both = clone_bounds_gaussian(n, mu, 1, at_delta(delta));
  ASSERT_EQ(both.size(), 2U);
  const Bound& pair = both[0];
  ASSERT_TRUE(pair.upper);
  EXPECT_EQ(pair.validity, Validity::proven);
  double least = 1;
  for (double delta0 = 1e-9; delta0 > 1e-16; delta0 /= 1.5) {
    const double local = published_shuffle_gaussian::gaussian_guarantee(mu, delta0).epsilon;
    least = std::min(least, approximate_clone_pair_delta(n, local, delta0, *pair.upper).upper);
  }
  EXPECT_LE(least, delta);
  EXPECT_GE(least, 0.5 * delta);
  ASSERT_TRUE(both[1].upper);
  EXPECT_EQ(both[1].validity, Validity::as_published);
  EXPECT_GT(*both[1].upper, *pair.upper);
  EXPECT_GT(*clone_bounds_gaussian(n, mu, 5, at_delta(delta))[0].upper, *pair.upper);
}

}  // namespace
}  // namespace muster::accounting
