// Follows coins and uniform integers word by word with scripted bits, and tests their laws statistically. A
// biased modulo and a multiplication without rejection must fail.
#include "muster/random/samplers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/scripted_source.h"
#include "tests/support/statistics.h"

namespace muster::random {
namespace {

constexpr double kAlpha = 1e-6;
constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

KeyedStream stream(std::uint64_t client) { return {RunKey::from_seed(2026), {Purpose::audit, 0, client}}; }

TEST(Probability, IsAnExactMultipleRoundedDown) {
  EXPECT_FALSE(Probability::at_most(0).accepts(0));
  EXPECT_TRUE(Probability::at_most(1).accepts(kMax));
  const Probability half = Probability::at_most(0.5);
  EXPECT_TRUE(half.accepts((std::uint64_t{1} << 63) - 1));
  EXPECT_FALSE(half.accepts(std::uint64_t{1} << 63));
  EXPECT_EQ(half.value(), 0.5);
  // The largest double below 1 is 1 - 2^-53, so 2^11 words are refused.
  const Probability nearly = Probability::at_most(1 - 0x1p-53);
  EXPECT_TRUE(nearly.accepts(kMax - 2048));
  EXPECT_FALSE(nearly.accepts(kMax - 2047));
  // A probability of 2^-64 accepts one word, and half of it rounds down to none.
  EXPECT_TRUE(Probability::at_most(0x1p-64).accepts(0));
  EXPECT_FALSE(Probability::at_most(0x1p-64).accepts(1));
  EXPECT_FALSE(Probability::at_most(0x1p-65).accepts(0));
  EXPECT_TRUE(Probability::of_numerator(5).accepts(4));
  EXPECT_FALSE(Probability::of_numerator(5).accepts(5));
}

TEST(Probability, RefusesWhatIsNone) {
  for (double bad : {-1e-300, 1.0000000001, std::nan(""), HUGE_VAL})
    EXPECT_ERROR(ErrorCode::internal, Probability::at_most(bad));
}

TEST(Bernoulli, ConsumesOneWordAndComesAtItsRate) {
  ScriptedSource script({0, kMax});
  EXPECT_TRUE(bernoulli(script, Probability::at_most(0.25)));
  EXPECT_FALSE(bernoulli(script, Probability::at_most(0.25)));
  EXPECT_EQ(script.consumed(), 2u);
  EXPECT_ERROR(ErrorCode::internal, bernoulli(script, Probability::at_most(0.25)));

  std::uint64_t client = 0;
  for (double p : {1e-3, 0.1192, 0.5, 0.9}) {
    KeyedStream bits = stream(client++);
    constexpr std::uint64_t n = 1'000'000;
    std::uint64_t heads = 0;
    for (std::uint64_t i = 0; i < n; ++i) heads += bernoulli(bits, Probability::at_most(p));
    const auto verdict = testing::binomial_test(heads, n, p, kAlpha);
    EXPECT_TRUE(verdict.pass) << verdict.summary;
    // The test must reject a coin whose rate is too small by a fifth.
    EXPECT_FALSE(testing::binomial_test(heads - heads / 5, n, p, kAlpha).pass);
  }
}

TEST(UniformBelow, RejectsExactlyTheExcess) {
  // As 2^64 mod 3 = 1, only the word 0 is rejected.
  ScriptedSource three({0, 0, kMax, 1});
  EXPECT_EQ(uniform_below(three, 3), 2u);
  EXPECT_EQ(three.consumed(), 3u);
  EXPECT_EQ(uniform_below(three, 3), 0u);
  EXPECT_EQ(three.consumed(), 4u);

  // With the bound 2^63 + 1, 2^64 mod bound is 2^63 - 1. The product of word 1 has low half 2^63 + 1 and is
  // accepted as 0; that of word 2 has low half 2 and is rejected; that of word 3 has low half 2^63 + 3 and
  // high half 1.
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
  ScriptedSource large({1, 2, 3});
  EXPECT_EQ(uniform_below(large, bound), 0u);
  EXPECT_EQ(large.consumed(), 1u);
  EXPECT_EQ(uniform_below(large, bound), 1u);
  EXPECT_EQ(large.consumed(), 3u);

  // A power of two never rejects. A low half that is below the bound, but not below the threshold, is kept.
  ScriptedSource power({0, kMax});
  EXPECT_EQ(uniform_below(power, 8), 0u);
  EXPECT_EQ(uniform_below(power, 8), 7u);
  EXPECT_EQ(power.consumed(), 2u);
  ScriptedSource one({123});
  EXPECT_EQ(uniform_below(one, 1), 0u);
  EXPECT_ERROR(ErrorCode::internal, uniform_below(one, 0));
}

// Tests that n draws fall equally often in each of `bins` bins of equal size of [0, bound).
template <class Draw>
testing::Verdict equal_bins(Draw draw, std::uint64_t bound, std::uint64_t bins, std::uint64_t n) {
  std::vector<std::uint64_t> counts(bins);
  for (std::uint64_t i = 0; i < n; ++i) ++counts[draw() / (bound / bins)];
  return testing::chi_squared_test(
      counts, std::vector<double>(bins, static_cast<double>(n) / static_cast<double>(bins)), kAlpha);
}

TEST(UniformBelow, IsUniformWhereAModuloIsNot) {
  for (std::uint64_t bound : {std::uint64_t{6}, std::uint64_t{3} << 62}) {
    KeyedStream bits = stream(bound % 1000);
    const std::uint64_t bins = bound == 6 ? 6 : 12;
    const auto verdict = equal_bins([&] { return uniform_below(bits, bound); }, bound, bins, 600'000);
    EXPECT_TRUE(verdict.pass) << verdict.summary;
  }
  // The test must reject word mod 3 * 2^62, which falls in the first third twice as often.
  KeyedStream bits = stream(7);
  const std::uint64_t bound = std::uint64_t{3} << 62;
  const auto biased = equal_bins([&] { return bits.next_u64() % bound; }, bound, 12, 600'000);
  EXPECT_FALSE(biased.pass) << biased.summary;
  // The test must reject multiplication without rejection. With bound 3 * 2^62, every third value comes from
  // two words.
  std::uint64_t kept = 0;
  for (int i = 0; i < 100'000; ++i) {
    __extension__ using Wide = unsigned __int128;
    kept += static_cast<std::uint64_t>((static_cast<Wide>(bits.next_u64()) * bound) >> 64) % 3 == 0;
  }
  EXPECT_FALSE(testing::binomial_test(kept, 100'000, 1.0 / 3, kAlpha).pass);
}

}  // namespace
}  // namespace muster::random
