#include "muster/randomizers/grid_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "muster/random/normals.h"
#include "muster/random/vector_targets_test.h"

namespace muster::randomizers {
namespace {

std::vector<float> values(std::size_t n, float scale, std::uint64_t client) {
  std::vector<float> x(n);
  random::fill_normals(random::RunKey::from_seed(1), {random::Purpose::audit, 0, client}, x);
  for (float& value : x) value *= scale;
  return x;
}

// Every size up to two vectors and a bit, then a large one; one element more than asked must stay as it was.
TEST(GridKernels, AgreeWithPlainLoopsOnEveryTarget) {
  std::vector<std::size_t> sizes = {1003};
  for (std::size_t n = 0; n < 40; ++n) sizes.push_back(n);
  const int targets = random::on_every_target([&](const std::string& target) {
    for (std::size_t n : sizes) {
      const std::vector<float> x = values(n, 1, 0), noise = values(n, 1, 1);
      std::vector<std::int64_t> sums(n + 1, 7), expected(n + 1, 7);
      const float scale = 1e8f;
      add_scaled(x.data(), scale, sums.data(), n);
      for (std::size_t i = 0; i < n; ++i) expected[i] += std::lrint(x[i] * scale);
      ASSERT_EQ(sums, expected) << n;

      std::vector<std::int32_t> steps(n + 1, 7), expected_steps(n + 1, 7);
      add_noise(x.data(), 1000.25f, noise.data(), 70000.5f, steps.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        const float clipped = x[i] * 1000.25f;
        const float noisy = random::has_fused_multiply_add(target) ? std::fma(noise[i], 70000.5f, clipped)
                                                                   : noise[i] * 70000.5f + clipped;
        expected_steps[i] = static_cast<std::int32_t>(std::lrint(noisy));
      }
      ASSERT_EQ(steps, expected_steps) << n;

      add_steps(steps.data(), sums.data(), n);
      for (std::size_t i = 0; i < n; ++i) expected[i] += steps[i];
      ASSERT_EQ(sums, expected) << n;
    }
  });
  EXPECT_GE(targets, 2);
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
