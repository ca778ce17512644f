// Compares mixtures of the types' values with the expected excesses of random and inscribed triangles of the
// ball, by an independent quadrature. The same triangles must show that three shortcuts are wrong: only right
// triangles, exchanged weights, and only two types.
#include "muster/theorems/swap/triangle_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "muster/theorems/swap/gaussian_plane_quadrature_test.h"
#include "muster/theorems/swap/gaussian_triangle.h"
#include "muster/theorems/swap/random_triangles_test.h"

namespace muster::accounting {
namespace {

struct Weighted {
  std::size_t first;
  double lambda;
};

// Returns the first of the two types that a client with this d is compared with, and its weight. Every d must
// be in some cell.
Weighted weights_of(const TriangleTypes& types, double d) {
  for (const TriangleTypes::Cells& part : types.cells()) {
    for (std::size_t j = 0; j < part.cells.lambdas.size(); ++j) {
      if (d >= part.cells.edges[j] && d <= part.cells.edges[j + 1])
        return {part.first, part.cells.lambdas[j]};
    }
  }
  ADD_FAILURE() << "no cell for d = " << d;
  return {0, 0};
}

TEST(TriangleTypes, PlacesAndWeightsAreSymmetric) {
  for (const double mu : {0.1, 1.0}) {
    const TriangleTypes types(mu, false);
    const std::vector<double>& places = types.places();
    EXPECT_EQ(places.front(), -1);
    for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(places[i], -places[places.size() - 1 - i]);
    std::mt19937_64 engine(9);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int trial = 0; trial < 2000; ++trial) {
      const double d = trial < 1000 ? uniform(engine) : 1 - 1e-3 * std::fabs(uniform(engine));
      const Weighted here = weights_of(types, d), there = weights_of(types, -d);
      EXPECT_EQ(there.first, places.size() - 2 - here.first);
      EXPECT_NEAR(there.lambda, 1 - here.lambda, 3e-16);
    }
  }
}

TEST(TriangleTypes, EveryTriangleOfTheBallLiesBelowItsMixture) {
  std::mt19937_64 engine(31);
  std::uniform_real_distribution<double> uniform(0, 1);
  constexpr double kKink = 1e-4;  // the quadrature's error in one dimension, where its integrand has a kink
  int cases = 0, right_alone = 0, exchanged = 0, outer_alone = 0;
  for (const double mu : {0.05, 0.3, 0.5, 0.8, 1.0}) {
    for (const bool rough : {false, true}) {
      const TriangleTypes types(mu, rough);
      double nearest = 1;
      for (int setting = 0; setting < 7; ++setting) {
        const double c = std::expm1(mu * (0.1 + 3 * uniform(engine)));
        // The ratio c / excess is (1 - g) / g for rates g from .01 to .9.
        const double excess = c * std::pow(10.0, -2 + 3 * uniform(engine));
        const std::vector<double> values = types.values(mu, excess, c);
        const TriangleExcesses excesses(mu, excess);
        std::vector<double> bare;
        for (const double place : types.places()) {
          bare.push_back(place == -1  ? excesses.record(c).upper
                         : place == 1 ? excesses.alternative(c).upper
                                      : excesses.above({1, place, 1}, c));
        }
        for (int i = 0; i < 120; ++i) {
          const std::size_t dimension = 1 + static_cast<std::size_t>(i / 2) % 6;
          const Distances at = i % 2 ? inscribed_triangle(engine, mu) : random_triangle(engine, dimension);
          const quadrature::Value rule = quadrature::excess_of_distances(mu, at.D, at.d, at.S, 1 + excess, c);
          const Weighted w = weights_of(types, at.d);
          const auto mixed = [&](const std::vector<double>& of, double lambda) {
            return lambda * of[w.first] + (1 - lambda) * of[w.first + 1];
          };
          const double bound = mixed(values, w.lambda),
                       surely =
                           rule.value * (i % 2 == 0 && dimension == 1 ? 1 - kKink : 1) - rule.error - 1e-12;
          ASSERT_GE(bound, surely) << mu << ' ' << excess << ' ' << c << ' ' << at.D << ' ' << at.d << ' '
                                   << at.S;
          if (bound > 0.01 * mu) nearest = std::fmin(nearest, 1 - rule.value / bound);
          right_alone += surely > mixed(bare, w.lambda) + 1e-9;
          exchanged += surely > mixed(values, 1 - w.lambda) + 1e-9;
          outer_alone += surely > (1 - at.d) / 2 * values.front() + (1 + at.d) / 2 * values.back() + 1e-9;
          ++cases;
        }
      }
      std::printf("mu = %g%s: the nearest is %.1e below\n", mu, rough ? ", rough" : "", nearest);
    }
  }
  std::printf(
      "%d triangles, none above; above right triangles alone %d, above exchanged weights %d, above two "
      "types %d\n",
      cases, right_alone, exchanged, outer_alone);
  EXPECT_GT(right_alone, cases / 50);
  EXPECT_GT(exchanged, cases / 50);
  EXPECT_GT(outer_alone, cases / 50);
}

}  // namespace
}  // namespace muster::accounting
