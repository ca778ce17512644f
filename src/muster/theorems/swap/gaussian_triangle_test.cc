// Compares expected excesses for triangles of records with an independent quadrature, and checks the shapes
// of triangles in a ball.
#include "muster/theorems/swap/gaussian_triangle.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "muster/theorems/swap/gaussian_plane_quadrature_test.h"
#include "muster/theorems/swap/two_types_net.h"
#include "tests/oracle/ball.h"

namespace muster::accounting {
namespace {

// The values were computed by mpmath with 25 digits. A grid of 3,001^2 points in the plane agrees to 1e-8,
// and tools/golden/gaussian_triangle.py, which integrates over N1 - N2, agrees in all digits.
TEST(GaussianTriangle, ReferenceValues) {
  struct Row {
    double mu, e, c, D, d, S, value;
  };
  for (const Row& row :
       {Row{.4, 1, .32, 1, .17, 1, 0.052253663067509}, Row{.4, 1, -.32, 1, .17, 1, 0.36619469317472},
        Row{.4, 1.005, .32, .998, -.2, 1.08, 0.044891549618143},
        Row{1, 1, .75, .97, -.37, 1.3, 0.11161960134029},
        Row{1, 1.01, -.75, .97, .37, 1.3, 0.85507707402858}}) {
    const double parity = row.c > 0 ? 0 : 1 - row.e - row.c;
    const double above = TriangleExcesses(row.mu, row.e - 1).above({row.D, row.d, row.S}, row.c) + parity;
    EXPECT_GE(above, row.value);
    EXPECT_LE(above, row.value * (1 + 5e-3)) << row.c;  // `above` uses chords over cells
    const quadrature::Value rule = quadrature::excess_of_distances(row.mu, row.D, row.d, row.S, row.e, row.c);
    EXPECT_NEAR(rule.value, row.value, 1e-12);
  }
}

TEST(GaussianTriangle, IsAboveTheQuadratureEverywhere) {
  std::mt19937_64 engine(11);
  const auto uniform = [&engine](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(engine);
  };
  double largest = 0;
  for (int i = 0; i < 1500; ++i) {
    const double mu = uniform(0.05, 1.2), excess = i % 3 ? uniform(0, 0.5) * mu : 0;
    const double eta = i % 5 ? std::pow(uniform(0, 1), 3) : 0, D = 1 - eta;
    const double d = uniform(-1, 1) * D, S = i % 4 ? uniform(d * d / D, widest_sum(eta, std::fabs(d))) : 1;
    const double c = std::copysign(std::expm1(mu * uniform(0.01, 3)), uniform(-1, 1));
    const double parity = c > 0 ? 0 : 1 - (1 + excess) - c;
    const double above =
        TriangleExcesses(mu, excess).above({D, d, S < d * d / D ? d * d / D : S}, c) + parity;
    const quadrature::Value rule =
        quadrature::excess_of_distances(mu, D, d, S < d * d / D ? d * d / D : S, 1 + excess, c);
    ASSERT_GE(above, rule.value - rule.error - 1e-13)
        << mu << ' ' << excess << ' ' << D << ' ' << d << ' ' << S << ' ' << c;
    if (rule.value > 1e-3) largest = std::fmax(largest, (above - rule.error) / rule.value - 1);
  }
  EXPECT_LT(largest, 0.1);
}

TEST(GaussianTriangle, EndsAreTheTwoHomogeneousTypes) {
  for (const double mu : {0.05, 0.4, 1.0}) {
    for (const double excess : {0.0, 0.03, 0.4}) {
      const TriangleExcesses excesses(mu, excess);
      const double e = 1 + excess;
      for (const double y : {-3.0, -1.0, -0.2, -0.01, 0.01, 0.3, 1.0, 2.5}) {
        const double c = std::copysign(std::expm1(mu * std::fabs(y)), y), parity = c > 0 ? 0 : 1 - e - c;
        const auto a = excesses.record(c), b = excesses.alternative(c);
        // At t = x the variance of N1 is 0; at t = x' the variance of N2 is 0.
        const double record = quadrature::excess(mu, 0, 1, 0, e, c).value - parity;
        const double alternative = quadrature::lognormal_excess(1, mu, e + c) - parity;
        EXPECT_LE(a.lower, a.upper);
        EXPECT_NEAR(a.upper, record, 1e-4 * mu * mu) << mu << ' ' << excess << ' ' << c;
        EXPECT_NEAR(b.upper, alternative, 1e-13 + 1e-9 * alternative);
        EXPECT_LE(b.lower, alternative + 2e-14);
        EXPECT_LE((a.upper - a.lower), 1e-13 * a.upper);
        // The value for any other client is at most that of the profile-only law, which is the larger of A(c)
        // and B(c).
        const double middle = excesses.above({1, 0, 1}, c);
        EXPECT_LE(middle, (a.upper > b.upper ? a.upper : b.upper) * (1 + 3e-3) + 3e-14);
      }
    }
  }
}

// Where E is far from 1, the loss at which a divergence is taken is a small difference of logarithms, and a
// small mu multiplies its rounding. The enclosures are compared with the Black-Scholes formulas at 256 bits.
TEST(GaussianTriangle, EndsHoldWhereTheLossCancels) {
  using oracle::Ball;
  using oracle::normal;
  std::mt19937_64 engine(20261126);
  int cases = 0;
  for (const double mu : {1e-3, 0.02, 0.4, 2.0}) {
    // The mean of (high e^{mu Z - mu^2/2} - low)_+.
    const auto mean = [mu](const Ball& high, const Ball& low) {
      const Ball distance = log(low / high) / Ball(mu), half = Ball(mu) / Ball(2.0);
      return high * normal(half - distance) - low * normal(Ball(0.0) - half - distance);
    };
    // The mean of (high - low e^{mu Z - mu^2/2})_+.
    const auto mean_below = [&mean](const Ball& high, const Ball& low) {
      return mean(low, high) + high - low;
    };
    for (const double excess : {0.0, 1e-5, 0.03, 1.7, 13.0, 1e4, 1e6}) {
      const TriangleExcesses excesses(mu, excess);
      for (int i = 0; i < 60; ++i) {
        const double y = std::expm1(mu * std::uniform_real_distribution<double>(-6, 6)(engine));
        const Ball e = Ball(1.0) + Ball(excess);
        const auto check = [&](const TriangleExcesses::Ends& ends, const Ball& exact, double c) {
          EXPECT_TRUE(ends.lower == 0 || Ball(ends.lower).surely_below(exact))
              << mu << ' ' << excess << ' ' << c;
          EXPECT_TRUE(exact.surely_below(Ball(ends.upper))) << mu << ' ' << excess << ' ' << c;
          EXPECT_LE(ends.upper - ends.lower, 1e-10 * ends.upper) << mu << ' ' << excess << ' ' << c;
          ++cases;
        };
        // Here (1 - c) / E is about 1 + y.
        const double of_record = -excess - (1 + excess) * y, of_alternative = y - excess;
        const Ball below = Ball(1.0) - Ball(of_record), threshold = e + Ball(of_alternative);
        check(excesses.record(of_record), of_record > 0 ? mean_below(below, e) : mean(e, below), of_record);
        check(excesses.alternative(of_alternative),
              of_alternative > 0 ? mean(Ball(1.0), threshold) : mean_below(threshold, Ball(1.0)),
              of_alternative);
      }
    }
  }
  EXPECT_EQ(cases, 3360);
}

// Checks Lemma 2 of docs/theory/gaussian-two-types.md in up to six dimensions: S of any triangle in the ball
// is at most the value to which the proof raises it. For |d| <= D this value is widest_sum(1 - D, |d|).
TEST(GaussianTriangle, NoTriangleOfTheBallIsWider) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  double nearest = 1;
  for (int i = 0; i < 200'000; ++i) {
    const std::size_t dimension = 1 + static_cast<std::size_t>(i) % 6;
    std::array<std::array<double, 6>, 3> at{};
    for (std::size_t j = 0; j < 3; ++j) {
      double norm = 0;
      for (std::size_t k = 0; k < dimension; ++k) {
        at[j][k] = normal(engine);
        norm += at[j][k] * at[j][k];
      }
      const double u = std::uniform_real_distribution<double>(0, 1)(engine);
      const double radius = i % 3 == 0 ? 0.5 : 0.5 * std::pow(u, 1.0 / static_cast<double>(dimension));
      for (double& x : at[j]) x *= radius / std::sqrt(norm);
    }
    if (i % 7 == 0) {  // two of the points are nearly antipodal
      for (std::size_t k = 0; k < 6; ++k) at[1][k] = -at[0][k] * (1 - 1e-3 * (i % 11));
    }
    if (i % 97 == 0) at[1] = at[0];
    double xx = 0, xt = 0, yt = 0, sum = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      const double x = at[0][k], y = at[1][k], t = at[2][k];
      xx += (x - y) * (x - y);
      xt += (x - t) * (x - t);
      yt += (y - t) * (y - t);
      sum += (2 * t - x - y) * (2 * t - x - y);
    }
    const double d = xt - yt;
    // Where |d| > D, the proof raises S to at most 4 - 2|d| - D, and then raises D to |d| and lowers S by the
    // same amount.
    const double D = std::fmin(1, xx > std::fabs(d) ? xx : std::fabs(d));
    const double most = xx > std::fabs(d) ? widest_sum(1 - D, d) : widest_sum(1 - D, d) + (D - xx);
    ASSERT_LE(sum, most + 1e-11) << i;
    nearest = std::fmin(nearest, most - sum);
  }
  EXPECT_LT(nearest, 1e-3);
}

// Where x = x', D is 0, eta is 1, and t may lie at the other end of a diameter, so S is 4. If the root in
// widest_sum were read as 0 there, S would be 2, and the bound would be too small.
TEST(GaussianTriangle, WidestOfAllIsFour) {
  EXPECT_EQ(widest_sum(1, 0), 4);
  EXPECT_NEAR(widest_sum(1 - 1e-12, 0), 4, 1e-10);
  const TriangleCells cells = TriangleCells::of(0.4, 160);
  // The boxes lie in the two cells next to d = 0. Their intervals of eta all end at 1 and begin ever closer
  // to 1.
  for (const std::size_t j : {std::size_t{79}, std::size_t{80}}) {
    for (const double least : {0.0, 0.2, 0.9999}) {
      for (const bool positive : {false, true}) {
        const BoxCorner corner = corner_of(cells, {j, j, least, 1}, positive);
        ASSERT_FALSE(corner.empty);
        EXPECT_EQ(corner.triangle.S, 4) << j << ' ' << least;
        // The box contains t opposite to x = x', where S = 4.
        const double parity = positive ? 0 : 0.3;
        const double c = positive ? 0.3 : -0.3;
        EXPECT_GE(TriangleExcesses(0.4, 0).above(corner.triangle, c) + parity,
                  quadrature::excess(0.4, 1, 1, 1, 1, c).value - 1e-9);
      }
    }
  }
  // A cell away from d = 0 does not reach S = 4.
  EXPECT_LT(corner_of(cells, {100, 100, 0, 1}, true).triangle.S, 4);
}

TEST(GaussianTriangle, CellsAreSymmetric) {
  const TriangleCells cells = TriangleCells::of(0.7, 160);
  ASSERT_EQ(cells.edges.size(), cells.lambdas.size() + 1);
  for (std::size_t j = 0; j < cells.edges.size(); ++j) {
    EXPECT_EQ(cells.edges[j], -cells.edges[cells.edges.size() - 1 - j]);
    EXPECT_TRUE(j == 0 || cells.edges[j] > cells.edges[j - 1]);
  }
  for (std::size_t j = 0; j < cells.lambdas.size(); ++j) {
    EXPECT_GE(cells.lambdas[j], 0);
    EXPECT_LE(cells.lambdas[j], 1);
    EXPECT_NEAR(cells.lambdas[j] + cells.lambdas[cells.lambdas.size() - 1 - j], 1, 1e-15);
  }
  EXPECT_EQ(cells.edges.front(), -1);
  EXPECT_EQ(cells.edges.back(), 1);
}

}  // namespace
}  // namespace muster::accounting
