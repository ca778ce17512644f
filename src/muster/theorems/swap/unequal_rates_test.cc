// Checks Theorem 6 against enumeration, and Theorem 7 against every vector of rates tried in [lo, hi].
#include "muster/theorems/swap/unequal_rates.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/theorems/check_in/swap_profile.h"
#include "muster/theorems/everyone/blanket.h"
#include "muster/theorems/swap/class_c.h"
#include "tests/oracle/domination.h"
#include "tests/oracle/expect_pair.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/unequal_formula.h"

namespace muster::accounting {
namespace {

using oracle::Law;

const std::vector<double> kShares = {0, 0.15, 0.4, 0.7, 0.9, 0.98};  // epsilon / the largest log-ratio

std::vector<Law> response(long double epsilon0) {
  const long double q = 1 / (std::exp(epsilon0) + 1);
  return {{1 - q, q}, {q, 1 - q}};
}

long double local(long double epsilon0, long double epsilon) {
  return (std::exp(epsilon0) - std::exp(epsilon)) / (std::exp(epsilon0) + 1);
}

// Returns the largest divergence of n clients in either direction, where the victim and each other
// client may have any of the rates in `values`, and each other client may hold either record.
long double worst_truth(const std::vector<Law>& laws, const std::vector<double>& values, int n,
                        double epsilon) {
  long double worst = 0;
  for (const auto& picks : oracle::multisets(static_cast<int>(2 * values.size()), n - 1)) {
    std::vector<Law> others;
    std::vector<long double> rates{0};
    for (const int pick : picks) {
      others.push_back(laws[static_cast<std::size_t>(pick % 2)]);
      rates.push_back(values[static_cast<std::size_t>(pick / 2)]);
    }
    for (const double mine : values) {
      rates[0] = mine;
      const oracle::OutputPair pair = oracle::check_in(others, laws[0], laws[1], rates);
      worst = std::max(
          {worst, oracle::hockey_stick(pair, epsilon), oracle::hockey_stick(pair.swapped(), epsilon)});
    }
  }
  return worst;
}

TEST(UnequalRates, KnownRatesDominateEveryDataset) {
  std::mt19937_64 engine(61);
  std::uniform_real_distribution<double> uniform(0.05, 0.95);
  oracle::Domination domination{.relative = 1e-14L, .absolute = 1e-17L, .negligible = 1e-12L};
  int order = 0;
  long double homogeneous_gap = 0;
  for (int trial = 0; trial < 24; ++trial) {
    const auto family = static_cast<oracle::Family>(trial % 3);
    const std::vector<Law> laws = oracle::random_randomizer(family, 2, 2 + trial % 2, engine);
    const long double top = std::min(oracle::largest_log_ratio(laws), 3.0L);
    for (int n = 2; n <= 4; ++n) {
      std::vector<long double> rates;
      for (int j = 0; j < n; ++j) rates.push_back(uniform(engine));
      for (int dataset = 0; dataset < 1 << (n - 1); ++dataset) {
        std::vector<Law> others;
        for (int j = 0; j + 1 < n; ++j) others.push_back(laws[static_cast<std::size_t>(dataset >> j & 1)]);
        const oracle::OutputPair pair = oracle::check_in(others, laws[0], laws[1], rates);
        for (const double share : kShares) {
          const long double epsilon = share * top;
          const long double truth = oracle::hockey_stick(pair, epsilon);
          const long double bound = oracle::unequal_dataset(others, laws[0], laws[1], rates, epsilon);
          domination.add(truth, bound);
          if (family != oracle::Family::sparse) {
            const long double profile = oracle::unequal_profile(
                oracle::profile_law(laws, epsilon), rates, epsilon, oracle::profile(laws, std::exp(epsilon)));
            order += bound > profile * (1 + 1e-12L) + 1e-16L;
          }
          // At equal rates the bound is that of the swap theorem itself.
          const std::vector<long double> equal(static_cast<std::size_t>(n), rates[0]);
          homogeneous_gap = std::max(
              homogeneous_gap, std::fabs(oracle::unequal_dataset(others, laws[0], laws[1], equal, epsilon) -
                                         oracle::swap_dataset(others, laws[0], laws[1], rates[0], epsilon)));
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_EQ(order, 0);
  EXPECT_GT(domination.tightest, 0.999L);
  EXPECT_LT(homogeneous_gap, 1e-15L);
}

// Compares the bound for rates in [lo, hi] with the truth for every data set and for all rates at the ends of
// the interval and, up to four clients, in its middle.
TEST(UnequalRates, IntervalDominatesEveryVectorOfRates) {
  oracle::Domination domination;
  int caught = 0, without_everybody = 0;
  for (const double epsilon0 : {0.5, 1.0, 2.0}) {
    const std::vector<Law> laws = response(epsilon0);
    const ReportingSum sum(PureLocal{epsilon0});
    for (const auto& [lo, hi] :
         {std::pair{0.1, 0.2}, {0.2, 0.8}, {0.375, 0.631}, {0.6, 0.9}, {0.3, 0.3}, {0.9, 0.97}}) {
      for (int n = 2; n <= 5; ++n) {
        const UnequalRatesCurve curve(sum, n, lo, hi);
        const std::vector<double> values =
            n <= 4 ? std::vector<double>{lo, (lo + hi) / 2, hi} : std::vector<double>{lo, hi};
        for (const double share : kShares) {
          const double epsilon = share * epsilon0;
          const double bound = curve.delta(epsilon).upper;
          const long double worst = worst_truth(laws, values, n, epsilon);
          domination.add(worst, bound);
          // A wrong variant leaves out the event that nobody is absent.
          const double chance = lo / (1 - lo / hi * (1 - hi));
          const double all = hi * std::pow(1 - lo / hi * (1 - hi), n - 1);
          const double term = sum.everybody({1.0 * n, chance, all}, epsilon, 0).upper;
          without_everybody += worst > bound - term;
          // Another wrong variant puts the victim at hi and everybody else at lo.
          std::vector<long double> tempting(static_cast<std::size_t>(n), lo);
          tempting[0] = hi;
          caught += worst > oracle::unequal_profile(oracle::pure_law(epsilon0, epsilon), tempting, epsilon,
                                                    local(epsilon0, epsilon));
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.tightest, 0.8L);
  EXPECT_GT(caught, 0);
  EXPECT_GT(without_everybody, 0);
}

// At n = 5, rates in [.375, .631], epsilon0 = 2 and eps = 1.8, the truth with all rates at hi is 2.97 times
// the profile-only bound for the victim at hi and the others at lo, and 8.02 times the truth for these rates.
TEST(UnequalRates, VictimHighOthersLowIsNoBound) {
  const std::vector<Law> laws = response(2);
  const std::vector<Law> others(4, laws[1]);
  const std::vector<long double> all_high(5, 0.631L);
  const oracle::OutputPair pair = oracle::check_in(others, laws[0], laws[1], all_high);
  const long double truth =
      std::max(oracle::hockey_stick(pair, 1.8L), oracle::hockey_stick(pair.swapped(), 1.8L));
  std::vector<long double> tempting(5, 0.375L);
  tempting[0] = 0.631L;
  const long double variant =
      oracle::unequal_profile(oracle::pure_law(2, 1.8L), tempting, 1.8L, local(2, 1.8L));
  EXPECT_NEAR(static_cast<double>(truth / variant), 2.970, 0.001);
  const oracle::OutputPair rare = oracle::check_in(others, laws[0], laws[1], tempting);
  const long double exact =
      std::max(oracle::hockey_stick(rare, 1.8L), oracle::hockey_stick(rare.swapped(), 1.8L));
  EXPECT_NEAR(static_cast<double>(truth / exact), 8.017, 0.001);
  const UnequalRatesCurve curve(ReportingSum({Profile::pure(2)}), 5, 0.375, 0.631);
  EXPECT_GE(curve.delta(1.8).upper, truth);
}

// Compares the closed form with the mean of B(N+1), N ~ Bin(n-1, lo/hi), summed one N at a time.
TEST(UnequalRates, EqualsTheAverageOverTheNumberOfCoins) {
  for (const double epsilon0 : {0.5, 2.0}) {
    for (const auto& [lo, hi] : {std::pair{0.1, 0.3}, {0.5, 0.8}, {0.4, 0.4}}) {
      for (const int n : {2, 5, 9}) {
        const UnequalRatesCurve curve(ReportingSum({Profile::pure(epsilon0)}), n, lo, hi);
        for (const double share : kShares) {
          const double epsilon = share * epsilon0;
          const long double theta = static_cast<long double>(lo) / hi;
          long double average = 0;
          for (int others = 0; others < n; ++others) {
            const long double weight =
                std::exp(std::lgamma(static_cast<long double>(n)) - std::lgamma(others + 1.0L) -
                         std::lgamma(static_cast<long double>(n - others))) *
                std::pow(theta, others) * std::pow(1 - theta, n - 1 - others);
            average += weight * oracle::swap_sum(oracle::pure_law(epsilon0, epsilon), others + 1, hi, epsilon,
                                                 local(epsilon0, epsilon));
          }
          average = std::min(1.0L, average);
          const numerics::UpperAndEstimate fast = curve.delta(epsilon);
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << lo << " " << n << " " << epsilon);
          EXPECT_GE(fast.upper, average * (1 - 1e-12L));
          EXPECT_LE(fast.upper, average * (1 + 1e-9L) + 1e-12L);
          EXPECT_LE(fast.estimate, average * (1 + 1e-12L));
        }
      }
    }
  }
}

TEST(UnequalRates, EqualRatesReduceToTheSwapTheorem) {
  for (const double n : {3.0, 60000.0}) {
    const ShuffledCheckIn protocol{ClientCount::of(static_cast<std::uint64_t>(n)), Rate::of(0.1)};
    const ReportingSum sum({Profile::pure(2)});
    const UnequalRatesCurve curve(sum, n, 0.1, 0.1);
    for (const double epsilon : {0.0, 0.005, 0.0125, 0.02}) {
      const double swap = swap_delta(sum, protocol, epsilon).upper;
      EXPECT_NEAR(curve.delta(epsilon).upper, swap, 1e-13 * swap);
    }
  }
}

// The average over blocks, for bounds known only as functions, is not below the closed form and is close to
// it.
TEST(UnequalRates, BlocksAgreeWithTheClosedForm) {
  const ReportingSum sum({Profile::pure(1)});
  const auto family = [&sum](double clients, double epsilon) {
    return UnequalRatesCurve(sum, clients, 0.1, 0.1).delta(epsilon);
  };
  for (const double n : {40.0, 6e4, 1e8}) {
    const UnequalRatesCurve closed(sum, n, 0.05, 0.1);
    const UnequalRatesMixture blocks(n, 0.05, 0.1, family, 0.05);
    EXPECT_LE(blocks.evaluations(), 600U);
    const double scale = 1 / std::sqrt(n);
    for (const double epsilon : {0.0, scale, 3 * scale}) {
      const double expected = closed.delta(epsilon).upper, found = blocks.delta(epsilon).upper;
      EXPECT_GE(found, expected * (1 - 1e-6));
      EXPECT_LE(found, expected * 1.01);
    }
  }
}

// Averages a bound that is 1 for one client and 0 for two. For n = 2 its mean is P(N = 0) = 1 - lo / hi,
// and hi - lo has no rounding error here. So the test notices if rounding takes weight from the small N.
TEST(UnequalRates, NearlyEqualRatesLoseNoneOfTheSmallestCounts) {
  const auto fewer_than_two = [](double clients, double /*epsilon*/) {
    const double value = clients < 2 ? 1 : 0;
    return numerics::UpperAndEstimate{.upper = value, .estimate = value};
  };
  std::mt19937_64 engine(67);
  std::uniform_real_distribution<double> uniform(0.05, 0.95);
  for (int trial = 0; trial < 200; ++trial) {
    const double hi = uniform(engine);
    double lo = hi;
    for (int ulps = 0; ulps <= trial % 4; ++ulps) lo = std::nextafter(lo, 0.0);
    const UnequalRatesMixture mixture(2, lo, hi, fewer_than_two);
    const long double truth = (static_cast<long double>(hi) - lo) / hi;
    EXPECT_GE(mixture.delta(1).upper, truth * (1 - 1e-18L)) << lo << ' ' << hi;
    EXPECT_LE(mixture.delta(1).upper, truth + 0x1p-52L) << lo << ' ' << hi;
  }
  EXPECT_EQ(UnequalRatesMixture(2, 0.3, 0.3, fewer_than_two).delta(1).upper, 0);
}

// Class C's bound is at least the divergence of binary randomized response for every data set, with the
// victim at hi and every other client at lo or hi. It is at most the average, over N, of class C's bound for
// N + 1 clients of rate hi, and this average is at most the profile-only bound.
TEST(UnequalRates, ClassCDominatesEveryVectorOfRates) {
  int violations = 0;
  for (const double epsilon0 : {0.5, 2.0}) {
    const std::vector<Law> laws = response(epsilon0);
    const ReportingSum sum({Profile::pure(epsilon0)});
    for (const auto& [lo, hi] : {std::pair{0.2, 0.5}, {0.5, 0.9}}) {
      for (int n = 2; n <= 5; ++n) {
        const double most = hi;
        const UnequalRatesMixture mixture(n, lo, hi, [epsilon0, most, &sum](double clients, double epsilon) {
          return clients < 2 ? UnequalRatesCurve(sum, clients, most, most).delta(epsilon)
                             : ClassCCurve::check_in(epsilon0, clients, most).delta(epsilon);
        });
        const ClassCCurve curve = ClassCCurve::unequal(epsilon0, n, lo, hi);
        for (const double share : kShares) {
          const double epsilon = share * epsilon0;
          const double average = mixture.delta(epsilon).upper, bound = curve.delta(epsilon).upper;
          EXPECT_LE(average, UnequalRatesCurve(sum, n, lo, hi).delta(epsilon).upper * (1 + 1e-6) + 1e-15);
          EXPECT_LE(bound, average * (1 + 1e-12));
          for (const auto& picks : oracle::multisets(4, n - 1)) {
            std::vector<Law> others;
            std::vector<long double> rates{hi};
            for (const int pick : picks) {
              others.push_back(laws[static_cast<std::size_t>(pick % 2)]);
              rates.push_back(pick / 2 ? lo : hi);
            }
            const oracle::OutputPair pair = oracle::check_in(others, laws[0], laws[1], rates);
            violations += std::max(oracle::hockey_stick(pair, epsilon),
                                   oracle::hockey_stick(pair.swapped(), epsilon)) > bound;
          }
        }
      }
    }
  }
  EXPECT_EQ(violations, 0);
}

// With many clients, class C's bound, which is one sum, is not above the average over blocks of N. At
// epsilon0 = 2, n = 6e4, rates in [0.05, 0.1] and delta 1e-6, its epsilon is also within a relative 2e-4 of
// the lower bound by UnequalRatesPair: .0136975 and .0136963, as tools/golden/unequal_rates.py computes them.
TEST(UnequalRates, ClassCInLargeCrowds) {
  for (const auto& [lo, hi] : {std::pair{0.05, 0.1}, {0.3, 0.34}, {0.5, 0.9}}) {
    for (const double n : {1e3, 6e4, 1e8}) {
      const double most = hi;
      UnequalRatesMixture mixture(n, lo, hi, [most](double clients, double epsilon) {
        return ClassCCurve::check_in(2, clients, most).delta(epsilon);
      });
      mixture.merge();
      EXPECT_LE(mixture.evaluations(), 26U);
      const ClassCCurve curve = ClassCCurve::unequal(2, n, lo, hi);
      const double deviation = std::sqrt(5.52 * hi * hi / (lo * n));  // 5.52 = e^2 + e^-2 - 2
      for (const double deviations : {0.0, 1.0, 3.0}) {
        const double epsilon = deviations * deviation;
        SCOPED_TRACE(::testing::Message() << lo << ' ' << hi << ' ' << n << ' ' << epsilon);
        EXPECT_LE(curve.delta(epsilon).upper, mixture.delta(epsilon).upper * (1 + 1e-5));
      }
    }
  }
  EXPECT_LE(ClassCCurve::unequal(2, 6e4, 0.05, 0.1).delta(0.013698).upper, 1e-6);
  EXPECT_GE(UnequalRatesPair(2, 6e4, 0.05, 0.1).forward(0.0136963).lower, 1e-6);
}

// For rates up to 1, compares the thinned blanket (blanket.h) with the worst divergence over all data sets
// and over rates at the ends and in the middle of [lo, 1].
TEST(UnequalRates, ThinnedBlanketDominatesRatesUpToOne) {
  oracle::Domination domination;
  for (const double epsilon0 : {0.5, 1.0, 2.0}) {
    const std::vector<Law> laws = response(epsilon0);
    for (const double lo : {0.2, 0.6, 1.0}) {
      for (int n = 2; n <= 5; ++n) {
        const std::vector<double> values{lo, (lo + 1) / 2, 1};
        for (const double share : kShares) {
          const double epsilon = share * epsilon0;
          domination.add(worst_truth(laws, values, n, epsilon),
                         thinned_blanket_delta(n, lo, epsilon0, epsilon).upper);
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.tightest, 0.9L);
}

// The curve of UnequalRatesPair is the exact divergence of its data set.
TEST(UnequalRates, PairIsItsDataset) {
  for (const double epsilon0 : {0.5, 2.0}) {
    const std::vector<Law> laws = response(epsilon0);
    for (const auto& [lo, hi] : {std::pair{0.1, 0.3}, {0.4, 0.9}, {0.3, 1.0}}) {
      for (const int n : {2, 4, 7}) {
        std::vector<long double> rates(static_cast<std::size_t>(n), lo);
        rates[0] = hi;
        const oracle::OutputPair pair = oracle::check_in(
            std::vector<Law>(static_cast<std::size_t>(n - 1), laws[1]), laws[0], laws[1], rates);
        const UnequalRatesPair curve(epsilon0, n, lo, hi);
        for (const double share : kShares) {
          oracle::expect_curve_of_pair(curve, pair, share * epsilon0, 1e-8, 1e-14);
        }
      }
    }
  }
}

// Let all others hold the victim's alternative and report at rate `hi`. At so large an epsilon0,
// practically none of them sends the message that the victim's record makes likely, so this message
// identifies her: delta >= hi p - e^epsilon n hi q, which differs from hi by much less than an ulp.
TEST(UnequalRates, MessageThatNobodyElseSendsIsChargedInFull) {
  constexpr double epsilon0 = 200;
  const ReportingSum sum(Mechanism{PureLocal(epsilon0)});
  for (const double n : {100.0, 1e6, 1e12}) {
    for (const double hi : {1e-9, 0.16, 0.94, 0.9999}) {
      for (const double share : {1e-3, 0.5, 0.9, 0.999999}) {
        const UnequalRatesCurve curve(sum, n, hi * share, hi);
        for (const double epsilon : {1.0, 2.2, 50.0, 120.0}) {
          SCOPED_TRACE(::testing::Message() << n << ' ' << hi << ' ' << share << ' ' << epsilon);
          EXPECT_GE(curve.delta(epsilon).upper, hi);
        }
      }
    }
  }
}

TEST(UnequalRates, RefusesRatesOfZeroAndOne) {
  const ReportingSum sum({Profile::pure(1)});
  EXPECT_ERROR(ErrorCode::uncovered, UnequalRatesCurve(sum, 10, 0.5, 1));
  EXPECT_ERROR(ErrorCode::uncovered, UnequalRatesCurve(sum, 10, 0, 0.5));
  EXPECT_ERROR(ErrorCode::uncovered, UnequalRatesCurve(sum, 10, 0.6, 0.5));
}

}  // namespace
}  // namespace muster::accounting
