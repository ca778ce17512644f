// Compares the direction and its sums with the normals that it is made of, on every vector target, and tests
// its law on the sphere. Vectors that are uniform in a cube must fail.
#include "muster/random/direction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/fixed_dot.h"
#include "muster/random/normals.h"
#include "muster/random/vector_targets_test.h"
#include "tests/support/statistics.h"

namespace muster::random {
namespace {

constexpr double kAlpha = 1e-6;

std::vector<float> ramp(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<float>(i)) * 3;
  return x;
}

TEST(FixedOrderDot, IsAccurateAndTheSameOnTargetsOfOneKind) {
  for (std::size_t n : {0u, 1u, 5u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 26010u}) {
    const std::vector<float> x = ramp(n), y(n, 0.7f);
    double exact_square = 0, exact_dot = 0, magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) {
      exact_square += static_cast<double>(x[i]) * static_cast<double>(x[i]);
      exact_dot += static_cast<double>(x[i]) * static_cast<double>(y[i]);
      magnitude += std::abs(static_cast<double>(x[i]) * static_cast<double>(y[i]));
    }
    double seen[2] = {NAN, NAN};
    on_every_target([&](const std::string& target) {
      const double square = fixed_order_dot(x, x);
      ASSERT_LE(std::abs(square - exact_square), 2.1e-6 * exact_square) << n;
      ASSERT_LE(std::abs(fixed_order_dot(x, y) - exact_dot), 2.1e-6 * magnitude) << n;
      double& same = seen[has_fused_multiply_add(target)];
      if (std::isnan(same)) same = square;
      ASSERT_EQ(square, same) << n;
    });
  }
  EXPECT_ERROR(ErrorCode::internal, fixed_order_dot(ramp(3), ramp(4)));
}

TEST(Direction, IsTheNormalsWithTheirSums) {
  const RunKey key = RunKey::from_seed(3);
  const StreamAddress address{Purpose::direction, 0, 0};
  on_every_target([&](const std::string&) {
    for (std::size_t n : {0u, 1u, 31u, 32u, 40u, 63u, 64u, 65u, 1023u, 1024u, 1025u, 1088u, 3001u, 26010u}) {
      const std::vector<float> other = ramp(n);
      std::vector<float> out(n + 1, 99), normals(n);
      fill_normals(key, address, normals);
      const std::span<float> room = std::span(out).first(n);
      const DirectionSums sums = fill_direction(key, address, other, room);
      ASSERT_TRUE(std::ranges::equal(room, normals)) << n;
      ASSERT_EQ(out[n], 99) << "wrote past the end of " << n;
      ASSERT_EQ(sums.squared_norm, fixed_order_dot(normals, normals)) << n;
      ASSERT_EQ(sums.dot, fixed_order_dot(normals, other)) << n;
      ASSERT_EQ(fill_direction(key, address, {}, room).squared_norm, sums.squared_norm) << n;
      EXPECT_ERROR(ErrorCode::internal, fill_direction(key, address, ramp(n + 1), room));
    }
  });
}

// Tests that a squared coordinate of a uniform direction has the law Beta(1/2, (d-1)/2), and sets `positive`
// to the number of vectors whose coordinate is positive. If `cube`, the vector is uniform in a cube instead
// of normal, and the test must reject the law of its coordinate.
testing::Verdict coordinate_law(std::size_t d, std::size_t coordinate, bool cube, std::uint64_t& positive) {
  const RunKey key = RunKey::from_seed(4);
  std::vector<double> mapped;
  positive = 0;
  for (std::uint64_t client = 0; client < 100'000; ++client) {
    std::vector<float> out(d);
    double squared = fill_direction(key, {Purpose::direction, 0, client}, {}, out).squared_norm;
    if (cube) {
      squared = 0;
      for (float& z : out) {
        z = std::erf(z / std::sqrt(2.0f));
        squared += static_cast<double>(z) * static_cast<double>(z);
      }
    }
    const auto z = static_cast<double>(out[coordinate]);
    mapped.push_back(boost::math::ibeta(0.5, static_cast<double>(d - 1) / 2, std::min(1.0, z * z / squared)));
    positive += z > 0;
  }
  return testing::uniformity_test(mapped, kAlpha);
}

TEST(Direction, IsUniformOnTheSphere) {
  for (std::size_t d : {2u, 3u, 5u, 40u}) {
    for (std::size_t coordinate : {std::size_t{0}, d - 1}) {
      std::uint64_t positive = 0;
      const auto verdict = coordinate_law(d, coordinate, false, positive);
      EXPECT_TRUE(verdict.pass) << "d " << d << ": " << verdict.summary;
      const auto sign = testing::binomial_test(positive, 100'000, 0.5, kAlpha);
      EXPECT_TRUE(sign.pass) << sign.summary;
    }
  }
  std::uint64_t positive = 0;
  const auto bad = coordinate_law(3, 0, true, positive);
  EXPECT_FALSE(bad.pass) << bad.summary;
}

}  // namespace
}  // namespace muster::random
