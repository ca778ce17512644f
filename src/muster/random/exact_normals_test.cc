// Tests exactly rounded normals. A decided rounding stays the same whatever words continue the pair's words.
// The pair's own words leave a rounding undecided with the derived probability. The length of a pair has the
// right law at both ends (very large and near 0), where a word holds few significant bits.
#include "muster/random/exact_normals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/normals.h"
#include "muster/random/samplers.h"
#include "tests/support/statistics.h"
#include "tests/support/unit_uniform.h"

namespace muster::random {
namespace {

constexpr double kAlpha = 1e-6;
const RunKey kKey = RunKey::from_seed(41);

PairBits random_pair(BitSource& bits) {
  const std::uint64_t word = bits.next_u64();
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32), {}, {}};
}

void extend(PairBits& pair, BitSource& bits) {
  pair.more_radius.push_back(bits.next_u64());
  pair.more_angle.push_back(bits.next_u64());
}

TEST(ExactNormals, AreThoseOfTheStreamRounded) {
  const StreamAddress address{Purpose::audit, 3, 4};
  std::vector<float> normals(1000);
  fill_normals(kKey, address, normals);
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const double value = 100 * static_cast<double>(normals[i]) + 0.25;
    EXPECT_NEAR(static_cast<double>(rounded_normal(kKey, address, i, 0.25, 100)), value, 0.5 + 1e-3) << i;
  }
}

// A decided rounding stays the same as further words come, and double precision agrees with integer
// arithmetic.
TEST(ExactNormals, WhatIsDecidedIsTrueOfEveryContinuation) {
  KeyedStream bits(kKey, {Purpose::audit, 1, 0});
  int decided[4] = {}, clear = 0;
  for (int i = 0; i < 4000; ++i) {
    PairBits pair = random_pair(bits);
    if (i % 4 == 1) pair.radius &= 0x8000000fu;                   // a large radius
    if (i % 4 == 2) pair.radius |= 0x7ffffff0u;                   // a radius near 0
    if (i % 8 == 3) pair.angle = bits.next_u64() & 1 ? 1u : ~0u;  // an angle next to an axis
    const bool second = (bits.next_u64() & 1) != 0;
    const double deviation =
        std::ldexp(1.0 + testing::unit_uniform(bits), static_cast<int>(bits.next_u64() % 56));
    const double shift =
        (testing::unit_uniform(bits) - 0.5) * std::ldexp(1.0, static_cast<int>(bits.next_u64() % 40) - 8);
    std::optional<std::int64_t> known = rounded_if_clear(pair, second, shift, deviation);
    if (known) {
      ++clear;
      const auto again = rounded_if_decided(pair, second, shift, deviation);
      ASSERT_TRUE(again.has_value());
      ASSERT_EQ(*again, *known);
    }
    for (int level = 0; level < 4; ++level) {
      const auto rounded = rounded_if_decided(pair, second, shift, deviation);
      if (known) {
        ASSERT_TRUE(rounded.has_value()) << level;
        ASSERT_EQ(*rounded, *known) << level;
      }
      known = rounded;
      decided[level] += known.has_value();
      extend(pair, bits);
    }
  }
  std::printf(
      "of 4000 decided in double precision %d, by whole numbers with 0, 1, 2, 3 further words %d %d %d %d\n",
      clear, decided[0], decided[1], decided[2], decided[3]);
  EXPECT_GT(clear, 1000);
  EXPECT_LT(decided[0], 3900);
  EXPECT_EQ(decided[2], 4000);
}

// Both normals of a pair equal Box-Muller of its radius and angle words, each continued by the same further
// words.
TEST(ExactNormals, BothNormalsOfAPairContinueTheSameWords) {
  const StreamAddress address{Purpose::audit, 7, 9};
  // With such a large deviation, every value needs further words.
  const double deviation = 0x1p50;
  for (std::uint64_t pair = 0; pair < 40; ++pair) {
    const std::uint64_t number = pair / 16 * 32 + pair % 16;
    const double a = static_cast<double>(rounded_normal(kKey, address, number, 0, deviation)) / deviation;
    const double b =
        static_cast<double>(rounded_normal(kKey, address, number + 16, 0, deviation)) / deviation;
    const PairBits bits = drawn_bits(kKey, address, pair);
    KeyedStream further = further_bits(kKey, address, pair);
    const double radius =
        (static_cast<double>(bits.radius & 0x7fffffffu) + static_cast<double>(further.next_u64()) * 0x1p-64) *
        0x1p-31;
    const double angle = (static_cast<double>(static_cast<std::int32_t>(bits.angle) >> 1) +
                          static_cast<double>(further.next_u64()) * 0x1p-64) *
                         0x1p-30 * std::atan(1.0);
    const double length = std::sqrt(-2 * std::log(radius));
    const double cosine = (bits.radius >> 31 != 0 ? -1 : 1) * length * std::cos(angle),
                 sine = length * std::sin(angle);
    const bool exchanged = (bits.angle & 1) != 0;
    EXPECT_NEAR(a, exchanged ? sine : cosine, 1e-13) << pair;
    EXPECT_NEAR(b, exchanged ? cosine : sine, 1e-13) << pair;
  }
}

// Random words allow an interval of values. Double precision decides the rounding unless the interval
// contains a tie, which happens with a probability equal to the width of the interval.
TEST(ExactNormals, BitsRunOutAsOftenAsDerived) {
  KeyedStream bits(kKey, {Purpose::audit, 2, 0});
  constexpr std::uint64_t kPairs = 400'000;
  for (const double deviation : {0x1p18, 0x1p22}) {
    std::uint64_t undecided = 0;
    double expected = 0;
    for (std::uint64_t i = 0; i < kPairs; ++i) {
      const PairBits pair = random_pair(bits);
      const double shift = testing::unit_uniform(bits);
      undecided += !rounded_if_clear(pair, false, shift, deviation);
      // The words confine U to an interval of length dU = 2^-31 and x to one of length dx = 2^-30
      // (normal_enclosure.h). To first order, |dR| = dU / (U R). An interval of width w < 1 at a uniform
      // place contains a tie with probability w.
      const double u = (static_cast<double>(pair.radius & 0x7fffffffu) + 0.5) * 0x1p-31;
      const double length = std::sqrt(-2 * std::log(u)), turn = std::atan(1.0);
      const double angle = static_cast<double>(static_cast<std::int32_t>(pair.angle | 1)) * 0x1p-31 * turn;
      const double factor = std::abs(pair.is_cosine(false) ? std::cos(angle) : std::sin(angle));
      // The change of the sine or cosine is replaced by its bound, turn times the change of x.
      const double width = deviation * (0x1p-31 / (u * length) * factor + length * turn * 0x1p-30);
      expected += std::fmin(width, 1.0);
    }
    const auto verdict = testing::binomial_test(undecided, kPairs, expected / kPairs, kAlpha);
    EXPECT_TRUE(verdict.pass) << deviation << ": " << verdict.summary;
    EXPECT_FALSE(testing::binomial_test(undecided, kPairs, 1.3 * expected / kPairs, kAlpha).pass);
  }
}

// A sampler under test. It returns the integer nearest to `deviation` times the first or `second` normal of
// the pair whose words begin with `bits` and go on with the words of `further`.
using Sampler =
    std::function<std::int64_t(const PairBits& bits, BitSource& further, bool second, double deviation)>;

// Tests the law of the length R of pairs whose radius words start with 27 zeros (`far`) or 27 ones. Then
// U = e^(-R^2 / 2) is uniform on an interval of length 2^-27.
testing::Verdict law_of_length(const Sampler& sampler, bool far) {
  KeyedStream words(kKey, {Purpose::audit, 5, far});
  std::vector<double> mapped;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    PairBits pair = random_pair(words);
    pair.radius = far ? pair.radius & 0x8000000fu : pair.radius | 0x7ffffff0u;
    const RunKey key = RunKey::from_seed(i);
    double squared = 0;
    constexpr double kDeviation = 0x1p26;
    for (const bool second : {false, true}) {
      KeyedStream further(key, {Purpose::audit});
      const double z = static_cast<double>(sampler(pair, further, second, kDeviation)) / kDeviation;
      squared += z * z;
    }
    mapped.push_back(std::fmin(1.0, (far ? std::exp(-squared / 2) : -std::expm1(-squared / 2)) * 0x1p27));
  }
  return testing::uniformity_test(mapped, kAlpha);
}

// Returns a faulty rounded normal that draws no further words. Each word stands for the middle of its
// interval, U keeps only its `kept` leading bits (53 keeps all), and the length is capped at `largest`.
std::int64_t nearest(const PairBits& bits, bool second, double deviation, int kept, double largest) {
  const auto word = static_cast<double>(bits.radius & 0x7fffffffu) + 0.5;
  const double exponent = std::ceil(std::log2(word)), unit = std::exp2(exponent - kept);
  const double u = kept == 53 ? word * 0x1p-31 : std::nearbyint(word / unit) * unit * 0x1p-31;
  const double length = std::fmin(largest, std::sqrt(-2 * std::log(std::fmin(u, 1.0))));
  const double angle =
      static_cast<double>(static_cast<std::int32_t>(bits.angle | 1)) * 0x1p-31 * std::atan(1.0);
  const bool cosine = bits.is_cosine(second);
  return std::llrint(deviation * length * (cosine ? std::cos(angle) : std::sin(angle)) *
                     (cosine && bits.is_negative(second) ? -1 : 1));
}

TEST(ExactNormals, TheLengthOfAPairHasItsLawAtBothEnds) {
  const Sampler exact = [](const PairBits& bits, BitSource& further, bool second, double deviation) {
    return rounded_normal(bits, further, second, 0, deviation);
  };
  for (const bool far : {false, true}) {
    const auto verdict = law_of_length(exact, far);
    EXPECT_TRUE(verdict.pass) << far << ": " << verdict.summary;
  }
  // The test must reject a sampler without further bits, one whose U has only 24 bits, and one that clamps
  // normals to [-6.1, 6.1].
  const auto without = [](int kept, double largest) {
    return [=](const PairBits& bits, BitSource&, bool second, double deviation) {
      return nearest(bits, second, deviation, kept, largest);
    };
  };
  constexpr double kUncut = std::numeric_limits<double>::infinity();
  for (const bool far : {false, true}) EXPECT_FALSE(law_of_length(without(53, kUncut), far).pass) << far;
  EXPECT_FALSE(law_of_length(without(24, kUncut), false).pass);
  const Sampler cut = [&](const PairBits& bits, BitSource& further, bool second, double deviation) {
    const std::int64_t value = exact(bits, further, second, deviation);
    const std::int64_t most = std::llrint(6.1 * deviation);
    return std::clamp(value, -most, most);
  };
  EXPECT_FALSE(law_of_length(cut, true).pass);
}

// Where U begins with at least 31 zeros and x is next to 0, the sampler draws as many words as it needs.
TEST(ExactNormals, TailsAskForMoreWords) {
  class Zeros final : public BitSource {
   public:
    explicit Zeros(int zeros) : zeros_(zeros) {}
    std::uint64_t next_u64() override { return read_++ < zeros_ ? 0 : 0x123456789abcdef0u; }
    int read() const { return read_; }

   private:
    int zeros_, read_ = 0;
  };
  for (const int words : {0, 1, 5, 40}) {
    Zeros further(2 * words);
    const std::int64_t value = rounded_normal(PairBits{0, 0, {}, {}}, further, false, 0, 1000);
    const double u =
        31 * std::log(2.0) + words * 64 * std::log(2.0) - std::log(0x1.23456789abcdfp60 / 0x1p64);
    EXPECT_NEAR(static_cast<double>(value), 1000 * std::sqrt(2 * u), 0.51) << words;
    EXPECT_GE(further.read(), 2 * words + 2);
    EXPECT_LE(further.read(), 2 * words + 4);
  }
}

TEST(ExactNormals, ExtremeShiftsAndDeviations) {
  KeyedStream bits(kKey, {Purpose::audit, 6, 0});
  for (int i = 0; i < 20; ++i) {
    const PairBits pair = random_pair(bits);
    const auto rounded = [&](double shift, double deviation) {
      KeyedStream further(kKey, {Purpose::audit, 6, 1});
      return rounded_normal(pair, further, (i & 1) != 0, shift, deviation);
    };
    EXPECT_EQ(rounded(0, 1e-300), 0);
    EXPECT_EQ(rounded(3.75, 1e-300), 4);
    EXPECT_EQ(rounded(-5e-324, 1e-30), 0);
    EXPECT_EQ(rounded(1e17, 1e-3), 100'000'000'000'000'000);
    EXPECT_EQ(std::abs(rounded(0, 1e300)), std::int64_t{1} << 62);
    EXPECT_EQ(rounded(-1e300, 1), -(std::int64_t{1} << 62));
    const std::int64_t either = rounded(0.5, 1e-9);
    EXPECT_TRUE(either == 0 || either == 1);
  }
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite, -1.0, 0.0}) {
    EXPECT_ERROR(ErrorCode::internal, rounded_normal(kKey, {Purpose::audit}, 0, 0, bad));
  }
  for (const double bad : {nan, infinite})
    EXPECT_ERROR(ErrorCode::internal, rounded_normal(kKey, {Purpose::audit}, 0, bad, 1));
  EXPECT_ERROR(ErrorCode::internal, rounded_normal(kKey, {Purpose::audit}, std::uint64_t{1} << 33, 0, 1));
}

}  // namespace
}  // namespace muster::random
