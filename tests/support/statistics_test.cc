// Tests that the statistical tests pass correct samples and fail wrong ones.
#include "tests/support/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace muster::testing {
namespace {

constexpr double kAlpha = 1e-6;

TEST(BinomialTest, MatchesHandComputedTails) {
  // The p-value is 2 P(X <= 2) with X ~ Bin(10, 1/2), and P(X <= 2) = (1 + 10 + 45) / 1024.
  EXPECT_NEAR(binomial_test(2, 10, 0.5, kAlpha).p_value, 2 * 56.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_test(8, 10, 0.5, kAlpha).p_value, 2 * 56.0 / 1024, 1e-12);
  EXPECT_EQ(binomial_test(5, 10, 0.5, kAlpha).p_value, 1.0);
  EXPECT_NEAR(binomial_test(0, 10, 0.5, kAlpha).p_value, 2.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_test(10, 10, 0.5, kAlpha).p_value, 2.0 / 1024, 1e-12);
}

TEST(BinomialTest, DegenerateProbabilities) {
  EXPECT_TRUE(binomial_test(0, 100, 0, kAlpha).pass);
  EXPECT_FALSE(binomial_test(1, 100, 0, kAlpha).pass);
  EXPECT_TRUE(binomial_test(100, 100, 1, kAlpha).pass);
  EXPECT_FALSE(binomial_test(99, 100, 1, kAlpha).pass);
  EXPECT_THROW(binomial_test(0, 0, 0.5, kAlpha), std::invalid_argument);
  EXPECT_THROW(binomial_test(2, 1, 0.5, kAlpha), std::invalid_argument);
  EXPECT_THROW(binomial_test(1, 1, std::nan(""), kAlpha), std::invalid_argument);
}

TEST(ChiSquaredTest, AnEmptyBinCounts) {
  // The two full bins by themselves look uniform. With the empty bin the statistic is 75 at 2 degrees of
  // freedom, and its p-value is exp(-75/2).
  const Verdict empty = chi_squared_test({75, 75, 0}, {50, 50, 50}, kAlpha);
  EXPECT_FALSE(empty.pass) << empty.summary;
  EXPECT_NEAR(empty.p_value / std::exp(-37.5), 1, 1e-9);  // (25^2 + 25^2 + 50^2) / 50 = 75
  EXPECT_TRUE(chi_squared_test({50, 50, 50}, {50, 50, 50}, kAlpha).pass);
}

TEST(ChiSquaredTest, RefusesWhatItCannotJudge) {
  EXPECT_THROW(chi_squared_test({1, 2}, {1, 2, 3}, kAlpha), std::invalid_argument);
  EXPECT_THROW(chi_squared_test({4, 96}, {4, 96}, kAlpha), std::invalid_argument);
  EXPECT_THROW(chi_squared_test({50, 50}, {50, 60}, kAlpha), std::invalid_argument);
  EXPECT_THROW(chi_squared_test({50}, {50}, kAlpha), std::invalid_argument);
}

TEST(UniformityTest, PassesUniformAndFailsASlightBend) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> good(200'000), bad(good.size());
  for (std::size_t i = 0; i < good.size(); ++i) {
    good[i] = uniform(engine);
    bad[i] = std::pow(good[i], 1.03);  // distance about 0.011 against a threshold of 0.006
  }
  const Verdict pass = uniformity_test(good, kAlpha), fail = uniformity_test(bad, kAlpha);
  EXPECT_TRUE(pass.pass) << pass.summary;
  EXPECT_FALSE(fail.pass) << fail.summary;
  EXPECT_THROW(uniformity_test({0.5, std::nan("")}, kAlpha), std::invalid_argument);
  EXPECT_THROW(uniformity_test({}, kAlpha), std::invalid_argument);
}

TEST(SameLawTest, PassesOneLawAndFailsAShiftAWidthOrAnAtom) {
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  std::vector<double> a(20'000), b(30'000), shifted, wide, rounded;
  for (double& value : a) value = normal(bits);
  for (double& value : b) value = normal(bits);
  for (double value : b) {
    shifted.push_back(value + 0.08);
    wide.push_back(value * 1.08);
    rounded.push_back(std::round(value));
  }
  const Verdict same = same_law_test(a, b, 20, kAlpha);
  EXPECT_TRUE(same.pass) << same.summary;
  EXPECT_FALSE(same_law_test(a, shifted, 20, kAlpha).pass);
  EXPECT_FALSE(same_law_test(a, wide, 20, kAlpha).pass);
  EXPECT_FALSE(same_law_test(a, rounded, 20, kAlpha).pass);
  EXPECT_TRUE(same_law_test({1, 1, 1, 1, 1, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 1, 1, 1, 1, 1}, 2, kAlpha).pass);
  // Each sample has all its 10 values in one of two cells that should hold 5 and 5, so the statistic is 20 at
  // one degree of freedom.
  const std::vector<double> ones(10, 1), twos(10, 2);
  EXPECT_NEAR(same_law_test(ones, twos, 2, kAlpha).p_value, std::erfc(std::sqrt(10.0)), 1e-12);
  EXPECT_THROW(same_law_test({1, 2}, {1, 2}, 2, kAlpha), std::invalid_argument);
  EXPECT_THROW(same_law_test(ones, ones, 2, kAlpha), std::invalid_argument);
}

TEST(MeanTest, ThresholdIsTheNormalQuantile) {
  // The two-sided p-value of |z| = 4.8916 is 1e-6.
  EXPECT_TRUE(mean_test(4.89 / 10, 0, 1, 100, kAlpha).pass);
  EXPECT_FALSE(mean_test(-4.90 / 10, 0, 1, 100, kAlpha).pass);
  EXPECT_FALSE(mean_test(std::nan(""), 0, 1, 100, kAlpha).pass);
  EXPECT_THROW(mean_test(0, 0, HUGE_VAL, 100, kAlpha), std::invalid_argument);
}

TEST(Verdicts, FalseAlarmsComeAtTheStatedRate) {
  // In 4000 experiments whose null hypothesis is true, at alpha = 0.01, the chi-squared test raises about 40
  // false alarms on average. The Kolmogorov-Smirnov and binomial tests raise fewer, because they are
  // conservative.
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform;
  std::uint64_t coin_alarms = 0, chi_alarms = 0, ks_alarms = 0;
  constexpr int kExperiments = 4000, kDraws = 400;
  for (int e = 0; e < kExperiments; ++e) {
    std::vector<std::uint64_t> bins(8);
    std::vector<double> sample(kDraws);
    for (double& value : sample) {
      value = uniform(engine);
      ++bins[static_cast<std::size_t>(value * 8)];
    }
    chi_alarms += !chi_squared_test(bins, std::vector<double>(8, kDraws / 8.0), 0.01).pass;
    coin_alarms += !binomial_test(bins[0], kDraws, 1.0 / 8, 0.01).pass;
    ks_alarms += !uniformity_test(sample, 0.01).pass;
  }
  for (std::uint64_t alarms : {coin_alarms, chi_alarms, ks_alarms}) {
    EXPECT_GT(alarms, 0u);
    EXPECT_LE(alarms, 75u);  // Bin(4000, 0.01): P(X > 75) < 1e-6
  }
}

}  // namespace
}  // namespace muster::testing
