// Compares BoxMuller with double precision on every vector target, for chosen words instead of random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/normals_accuracy_test.cc"
#include <hwy/foreach_target.h>
// These headers must follow foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/vector_targets_test.h"
#include "muster/random/word_pairs_test-inl.h"

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(PlainPairs);

namespace {

struct Words {
  std::vector<std::int32_t> radius, angle;
  void add(std::uint32_t r, std::uint32_t a) {
    radius.push_back(static_cast<std::int32_t>(r));
    angle.push_back(static_cast<std::int32_t>(a));
  }
};

Words chosen_words() {
  Words words;
  const std::vector<std::uint32_t> edges = {0,          1,          2,          0x7ffffffe, 0x7fffffff,
                                            0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x40000000,
                                            0x3fffffff, 0xc0000000, 0x5a82799a, 0x5a827999, 0x00800000};
  for (std::uint32_t r : edges) {
    for (std::uint32_t a : edges) words.add(r, a);
  }
  // These radius words cover the whole range, equally many for each power of two, at angles all around.
  std::uint32_t angle = 12345;
  for (int shift = 0; shift < 32; ++shift) {
    for (std::uint32_t i = 0; i < 4000; ++i) {
      angle = angle * 2891336453u + 1;
      words.add((0x80000000u + i * 536870u) >> shift, angle);
    }
  }
  while (words.radius.size() % 16 != 0) words.add(7, 7);
  return words;
}

TEST(BoxMuller, IsFiniteAndAccurateOnEveryTarget) {
  const Words words = chosen_words();
  std::vector<float> first(words.radius.size()), second(words.radius.size());
  on_every_target([&](const std::string& target) {
    HWY_DYNAMIC_DISPATCH(PlainPairs)
    (words.radius.data(), words.angle.data(), first.data(), second.data(), first.size());
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const auto radius_word = static_cast<std::uint32_t>(words.radius[i]);
      const auto angle_word = static_cast<std::uint32_t>(words.angle[i]);
      // For the reference, u is rounded to the 24 bits of a float; all later steps are in double precision.
      const auto bits = static_cast<double>(static_cast<float>(radius_word & 0x7fffffff));
      const double u = static_cast<double>(static_cast<float>((bits + 0.5) / 0x1p31));
      const double radius = std::sqrt(-2 * std::log(u));
      const double turn = static_cast<double>(static_cast<std::int32_t>(angle_word | 1)) / 0x1p31;
      const double sine = radius * std::sin(std::numbers::pi / 4 * turn);
      const double cosine =
          (radius_word >> 31 != 0 ? -1 : 1) * radius * std::cos(std::numbers::pi / 4 * turn);
      const bool exchanged = (angle_word & 1) != 0;
      ASSERT_TRUE(std::isfinite(first[i]) && std::isfinite(second[i])) << radius_word << " " << angle_word;
      const double errors[2] = {static_cast<double>(first[i]) - (exchanged ? sine : cosine),
                                static_cast<double>(second[i]) - (exchanged ? cosine : sine)};
      for (double error : errors) worst = std::max(worst, std::abs(error) / std::max(radius, 1e-3));
      largest = std::max(
          {largest, std::abs(static_cast<double>(first[i])), std::abs(static_cast<double>(second[i]))});
    }
    std::printf("%-8s largest error / radius %.3g, largest normal %.4f\n", target.c_str(), worst, largest);
    EXPECT_LT(worst, 4e-7);
    EXPECT_GT(largest, 6.6);
    EXPECT_LT(largest, 6.67);
  });
}

}  // namespace
}  // namespace muster::random
#endif  // HWY_ONCE
