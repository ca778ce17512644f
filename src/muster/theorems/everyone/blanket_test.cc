// Compares the blanket bounds of a plain shuffle with reference values and with every data set of small
// populations.
#include "muster/theorems/everyone/blanket.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "muster/theorems/everyone/k_rr.h"
#include "tests/oracle/known_false.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/slow_formula.h"
#include "tests/support/arb_ball.h"

namespace muster::accounting {
namespace {

using Ball = ArbBall<1024>;  // differences at tiny epsilon0 need many bits: 1 + 1e-100 alone takes 333
using oracle::Law;
using Bound = std::function<numerics::Enclosure(double epsilon)>;

const std::vector<double> kShares = {0, 0.2, 0.5, 0.8, 0.95, 0.995};  // values of epsilon / epsilon0

double epsilon_at(const Bound& bound, double top, double delta, bool upper) {
  double low = 0;
  double high = top;
  for (int i = 0; i < 45; ++i) {
    const double middle = 0.5 * (low + high);
    const numerics::Enclosure ends = bound(middle);
    ((upper ? ends.upper : ends.lower) > delta ? low : high) = middle;
  }
  return high;
}

// Checks that the ends of the epsilon at `delta` enclose `reference` and are close to each other. The
// references are the exact sums of docs/theory/reference-values.md (plain shuffle), written to ten digits
// by tools/golden/plain_shuffle.py.
void expect_reference(const Bound& bound, double top, double delta, double reference) {
  const double upper = epsilon_at(bound, top, delta, true);
  const double lower = epsilon_at(bound, top, delta, false);
  EXPECT_GE(upper, reference - 1e-10);
  EXPECT_LE(lower, reference + 1e-10);
  EXPECT_LE(upper - lower, 1e-5 * reference);  // the ends differ only by numerical error
}

TEST(Blanket, ReferenceValues) {
  const auto pure = [](double n, double e0) {
    return [=](double e) { return pure_blanket_delta(n, e0, e); };
  };
  const auto k_rr = [](double n, double e0) {
    return [=](double e) { return k_rr_blanket_delta(n, 10, e0, e); };
  };
  expect_reference(pure(1e4, 1), 1, 1e-6, 0.0432061581);
  expect_reference(pure(1e4, 2), 2, 1e-6, 0.1143996153);
  expect_reference(pure(1e5, 4), 4, 1e-6, 0.1181530665);
  expect_reference(pure(1e6, 4), 4, 1e-8, 0.0450729620);
  expect_reference(k_rr(1e4, 1), 1, 1e-6, 0.0232533059);
  expect_reference(k_rr(1e4, 2), 2, 1e-6, 0.0798036068);
  expect_reference(k_rr(1e5, 4), 4, 1e-6, 0.1099085325);
}

// Compares the bounds with exact deltas of k-ary randomized response in small populations, from
// docs/theory/reference-values.md. The bound by the variation ratio, a reduction to the victim's two symbols
// (docs/theory/blanket.md), is false for k = 4: it lies below the truth. The blanket's bound at that point,
// 0.07926, is computed by tools/golden/small_truths.py from the laws of the messages.
TEST(Blanket, SmallTruthsAreNotPassedFromBelow) {
  EXPECT_GE(k_rr_blanket_delta(6, 4, 1, 0.6008763457).upper, 0.0123456538);
  EXPECT_GE(pure_blanket_delta(6, 1, 0.6008763457).upper, 0.0123456538);
  EXPECT_GE(k_rr_blanket_delta(12, 5, 2, 1.3493735323).upper, 0.0138273131);
  const oracle::Counterexample variation_ratio = oracle::counterexamples()[2];  // n = 12, k = 4, epsilon0 = 2
  const double bound = k_rr_blanket_delta(12, 4, 2, 1).upper;
  EXPECT_NEAR(bound, 0.07926, 5e-6);
  EXPECT_GE(bound, variation_ratio.truth);
  EXPECT_LT(variation_ratio.bound, variation_ratio.truth);
}

std::vector<Law> k_rr_laws(int k, double epsilon0) {
  std::vector<Law> laws;
  for (int x = 0; x < k; ++x) {
    laws.push_back(oracle::k_rr(k, epsilon0, x));
  }
  return laws;
}

struct Sweep {
  int cases = 0;
  long double tightest = 0;
  bool bad_variant_caught = false;  // whether a bound for n + 1 clients was below the truth for n
};

TEST(Blanket, DominatesEveryDatasetOfRandomPureRandomizers) {
  std::mt19937_64 engine(11);
  Sweep sweep;
  for (int trial = 0; trial < 24; ++trial) {
    const auto family = trial % 2 ? oracle::Family::smooth : oracle::Family::extreme;
    const std::vector<Law> laws = oracle::random_randomizer(family, 2 + trial % 2, 2 + trial % 3, engine);
    const auto epsilon0 = static_cast<double>(oracle::largest_log_ratio(laws)) * (1 + 1e-15);
    if (!(epsilon0 > 1e-6)) continue;
    for (int n = 2; n <= 5; ++n) {
      for (const double share : kShares) {
        const double epsilon = share * epsilon0;
        const long double truth = oracle::worst_check_in(laws, n, 1.0L, epsilon);
        const double bound = pure_blanket_delta(n, epsilon0, epsilon).upper;
        SCOPED_TRACE(::testing::Message() << trial << " " << n << " " << epsilon0 << " " << epsilon);
        EXPECT_GE(bound, truth * (1 - 1e-13L));
        if (truth > 1e-9L) sweep.tightest = std::max(sweep.tightest, truth / bound);
        ++sweep.cases;
      }
    }
  }
  EXPECT_GE(sweep.cases, 400);
  EXPECT_GT(sweep.tightest, 0.9L);
}

// Binary randomized response attains the bound for any epsilon0-LDP randomizer, at an epsilon near epsilon0.
TEST(Blanket, BinaryRandomizedResponseAttainsThePureBoundNearItsTop) {
  Sweep sweep;
  for (const double epsilon0 : {0.5, 1.0, 3.0}) {
    const std::vector<Law> laws = k_rr_laws(2, epsilon0);
    for (int n = 2; n <= 9; ++n) {
      for (const double share : kShares) {
        const double epsilon = share * epsilon0;
        const long double truth = oracle::worst_check_in(laws, n, 1.0L, epsilon);
        const double bound = pure_blanket_delta(n, epsilon0, epsilon).upper;
        EXPECT_GE(bound, truth * (1 - 1e-13L)) << n << " " << epsilon0 << " " << epsilon;
        sweep.tightest = std::max(sweep.tightest, truth / bound);
        if (pure_blanket_delta(n + 1, epsilon0, epsilon).upper < truth) sweep.bad_variant_caught = true;
      }
    }
  }
  EXPECT_GT(sweep.tightest, 1 - 1e-9L);
  EXPECT_TRUE(sweep.bad_variant_caught);  // the bound for n + 1 clients is false for n
}

TEST(Blanket, DominatesEveryDatasetOfKRR) {
  Sweep sweep;
  for (const int k : {3, 4, 5}) {
    for (const double epsilon0 : {0.5, 1.0, 2.0, 4.0}) {
      const std::vector<Law> laws = k_rr_laws(k, epsilon0);
      for (int n = 2; n <= (k == 3 ? 7 : k == 4 ? 6 : 5); ++n) {
        for (const double share : kShares) {
          const double epsilon = share * epsilon0;
          long double truth = 0;  // by symmetry one ordered pair of the victim's records is enough
          for (const std::vector<int>& dataset : oracle::multisets(k, n - 1)) {
            std::vector<Law> others;
            for (const int x : dataset) others.push_back(laws[static_cast<std::size_t>(x)]);
            truth = std::max(truth,
                             oracle::hockey_stick(oracle::check_in(others, laws[0], laws[1], 1.0L), epsilon));
          }
          const double bound = k_rr_blanket_delta(n, k, epsilon0, epsilon).upper;
          SCOPED_TRACE(::testing::Message() << k << " " << n << " " << epsilon0 << " " << epsilon);
          EXPECT_GE(bound, truth * (1 - 1e-13L));
          EXPECT_LE(bound, pure_blanket_delta(n, epsilon0, epsilon).upper * (1 + 1e-12));
          if (truth > 1e-9L) sweep.tightest = std::max(sweep.tightest, truth / bound);
          if (k_rr_blanket_delta(n + 1, k, epsilon0, epsilon).upper < truth) sweep.bad_variant_caught = true;
          ++sweep.cases;
        }
      }
    }
  }
  EXPECT_EQ(sweep.cases, 6 * 4 * (6 + 5 + 4));
  EXPECT_GT(sweep.tightest, 0.999L);
  EXPECT_TRUE(sweep.bad_variant_caught);
}

// Compares the fast code with the multinomial sum over the counts of each value, which would reveal an
// error in a formula.
TEST(Blanket, EqualsTheSlowSum) {
  for (const int n : {1, 2, 7, 15}) {
    for (const double epsilon0 : {0.3, 2.0, 12.0}) {
      for (const double share : kShares) {
        const double epsilon = share * epsilon0;
        const long double slow = oracle::swap_sum(oracle::pure_law(epsilon0, epsilon), n, 1, epsilon, 0);
        const numerics::Enclosure fast = pure_blanket_delta(n, epsilon0, epsilon);
        SCOPED_TRACE(::testing::Message() << n << " " << epsilon0 << " " << epsilon);
        EXPECT_GE(fast.upper, slow * (1 - 1e-14L));
        EXPECT_LE(fast.lower, slow * (1 + 1e-14L));
        EXPECT_LE(fast.upper, slow * (1 + 1e-9L) + 1e-60L);
      }
    }
  }
}

// Computes (1 / (n chance)) * mean of ( G_1 + ... + G_n )_+ for the terms of blanket.h at 1,024 bits, by
// enumerating the values of all n terms.
Ball exact_blanket(int n, double chance, double epsilon0, double epsilon) {
  const Ball top = exp(Ball(epsilon0)), grown = exp(Ball(epsilon));
  const Ball high = top - grown, low = Ball(1.0) - grown * top;
  const Ball q = Ball(chance) / (top + Ball(1.0)), neither = Ball(1.0) - q - q;
  Ball sum(0.0);
  const auto visit = [&](const auto& self, int left, int positive, int negative, const Ball& mass) -> void {
    if (left > 0) {
      self(self, left - 1, positive + 1, negative, mass * q);
      self(self, left - 1, positive, negative + 1, mass * q);
      self(self, left - 1, positive, negative, mass * neither);
    } else {
      sum = sum + mass * positive_part(Ball(positive) * high + Ball(negative) * low);
    }
  };
  visit(visit, n, 0, 0, Ball(1.0));
  return sum / (Ball(n) * Ball(chance));
}

// At a tiny epsilon0 the numbers 1 - e^epsilon0 E, e^epsilon0 - E and 1 - 2q are tiny, and would have no
// correct digits if they were computed as these differences.
TEST(Blanket, EnclosesTheExactSumAtEveryEpsilon0) {
  int cases = 0;
  for (const double epsilon0 : {1e-100, 1e-30, 1e-19, 1e-17, 1e-15, 1e-12, 1.486608554861585e-11,
                                1.5101666935549964e-09, 1e-6, 1e-3, 0.3, 2.0, 12.0, 40.0}) {
    for (const double share : {0.0, 0.2, 0.3, 0.5, 0.95, 0.999}) {
      const double epsilon = share * epsilon0;
      for (const int n : {1, 2, 3, 5}) {
        for (const double chance : {1.0, 1 - 1e-16, 0.7, 0.01, 1e-9}) {
          SCOPED_TRACE(::testing::Message() << n << " " << chance << " " << epsilon0 << " " << epsilon);
          const Ball exact = exact_blanket(n, chance, epsilon0, epsilon);
          const numerics::Enclosure fast = thinned_blanket_delta(n, chance, epsilon0, epsilon);
          EXPECT_TRUE(fast.upper == 1 || exact.surely_below(Ball(fast.upper)));
          EXPECT_TRUE(fast.lower == 0 || exact.surely_above(Ball(fast.lower)));
          // Values below 1e-80 are bounded but not enclosed closely (kDeep in mean_of_terms.cc).
          if (epsilon0 > 1e-70) {
            EXPECT_TRUE(Ball(fast.upper).surely_below(exact * Ball(1 + 1e-9)));
          }
          if (chance == 1) {
            const numerics::Enclosure plain = pure_blanket_delta(n, epsilon0, epsilon);
            EXPECT_TRUE(exact.surely_below(Ball(plain.upper)));
            EXPECT_TRUE(plain.lower == 0 || exact.surely_above(Ball(plain.lower)));
          }
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, 14 * 6 * 4 * 5);
}

// Where few blanket messages are expected among many clients, the code enumerates the counts of the two
// nonzero values of G. The test compares it with a direct sum over both counts in extended precision.
TEST(Blanket, FewBlanketMessages) {
  const double n = 5e5;
  const double epsilon0 = 12;
  const long double q = 1 / (std::exp(12.0L) + 1);
  for (const double epsilon : {0.0, 4.0, 9.0, 11.9}) {
    const long double high = std::exp(12.0L) - std::exp(static_cast<long double>(epsilon));
    const long double low = 1 - std::exp(12.0L + epsilon);
    long double sum = 0;
    for (int c = 0; c < 90; ++c) {
      for (int d = 0; d < 90; ++d) {
        const long double log_chance = std::lgamma(n + 1.0L) - std::lgamma(c + 1.0L) - std::lgamma(d + 1.0L) -
                                       std::lgamma(n - c - d + 1.0L) + (c + d) * std::log(q) +
                                       (n - c - d) * std::log1p(-2 * q);
        sum += std::exp(log_chance) * std::max(0.0L, c * high + d * low);
      }
    }
    const numerics::Enclosure fast = pure_blanket_delta(n, epsilon0, epsilon);
    EXPECT_NEAR(fast.upper / static_cast<double>(sum / n), 1, 1e-10) << epsilon;
    EXPECT_LE(fast.upper - fast.lower, 1e-12 * fast.upper);
  }
}

long double laplace_cdf(long double y, long double x, long double epsilon0) {
  const long double z = epsilon0 * (y - x);
  return z < 0 ? std::exp(z) / 2 : 1 - std::exp(-z) / 2;
}

// Rounding Laplace messages to cells is post-processing, so the enumerated truth must be below the bound.
TEST(Blanket, DominatesEveryDatasetOfRoundedLaplace) {
  long double tightest = 0;
  for (const double epsilon0 : {0.5, 2.0, 5.0}) {
    const std::vector<long double> cuts = {0, 0.3L, 0.5L, 0.7L, 1};
    std::vector<Law> laws;
    for (const long double x : {0.0L, 0.4L, 0.5L, 1.0L}) {
      Law law;
      long double before = 0;
      for (const long double cut : cuts) {
        law.push_back(laplace_cdf(cut, x, epsilon0) - before);
        before += law.back();
      }
      law.push_back(1 - before);
      laws.push_back(law);
    }
    for (int n = 2; n <= 4; ++n) {
      const LaplaceBlanket blanket(n, epsilon0);
      for (const double share : kShares) {
        const double epsilon = share * epsilon0;
        const long double truth = oracle::worst_check_in(laws, n, 1.0L, epsilon);
        const numerics::Enclosure bound = blanket.delta(epsilon);
        EXPECT_GE(bound.upper, truth) << n << " " << epsilon0 << " " << epsilon;
        EXPECT_LE(bound.upper, pure_blanket_delta(n, epsilon0, epsilon).upper * (1 + 1e-12));
        EXPECT_LE(bound.lower, bound.upper);
        if (truth > 1e-9L) tightest = std::max(tightest, truth / bound.upper);
      }
    }
  }
  EXPECT_GT(tightest, 0.7L);
}

// docs/theory/blanket.md proves that records at the two ends give the largest law of G in convex order.
// Here the expected excess (c >= 0) and the expected deficit (c < 0) are integrated for pairs of records
// inside the interval, and must not exceed those of the two ends.
TEST(Blanket, LaplaceEndsAreWorstInConvexOrder) {
  const auto potential = [](double x, double y, double epsilon0, double grown, double c) {
    const int cells = 4000;
    const double reach = 0.5;  // beyond the interval every ratio is constant, so one cell a side is exact
    double sum = 0;
    for (int i = -1; i <= cells; ++i) {
      const double z = i < 0 ? -reach : i == cells ? 1 + reach : (i + 0.5) / cells;
      const double width = i < 0 || i == cells ? std::exp(epsilon0 * reach) / epsilon0 : 1.0 / cells;
      const double a = std::exp(-epsilon0 * std::abs(z - x));
      const double b = std::exp(-epsilon0 * std::abs(z - y));
      const double blanket = std::exp(-epsilon0 * std::max(std::abs(z), std::abs(z - 1)));
      const double gap = a - grown * b - c * blanket;
      sum += std::max(0.0, c >= 0 ? gap : -gap) * width * epsilon0 / 2;
    }
    return sum;
  };
  int cases = 0;
  for (const double epsilon0 : {0.5, 2.0, 6.0}) {
    for (const double share : {0.0, 0.1, 0.4, 0.7}) {
      const double grown = std::exp(share * epsilon0);
      for (int i = 0; i <= 8; ++i) {
        for (int j = i + 1; j <= 8; ++j) {
          if (epsilon0 * (j - i) / 8.0 <= share * epsilon0) continue;  // the exact delta of this pair is 0
          for (const double t : {-0.95, -0.7, -0.4, -0.15, -0.03, 0.0, 0.03, 0.15, 0.4, 0.7, 0.95}) {
            const double top = t < 0 ? grown * std::exp(epsilon0) - 1 : std::exp(epsilon0) - grown;
            const double ends = potential(0, 1, epsilon0, grown, t * top);
            EXPECT_LE(potential(i / 8.0, j / 8.0, epsilon0, grown, t * top), ends + 3e-4 * (1 + grown))
                << epsilon0 << " " << share << " " << i << " " << j << " " << t;
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_GT(cases, 2000);
}

TEST(Blanket, ApproximateDominatesRandomizersThatAreNotPure) {
  std::mt19937_64 engine(17);
  int cases = 0;
  long double tightest = 0;
  for (int trial = 0; trial < 16; ++trial) {
    const std::vector<Law> laws = oracle::random_randomizer(oracle::Family::smooth, 2, 3 + trial % 2, engine);
    for (const double part : {0.3, 0.6, 0.9}) {
      const double epsilon0 = part * static_cast<double>(oracle::largest_log_ratio(laws));
      if (!(epsilon0 > 1e-6)) continue;
      const auto delta0 = static_cast<double>(
          oracle::profile(laws, std::exp(static_cast<long double>(epsilon0))) * (1 + 1e-12L));
      for (int n = 2; n <= 4; ++n) {
        for (const double share : {0.0, 0.4, 0.8, 1.0, 1.1}) {
          const long double truth = oracle::worst_check_in(laws, n, 1.0L, share * epsilon0);
          const double bound = approximate_blanket_delta(n, epsilon0, delta0, share * epsilon0).upper;
          EXPECT_GE(bound, truth * (1 - 1e-13L))
              << trial << " " << n << " " << epsilon0 << " " << delta0 << " " << share;
          tightest = std::max(tightest, truth / bound);
          ++cases;
        }
      }
    }
  }
  EXPECT_GE(cases, 500);
  EXPECT_GT(tightest, 0.5L);
  // From epsilon0 on, the bound is delta0, even where the part charged for the other clients would exceed 1.
  for (const double epsilon : {1.0, 1.5})
    EXPECT_EQ(approximate_blanket_delta(1e9, 1, 1e-3, epsilon).upper, 1e-3);
  EXPECT_EQ(approximate_blanket_delta(1e9, 1, 1e-3, 0.99).upper, 1);
  EXPECT_EQ(approximate_blanket_delta(10, 1, 3, 1).upper, 1);
  EXPECT_EQ(approximate_blanket_delta(1e4, 1, 0, 0.05).upper,
            pure_blanket_delta(1e4, 1, 0.05).upper * (1 + 1e-15));
}

TEST(Blanket, ExtremesStayNumbers) {
  for (const double n : {1.0, 2.0, 1e3, 1e9, 1e12}) {
    for (const double epsilon0 : {1e-9, 0.1, 5.0, 20.0}) {
      const LaplaceBlanket laplace(n, epsilon0);
      for (const double share : {0.0, 1e-6, 0.5, 0.999999, 1.0, 2.0}) {
        const double epsilon = share * epsilon0;
        SCOPED_TRACE(::testing::Message() << n << " " << epsilon0 << " " << epsilon);
        const numerics::UpperAndEstimate approximate = approximate_blanket_delta(n, epsilon0, 1e-20, epsilon);
        for (const numerics::Enclosure ends :
             {pure_blanket_delta(n, epsilon0, epsilon), k_rr_blanket_delta(n, 1e6, epsilon0, epsilon),
              laplace.delta(epsilon), numerics::Enclosure{approximate.estimate, approximate.upper}}) {
          EXPECT_GE(ends.lower, 0);
          EXPECT_LE(ends.lower, ends.upper);
          EXPECT_LE(ends.upper, 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
