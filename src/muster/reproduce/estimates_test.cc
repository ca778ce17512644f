// Tests means and exponents against values computed by hand, and the coverage of the interval of a mean.
#include "muster/reproduce/estimates.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdint>

#include "muster/random/keyed_stream.h"

namespace muster::reproduce {
namespace {

TEST(Estimates, MeanHasStudentsInterval) {
  // The standard error is sqrt(1 / 3). Student's 0.975 quantile with two degrees of freedom is
  // 0.95 sqrt(2 / (1 - 0.95^2)), because its distribution function has a closed form.
  const Estimate mean = mean_of({1, 2, 3});
  const double half = 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)) * std::sqrt(1.0 / 3);
  EXPECT_DOUBLE_EQ(mean.value, 2);
  EXPECT_NEAR(mean.interval.low, 2 - half, 1e-12);
  EXPECT_NEAR(mean.interval.high, 2 + half, 1e-12);
}

TEST(Estimates, ExponentOfAPowerLawIsExact) {
  const Estimate slope = exponent_of({1, 2, 4, 8}, {3, 12, 48, 192});
  EXPECT_NEAR(slope.value, 2, 1e-14);
  EXPECT_NEAR(slope.interval.low, 2, 1e-13);
  EXPECT_NEAR(slope.interval.high, 2, 1e-13);
  EXPECT_EQ(words_of(exponent_of({1, 10, 100}, {1, 10, 100})), "1.000 [1.000, 1.000]");
}

// The points (-1, 0), (0, 1) and (1, 0), in units of log e: the slope is 0, the squared distances from the
// line sum to 2/3, and so the standard error of the slope is sqrt(1/3), with one degree of freedom, at which
// Student's quantile is tan(0.475 pi).
TEST(Estimates, ExponentOfOtherPointsHasAnInterval) {
  const double e = std::exp(1.0);
  const Estimate slope = exponent_of({1 / e, 1, e}, {1, e, 1});
  const double half = std::tan(0.475 * std::acos(-1.0)) * std::sqrt(1.0 / 3);
  EXPECT_NEAR(slope.value, 0, 1e-14);
  EXPECT_NEAR(slope.interval.high, half, 1e-10);
  EXPECT_NEAR(slope.interval.low, -half, 1e-10);
}

// Of the intervals of 2,000 means of five sums of uniform numbers, which are nearly normal, 5% miss the true
// mean. With a normal quantile instead of Student's, 12% of them would miss it. The number of misses must lie
// between the binomial quantiles for a false-alarm rate of 1e-6; the number for the intervals with a normal
// quantile must not.
TEST(Estimates, IntervalsOfMeansCoverTheTruth) {
  const random::RunKey key = random::RunKey::from_seed(11);
  constexpr std::uint64_t kTrials = 2000, kValues = 5, kTerms = 12;
  std::uint64_t missed = 0, missed_by_normal = 0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    random::KeyedStream bits(key, {random::Purpose::audit, trial, 0});
    std::vector<double> values;
    for (std::uint64_t i = 0; i < kValues; ++i) {
      double sum = 0;
      for (std::uint64_t term = 0; term < kTerms; ++term) {
        sum += static_cast<double>(bits.next_u64() >> 11) * 0x1p-53 - 0.5;
      }
      values.push_back(sum);
    }
    const Estimate mean = mean_of(values);
    const double student = 2.776445105197799,
                 normal = 1.959963984540054;  // quantiles, four degrees of freedom
    const double half = (mean.interval.high - mean.value) * normal / student;
    missed += mean.interval.low > 0 || mean.interval.high < 0 ? 1 : 0;
    missed_by_normal += std::fabs(mean.value) > half ? 1 : 0;
  }
  const boost::math::binomial expected(static_cast<double>(kTrials), 0.05);
  const double low = boost::math::quantile(expected, 5e-7),
               high = boost::math::quantile(boost::math::complement(expected, 5e-7));
  EXPECT_GE(static_cast<double>(missed), low) << "n = " << kTrials << ", expected 100, observed " << missed;
  EXPECT_LE(static_cast<double>(missed), high) << "n = " << kTrials << ", expected 100, observed " << missed;
  EXPECT_GT(static_cast<double>(missed_by_normal), high) << "observed " << missed_by_normal;
}

}  // namespace
}  // namespace muster::reproduce
