// Tests the exact samplers against their laws by binomial and chi-squared tests, which must reject slightly
// wrong laws, and follows rare branches with scripted bits.
#include "muster/random/exact_discrete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/scripted_source.h"
#include "tests/support/statistics.h"

namespace muster::random {
namespace {

constexpr double kAlpha = 1e-6;
constexpr std::uint64_t kDraws = 200'000;

KeyedStream stream(std::uint64_t round) {
  return KeyedStream(RunKey::from_seed(31), {Purpose::audit, round, 0});
}

TEST(BernoulliExp, HasItsProbability) {
  std::uint64_t round = 0;
  for (const auto& [numerator, denominator] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 1}, {1, 1}, {1, 2}, {7, 9}, {1, 1000}}) {
    KeyedStream bits = stream(++round);
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) count += bernoulli_exp(bits, numerator, denominator);
    const double x = static_cast<double>(numerator) / static_cast<double>(denominator);
    const auto verdict = testing::binomial_test(count, kDraws, std::exp(-x), kAlpha);
    EXPECT_TRUE(verdict.pass) << x << ": " << verdict.summary;
    if (numerator == denominator) {  // the test must reject the series cut off after x^2/2
      EXPECT_FALSE(testing::binomial_test(count, kDraws, 1 - x + x * x / 2, kAlpha).pass);
    }
  }
}

TEST(BernoulliExp, FollowsTheSeries) {
  // The word 1 makes each of these coins true, and the largest word makes each of them false.
  const std::uint64_t low = 1, top = ~std::uint64_t{0};
  ScriptedSource first({top}), second({low, top}), third({low, low, top});
  EXPECT_TRUE(bernoulli_exp(first, 1, 2));
  EXPECT_FALSE(bernoulli_exp(second, 1, 2));
  EXPECT_TRUE(bernoulli_exp(third, 1, 2));
  EXPECT_EQ(third.consumed(), 3u);
}

TEST(Geometric, HasItsLaw) {
  std::uint64_t round = 10;
  for (const std::uint64_t scale : {1, 2, 3, 10}) {
    KeyedStream bits = stream(++round);
    const std::size_t bins = 3 * scale + 1;  // the last bin holds all larger values
    std::vector<std::uint64_t> observed(bins);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      ++observed[std::min<std::uint64_t>(geometric(bits, scale), bins - 1)];
    }
    const auto expected = [&](double rate) {
      std::vector<double> counts(bins);
      for (std::size_t g = 0; g < bins; ++g) {
        const auto x = static_cast<double>(g);
        const double here = std::exp(-x * rate), next = g + 1 == bins ? 0 : std::exp(-(x + 1) * rate);
        counts[g] = static_cast<double>(kDraws) * (here - next);
      }
      return counts;
    };
    const double rate = 1 / static_cast<double>(scale);
    const auto verdict = testing::chi_squared_test(observed, expected(rate), kAlpha);
    EXPECT_TRUE(verdict.pass) << scale << ": " << verdict.summary;
    EXPECT_FALSE(testing::chi_squared_test(observed, expected(1.03 * rate), kAlpha).pass);
  }
}

TEST(Geometric, LargeScalesToo) {
  constexpr std::uint64_t kScale = 1 << 23;
  KeyedStream bits = stream(20);
  std::vector<double> uniform;
  for (int i = 0; i < 50'000; ++i) {
    uniform.push_back(std::exp(-static_cast<double>(geometric(bits, kScale)) / kScale));
  }
  const auto verdict = testing::uniformity_test(uniform, kAlpha);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

TEST(Binomial, HasItsLaw) {
  for (const std::uint64_t n : {1, 5, 64, 67}) {
    for (const double p : {0.0, 0.03, 0.5, 1.0 / 3, 0.9}) {
      KeyedStream bits = stream(100 + n);
      std::uint64_t total = 0, none = 0;
      constexpr std::uint64_t kTrials = 40'000;
      for (std::uint64_t i = 0; i < kTrials; ++i) {
        const std::uint64_t count = binomial(bits, n, Probability::at_most(p));
        ASSERT_LE(count, n);
        total += count;
        none += count == 0;
      }
      const auto mean = testing::binomial_test(total, n * kTrials, p, kAlpha);
      EXPECT_TRUE(mean.pass) << n << " " << p << ": " << mean.summary;
      const double empty = std::pow(1 - p, static_cast<double>(n));
      EXPECT_TRUE(testing::binomial_test(none, kTrials, empty, kAlpha).pass) << n << " " << p;
      if (p == 0.9 && n > 1) {
        EXPECT_FALSE(testing::binomial_test(total, n * kTrials, 0.89, kAlpha).pass);
      }
    }
  }
  KeyedStream bits = stream(200);
  EXPECT_EQ(binomial(bits, 100, Probability::at_most(1)), 100u);
  EXPECT_EQ(binomial(bits, 0, Probability::at_most(0.5)), 0u);
}

TEST(Binomial, ComparesBitByBit) {
  // In binary, p = 3/4 is .11. The first bits of the three coins are 1, 0, 1, so one is a success and two are
  // undecided. The second bits of these two are 1 and 0, so one more is a success.
  ScriptedSource bits({0b101ull << 61, 0b10ull << 62});
  EXPECT_EQ(binomial(bits, 3, Probability::at_most(0.75)), 2u);
  EXPECT_EQ(bits.consumed(), 2u);
}

// 1 - 2^-64 rounds to 1 as a double, but a coin of this probability fails if its 64 bits are all 1.
TEST(Binomial, AProbabilityNextToOneIsNotOne) {
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  const Probability p = Probability::of_numerator(kOnes);
  ASSERT_EQ(p.value(), 1);
  ScriptedSource all_ones(std::vector<std::uint64_t>(64, kOnes));
  EXPECT_EQ(binomial(all_ones, 1, p), 0u);
  ScriptedSource a_zero({kOnes, 0});
  EXPECT_EQ(binomial(a_zero, 1, p), 1u);
}

TEST(ExactDiscrete, RefusesNonsense) {
  KeyedStream bits = stream(1);
  EXPECT_ERROR(ErrorCode::internal, bernoulli_exp(bits, 2, 1));
  EXPECT_ERROR(ErrorCode::internal, bernoulli_exp(bits, 0, 0));
  EXPECT_ERROR(ErrorCode::internal, geometric(bits, 0));
  EXPECT_ERROR(ErrorCode::internal, geometric(bits, std::uint64_t{1} << 41));
}

}  // namespace
}  // namespace muster::random
