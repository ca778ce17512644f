// Tests Student's test of pairs: its threshold against closed forms, and its rate of false alarms.
#include "muster/reproduce/significance.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/normals.h"
#include "tests/support/statistics.h"

namespace muster::reproduce {
namespace {

using Runs = std::vector<double>;

// With one degree of freedom Student's law is Cauchy's, and with two its quantile of probability p is
// (2 p - 1) / sqrt(2 p (1 - p)).
TEST(PairedDifference, HasStudentsQuantileInClosedForm) {
  const double alarm = 0.05, p = 1 - alarm;
  // The differences are 1 and 3: mean 2, deviation sqrt(2), and standard error 1.
  const PairedDifference two = paired_difference(Runs{0, 0}, Runs{1, 3}, alarm);
  EXPECT_EQ(two.pairs, 2);
  EXPECT_DOUBLE_EQ(two.mean, 2);
  EXPECT_NEAR(two.threshold, std::tan(std::numbers::pi * (p - 0.5)), 1e-12);
  EXPECT_FALSE(two.rises());
  // The differences are 1, 2 and 3: mean 2, deviation 1, and standard error 1 / sqrt(3).
  const PairedDifference three = paired_difference(Runs{5, 6, 7}, Runs{6, 8, 10}, alarm);
  EXPECT_DOUBLE_EQ(three.mean, 2);
  EXPECT_NEAR(three.threshold, (2 * p - 1) / std::sqrt(2 * p * alarm) / std::sqrt(3), 1e-12);
  EXPECT_TRUE(three.rises());
  EXPECT_FALSE(paired_difference(Runs{6, 8, 10}, Runs{5, 6, 7}, alarm).rises());
}

TEST(PairedDifference, OfOnePairShowsNothing) {
  const PairedDifference one = paired_difference(Runs{0.1}, Runs{0.9});
  EXPECT_DOUBLE_EQ(one.mean, 0.8);
  EXPECT_EQ(one.threshold, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(one.rises());
}

TEST(PairedDifference, RefusesWhatHasNoPairs) {
  EXPECT_ERROR(ErrorCode::internal, paired_difference(Runs{}, Runs{}));
  EXPECT_ERROR(ErrorCode::internal, paired_difference(Runs{1}, Runs{1, 2}));
  EXPECT_ERROR(ErrorCode::internal, paired_difference(Runs{1, 2}, Runs{1, 2}, 0));
  EXPECT_ERROR(ErrorCode::internal, paired_difference(Runs{1, 2}, Runs{1, 2}, 0.5));
}

// In 40,000 trials, three pairs of runs do not differ, and the test reports a difference in a twentieth of
// the trials. With the quantile of the normal law in place of Student's, it would report one in an eighth.
TEST(PairedDifference, KeepsItsRateOfFalseAlarms) {
  constexpr std::uint64_t kTrials = 40'000;
  constexpr double kTestAlarm = 1e-6;  // of the binomial test below
  const double normal = quantile(complement(boost::math::normal(), kFalseAlarm));
  std::vector<float> normals(kTrials * 6);
  random::fill_normals(random::RunKey::from_seed(1), {.purpose = random::Purpose::audit}, normals);
  std::uint64_t alarms = 0, alarms_by_normal = 0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Runs first, second;
    for (std::size_t i = 6 * trial; i < 6 * trial + 6; i += 2) {
      first.push_back(0.9 + 0.01 * normals[i]);
      second.push_back(0.9 + 0.01 * normals[i + 1]);
    }
    const PairedDifference found = paired_difference(first, second);
    alarms += found.rises() ? 1 : 0;
    // The threshold of three pairs is 2.92 standard errors (see above).
    alarms_by_normal += found.mean > found.threshold * normal / 2.919985580353726 ? 1 : 0;
  }
  const testing::Verdict verdict = testing::binomial_test(alarms, kTrials, kFalseAlarm, kTestAlarm);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
  const testing::Verdict bad = testing::binomial_test(alarms_by_normal, kTrials, kFalseAlarm, kTestAlarm);
  EXPECT_FALSE(bad.pass) << bad.summary;
}

}  // namespace
}  // namespace muster::reproduce
