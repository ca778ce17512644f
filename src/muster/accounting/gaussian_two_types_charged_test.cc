// Checks what an accountant charges by the two-types bound for Gaussian noise: many rounds against reference
// values, and only those participations for which the theorem holds.
#include <gtest/gtest.h>

#include <cstdint>

#include "muster/accounting/accountant.h"

namespace muster::accounting {
namespace {

// tools/golden/gaussian_two_types.py computes the theorem's own values (`two_types`) and those of the
// profile-only bound (`profile`). The accountant's nodes, searches and convex functions make its epsilons
// larger than the theorem's by at most the share `above`.
TEST(GaussianTwoTypes, ComposedReferenceValues) {
  struct Row {
    double sigma;
    std::uint64_t rounds;
    double two_types, above, profile;
  };
  for (const Row& row : {Row{5, 5540, .1269, 4e-3, .1456}, Row{10, 10000, .07880, 2e-3, .08512},
                         Row{2, 1000, .1791, 1.3e-2, .2303}, Row{5, 1000, .04958, 4e-3, .05697}}) {
    const Accountant accountant(GaussianLocal{row.sigma},
                                ShuffledCheckIn{ClientCount::of(60000), Rate::of(0.1)});
    const double epsilon = accountant.epsilon_upper(row.rounds, Delta::of(1e-5));
    EXPECT_GE(epsilon, row.two_types) << row.sigma;
    EXPECT_LE(epsilon, (1 + row.above) * row.two_types) << row.sigma;
    EXPECT_LT(epsilon, row.profile) << row.sigma;
  }
}

// The accountant does not list the bound for unequal rates, for slot protocols or for little noise.
TEST(GaussianTwoTypes, IsChargedWhereItHoldsAlone) {
  const auto has = [](const GaussianLocal& mechanism, const Participation& participation) {
    const Statement s =
        Accountant(mechanism, participation).account(1, {Question::Kind::epsilon_at_delta, 1e-5});
    for (const Bound& bound : s.all) {
      if (bound.id == "gaussian-two-types") return true;
    }
    return false;
  };
  const ShuffledCheckIn equal{ClientCount::of(10000), Rate::of(0.1)};
  EXPECT_TRUE(has(GaussianLocal{5}, equal));
  EXPECT_FALSE(has(GaussianLocal{1}, equal));
  EXPECT_FALSE(has(GaussianLocal{5}, ShuffledCheckIn{ClientCount::of(10000), Rate::of(0.1), Rate::of(0.05)}));
  EXPECT_TRUE(has(GaussianLocal{5}, FixedSubset{ClientCount::of(10000), 1000}));
  for (const RandomCheckIn::Kind kind :
       {RandomCheckIn::Kind::fixed, RandomCheckIn::Kind::averaged, RandomCheckIn::Kind::sliding}) {
    const RandomCheckIn slots{kind, ClientCount::of(10000), 100, Rate::of(0.5)};
    EXPECT_FALSE(has(GaussianLocal{5}, slots));
  }
}

}  // namespace
}  // namespace muster::accounting
