// Checks what an accountant charges by the two-types bound for Gaussian noise: many rounds against reference
// values, and only those participations for which the theorem holds.
#include <gtest/gtest.h>

#include <cstdint>

#include "muster/accounting/accountant.h"

namespace muster::accounting {
namespace {

// theorems/swap/gaussian_two_types_test.cc says where the values come from. `least` and `most` are limits
// chosen by hand, not reference values.
TEST(GaussianTwoTypes, ComposedReferenceValues) {
  struct Row {
    double sigma;
    std::uint64_t rounds;
    double value, most, least, profile;
  };
  for (const Row& row :
       {Row{5, 5540, .1271, .1275, .12587, .145637}, Row{10, 10000, .07886, .0792, .0785, .08512},
        Row{2, 1000, .1806, .184, .1726, .2303}, Row{5, 1000, .04965, .0499, .0491, .0570}}) {
    const Accountant accountant(GaussianLocal{row.sigma},
                                ShuffledCheckIn{ClientCount::of(60000), Rate::of(0.1)});
    const double epsilon = accountant.epsilon_upper(row.rounds, Delta::of(1e-5));
    EXPECT_NEAR(epsilon / row.value, 1, 5e-3) << row.sigma;
    EXPECT_LE(epsilon, row.most);
    EXPECT_GE(epsilon, row.least);
    EXPECT_LT(epsilon, row.profile);
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
