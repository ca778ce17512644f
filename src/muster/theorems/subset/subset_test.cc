// Checks that the fixed-subset bound equals its formula summed term by term, and that it is at least the
// divergence of every enumerated data set.
#include "muster/theorems/subset/subset.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/oracle/domination.h"
#include "tests/oracle/profile_of_laws.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting {
namespace {

using oracle::Atom;
using oracle::Law;

const std::vector<double> kShares = {0, 0.15, 0.4, 0.7, 0.9, 0.98};  // epsilon / the largest log-ratio

// Returns (1/n) * mean of ( X_1 + ... + X_k + (n-k)(1-E) )_+, summed over every combination of atoms.
long double slow(const std::vector<Atom>& law, int n, int k, long double epsilon) {
  const std::function<long double(int, long double)> visit = [&](int left, long double sum) {
    if (left == 0) return std::max(0.0L, sum);
    long double total = 0;
    for (const Atom& atom : law) total += atom.mass * visit(left - 1, sum + atom.value);
    return total;
  };
  return visit(k, static_cast<long double>(n - k) * (1 - std::exp(epsilon))) / static_cast<long double>(n);
}

// Returns the largest divergence over every data set and both orders of every pair of records.
long double worst(const std::vector<Law>& laws, int n, int k, long double epsilon) {
  long double most = 0;
  for (const std::vector<int>& dataset : oracle::multisets(static_cast<int>(laws.size()), n - 1)) {
    std::vector<Law> others;
    for (const int r : dataset) others.push_back(laws[static_cast<std::size_t>(r)]);
    for (const Law& a : laws) {
      for (const Law& b : laws) {
        if (&a != &b) most = std::max(most, oracle::hockey_stick(oracle::subset(others, a, b, k), epsilon));
      }
    }
  }
  return most;
}

TEST(Subset, EqualsTheFormulaAndDominatesEveryDatasetOfPureRandomizers) {
  std::mt19937_64 engine(51);
  oracle::Domination domination;
  int caught = 0;
  for (int trial = 0; trial < 6; ++trial) {
    std::vector<Law> laws;
    if (trial < 3) {
      const long double q = 1 / (std::exp(0.5L + static_cast<long double>(trial)) + 1);
      laws = {{1 - q, q}, {q, 1 - q}};
    } else {
      laws = oracle::random_randomizer(oracle::Family::extreme, 3, 2, engine);
    }
    const auto epsilon0 = static_cast<double>(oracle::largest_log_ratio(laws) * (1 + 1e-15L));
    for (int n = 2; n <= 6; ++n) {
      for (int k = 1; k < n; ++k) {
        const SumCurve curve = subset_curve(ReportingSum({Profile::pure(epsilon0)}), n, k);
        for (const double share : kShares) {
          const double epsilon = share * epsilon0;
          const numerics::UpperAndEstimate fast = curve.delta(epsilon);
          const long double formula = slow(oracle::pure_law(epsilon0, epsilon), n, k, epsilon);
          SCOPED_TRACE(::testing::Message() << trial << " " << n << " " << k << " " << epsilon);
          EXPECT_GE(fast.upper, formula * (1 - 1e-13L));
          EXPECT_LE(fast.estimate, formula * (1 + 1e-13L));
          EXPECT_LE(fast.upper - fast.estimate, 1e-9L * formula + 1e-12L);
          const long double truth = worst(laws, n, k, epsilon);
          domination.add(truth, fast.upper);
          // A wrong variant of the formula, with k - 1 instead of k, must be below some true divergence.
          if (k > 1) caught += truth > slow(oracle::pure_law(epsilon0, epsilon), n, k - 1, epsilon);
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.tightest, 0.95L);
  EXPECT_GT(caught, 0);
}

TEST(Subset, DominatesEveryDatasetWithTheExactProfile) {
  std::mt19937_64 engine(52);
  oracle::Domination domination;
  for (int trial = 0; trial < 6; ++trial) {
    const auto family = trial % 2 ? oracle::Family::smooth : oracle::Family::extreme;
    const std::vector<Law> laws = oracle::random_randomizer(family, 3, 2 + trial / 3, engine);
    const Profile profile = oracle::profile_of_laws(laws);
    const long double top = oracle::largest_log_ratio(laws);
    for (int n = 2; n <= 5; ++n) {
      for (int k = 1; k < n; ++k) {
        const SumCurve curve = subset_curve(ReportingSum({profile}), n, k);
        for (const double share : kShares) {
          const auto epsilon = static_cast<double>(share * top);
          domination.add(worst(laws, n, k, epsilon), curve.delta(epsilon).upper);
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.tightest, 0.9L);
}

// Apart from the case k = n, the check-in bound is the average of the subset bound over k ~ Bin(n, g). So a
// subset of the mean size costs about as much as the check-in, whose delta is 1e-6 at the two epsilons
// (docs/theory/reference-values.md). kPure and kGaussian are the subset's own deltas, rounded down, which
// tools/golden/unequal_rates.py computes. The bound may exceed them by its allowance for numerical errors,
// and for the Gaussian also by what the rounding of the law X* to finitely many values adds.
TEST(Subset, IsCloseToTheCheckInOfTheSameMeanSize) {
  constexpr double kPure = 9.97502e-7, kGaussian = 9.96453e-7;
  const double pure = subset_curve(ReportingSum({Profile::pure(2)}), 6e4, 6e3).delta(0.012574).upper;
  EXPECT_GE(pure, kPure);
  EXPECT_LE(pure, kPure * (1 + 2e-5));
  const double gaussian =
      subset_curve(ReportingSum(Mechanism(GaussianLocal{5})), 6e4, 6e3).delta(0.001583).upper;
  EXPECT_GE(gaussian, kGaussian);
  EXPECT_LE(gaussian, kGaussian * (1 + 2e-4));
}

TEST(Subset, AnswersEverywhere) {
  for (const double epsilon0 : {1e-3, 1.0, 20.0}) {
    for (const auto& [n, k] : {std::pair{2.0, 1.0}, {1e3, 999.0}, {1e9, 1e3}, {1e9, 5e8}, {1e12, 1e11}}) {
      const SumCurve curve = subset_curve(ReportingSum({Profile::pure(epsilon0)}), n, k);
      for (const double epsilon : {0.0, 1e-7, 1e-3, 0.5, 19.9, 60.0, 900.0}) {
        const numerics::UpperAndEstimate value = curve.delta(epsilon);
        EXPECT_TRUE(value.estimate >= 0 && value.estimate <= value.upper && value.upper <= 1)
            << epsilon0 << " " << n << " " << k << " " << epsilon;
      }
    }
  }
}

TEST(Subset, RefusesEverybody) {
  EXPECT_ERROR(ErrorCode::uncovered, subset_curve(ReportingSum({Profile::pure(1)}), 10, 10));
  EXPECT_ERROR(ErrorCode::uncovered, subset_curve(ReportingSum({Profile::pure(1)}), 10, 0));
}

}  // namespace
}  // namespace muster::accounting
