// Tests the pool of class C. The bound must be at least the exact delta of every data set of half-sets and at
// least the theorem's formula, and within O(1/n) of the exact curve of one data set. A false variant without
// the pool's weights must be below the delta of some data set.
#include "muster/theorems/everyone/class_c_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/numerics/sums/expected_excess.h"
#include "muster/theorems/swap/class_c.h"
#include "tests/oracle/half_sets.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting {
namespace {

using oracle::half_sets;
using oracle::Law;
using oracle::shares_of;
using oracle::Worst;
using oracle::worst_datasets;

long double log_factorial(int n) { return std::lgamma(n + 1.0L); }

// Computes h(H), the mean of 1/(m - H + Bin(H, r)), from its definition. The argument is 1 - r, which keeps
// its digits where r is near 1.
long double slow_share(int m, int h, long double not_r) {
  long double total = 0;
  for (int stay = 0; stay <= h; ++stay) {
    total += std::exp(log_factorial(h) - log_factorial(stay) - log_factorial(h - stay)) *
             std::pow(1 - not_r, stay) * std::pow(not_r, h - stay) / (m - h + stay);
  }
  return total;
}

// Visits every way to divide `count` clients into silent ones, ones with a message outside their half-set
// (rare) and ones with a message in it (common), with its multinomial probability.
template <typename Visit>
void counts(int count, long double rate, long double q, Visit&& visit) {
  for (int rare = 0; rare <= count; ++rare) {
    for (int common = 0; rare + common <= count; ++common) {
      const int silent = count - rare - common;
      const long double probability = std::exp(log_factorial(count) - log_factorial(rare) -
                                               log_factorial(common) - log_factorial(silent)) *
                                      std::pow(rate * q, rare) * std::pow(rate * (1 - q), common) *
                                      std::pow(1 - rate, silent);
      if (probability > 0) visit(silent, rare, common, probability);
    }
  }
}

// Computes the theorem's right-hand side as stated, with the maximum over i. If `pool` is false, the
// weights h are left out, which gives a false bound.
long double slow_pool(double epsilon0, int n, long double rate, long double epsilon, bool pool = true) {
  // At a small epsilon0, plain differences would lose their digits, so all of them are written with expm1().
  const long double e = std::exp(epsilon), top = epsilon0;
  const long double q = 1 / (std::exp(top) + 1), not_r = -std::expm1(-top);
  const long double kappa = 1 - rate * std::expm1(top) * q;
  const int m = pool ? n - 1 : n;
  long double worst = 0;
  for (int i = 0; i <= m; ++i) {
    long double total = 0;
    counts(i, rate, q, [&](int silent0, int rare0, int common0, long double p0) {
      counts(m - i, rate, q, [&](int silent1, int rare1, int common1, long double p1) {
        const int h = common0 + common1;
        const long double off = -(silent0 + silent1) * std::expm1(epsilon) +
                                rare0 * e * std::expm1(top - epsilon) - rare1 * std::expm1(top + epsilon);
        const long double on = common0 * e * std::expm1(-top - epsilon) - common1 * std::expm1(epsilon - top);
        long double sum = off + on;
        if (pool) {
          sum = (h < m ? slow_share(m, h, not_r) * off : 0) + (h > 0 ? slow_share(m, h - 1, not_r) * on : 0);
        }
        total += p0 * p1 * std::max(0.0L, sum);
      });
    });
    worst = std::max(worst, total);
  }
  const long double local = std::max(0.0L, q * e * std::expm1(top - epsilon));
  return pool ? kappa * worst + std::pow(1 - kappa, m) * rate * local : worst / n;
}

TEST(ClassCPool, DominatesEveryDatasetOfHalfSets) {
  int without_pool_fails = 0;
  for (const double epsilon0 : {1.0, 2.0, 4.0}) {
    const std::vector<Law> laws = half_sets(4, epsilon0);
    const std::vector<double> epsilons = shares_of(epsilon0, {0, 0.1, 0.3, 0.6, 0.7, 0.9, 0.99});
    for (int n = 2; n <= 5; ++n) {
      for (const double rate : {0.3, 0.8, 1.0}) {
        const std::vector<Worst> truth = worst_datasets(
            laws, n, epsilons, [&](const std::vector<Law>& others, const Law& a, const Law& b) {
              return oracle::check_in(others, a, b, static_cast<long double>(rate));
            });
        const ClassCPoolCurve curve(epsilon0, n, rate);
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
          SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << n << ' ' << rate << ' ' << epsilons[i]);
          EXPECT_GE(curve.delta(epsilons[i]).upper, truth[i].delta * (1 - 1e-15L));
          EXPECT_GE(slow_pool(epsilon0, n, rate, epsilons[i]), truth[i].delta * (1 - 1e-15L));
          without_pool_fails +=
              slow_pool(epsilon0, n, rate, epsilons[i], false) < truth[i].delta * (1 - 1e-9L) ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(without_pool_fails, 0);
  std::printf("without the pool's weights: below the truth in %d cases\n", without_pool_fails);
}

// The values are those of tools/golden/class_c.py, which enumerates all data sets and, for the theorem's
// formula, all views that its proof publishes.
TEST(ClassCPool, FiguresAtFiveClients) {
  struct Row {
    double epsilon, truth, pool, generic;
  };
  const std::vector<Law> laws = half_sets(4, 1);
  for (const Row& row : {Row{0, 0.205868, 0.252982, 0.220144}, Row{0.3, 0.111037, 0.193457, 0.124636},
                         Row{0.7, 0.054121, 0.099601, 0.054121}}) {
    const std::vector<Worst> truth = worst_datasets(
        laws, 5, {row.epsilon}, [](const std::vector<Law>& others, const Law& a, const Law& b) {
          return oracle::check_in(others, a, b, 1.0L);
        });
    EXPECT_NEAR(static_cast<double>(truth[0].delta), row.truth, 5.1e-7);
    EXPECT_NEAR(static_cast<double>(slow_pool(1, 5, 1, row.epsilon)), row.pool, 5.1e-7);
    EXPECT_NEAR(ClassCPoolCurve(1, 5, 1).delta(row.epsilon).upper, row.generic, 5.1e-7);
  }
}

// The expected values are the deltas of data sets of binary randomized response, in which all others hold the
// same record, rounded down. tools/golden/small_losses.py computes them with 80 digits. If the code took
// differences that cancel, in thinned_blanket_delta() for the first two and in the pool's own terms for the
// third, the bounds would fall below these values.
TEST(ClassCPool, SmallEpsilon0IsNotPassedFromBelow) {
  EXPECT_GE(ClassCCurve::check_in(1.722569706663435e-10, 100, 0.999999).delta(4.4538351000143516e-12).upper,
            4.88392490508e-12);
  EXPECT_GE(ClassCCurve::check_in(2.201078294172742e-11, 100, 0.99).delta(1.2142721687721118e-12).upper,
            3.982676681135e-13);
  EXPECT_GE(ClassCPoolCurve(2.2278456375336183e-12, 2900, 1).delta(1.656948050908042e-14).upper,
            9.52627411e-15);
}

// The bound with a window is at least the theorem's formula, whatever value the window is chosen for.
TEST(ClassCPool, WindowIsAboveTheTheorem) {
  for (const double epsilon0 : {1e-30, 1e-16, 1e-12, 1e-8, 1e-6, 1e-3, 0.5, 1.0, 2.0}) {
    for (const int n : {3, 6, 12}) {
      for (const double rate : {0.3, 1.0}) {
        for (const double share : {0.0, 0.2, 0.5, 0.999, 1 - 1e-9}) {
          const double epsilon = share * epsilon0;
          const long double slow = slow_pool(epsilon0, n, rate, epsilon);
          for (const double guess : {1e-10 * static_cast<double>(slow), 1e-12, 1e-4, 1.0}) {
            SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << n << ' ' << rate << ' ' << epsilon);
            EXPECT_GE(class_c_pool(epsilon0, n, rate, epsilon, guess).upper, slow * (1 - 1e-13L));
          }
        }
      }
    }
  }
}

TEST(ClassCPool, DisplaceableShareIsEnclosed) {
  for (const double r : {0.9, 0.4, 0.02}) {
    for (const auto& [m, h] :
         {std::pair{10, 9}, {300, 170}, {301, 0}, {301, 140}, {700, 690}, {2000, 1200}}) {
      const numerics::Enclosure share = displaceable_share(m, h, r);
      const long double slow = slow_share(m, h, 1 - static_cast<long double>(r));
      EXPECT_LE(share.lower, slow * (1 + 1e-13L)) << m << ' ' << h << ' ' << r;
      EXPECT_GE(share.upper, slow * (1 - 1e-13L)) << m << ' ' << h << ' ' << r;
      if (m > 1000) {
        EXPECT_LE(share.upper / share.lower, 1 + 40.0 / m / m);
      }
    }
  }
}

// The bound is within O(1/n) of the delta of one data set, in which all others hold x' or all hold x. Here
// z is epsilon in standard deviations of the privacy loss.
TEST(ClassCPool, IsNearTheHomogeneousTruth) {
  struct Row {
    double n, rate, epsilon0, allowed;
  };
  for (const Row& row :
       {Row{1e4, 1, 1, 5e-3}, Row{1e4, 0.5, 1, 3e-3}, Row{6e4, 0.1, 2, 4e-4}, Row{1e7, 1, 2, 1e-4}}) {
    for (const double z : {0.1, 1.0, 3.0}) {
      const double w = std::exp(row.epsilon0) + std::exp(-row.epsilon0) - 2;
      const double epsilon = std::log1p(z * std::sqrt(row.rate * w / row.n));
      double homogeneous = 0;
      for (const double side : {1.0, -std::exp(epsilon)}) {
        numerics::AtomicLaw law;
        law.add(side * std::expm1(row.epsilon0), row.rate / (std::exp(row.epsilon0) + 1));
        law.add(side * std::expm1(-row.epsilon0), row.rate / (std::exp(-row.epsilon0) + 1));
        homogeneous = std::max(
            homogeneous, numerics::expected_excess(law, row.n, row.n * std::expm1(epsilon)).lower / row.n);
      }
      const double upper = ClassCPoolCurve(row.epsilon0, row.n, row.rate).delta(epsilon).upper;
      EXPECT_GE(upper, homogeneous);
      EXPECT_LE(upper, homogeneous * (1 + row.allowed)) << row.n << ' ' << row.rate << ' ' << z;
    }
  }
}

// At a rate so near one that everybody may report, the check-in curve falls back on the pool.
TEST(ClassCPool, CarriesCheckInsNearCertainty) {
  const double epsilon = 0.03;
  EXPECT_LE(ClassCCurve::check_in(1, 1e4, 0.9999).delta(epsilon).upper,
            1.02 * ClassCPoolCurve(1, 1e4, 1).delta(epsilon).upper);
  for (const ClassCCurve& curve : {ClassCCurve::check_in(1, 1e4, 1), ClassCCurve::subset(1, 1e4, 1e4)}) {
    EXPECT_EQ(curve.delta(epsilon).upper, ClassCPoolCurve(1, 1e4, 1).delta(epsilon).upper);
  }
}

TEST(ClassCPool, AnswersEverywhere) {
  for (const double epsilon0 : {1e-6, 0.1, 1.0, 8.0, 20.0}) {
    for (const double n : {2.0, 25.0, 1e3, 1e6, 1e9, 1e12}) {
      const ClassCPoolCurve curve(epsilon0, n, 1);
      for (const double share : {0.0, 1e-6, 1e-3, 0.3, 0.999, 1.0, 2.0}) {
        const numerics::UpperAndEstimate d = curve.delta(share * epsilon0);
        SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << n << ' ' << share);
        EXPECT_GE(d.estimate, 0);
        EXPECT_LE(d.estimate, d.upper);
        EXPECT_LE(d.upper, 1);
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
