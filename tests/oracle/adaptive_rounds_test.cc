// Compares composition with enumeration for two adaptive rounds: the data set of the second round may depend
// on the output of the first.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "muster/accounting/accountant.h"
#include "muster/composition/dominating_pair.h"
#include "muster/theorems/exact/homogeneous.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting {
namespace {

using oracle::Law;
using oracle::OutputPair;

std::vector<Law> binary(long double epsilon0) {
  const long double q = 1 / (std::exp(epsilon0) + 1);
  return {{1 - q, q}, {q, 1 - q}};
}

// Returns the output pairs of every data set of n - 1 others. The
// victim's records x and x' have the laws laws[0] and laws[1].
std::vector<OutputPair> all_datasets(const std::vector<Law>& laws, int n, long double rate) {
  std::vector<OutputPair> pairs;
  for (const std::vector<int>& dataset : oracle::multisets(static_cast<int>(laws.size()), n - 1)) {
    std::vector<Law> others;
    for (const int r : dataset) others.push_back(laws[static_cast<std::size_t>(r)]);
    pairs.push_back(oracle::check_in(others, laws[0], laws[1], rate));
  }
  return pairs;
}

// Returns the largest divergence of two rounds: for each outcome of the first round, the second round has
// the data set that adds most to the divergence.
long double two_adaptive_rounds(const std::vector<OutputPair>& pairs, long double epsilon) {
  const long double grown = std::exp(epsilon);
  long double worst = 0;
  for (const OutputPair& first : pairs) {
    long double sum = 0;
    for (std::size_t o = 0; o < first.p.size(); ++o) {
      long double most = 0;
      for (const OutputPair& second : pairs) {
        long double gain = 0;
        for (std::size_t s = 0; s < second.p.size(); ++s) {
          gain += std::max(0.0L, first.p[o] * second.p[s] - grown * first.q[o] * second.q[s]);
        }
        most = std::max(most, gain);
      }
      sum += most;
    }
    worst = std::max(worst, sum);
  }
  return worst;
}

// Returns the bound for one round from the slow formula,
// at `cells` + 1 equally spaced losses from 0 to epsilon0.
EnclosedTable slow_curve(long double epsilon0, int n, long double rate, int cells) {
  EnclosedTable curve{static_cast<double>(epsilon0) / cells, {}, {}, {}};
  for (int i = 0; i <= cells; ++i) {
    const long double epsilon = static_cast<long double>(curve.spacing) * i;
    const long double at_all =
        std::max(0.0L, (std::exp(epsilon0) - std::exp(epsilon)) / (std::exp(epsilon0) + 1));
    const auto value =
        static_cast<double>(oracle::swap_sum(oracle::pure_law(epsilon0, epsilon), n, rate, epsilon, at_all));
    curve.index.push_back(i);
    curve.forward.push_back({value * (1 - 1e-15), value * (1 + 1e-15)});
  }
  curve.reverse = curve.forward;
  return curve;
}

TEST(Composition, DominatesTwoAdaptiveRounds) {
  long double tightest = 0;
  int cases = 0;
  for (const long double epsilon0 : {0.5L, 1.0L, 2.0L}) {
    for (const int n : {3, 4, 6}) {
      for (const long double rate : {0.1L, 0.3L, 0.5L, 0.8L}) {
        const std::vector<OutputPair> pairs = all_datasets(binary(epsilon0), n, rate);
        const LossDistribution pair = LossDistribution::dominating(slow_curve(epsilon0, n, rate, 24));
        for (const long double share : {0.0L, 0.2L, 0.6L, 0.9L, 1.3L, 1.8L}) {
          const long double truth = two_adaptive_rounds(pairs, share * epsilon0);
          const double upper = pair.delta(2, static_cast<double>(share * epsilon0)).upper;
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << n << " " << rate << " " << share);
          EXPECT_GE(upper, truth * (1 - 1e-14L));
          if (truth > 1e-6L) tightest = std::max(tightest, truth / upper);
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, 3 * 3 * 4 * 6);
  EXPECT_GT(tightest, 0.9L);
}

// The test above can fail: if the values of the curve are halved, the composed bound is below the truth at
// some epsilon.
TEST(Composition, ACurveTooLowIsCaught) {
  bool caught = false;
  for (const long double rate : {0.1L, 0.3L, 0.5L, 0.8L}) {
    const std::vector<OutputPair> pairs = all_datasets(binary(1), 4, rate);
    EnclosedTable curve = slow_curve(1, 4, rate, 24);
    for (auto* side : {&curve.forward, &curve.reverse}) {
      for (numerics::Enclosure& value : *side) value.lower *= 0.5, value.upper *= 0.5;
    }
    const LossDistribution pair = LossDistribution::dominating(curve);
    for (const double epsilon : {0.0, 0.2, 0.6, 0.9}) {
      caught = caught || pair.delta(2, epsilon).upper < two_adaptive_rounds(pairs, epsilon);
    }
  }
  EXPECT_TRUE(caught);
}

// The largest divergences of one round and of two adaptive rounds lie between the lower and the upper value
// of the accountant's statement.
TEST(Accountant, BracketsEnumeratedRounds) {
  long double tightest_upper = 0, tightest_lower = 0;
  for (const double epsilon0 : {0.5, 1.0, 2.0}) {
    for (const int n : {3, 5, 8}) {
      for (const double rate : {0.1, 0.5, 0.8}) {
        const std::vector<OutputPair> pairs = all_datasets(binary(epsilon0), n, rate);
        const Accountant accountant(
            PureLocal{epsilon0},
            ShuffledCheckIn{ClientCount::of(static_cast<std::uint64_t>(n)), Rate::of(rate)});
        for (const double share : {0.0, 0.2, 0.6, 0.9}) {
          const double epsilon = share * epsilon0;
          const Question question{Question::Kind::delta_at_epsilon, epsilon};
          long double one = 0;
          for (const OutputPair& pair : pairs) {
            one = std::max(
                {one, oracle::hockey_stick(pair, epsilon), oracle::hockey_stick(pair.swapped(), epsilon)});
          }
          const long double two = two_adaptive_rounds(pairs, epsilon);
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << n << " " << rate << " " << epsilon);
          const Statement single = accountant.account(1, question), twice = accountant.account(2, question);
          EXPECT_GE(*single.best.upper, one * (1 - 1e-15L));
          EXPECT_GE(*twice.best.upper, two * (1 - 1e-15L));
          EXPECT_LE(single.best.lower.value_or(0), one * (1 + 1e-12L) + 1e-18L);
          EXPECT_LE(twice.best.lower.value_or(0), two * (1 + 1e-12L) + 1e-18L);
          if (two > 1e-6L) {
            tightest_upper = std::max(tightest_upper, two / *twice.best.upper);
            tightest_lower = std::max(tightest_lower, twice.best.lower.value_or(0) / two);
          }
        }
      }
    }
  }
  EXPECT_GT(tightest_upper, 0.8L);
  EXPECT_GT(tightest_lower, 0.8L);
}

// The homogeneous curves enclose the exact divergences of their data sets, in both directions.
TEST(Homogeneous, EqualsItsDataset) {
  for (const double epsilon0 : {0.5, 2.0}) {
    const std::vector<Law> laws = binary(epsilon0);
    for (const int n : {3, 8}) {
      for (const double rate : {0.1, 0.8}) {
        const std::vector<Law> others(static_cast<std::size_t>(n - 1), laws[1]);
        const OutputPair pair = oracle::check_in(others, laws[0], laws[1], static_cast<long double>(rate));
        const double clients = n;
        const HomogeneousCurve curve(PureLocal{epsilon0}, {clients, clients, rate});
        for (const double share : {0.0, 0.3, 0.7}) {
          const double epsilon = share * epsilon0;
          const EnclosedMinorant forward = curve.forward(epsilon), reverse = curve.reverse(epsilon);
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << n << " " << rate << " " << epsilon);
          EXPECT_LE(forward.lower, oracle::hockey_stick(pair, epsilon) * (1 + 1e-12L));
          EXPECT_GE(forward.minorant_upper, oracle::hockey_stick(pair, epsilon) * (1 - 1e-12L));
          EXPECT_LE(reverse.lower, oracle::hockey_stick(pair.swapped(), epsilon) * (1 + 1e-12L));
          EXPECT_GE(reverse.minorant_upper, oracle::hockey_stick(pair.swapped(), epsilon) * (1 - 1e-12L));
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
