// Tests binary randomized response in a plain shuffle. The curve must equal the largest delta of all
// enumerated data sets, and dataset() the delta of each.
#include "muster/theorems/everyone/binary_shuffle.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "muster/theorems/everyone/blanket.h"
#include "muster/theorems/everyone/k_rr.h"
#include "tests/oracle/known_false.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting {
namespace {

using oracle::Law;

// Values of epsilon / epsilon0.
const std::vector<double> kShares = {0, 0.02, 0.1, 0.3, 0.6, 0.85, 0.97, 0.999};

TEST(BinaryShuffle, EqualsTheEnumeratedWorstDataset) {
  int homogeneous_is_caught = 0;
  for (const double epsilon0 : {0.1, 0.5, 1.0, 2.0, 4.0, 10.0}) {
    const std::vector<Law> laws = {oracle::k_rr(2, epsilon0, 0), oracle::k_rr(2, epsilon0, 1)};
    for (int n = 1; n <= 12; ++n) {
      const BinaryShuffle exact(n, epsilon0);
      for (const double share : kShares) {
        const double epsilon = share * epsilon0;
        const long double truth = oracle::worst_check_in(laws, n, 1.0L, epsilon);
        const numerics::Enclosure ends = exact.delta(epsilon);
        SCOPED_TRACE(::testing::Message() << n << " " << epsilon0 << " " << epsilon);
        EXPECT_GE(ends.upper, truth * (1 - 1e-15L));
        EXPECT_LE(ends.lower, truth * (1 + 1e-15L));
        // Delta is a difference of two terms that nearly cancel near epsilon0, and the width of the
        // enclosure is relative to these terms. The second allowance is proportional to epsilon0 - epsilon,
        // like the factor p - E q of the first term.
        EXPECT_LE(ends.upper - ends.lower, 1e-8L * truth + 1e-11L * (1 - share) * epsilon0);
        // In some cases a mixed data set has a larger delta than both homogeneous ones. The test must meet
        // such cases, so that it would notice code that evaluates only the homogeneous data sets.
        const double ends_only =
            std::max(exact.dataset(0, epsilon).upper, exact.dataset(n - 1, epsilon).upper);
        if (ends_only < truth) ++homogeneous_is_caught;
      }
    }
  }
  EXPECT_GT(homogeneous_is_caught, 0);
}

TEST(BinaryShuffle, EachDatasetEqualsItsEnumeration) {
  const double epsilon0 = 1.5;
  const int n = 9;
  const BinaryShuffle exact(n, epsilon0);
  for (int i = 0; i < n; ++i) {
    std::vector<Law> others;
    for (int j = 0; j < n - 1; ++j) others.push_back(oracle::k_rr(2, epsilon0, j < i ? 0 : 1));
    const oracle::OutputPair pair =
        oracle::check_in(others, oracle::k_rr(2, epsilon0, 0), oracle::k_rr(2, epsilon0, 1), 1.0L);
    for (const double share : kShares) {
      const auto truth = static_cast<double>(oracle::hockey_stick(pair, share * epsilon0));
      EXPECT_NEAR(exact.dataset(i, share * epsilon0).upper, truth, 1e-9 * truth + 1e-12) << i << " " << share;
    }
  }
}

// Checks how much larger delta is than for the data set in which all others hold the alternative record.
// The expected ratios, at n = 1,000 and epsilon0 = 2, were computed by another program; z is epsilon in
// standard deviations of the privacy loss (docs/theory/binary-randomized-response.md).
TEST(BinaryShuffle, WhichDatasetIsWorst) {
  const double n = 1000;
  const double epsilon0 = 2;
  const BinaryShuffle exact(n, epsilon0);
  const auto homogeneous = [&](OthersHold others, double epsilon) {
    return k_rr_dataset_delta({n, n, 1}, 2, epsilon0, others, epsilon);
  };
  const double deviation = 2 * std::sinh(epsilon0 / 2) / std::sqrt(n);
  const auto ratio = [&](double z) {
    return exact.delta(z * deviation).upper / homogeneous(OthersHold::alternative, z * deviation).upper;
  };
  EXPECT_NEAR(exact.delta(0).upper / homogeneous(OthersHold::alternative, 0).lower, 1.0009, 2e-4);
  EXPECT_NEAR(ratio(1), 1.156, 2e-3);
  EXPECT_NEAR(ratio(2), 1.88, 1e-2);
  EXPECT_NEAR(ratio(4), 43, 1);
  for (const double z : {0.0, 0.1, 1.0, 3.0, 6.0, 9.0, 14.0}) {
    const numerics::Enclosure ends = exact.delta(z * deviation);
    EXPECT_LE(ends.upper - ends.lower, 1e-7 * ends.upper) << z;
    EXPECT_LE(ends.upper, pure_blanket_delta(n, epsilon0, z * deviation).upper);
    for (const OthersHold others : {OthersHold::own, OthersHold::alternative}) {
      EXPECT_GE(ends.upper, homogeneous(others, z * deviation).lower) << z;
    }
  }
}

TEST(BinaryShuffle, ExtremesStayNumbers) {
  for (const double n : {1.0, 2.0, 999.0, 1000.0, 1001.0, 1e9, 1e12}) {
    for (const double epsilon0 : {1e-9, 0.1, 5.0, 20.0}) {
      const BinaryShuffle shuffle(n, epsilon0);
      for (const double share : {0.0, 1e-6, 0.5, 0.999999, 1.0, 2.0}) {
        const numerics::Enclosure ends = shuffle.delta(share * epsilon0);
        EXPECT_GE(ends.lower, 0);
        EXPECT_LE(ends.lower, ends.upper);
        EXPECT_LE(ends.upper, 1);
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
