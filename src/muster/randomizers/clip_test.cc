// Computes norms of clipped vectors in extended precision: none may exceed the clip norm. With the textbook
// factor, which has no margin, some norms must exceed it.
#include "muster/randomizers/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/normals.h"

namespace muster::randomizers {
namespace {

// Returns the norm in extended precision, whose rounding error is far below the tolerances of the tests.
long double exact_norm(const std::vector<float>& x) {
  long double sum = 0;
  for (float value : x) sum += static_cast<long double>(value) * static_cast<long double>(value);
  return std::sqrt(sum);
}

std::vector<float> gradient(std::size_t d, float scale, std::uint64_t seed) {
  std::vector<float> x(d);
  random::fill_normals(random::RunKey::from_seed(seed), {random::Purpose::audit}, x);
  for (float& value : x) value *= scale;
  return x;
}

TEST(Clip, TheProductsNeverExceedTheClip) {
  for (std::size_t d : {1u, 2u, 3u, 17u, 1000u, 26010u}) {
    for (float scale : {1e-37f, 1e-20f, 1e-11f, 1e-3f, 1.0f, 1e7f, 1e19f, 1e30f, 5e37f}) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const std::vector<float> x = gradient(d, scale, seed);
        const long double norm = exact_norm(x);
        EXPECT_NEAR(static_cast<double>(static_cast<long double>(checked_norm(x)) / norm), 1, 1.1e-6);
        for (double clip : {1e-20, 0.1, 1.0, static_cast<double>(norm),
                            static_cast<double>(norm) * (1 + 1e-7), static_cast<double>(norm) * 1.5}) {
          if (clip < kSmallestClip || clip > kLargestClip) continue;
          const double factor = clip_factor(checked_norm(x), clip);
          const float rounded = round_down(factor);
          std::vector<float> clipped = x;
          for (float& value : clipped) value *= rounded;
          EXPECT_LE(exact_norm(clipped), static_cast<long double>(clip)) << d << " " << scale << " " << clip;
          if (static_cast<double>(norm) * (1 + 1e-5) < clip) {
            EXPECT_EQ(rounded, 1.0f);
          }
          if (rounded > 1e-30f && scale >= 1e-20f) {
            EXPECT_GE(exact_norm(clipped), std::min(norm, static_cast<long double>(clip)) * (1 - 4e-6L));
          }
        }
      }
    }
  }
}

TEST(Clip, KnownBadTheTextbookFactorExceedsTheClip) {
  // Without the margin 2^-19, about half of all clipped vectors have a norm above the clip norm.
  int longer = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<float> x = gradient(1000, 1, seed);
    const auto factor = static_cast<float>(0.1 / checked_norm(x));
    for (float& value : x) value *= factor;
    longer += exact_norm(x) > 0.1L;
  }
  EXPECT_GT(longer, 10);
}

TEST(Clip, RoundsToTheSideAskedFor) {
  for (double x : {0.1, 1.0 / 3, 1e-40, 3e38, 1 + 0x1p-30}) {
    EXPECT_LE(static_cast<double>(round_down(x)), x);
    EXPECT_GE(static_cast<double>(round_up(x)), x);
    EXPECT_LE(round_up(x), std::nextafter(round_down(x), std::numeric_limits<float>::max()));
  }
  EXPECT_EQ(round_down(0.5), 0.5f);
  EXPECT_EQ(round_up(0.5), 0.5f);
}

TEST(Clip, ZeroAndRanges) {
  EXPECT_EQ(checked_norm(std::vector<float>(100)), 0);
  EXPECT_EQ(clip_factor(0, 1), 1);
  EXPECT_ERROR(ErrorCode::plan, check_shape(0, 1));
  EXPECT_ERROR(ErrorCode::plan, check_shape(std::nan(""), 1));
  EXPECT_ERROR(ErrorCode::plan, check_shape(HUGE_VAL, 1));
  EXPECT_NO_THROW(check_shape(1, 1));
}

}  // namespace
}  // namespace muster::randomizers
