// Compares T-fold composition with direct convolution, and checks that the true divergence lies between
// those of the dominated and the dominating pair.
#include "muster/composition/dominating_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/profile.h"
#include "muster/numerics/work.h"

namespace muster::accounting {
namespace {

// The curve of the Gaussian pair, whose composition is known in closed form: T rounds at distance mu are one
// round at distance mu sqrt(T).
EnclosedTable gaussian_curve(double mu, int per_deviation) {
  return tabulate(
      [mu](double epsilon) {
        const double value = gaussian_divergence(mu, epsilon).upper;
        return numerics::Enclosure{value * (1 - 1e-12), value};
      },
      {}, {per_deviation, 1e-24});
}

TEST(LossDistribution, EnclosesTheComposedGaussian) {
  const double mu = 0.05;
  const EnclosedTable curve = gaussian_curve(mu, 40);
  const LossDistribution above = LossDistribution::dominating(curve);
  const LossDistribution below = LossDistribution::dominated(curve);
  for (std::uint64_t rounds : {1ull, 10ull, 400ull, 10'000ull}) {
    const double composed = mu * std::sqrt(static_cast<double>(rounds));
    for (double epsilon : {0.0, 0.5 * composed, 2 * composed, 4 * composed + composed * composed / 2}) {
      const double truth = gaussian_divergence(composed, epsilon).upper;
      EXPECT_GE(above.delta(rounds, epsilon).upper, truth * (1 - 1e-12)) << rounds << ' ' << epsilon;
      EXPECT_LE(below.delta(rounds, epsilon).lower, truth * (1 + 1e-12)) << rounds << ' ' << epsilon;
      EXPECT_LE(above.delta(rounds, epsilon).upper, truth * 1.02) << rounds << ' ' << epsilon;
      EXPECT_GE(below.delta(rounds, epsilon).lower, truth * 0.95) << rounds << ' ' << epsilon;
    }
    for (double delta : {1e-3, 1e-8, 1e-14}) {
      EXPECT_LE(below.epsilon_lower(rounds, delta), above.epsilon_upper(rounds, delta));
    }
  }
}

// A node of these curves counts as 14 or 86 milliseconds of work. The tables have fewer nodes than a full
// one, and are the same each time they are made. The bounds are at most 0.2 or 3 per cent larger: a chord
// over a cell of w deviations adds at most w^2/4 to the variance, here .002 and .032 of the variance.
TEST(LossDistribution, HasFewerNodesWhereOneCostsMuch) {
  struct Case {
    double work, nodes, loose;
  };
  const double mu = 0.05;
  const EnclosedTable precise = gaussian_curve(mu, 100);
  const auto near = LossDistribution::dominating(precise);
  for (const Case& each : {Case{5e7, 0.4, 1.002}, Case{3e8, 0.1, 1.03}}) {
    const auto costly = [&](double epsilon) {
      numerics::work_done() += each.work;
      return numerics::Enclosure{0, gaussian_divergence(mu, epsilon).upper};
    };
    const EnclosedTable coarse = tabulate(costly, {}, {100, 1e-24}),
                        again = tabulate(costly, {}, {100, 1e-24});
    EXPECT_LT(static_cast<double>(coarse.index.size()),
              each.nodes * static_cast<double>(precise.index.size()));
    EXPECT_EQ(coarse.index, again.index);
    EXPECT_EQ(coarse.spacing, again.spacing);
    const auto above = LossDistribution::dominating(coarse);
    for (const std::uint64_t rounds : {10ull, 10'000ull}) {
      for (const double delta : {1e-3, 1e-8}) {
        EXPECT_GE(above.epsilon_upper(rounds, delta), near.epsilon_upper(rounds, delta));
        EXPECT_LE(above.epsilon_upper(rounds, delta), near.epsilon_upper(rounds, delta) * each.loose)
            << each.work << ' ' << rounds << ' ' << delta;
      }
    }
    std::printf("%zu nodes in place of %zu\n", coarse.index.size(), precise.index.size());
  }
}

// The true profile is piecewise linear. A dominated pair must stay below it wherever the nodes lie: on the
// kinks, halfway between them, or elsewhere.
TEST(LossDistribution, DominatedStaysUnderACurveWithKinks) {
  std::vector<double> kinks;
  for (int i = 0; i <= 12; ++i) {
    kinks.push_back(0.1 * i);
  }
  const Profile truth = Profile::symmetric(kinks, [](double l) {
    return Profile::Value{gaussian_divergence(0.4, l).upper, 1e-18L};
  });
  double tightest = 0;
  for (const double knot : {0.05, 0.1, 0.037}) {
    const EnclosedTable curve = tabulate(
        [&](double epsilon) {
          const double value = truth.at(epsilon) - truth.mass_at_infinity();
          return numerics::Enclosure{value * (1 - 1e-12), value * (1 + 1e-12)};
        },
        {}, {20, 1e-9, 5, knot});
    for (const int refined : {2, 8, 32}) {
      const LossDistribution below = LossDistribution::dominated(curve, refined);
      for (double epsilon = 0; epsilon < 1; epsilon += 0.0137) {
        const double exact = truth.at(epsilon);
        EXPECT_LE(below.delta(1, epsilon).lower, exact * (1 + 1e-9))
            << knot << ' ' << refined << ' ' << epsilon;
        EXPECT_LE(below.delta(1, epsilon).upper, exact * (1 + 1e-6))
            << knot << ' ' << refined << ' ' << epsilon;
        tightest = std::max(tightest, below.delta(1, epsilon).lower / exact);
      }
    }
  }
  EXPECT_GT(tightest, 0.99);
}

// The two sides of a curve meet at alpha = 1. From sides that contradict each other there, no loss is proven.
TEST(LossDistribution, SidesThatContradictEachOtherProveNothing) {
  const auto scaled = [](double factor) {
    return [factor](double epsilon) {
      const numerics::Enclosure value = gaussian_divergence(0.4, epsilon);
      return own_minorant({value.lower * factor, value.upper * factor});
    };
  };
  for (const double factor : {1.0, 0.999}) {
    const PairTable curve = tabulate(scaled(1), scaled(factor), {20, 1e-9});
    const double lower = LossDistribution::dominated(curve).delta(1, 0.1).lower;
    EXPECT_EQ(lower > 0, factor == 1) << factor;
    const double swapped = LossDistribution::dominated(curve.swapped()).delta(1, 0.1).lower;
    EXPECT_EQ(swapped > 0, factor == 1) << factor;
  }
}

TEST(LossDistribution, AgreesWithDirectConvolution) {
  const EnclosedTable curve = gaussian_curve(0.7, 6);
  const LossDistribution pair = LossDistribution::dominating(curve);
  std::map<long, long double> one;  // masses by loss, in units of the spacing
  long double rest = 1;
  for (std::size_t i = 0; i < pair.losses().points.size(); ++i) {
    one[std::lround(pair.losses().points[i] / curve.spacing)] += pair.losses().weights[i];
    rest -= pair.losses().weights[i];
  }
  one[0] += rest;
  std::map<long, long double> sum = {{0, 1}};
  for (std::uint64_t rounds = 1; rounds <= 4; ++rounds) {
    std::map<long, long double> next;
    for (const auto& [a, p] : sum) {
      for (const auto& [b, q] : one) {
        next[a + b] += p * q;
      }
    }
    sum = next;
    for (double epsilon : {0.0, 0.31, 1.7, 5.0}) {
      long double exact = 0;
      for (const auto& [loss, p] : sum) {
        const long double gain = 1 - std::exp(epsilon - static_cast<long double>(loss) * curve.spacing);
        exact += gain > 0 ? p * gain : 0;
      }
      exact = -std::expm1(static_cast<double>(rounds) * std::log1p(-pair.mass_at_infinity())) + exact;
      const numerics::Enclosure got = pair.delta(rounds, epsilon);
      EXPECT_GE(got.upper, static_cast<double>(exact) * (1 - 1e-12)) << rounds << ' ' << epsilon;
      EXPECT_LE(got.upper, static_cast<double>(exact) * (1 + 1e-9) + 1e-18) << rounds << ' ' << epsilon;
      EXPECT_LE(got.lower, static_cast<double>(exact) * (1 + 1e-12)) << rounds << ' ' << epsilon;
      EXPECT_GE(got.lower, static_cast<double>(exact) * (1 - 1e-9) - 1e-18) << rounds << ' ' << epsilon;
    }
  }
}

// Where the computed bound is larger than at a smaller epsilon, the table has the bound's value at the
// smaller epsilon. Where this goes on for long, the table has few nodes.
TEST(LossDistribution, ABoundThatStallsIsTabulatedAsItsLeastSoFar) {
  const auto falling = [](double epsilon) { return 0.1 * std::exp(-3 * epsilon); };
  int asked = 0;
  const EnclosedCurve stalls = [&](double epsilon) {
    ++asked;
    const double value = falling(epsilon);
    return numerics::Enclosure{value * (1 - 1e-9), epsilon < 4 ? value : 1e-4};
  };
  const EnclosedTable curve = tabulate(stalls, {}, {100, 1e-9, 0.5});
  ASSERT_EQ(curve.forward.size(), curve.index.size());
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < curve.index.size(); ++i) {
    const double epsilon = curve.spacing * static_cast<double>(curve.index[i]);
    EXPECT_GE(curve.forward[i].upper, falling(epsilon));
    EXPECT_LE(curve.forward[i].lower, curve.forward[i].upper);
    if (i > 0) {
      EXPECT_LE(curve.forward[i].upper, curve.forward[i - 1].upper);
    }
    beyond += epsilon >= 4 ? 1 : 0;
  }
  EXPECT_LT(beyond, 40u);  // the widths of cells double from cell to cell, up to an epsilon of 1e10
  EXPECT_LT(asked, 700);
}

TEST(LossDistribution, TakesTheHullOfACurveThatIsNotConvex) {
  // Node 20 is raised. Such concave kinks occur where the smallest of several bounds is taken or an error
  // bound is added. The hull must remove the kink, not set its negative mass to zero.
  EnclosedTable curve = gaussian_curve(0.5, 20);
  const double honest = LossDistribution::dominating(curve).delta(1, curve.spacing * 20).upper;
  curve.forward[20].upper *= 1.01;
  curve.reverse[20].upper *= 1.01;
  const LossDistribution pair = LossDistribution::dominating(curve);
  EXPECT_GE(pair.delta(1, curve.spacing * 20).upper, honest);
  EXPECT_LE(pair.delta(1, curve.spacing * 20).upper, honest * 1.01);
  double mass = pair.mass_at_infinity();
  for (double weight : pair.losses().weights) {
    EXPECT_GE(weight, 0);
    mass += weight;
  }
  EXPECT_LE(mass, 1 + 1e-12);
}

}  // namespace
}  // namespace muster::accounting
