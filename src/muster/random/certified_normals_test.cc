// Measures, on every vector target, the error bounds that exact_normals.h states for the certified reading of
// words. This file measures a sample of the words; certified_normals_long_test.cc includes it with stride 1,
// for every word.
//
// A normal is the product of a radius and a sine or cosine. Each factor depends on one word only, so radius
// words and angle words are measured separately; there are too many pairs of words to measure each pair.
// The reference is computed in double precision, whose rounding errors are negligible beside those of single
// precision.
#ifndef MUSTER_WORD_STRIDE
#define MUSTER_WORD_STRIDE 12289  // a prime, so that all bits of the words vary
#endif
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/certified_normals_test.cc"
#include <hwy/foreach_target.h>
// These headers must follow foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/vector_targets_test.h"
#include "muster/random/word_pairs_test-inl.h"

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(CertifiedPairs);

namespace {

constexpr std::uint64_t kStride = MUSTER_WORD_STRIDE, kWords = std::uint64_t{1} << 31;
constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr std::uint32_t kFlatAngle = 0;  // the word of an angle whose cosine is 1 in single precision

struct Pairs {
  std::vector<std::int32_t> radius, angle;
  std::vector<float> first, second;
  explicit Pairs(std::size_t size) : radius(size), angle(size), first(size), second(size) {}
  void compute() {
    HWY_DYNAMIC_DISPATCH(CertifiedPairs)
    (radius.data(), angle.data(), first.data(), second.data(), radius.size());
  }
};

// Calls fill(word, i) for the words 0, stride, 2 stride, ... below 2^31, in blocks of kBlock; the last block
// is padded by repeating its last word. After each block it calls measure(target, count) on every target,
// where count is the number of words without the padding.
template <class Fill, class Measure>
void for_words(Fill fill, Measure measure) {
  for (std::uint64_t from = 0; from < kWords; from += kBlock * kStride) {
    const std::uint64_t count = std::min<std::uint64_t>(kBlock, (kWords - from + kStride - 1) / kStride);
    for (std::size_t i = 0; i < kBlock; ++i) {
      fill(static_cast<std::uint32_t>(from + kStride * std::min<std::uint64_t>(i, count - 1)), i);
    }
    on_every_target([&](const std::string& target) { measure(target, count); });
  }
}

double radius_of(double k) { return std::sqrt(-2 * std::log(k / 0x1p31)); }

TEST(CertifiedNormals, TheNormalIsWithinItsErrorOfEveryOneItsWordsLeaveOpen) {
  Pairs pairs(kBlock);
  std::vector<double> shortest(kBlock), longest(kBlock);
  double worst = 0, worst_middling = 0, large = 0;
  std::uint64_t certified = 0, others = 0;
  for_words(
      [&](std::uint32_t word, std::size_t i) {
        pairs.radius[i] = static_cast<std::int32_t>(word);
        pairs.angle[i] = static_cast<std::int32_t>(kFlatAngle);
        longest[i] = radius_of(word);
        shortest[i] = radius_of(word + 1.0);
      },
      [&](const std::string&, std::uint64_t count) {
        pairs.compute();
        for (std::size_t i = 0; i < count; ++i) {
          if (std::isnan(pairs.first[i])) {
            ++others;
            continue;
          }
          ++certified;
          const double radius = static_cast<double>(pairs.first[i]);
          // Let r and f be the computed radius and factor (sine or cosine), fl the rounding to single
          // precision, and R and F any values that the words allow. As |F| <= 1, the error is |fl(r f) - R F|
          // <= r |f - F| + |r - R| + |r f| 2^-24.
          const double product = radius * (kFactorError + 0x1p-24 * (1 + kFactorError));
          const double error = std::max(longest[i] - radius, radius - shortest[i]) + product;
          worst = std::max(worst, error);
          if (radius >= kShort && radius <= kLong) worst_middling = std::max(worst_middling, error);
          large = std::max(large, radius);
        }
      });
  std::printf(
      "%llu radii certified, %llu not; largest error %.4g, of the middling %.4g; largest radius %.6g\n",
      static_cast<unsigned long long>(certified), static_cast<unsigned long long>(others), worst,
      worst_middling, large);
  EXPECT_LT(worst, kNormalError);
  EXPECT_LT(worst_middling, kMiddlingError);
  EXPECT_LE(large, static_cast<double>(kLargestRadius));
  EXPECT_NEAR(static_cast<double>(others) / static_cast<double>(certified + others),
              std::ldexp(1.0, 1 - kEqualBits), 2e-5);
}

TEST(CertifiedNormals, SineAndCosineAreWithinTheirErrorOfEveryOneTheirWordLeavesOpen) {
  // Find a word whose radius is 2, so that the product with it is exact.
  Pairs pairs(kBlock);
  std::uint32_t two = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    pairs.radius[i] =
        static_cast<std::int32_t>(0x1p31 * std::exp(-2.0)) - 32768 + static_cast<std::int32_t>(i);
  }
  on_every_target([&](const std::string&) {
    pairs.compute();
    const auto at = std::find(pairs.first.begin() + 32760, pairs.first.end(), 2.0f);
    ASSERT_NE(at, pairs.first.end());
    two = static_cast<std::uint32_t>(pairs.radius[static_cast<std::size_t>(at - pairs.first.begin())]);
  });
  std::vector<double> sine(2 * kBlock), cosine(2 * kBlock);
  double worst = 0;
  for_words(
      [&](std::uint32_t word, std::size_t i) {
        pairs.radius[i] = static_cast<std::int32_t>(two);
        pairs.angle[i] = static_cast<std::int32_t>(word << 1 | (word & 1));
        const double turn = std::numbers::pi / 4 * 0x1p-30;
        for (std::size_t end = 0; end < 2; ++end) {
          const double angle = turn * ((pairs.angle[i] >> 1) + static_cast<double>(end));
          sine[2 * i + end] = std::sin(angle);
          cosine[2 * i + end] = std::cos(angle);
        }
      },
      [&](const std::string& target, std::uint64_t count) {
        pairs.compute();
        for (std::size_t i = 0; i < count; ++i) {
          const bool exchanged = (pairs.angle[i] & 1) != 0;
          const double c = static_cast<double>(exchanged ? pairs.second[i] : pairs.first[i]) / 2;
          const double s = static_cast<double>(exchanged ? pairs.first[i] : pairs.second[i]) / 2;
          ASSERT_FALSE(std::isnan(c)) << target;
          for (std::size_t end = 0; end < 2; ++end) {
            worst = std::max({worst, std::abs(c - cosine[2 * i + end]), std::abs(s - sine[2 * i + end])});
          }
        }
      });
  std::printf("largest error of a sine or cosine %.4g\n", worst);
  EXPECT_LT(worst, kFactorError);
}

}  // namespace
}  // namespace muster::random
#endif  // HWY_ONCE
