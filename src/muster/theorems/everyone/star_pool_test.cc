// Tests the star with a pool. Part A of Theorem 16 is checked by brute force on small discrete randomizers,
// the sum of two groups by enumeration, and the ratio of the weights on random pools in one dimension. The
// epsilons are compared with reference values.
#include "muster/theorems/everyone/star_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/profile.h"
#include "muster/numerics/roots/crossing.h"
#include "muster/numerics/sums/excess_of_mixed_sum.h"
#include "muster/theorems/everyone/pool_weights.h"
#include "muster/theorems/exact/shuffle_gaussian_pair.h"
#include "tests/oracle/enumeration.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting {
namespace {

using Extended = long double;
using oracle::Law;

// --- the sum of two groups --------------------------------------------------------------------------

// Computes E(S - k)_+ by enumeration, where S is a sum of independent draws of `law`, each times one of the
// scales.
Extended enumerate(const numerics::AtomicLaw& law, const std::vector<double>& scales, double k) {
  std::map<Extended, Extended> sums{{0, 1}};
  Extended rest = 1;
  for (double w : law.weights) {
    rest -= w;
  }
  for (const double scale : scales) {
    std::map<Extended, Extended> next;
    for (const auto& [s, p] : sums) {
      next[s] += p * rest;
      for (std::size_t i = 0; i < law.points.size(); ++i) {
        next[s + static_cast<Extended>(scale) * law.points[i]] += p * law.weights[i];
      }
    }
    sums = next;
  }
  Extended excess = 0;
  for (const auto& [s, p] : sums) {
    excess += p * std::max<Extended>(0, s - k);
  }
  return excess;
}

TEST(ExcessOfMixedSum, EnclosesEnumeration) {
  numerics::AtomicLaw law;
  law.add(1.3, 0.2);
  law.add(-0.7, 0.35);
  law.add(0.11, 0.1);
  for (const auto& [heavy, light] : {std::pair{2, 7}, {4, 5}, {9, 0}, {1, 8}}) {
    std::vector<double> scales(static_cast<std::size_t>(heavy), 1.6);
    scales.insert(scales.end(), static_cast<std::size_t>(light), 0.7);
    for (const double k : {0.3, 2.0, 6.0}) {
      const std::vector<numerics::ScaledCopies> groups = {{1.6, static_cast<double>(heavy)},
                                                          {0.7, static_cast<double>(light)}};
      const double c = numerics::mixed_sum_saddle(law, groups, k);
      const numerics::Enclosure got = numerics::excess_of_mixed_sum(law, groups, k, c);
      const Extended exact = enumerate(law, scales, k);
      SCOPED_TRACE(::testing::Message() << heavy << ' ' << light << ' ' << k);
      EXPECT_GE(got.upper, exact * (1 - 1e-13L));
      EXPECT_LE(got.lower, exact * (1 + 1e-13L));
      EXPECT_LE(got.upper, exact * 1.05L + 1e-12L);
      EXPECT_GE(numerics::excess_of_mixed_sum_chernoff(law, groups, k, c), exact);
    }
  }
}

// --- part A by brute force --------------------------------------------------------------------------

// Computes the right-hand side of part A, where all but the first m of the others form the pool. It is a sum
// over all outputs of these m and all multisets of the pool's messages. If `weights_off`, all weights are
// replaced by their mean, which gives a false bound.
Extended star_formula(const std::vector<Law>& others, std::size_t m, const Law& a, const Law& b, Extended e,
                      bool weights_off) {
  const std::size_t outputs = a.size();
  const std::vector<Law> pool(others.begin() + static_cast<std::ptrdiff_t>(m), others.end());
  // Pi_i is the law of the multiset of client i's message and the pool's messages, computed by the
  // enumeration oracle at rate 1.
  std::vector<std::vector<Extended>> experiment;
  for (std::size_t i = 0; i < m; ++i) {
    experiment.push_back(oracle::check_in(pool, others[i], others[i], 1).p);
  }
  const std::size_t pools = experiment[0].size();
  Extended total = 0;
  std::vector<std::size_t> y(m, 0);
  while (true) {
    Extended density = 1;
    for (std::size_t i = 0; i < m; ++i) {
      density *= others[i][y[i]];
    }
    for (std::size_t z = 0; z < pools; ++z) {
      Extended base = 0;
      for (std::size_t i = 0; i < m; ++i) {
        base += experiment[i][z] / static_cast<Extended>(m);
      }
      Extended sum = 0;
      for (std::size_t i = 0; i < m; ++i) {
        const Extended weight = weights_off ? base : experiment[i][z];
        sum += weight * (a[y[i]] - e * b[y[i]]) / others[i][y[i]] / static_cast<Extended>(m);
      }
      total += density * std::max<Extended>(0, sum);
    }
    std::size_t i = 0;
    while (i < m && ++y[i] == outputs) {
      y[i++] = 0;
    }
    if (i == m) {
      return total;
    }
  }
}

TEST(StarPool, TheoremAHoldsForEveryDatasetOfSmallRandomizers) {
  std::mt19937_64 engine(7);
  int cases = 0;
  int false_variant_caught = 0;
  Extended tightest = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const auto family = trial % 2 ? oracle::Family::smooth : oracle::Family::extreme;
    const std::vector<Law> laws = oracle::random_randomizer(family, 3, 2 + trial % 2, engine);
    for (const int count : {2, 3, 4}) {
      for (const std::vector<int>& data : oracle::multisets(3, count)) {
        std::vector<Law> others;
        for (const int record : data) {
          others.push_back(laws[static_cast<std::size_t>(record)]);
        }
        const oracle::OutputPair truth = oracle::check_in(others, laws[0], laws[1], 1);
        for (const Extended epsilon : {0.0L, 0.1L, 0.4L, 1.0L}) {
          const Extended e = std::exp(epsilon);
          const Extended exact = oracle::hockey_stick(truth, epsilon);
          for (std::size_t m = 1; m <= others.size(); ++m) {
            const Extended bound = star_formula(others, m, laws[0], laws[1], e, false);
            EXPECT_GE(bound, exact * (1 - 1e-12L)) << trial << ' ' << count << ' ' << epsilon << ' ' << m;
            false_variant_caught += star_formula(others, m, laws[0], laws[1], e, true) < exact * (1 - 1e-9L);
            if (exact > 1e-9L) {
              tightest = std::max(tightest, exact / bound);
            }
            ++cases;
          }
        }
      }
    }
  }
  RecordProperty("cases", cases);
  EXPECT_GT(cases, 4000);
  EXPECT_GT(tightest, 0.8L);
  EXPECT_GT(false_variant_caught, 0);
}

// --- the ratio --------------------------------------------------------------------------------------

// Pools and hidden messages are drawn on a line, and the true posterior weights of clients at both ends are
// computed. The ratio must hold at least as often as promised. The failure probability of 1/50 is large
// enough for 3,000 draws to test it.
TEST(StarPool, TheRatioHoldsAsOftenAsItSays) {
  const double mu = 0.4;
  const double failure = 0.02;
  constexpr int kPool = 600;
  const double ratio = PoolWeights(mu / 2, 1).ratio(kPool, 5000 - 1 - kPool, failure);
  ASSERT_TRUE(std::isfinite(ratio));
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  int beyond = 0;
  constexpr int kRuns = 3000;
  for (int run = 0; run < kRuns; ++run) {
    // `right` and `left` are the exact weights of clients who hold the two end points of the line, if the
    // clones are not revealed. They differ less than the weights that the bound considers. The pool's
    // members hold the centre.
    const double hidden = normal(engine) + (run % 2 ? 0.5 : -0.5) * mu;
    double right = 0;
    double left = 0;
    const auto add = [&](double y, double b) {
      // Adds R_i(y) / R_b(y), the likelihood that y comes from client i instead of the pool member at b.
      right += std::exp(-(y - 0.5 * mu) * (y - 0.5 * mu) / 2 + (y - b) * (y - b) / 2);
      left += std::exp(-(y + 0.5 * mu) * (y + 0.5 * mu) / 2 + (y - b) * (y - b) / 2);
    };
    for (int k = 0; k < kPool; ++k) {
      add(normal(engine), 0);
    }
    add(hidden, 0);
    beyond += std::max(right, left) / std::min(right, left) > ratio;
  }
  EXPECT_LE(beyond, failure * kRuns);
}

// --- figures ----------------------------------------------------------------------------------------

double epsilon_of(const StarPool& star, double delta) {
  return numerics::crossing_from_above([&](double e) { return star.delta(e).upper; }, delta, 50);
}

TEST(StarPool, ReferenceValues) {
  // `reference` is the epsilon of the theorem's formula, written by tools/golden/star_pool.py. The slices
  // that cover all vectors of weights may add 0.3 per cent to the variance, so the code's epsilon may be
  // slightly larger. `lower` is the epsilon of the homogeneous pair, written by
  // tools/golden/shuffle_gaussian_pair.py.
  struct Row {
    double mu, reference, lower;
  };
  for (const Row& row : {Row{0.4, 0.0039703, 0.003311}, Row{2 / 9.48, 0.0016251, 0.001465}}) {
    const auto star = StarPool::over(60'000, row.mu, 1);
    ASSERT_TRUE(star.has_value());
    const double epsilon = epsilon_of(*star, 1.0 / 60'000);
    RecordProperty("epsilon", std::to_string(epsilon));
    EXPECT_LE(epsilon, row.reference * 1.003);
    EXPECT_GE(epsilon, row.lower);
    const numerics::UpperAndEstimate at = star->delta(epsilon);
    EXPECT_LE(at.upper - at.estimate, 1e-3 * at.upper);
  }
}

TEST(StarPool, DominatesTheHomogeneousPairEverywhere) {
  for (const double mu : {0.2, 0.4, 1.0}) {
    for (const std::uint64_t n : {2'000ull, 60'000ull}) {
      const auto star = StarPool::over(n, mu, 1);
      if (!star) {
        continue;
      }
      const ShuffleGaussianPair pair(n, mu);
      for (const double share : {0.0, 0.3, 1.0, 2.0, 4.0}) {
        const double epsilon = share * std::sqrt(std::expm1(mu * mu) / static_cast<double>(n));
        SCOPED_TRACE(::testing::Message() << mu << ' ' << n << ' ' << epsilon);
        const double upper = star->delta(epsilon).upper;
        EXPECT_GE(upper, pair.forward(epsilon).lower);
        EXPECT_GE(upper, pair.reverse(epsilon).lower);
        EXPECT_LE(upper, gaussian_divergence(mu, epsilon).upper);
      }
    }
  }
}

TEST(StarPool, SaysNothingWhereItHasNothingToSay) {
  EXPECT_FALSE(StarPool::over(100'000, 4, 1).has_value());
  EXPECT_FALSE(StarPool::over(10, 0.1, 1).has_value());
  for (const std::uint64_t n : {50ull, 1'000ull, 1'000'000'000ull}) {
    if (const auto star = StarPool::over(n, 0.3, 0.9)) {
      for (const double epsilon : {0.0, 1e-5, 0.1, 2.0, 30.0}) {
        const numerics::UpperAndEstimate value = star->delta(epsilon);
        EXPECT_GE(value.estimate, 0);
        EXPECT_LE(value.estimate, value.upper);
        EXPECT_LE(value.upper, 1);
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
