// Compares the vector kernels with plain loops and with rounded_normal(), for every small size and on every
// vector target.
#include "muster/randomizers/grid_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/direction.h"
#include "muster/random/exact_normals.h"
#include "muster/random/normals.h"
#include "muster/random/vector_targets_test.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {
namespace {

std::vector<float> values(std::size_t n, float scale, std::uint64_t client) {
  std::vector<float> x(n);
  random::fill_normals(random::RunKey::from_seed(1), {random::Purpose::audit, 0, client}, x);
  for (float& value : x) value *= scale;
  return x;
}

// Tests a large size and every size up to a little more than two vectors. The element after the last one must
// not change.
TEST(GridKernels, AgreeWithPlainLoopsOnEveryTarget) {
  std::vector<std::size_t> sizes = {1003};
  for (std::size_t n = 0; n < 40; ++n) sizes.push_back(n);
  const int targets = random::on_every_target([&](const std::string&) {
    for (std::size_t n : sizes) {
      const std::vector<float> x = values(n, 1, 0), noise = values(n, 1, 1);
      std::vector<std::int64_t> sums(n + 1, 7), expected(n + 1, 7);
      const float scale = 1e8f;
      add_scaled(x.data(), scale, sums.data(), n);
      for (std::size_t i = 0; i < n; ++i) expected[i] += std::lrint(x[i] * scale);
      ASSERT_EQ(sums, expected) << n;

      std::vector<std::int32_t> steps(n + 1, 7);
      for (std::size_t i = 0; i < n; ++i) steps[i] = static_cast<std::int32_t>(std::lrint(1e5f * noise[i]));
      add_steps(steps.data(), sums.data(), n);
      for (std::size_t i = 0; i < n; ++i) expected[i] += steps[i];
      ASSERT_EQ(sums, expected) << n;
    }
  });
  EXPECT_GE(targets, 2);
}

// Each coordinate equals the result of rounded_normal for that coordinate, whether the vector loops decide it
// or leave it to exact arithmetic.
TEST(GridKernels, NoiseFromAStreamIsThatOfItsExactNormalsOnEveryTarget) {
  const random::RunKey key = random::RunKey::from_seed(8);
  const random::StreamAddress address{random::Purpose::audit, 3, 4};
  constexpr float kFactor = 37.3f;
  struct Case {
    double deviation, product;
    unsigned bits;
  };
  for (const Case& one : {Case{64, 0, 11}, Case{127.9, 200, 12}, Case{100, 3e5, 21}, Case{1.5, 1, 8}}) {
    for (std::size_t n : {0u, 1u, 16u, 31u, 63u, 64u, 65u, 127u, 128u, 1003u, 40'003u}) {
      const float scale = static_cast<float>(one.product / 5 / kFactor);
      const std::vector<float> gradient = values(n, scale, 0);
      std::vector<std::int32_t> expected;
      random::on_every_target([&](const std::string& target) {
        std::vector<std::int32_t> steps(n + 1, 7);
        const std::size_t left = add_stream_noise(gradient, kFactor, one.product, key, address, one.deviation,
                                                  one.bits, steps.data());
        EXPECT_EQ(steps.back(), 7) << n;
        steps.pop_back();
        if (expected.empty()) {
          for (std::size_t i = 0; i < n; ++i) {
            const double shift = static_cast<double>(gradient[i]) * static_cast<double>(kFactor);
            expected.push_back(
                static_cast<std::int32_t>(random::rounded_normal(key, address, i, shift, one.deviation)));
          }
        }
        ASSERT_EQ(steps, expected) << n << " " << one.deviation;
        // The coordinates left to double precision have an extreme radius word (a fraction 2^-13 of all) or
        // are within about 1e-6 deviations of a tie.
        if (n > 40'000) {
          std::printf("%-8s deviation %5.1f, products up to %g: %zu of %zu left to double precision\n",
                      target.c_str(), one.deviation, one.product, left, n);
          const double most = 40'003 * (0x1p-13 + 2e-6 * one.deviation + one.product * 0x1p-20);
          // By Bernstein's inequality, a binomial count of mean `most`, which is above 4.8 here, exceeds this
          // with a probability below 1e-4. The stream of the test is fixed.
          EXPECT_LT(static_cast<double>(left), most + 6 * std::sqrt(most));
        }
      });
    }
  }
}

// Noise alone would leave the range of the steps about once in 10^15 coordinates, so in this test the
// products gradient * factor leave the range. The vector loops hand values of more than 32 bits to exact
// arithmetic.
TEST(GridKernels, StepsAreCutToTheirBits) {
  const random::RunKey key = random::RunKey::from_seed(8);
  const std::vector<float> far = {1, -1, 3e6f, -3e6f, 0};
  random::on_every_target([&](const std::string&) {
    std::vector<std::int32_t> steps(far.size());
    add_stream_noise(far, 1000, 100, key, {random::Purpose::audit}, 2, 8, steps.data());
    EXPECT_EQ(steps[0], 127);
    EXPECT_EQ(steps[1], -127);
    EXPECT_EQ(steps[2], 127);
    EXPECT_EQ(steps[3], -127);
    EXPECT_LT(std::abs(steps[4]), 20);
  });
}

TEST(GridKernels, NarrowSumsAgreeWithPlainLoopsOnEveryTarget) {
  constexpr std::size_t kMaxMessages = 13;  // passes of eight, of four and of one message
  const std::vector<float> scales = {1e6f, -1e6f, 3e5f, 0.5f,  7.0f, -2e5f, 1e3f,
                                     1e6f, 4.0f,  5e5f, -9.0f, 1.5f, 2e4f};
  random::on_every_target([&](const std::string&) {
    for (std::size_t n : {0u, 1u, 15u, 16u, 31u, 32u, 33u, 65u, 1003u}) {
      std::vector<std::vector<float>> directions;
      std::vector<std::vector<std::int32_t>> steps(kMaxMessages);
      std::vector<const float*> direction_at;
      std::vector<const std::int32_t*> steps_at;
      std::vector<std::int32_t> expected(n + 1, 7);
      for (std::size_t m = 0; m < kMaxMessages; ++m) {
        directions.push_back(values(n, 1, m));
        direction_at.push_back(directions[m].data());
        for (std::size_t i = 0; i < n; ++i) {
          steps[m].push_back(static_cast<std::int32_t>(std::lrint(directions[m][i] * scales[m])));
        }
        steps_at.push_back(steps[m].data());
      }
      std::vector<std::int32_t> sums(n + 1, 7), with_steps(n + 1, 7);
      for (std::size_t count = 0; count <= kMaxMessages; ++count) {
        const auto added = std::span(steps_at).first(count);
        for (const std::int32_t* one : added) {
          for (std::size_t i = 0; i < n; ++i) expected[i] += one[i];
        }
        add_scaled(std::span(direction_at).first(count), scales, sums.data(), n);
        ASSERT_EQ(sums, expected) << count << " of " << n;
        ASSERT_TRUE(add_steps_within(added, 10'000'000, with_steps.data(), n));
        ASSERT_EQ(with_steps, expected) << count << " of " << n;
      }
      std::vector<std::int32_t> one(n + 1, 7);
      add_scaled(std::span(direction_at).first(1), scales, one.data(), n);
      subtract_steps(steps_at[0], one.data(), n);
      ASSERT_TRUE(std::ranges::all_of(one, [](std::int32_t sum) { return sum == 7; })) << n;

      std::vector<std::int64_t> wide(n + 1, -5), moved_to(n + 1, -5);
      add_steps(sums.data(), wide.data(), n);
      move_steps(sums.data(), moved_to.data(), n);
      ASSERT_EQ(moved_to, wide) << n;
      ASSERT_EQ(sums.back(), 7);
      ASSERT_TRUE(std::all_of(sums.begin(), sums.end() - 1, [](std::int32_t sum) { return sum == 0; })) << n;
    }
  });
}

TEST(GridKernels, ADirectionMadeBesideAddingIsBoth) {
  const random::RunKey key = random::RunKey::from_seed(8);
  const random::StreamAddress address{random::Purpose::audit, 3, 4};
  random::on_every_target([&](const std::string&) {
    for (std::size_t n : {0u, 1u, 63u, 64u, 65u, 127u, 1023u, 1024u, 1025u, 20'000u}) {
      const std::vector<float> added = values(n, 1, 0);
      const float scale = 1e6f;
      std::vector<float> expected(n), out(n + 1, 7.0f);
      const double norm = random::fill_direction(key, address, {}, expected).squared_norm;
      std::vector<std::int32_t> expected_sums(n + 1, 7), sums(n + 1, 7);
      const float* const at = added.data();
      add_scaled({&at, 1}, {&scale, 1}, expected_sums.data(), n);
      EXPECT_EQ(fill_direction_beside_adding(key, address, std::span(out).first(n), at, scale, sums.data()),
                norm);
      ASSERT_EQ(sums, expected_sums) << n;
      ASSERT_EQ(out.back(), 7.0f);
      out.pop_back();
      ASSERT_EQ(out, expected) << n;
    }
  });
}

TEST(GridKernels, StepsBeyondTheBoundAreSeenWhereverTheyAre) {
  using Limits = std::numeric_limits<std::int32_t>;
  random::on_every_target([&](const std::string&) {
    for (std::size_t n : {1u, 32u, 35u}) {
      for (const std::int32_t bound : {1, 1000, Limits::max()}) {
        const std::vector<std::int32_t> small(n, bound);
        for (std::size_t at = 0; at < n; ++at) {
          for (const std::int64_t value : {std::int64_t{bound} + 1, -std::int64_t{bound} - 1,
                                           std::int64_t{Limits::max()}, std::int64_t{Limits::min()}}) {
            if (value > Limits::max()) continue;
            std::vector<std::int32_t> steps(n, -bound), sums(n);
            const std::array<const std::int32_t*, 9> all = {small.data(), steps.data(), small.data(),
                                                            small.data(), small.data(), small.data(),
                                                            small.data(), small.data(), steps.data()};
            const auto within = [&](std::size_t first, std::size_t count) {
              return add_steps_within(std::span(all).subspan(first, count), static_cast<std::uint32_t>(bound),
                                      sums.data(), n);
            };
            for (const std::size_t count : {1u, 4u, 8u, 9u}) ASSERT_TRUE(within(9 - count, count));
            steps[at] = static_cast<std::int32_t>(value);
            const bool inside = value <= bound && value >= -bound;
            ASSERT_EQ(within(8, 1), inside) << value << " at " << at;
            ASSERT_EQ(within(1, 4), inside) << value << " at " << at;
            ASSERT_EQ(within(0, 8), inside) << value << " at " << at;
            ASSERT_EQ(within(0, 9), inside) << value << " at " << at;
          }
        }
      }
    }
  });
}

TEST(MessageSum, NarrowAndWideSumsAreOneSum) {
  constexpr std::uint32_t kBound = 1u << 29;
  MessageSum sum(2, 1), other(2, 1);
  for (int i = 0; i < 9; ++i) {  // the sum of three such messages fits into 32 bits, that of four does not
    const std::span<std::int32_t> narrow = sum.narrow_sums(kBound);
    narrow[0] += static_cast<std::int32_t>(kBound);
    narrow[1] -= static_cast<std::int32_t>(kBound);
    if (i == 4) sum.sums()[0] += 3;
  }
  other.narrow_sums(10)[0] += 10;
  sum.merge(other);
  const std::int64_t total = 9 * std::int64_t{kBound};
  EXPECT_EQ(sum.sums()[0], total + 13);
  EXPECT_EQ(sum.sums()[1], -total);
  EXPECT_EQ(std::as_const(other).sums()[0], 10);
  sum.narrow_sums(1)[1] += 1;
  sum.clear();
  EXPECT_EQ(sum.sums()[1], 0);
  EXPECT_ERROR(ErrorCode::internal, sum.narrow_sums(1u << 31));
}

TEST(GridKernels, TiesGoToEvenAndBothSignsAlike) {
  const std::vector<float> halves = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 3.5f, 1e9f};
  random::on_every_target([&](const std::string&) {
    std::vector<std::int64_t> sums(8), opposite(8);
    add_scaled(halves.data(), 1, sums.data(), 8);
    add_scaled(halves.data(), -1, opposite.data(), 8);
    EXPECT_EQ(sums, (std::vector<std::int64_t>{0, 2, 2, 0, -2, -2, 4, 1'000'000'000}));
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(sums[i], -opposite[i]);
  });
}

}  // namespace
}  // namespace muster::randomizers
