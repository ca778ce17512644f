// Compares the types of a round with the profiles of random rounds, which an independent quadrature
// computes, on both sides of alpha = 1. Rounds are mixtures over the number of reports, and both orders of
// the pair are checked at once.
#include "muster/theorems/aggregated/aggregated_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "muster/theorems/swap/gaussian_plane_quadrature_test.h"
#include "muster/theorems/swap/random_triangles_test.h"
#include "muster/theorems/swap/triangle_types.h"

namespace muster::accounting {
namespace {

// Computes the profile of type i at alpha = e^(spacing index): the sum of (p - alpha q)_+ plus the mass at
// infinity.
double profile(const RoundTypes& types, std::size_t i, std::int64_t index) {
  const RoundType& type = types.types[i];
  double sum = type.infinity;
  for (std::size_t a = 0; a < type.losses.size(); ++a) {
    if (type.losses[a] <= index) continue;
    sum += type.masses[a] * -std::expm1(types.spacing * static_cast<double>(index - type.losses[a]));
  }
  return sum;
}

// Describes one number of reports by its probability, the probability that the victim is among them, and
// the distance of her records in deviations of the sum's noise.
struct Reports {
  double probability, share, mu;
};

// Computes the divergence, for alpha > 1, of the round in which every other client's record makes the
// triangle `at` with the victim's two records.
double divergence(const std::vector<Reports>& reports, const Distances& at, double alpha) {
  double sum = 0;
  for (const Reports& k : reports) {
    const double c = (alpha - 1) * (1 - k.share) / k.share;
    const quadrature::Value rule = quadrature::excess_of_distances(k.mu, at.D, at.d, at.S, alpha, c);
    sum += k.probability * k.share * (rule.value - rule.error);
  }
  return sum;
}

struct Setting {
  const char* name;
  AggregatedTypes types;
  std::vector<Reports> reports;
  double max_mu;
};

Setting subset(double mu, double n, double k) {
  return {"subset",
          AggregatedTypes(AggregatedGaussianCurve::subset(mu * std::sqrt(k), n, k)),
          {{1, k / n, mu}},
          mu};
}

Setting check_in(double mu_of_one, int n, double g, int minimum) {
  std::vector<Reports> reports;
  for (int k = minimum; k <= n; ++k) {
    const double log_binomial = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                                k * std::log(g) + (n - k) * std::log1p(-g);
    if (log_binomial > -12) {  // leaving out the other numbers of reports can only lower the divergence

      reports.push_back({std::exp(log_binomial), static_cast<double>(k) / n, mu_of_one / std::sqrt(k)});
    }
  }
  return {"check-in", AggregatedTypes(AggregatedGaussianCurve(mu_of_one, n, g, minimum)), reports,
          mu_of_one / std::sqrt(0.5 * n * g)};
}

TEST(AggregatedTypes, CoverRandomRoundsOnBothSides) {
  std::mt19937_64 engine(77);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const Setting& setting : {subset(0.5, 100, 1), subset(0.3, 40, 20), subset(0.95, 1e6, 1e3),
                                 check_in(2, 60, 0.5, 10), check_in(4, 300, 0.3, 20)}) {
    const auto types = setting.types.at(1e-13);
    ASSERT_TRUE(types.has_value()) << setting.name;
    const TriangleTypes weights(setting.max_mu, false);
    ASSERT_EQ(weights.size(), types->types.size());
    const std::size_t count = types->types.size();
    int cases = 0, one_sided = 0, lighter = 0;
    const int triangles = setting.reports.size() > 1 ? 10 : 40;
    for (int i = 0; i < triangles; ++i) {
      const Distances at = i % 2 ? inscribed_triangle(engine, setting.reports.front().mu)
                                 : random_triangle(engine, 2 + static_cast<std::size_t>(i / 2) % 5);
      std::size_t first = 0;
      double lambda = 0;
      for (const TriangleTypes::Cells& part : weights.cells()) {
        for (std::size_t j = 0; j < part.cells.lambdas.size(); ++j) {
          if (at.d < part.cells.edges[j] || at.d > part.cells.edges[j + 1]) continue;
          first = part.first;
          lambda = part.cells.lambdas[j];
        }
      }
      for (const std::int64_t index : {-25, -12, -4, -1, 1, 3, 9, 21}) {
        const double alpha = std::exp(types->spacing * static_cast<double>(index));
        const Distances mirror{at.D, -at.d, at.S};
        const double truth = index > 0 ? divergence(setting.reports, at, alpha)
                                       : 1 - alpha + alpha * divergence(setting.reports, mirror, 1 / alpha);
        const double bound =
            lambda * profile(*types, first, index) + (1 - lambda) * profile(*types, first + 1, index);
        ASSERT_GE(bound, truth - 1e-12)
            << setting.name << ' ' << index << ' ' << at.D << ' ' << at.d << ' ' << at.S;
        // A bound by the types of the exchanged pair would be valid only on one side of alpha = 1.
        const double other = lambda * profile(*types, count - 1 - first, index) +
                             (1 - lambda) * profile(*types, count - 2 - first, index);
        one_sided += truth > other + 1e-9;
        const double floor = alpha < 1 ? 1 - alpha : 0;
        lighter += truth > floor + 0.97 * (bound - floor);
        ++cases;
      }
    }
    std::printf(
        "%s: %d profiles, none above; above the exchanged types %d, above 97 per cent of the bound %d\n",
        setting.name, cases, one_sided, lighter);
    EXPECT_GT(one_sided, cases / 10);
    EXPECT_GT(lighter, 0);
  }
}

// The outer types, for which all other clients hold x or all hold x', are within a few per mille of the worst
// curve and its reverse.
TEST(AggregatedTypes, TheOuterOnesAreNearlyTheWorstCurveAndItsReverse) {
  const AggregatedGaussianCurve curve(500, 1e8, 0.01, 1);
  const auto types = AggregatedTypes(curve).at(1e-15);
  ASSERT_TRUE(types.has_value());
  for (const std::int64_t index : {0, 2, 5, 10, 20}) {
    const double epsilon = types->spacing * static_cast<double>(index);
    const double worst = profile(*types, types->types.size() - 1, index), reverse = profile(*types, 0, index);
    EXPECT_GE(worst, curve.delta(epsilon).lower);
    EXPECT_LE(worst, curve.delta(epsilon).upper * 1.006) << index;
    EXPECT_GE(reverse, curve.reverse(epsilon).lower);
    EXPECT_LE(reverse, curve.reverse(epsilon).upper + 2e-3 * curve.delta(0).upper) << index;
  }
  for (const RoundType& type : types->types) {
    double p = type.infinity, q = 0;
    for (std::size_t a = 0; a < type.losses.size(); ++a) {
      EXPECT_GE(type.masses[a], 0);
      p += type.masses[a];
      q += type.masses[a] * std::exp(-types->spacing * static_cast<double>(type.losses[a]));
    }
    EXPECT_NEAR(q, 1, 1e-9);
    EXPECT_GE(p, 1 - 1e-12);
    EXPECT_LE(p, 1 + 1e-4);
  }
}

TEST(AggregatedTypes, NoneOutOfRange) {
  EXPECT_FALSE(AggregatedTypes(AggregatedGaussianCurve(2, 1000, 1, 1)).covers());       // everybody reports
  EXPECT_FALSE(AggregatedTypes(AggregatedGaussianCurve(1e-3, 1000, 0.1, 1)).covers());  // mu_k is too small
  EXPECT_FALSE(AggregatedTypes(AggregatedGaussianCurve(1e3, 1000, 0.1, 1)).covers());   // mu_k is too large
  // With at most five reports, mu_k may be too large.
  EXPECT_FALSE(AggregatedTypes(AggregatedGaussianCurve(2, 5, 0.5, 1)).covers());
  EXPECT_TRUE(AggregatedTypes(AggregatedGaussianCurve(2, 1000, 0.1, 50)).covers());
  EXPECT_TRUE(AggregatedTypes(AggregatedGaussianCurve::subset(4, 1000, 100)).covers());
  EXPECT_FALSE(AggregatedTypes(AggregatedGaussianCurve::subset(4, 100, 100)).covers());
  EXPECT_FALSE(AggregatedTypes(AggregatedGaussianCurve(2, 100, 0.1, 101)).covers());  // never released
}

}  // namespace
}  // namespace muster::accounting
