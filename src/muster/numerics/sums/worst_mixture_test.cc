// Compares the bound on the worst mixture with direct sums over all counts.
#include "muster/numerics/sums/worst_mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "muster/numerics/sums/enumerated_mixture.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/two_points_test.h"

namespace muster::numerics {
namespace {

// The logarithm of count!/(a! b! (count-a-b)!) times the powers of the weights.
long double log_trinomial(int count, int a, int b, const AtomicLaw& law) {
  const long double rest = 1.0L - law.weights[0] - law.weights[1];
  const int zero = count - a - b;
  const auto power = [](long double w, int k) { return k == 0 ? 0.0L : k * std::log(w); };
  if (rest <= 0 && zero > 0) return -INFINITY;
  return std::lgamma(count + 1.0L) - std::lgamma(a + 1.0L) - std::lgamma(b + 1.0L) -
         std::lgamma(zero + 1.0L) + power(law.weights[0], a) + power(law.weights[1], b) +
         (zero == 0 ? 0.0L : zero * std::log(rest));
}

// V_h by summing over counts in extended precision.
long double slow(const AtomicLaw& first, const AtomicLaw& second, int terms, double k, Mixing mixing, int h) {
  const int others = mixing == Mixing::swap ? terms - 1 : terms;
  const long double absent = 1.0L - first.weights[0] - first.weights[1];
  long double total = 0;
  for (int a = 0; a <= h; ++a) {
    for (int b = 0; a + b <= h; ++b) {
      const long double p = std::exp(log_trinomial(h, a, b, first));
      for (int c = 0; c <= others - h; ++c) {
        for (int d = 0; c + d <= others - h; ++d) {
          const long double excess = static_cast<long double>(a) * first.points[0] + b * first.points[1] +
                                     c * second.points[0] + d * second.points[1] - k;
          if (excess > 0) {
            const long double weight = mixing == Mixing::swap ? absent * terms / (terms - a - b - c - d) : 1;
            total += p * std::exp(log_trinomial(others - h, c, d, second)) * weight * excess;
          }
        }
      }
    }
  }
  return total;
}

TEST(WorstMixture, EnumeratesAHandfulOfTerms) {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 12; ++trial) {
    const double rate = 0.1 + 0.8 * uniform(engine);
    const AtomicLaw first = two_points(1 + 3 * uniform(engine), -uniform(engine), rate, uniform(engine));
    const AtomicLaw second = two_points(-1 - 3 * uniform(engine), uniform(engine), rate, uniform(engine));
    const int terms = 2 + trial % 7;
    for (const Mixing mixing : {Mixing::product, Mixing::swap}) {
      for (const double k : {0.0, 0.7, 2.5}) {
        long double worst = 0;
        for (int h = 0; h <= (mixing == Mixing::swap ? terms - 1 : terms); ++h) {
          worst = std::max(worst, slow(first, second, terms, k, mixing, h));
        }
        const UpperAndEstimate fast = worst_mixture_excess(first, second, terms, k, mixing).value;
        EXPECT_GE(fast.upper, worst);
        EXPECT_LE(fast.estimate, worst);
        EXPECT_NEAR(fast.upper, static_cast<double>(worst), 1e-11 * static_cast<double>(worst) + 1e-14);
      }
    }
  }
}

// Above 24 terms the contour integral is used; at 30 it can still be compared with a sum over all counts.
TEST(WorstMixture, ContourIsAboveEveryMixtureAndNear) {
  for (const double rate : {0.3, 0.7}) {
    for (const double share : {0.2, 0.45}) {
      const AtomicLaw first = two_points(1.7, -0.6, rate, share);
      const AtomicLaw second = two_points(-1.9, 0.7, rate, share);
      for (const Mixing mixing : {Mixing::product, Mixing::swap}) {
        for (const double k : {0.5, 2.0, 8.0}) {
          const double exact = enumerated_mixture(first, second, 30, k, mixing).upper;
          const WorstMixture fast = worst_mixture_excess(first, second, 30, k, mixing);
          SCOPED_TRACE(::testing::Message() << rate << ' ' << share << ' ' << k);
          EXPECT_GE(fast.value.upper, exact * (1 - 1e-11));
          EXPECT_LE(fast.value.upper, exact * 1.02);
          // With Mixing::swap the estimate may be that of the product quantity, which includes the event that
          // no term is zero.
          if (mixing == Mixing::product) {
            EXPECT_LE(fast.value.estimate, exact);
          }
        }
      }
    }
  }
}

// The curvature allowance is needed where the maximum is not at an end. For these laws, a mixture with about
// as many terms of one law as of the other has a larger value than both ends.
TEST(WorstMixture, SeesAMaximumInside) {
  const AtomicLaw first = two_points(4, -0.1, 0.5, 0.01);
  const AtomicLaw second = two_points(-4, 0.4, 0.5, 0.01);
  for (const int terms : {40, 400, 4000}) {
    const double inside = 3.0;
    // A term of the law `even` follows either law with probability 1/2. So the expected excess of a sum of
    // such terms is a mean of V_h over h, and some V_h is at least as large.
    AtomicLaw even = first;
    for (double& w : even.weights) w /= 2;
    for (std::size_t i = 0; i < second.points.size(); ++i) {
      even.add(second.points[i], second.weights[i] / 2);
    }
    for (const double k : {-inside, 0.0, inside}) {
      const UpperAndEstimate worst = worst_mixture_excess(first, second, terms, k, Mixing::product).value;
      for (const AtomicLaw& law : {first, second, even}) {
        EXPECT_GE(worst.upper, expected_excess(law, terms, k).lower * (1 - 1e-12)) << terms << ' ' << k;
      }
    }
  }
}

// Tests hundreds of terms of which only a few are zero. There the weight n absent/(n - N) of Mixing::swap
// varies most. The bound must be above all values V_h summed here, and close to the largest of them. Outcomes
// with more than 22 zeros of either law are left out, which only lowers V_h.
TEST(WorstMixture, FewTermsAtZero) {
  constexpr int kTerms = 280, kMaxZeros = 22;
  std::vector<long double> log_factorial{0};
  for (int i = 1; i <= kTerms; ++i) log_factorial.push_back(log_factorial.back() + std::log(1.0L * i));
  const auto at = [&](int i) { return log_factorial[static_cast<std::size_t>(i)]; };
  for (const double reporting : {0.97, 0.99}) {
    const double rare = 1 / (std::exp(1.0) + 1);
    for (const double epsilon : {0.0, 0.12}) {
      const double e = std::exp(epsilon), k = kTerms * std::expm1(epsilon);
      const AtomicLaw first = two_points(std::expm1(1.0), std::expm1(-1.0), reporting, rare);
      const AtomicLaw second = two_points(-e * std::expm1(1.0), -e * std::expm1(-1.0), reporting, rare);
      const long double absent = 1.0L - first.weights[0] - first.weights[1];
      // The probability that `count` terms have `zeros` zeros and `r` rare atoms.
      const auto probability = [&](int count, int zeros, int r) {
        return std::exp(at(count) - at(zeros) - at(r) - at(count - zeros - r) + zeros * std::log(absent) +
                        r * std::log(1.0L * first.weights[0]) +
                        (count - zeros - r) * std::log(1.0L * first.weights[1]));
      };
      long double largest = 0;
      for (const int h : {0, 70, 140, kTerms - 1}) {
        const int rest = kTerms - 1 - h;
        long double total = 0;
        for (int z0 = 0; z0 <= std::min(h, kMaxZeros); ++z0) {
          std::vector<long double> p0;
          for (int r = 0; r <= h - z0; ++r) p0.push_back(probability(h, z0, r));
          for (int z1 = 0; z1 <= std::min(rest, kMaxZeros); ++z1) {
            const long double weight = absent * kTerms / (z0 + z1 + 1);
            for (int r1 = 0; r1 <= rest - z1; ++r1) {
              const long double p1 = probability(rest, z1, r1) * weight;
              const long double part = r1 * static_cast<long double>(second.points[0]) +
                                       (rest - z1 - r1) * static_cast<long double>(second.points[1]) - k;
              for (int r0 = 0; r0 <= h - z0; ++r0) {
                const long double excess = part + r0 * static_cast<long double>(first.points[0]) +
                                           (h - z0 - r0) * static_cast<long double>(first.points[1]);
                if (excess > 0) total += p1 * p0[static_cast<std::size_t>(r0)] * excess;
              }
            }
          }
        }
        largest = std::max(largest, total);
      }
      const WorstMixture worst = worst_mixture_excess(first, second, kTerms, k, Mixing::swap);
      SCOPED_TRACE(::testing::Message() << reporting << ' ' << epsilon);
      EXPECT_GE(worst.value.upper, largest);
      // At the ends, where all terms are of one law, the bound is the value for Mixing::product, which
      // includes the event that no term is zero.
      const long double nobody = std::pow(1 - absent, static_cast<long double>(kTerms));
      EXPECT_LE(worst.value.upper, largest * (1 + 5e-3L + 3 * nobody));
    }
  }
}

// Tests terms that are zero and yet not absent, so that they count in N: both laws have more mass at zero
// than `absent`, by different amounts. The reference computes V_h by convolution on the integers, jointly
// with the number of terms that count.
TEST(WorstMixture, ZerosThatCount) {
  const double absent = 0.3;
  AtomicLaw first, second;  // laws of twelve atoms with means near 0
  for (int y = 1; y <= 6; ++y) {
    first.add(y, 0.12 * std::exp(-y));
    first.add(-y, 0.12 * std::exp(-0.9 * y));
    second.add(y, 0.2 * std::exp(-1.3 * y));
    second.add(-y, 0.18 * std::exp(-1.2 * y));
  }
  for (const int terms : {30, 60}) {
    const int m = terms - 1, reach = 6 * m, width = 2 * reach + 1;
    // table[place(c, s)]: the probability that c terms count and the sum is s.
    const auto place = [width, reach](int c, int s) {
      return static_cast<std::size_t>(c) * static_cast<std::size_t>(width) +
             static_cast<std::size_t>(s + reach);
    };
    using Table = std::vector<double>;
    const auto with_one_more = [&](const Table& table, const AtomicLaw& law, int count) {
      double zero = 1 - absent;
      for (const double w : law.weights) zero -= w;
      Table next(table.size(), 0.0);
      for (int c = 0; c <= count; ++c) {
        for (int s = -6 * count; s <= 6 * count; ++s) {
          const double p = table[place(c, s)];
          if (p == 0) continue;
          next[place(c, s)] += p * absent;
          next[place(c + 1, s)] += p * zero;
          for (std::size_t a = 0; a < law.points.size(); ++a) {
            next[place(c + 1, s + static_cast<int>(law.points[a]))] += p * law.weights[a];
          }
        }
      }
      return next;
    };
    for (const double k : {0.0, 4.0, 11.0}) {
      double largest = 0;
      for (const int h : {0, m / 3, m / 2, m}) {
        Table table(place(m + 1, -reach), 0.0);
        table[static_cast<std::size_t>(reach)] = 1;
        for (int j = 0; j < m; ++j) table = with_one_more(table, j < h ? first : second, j);
        double value = 0;
        for (int c = 0; c <= m; ++c) {
          for (int s = -reach; s <= reach; ++s) {
            value += table[place(c, s)] * terms * absent / (terms - c) * std::max(0.0, s - k);
          }
        }
        largest = std::max(largest, value);
      }
      const WorstMixture worst = worst_mixture_excess(first, second, terms, k, Mixing::swap, absent);
      EXPECT_GE(worst.value.upper, largest * (1 - 1e-11)) << terms << ' ' << k;
      EXPECT_LE(worst.value.upper, largest * 1.02) << terms << ' ' << k;
    }
  }
}

TEST(WorstMixture, EqualLawsCostNothing) {
  const AtomicLaw law = two_points(1.5, -0.5, 0.2, 0.25);
  for (const double terms : {1e3, 1e6, 1e9}) {
    const double k = std::sqrt(terms);
    const WorstMixture worst = worst_mixture_excess(law, law, terms, k, Mixing::product);
    const Enclosure expected = expected_excess(law, terms, k);
    EXPECT_LE(worst.slack, 1e-9);
    EXPECT_GE(worst.value.upper, expected.lower);
    EXPECT_LE(worst.value.estimate, expected.upper);
    EXPECT_LE(worst.value.upper, expected.upper * (1 + 1e-4));
  }
}

// Tests sums that exceed the threshold by a rounding error alone, as expected_excess_test.cc does for one
// law.
TEST(WorstMixture, CoversASumThatExceedsTheThresholdByARounding) {
  int exceeded = 0;
  for (const double point : {0.1, 0.3, 0.7, 1.1}) {
    const AtomicLaw first{{point, -0.25}, {0.3, 0.3}}, second{{point, -0.5}, {0.2, 0.4}};
    for (int terms = 2; terms <= 24; ++terms) {
      for (const Mixing mixing : {Mixing::product, Mixing::swap}) {
        const int others = mixing == Mixing::swap ? terms - 1 : terms;
        const double k = others * point;
        long double worst = 0;
        for (int h = 0; h <= others; ++h) worst = std::max(worst, slow(first, second, terms, k, mixing, h));
        exceeded += worst > 0 ? 1 : 0;
        EXPECT_GE(worst_mixture_excess(first, second, terms, k, mixing).value.upper, worst)
            << point << ' ' << terms;
      }
    }
  }
  EXPECT_GT(exceeded, 20);
}

TEST(WorstMixture, NothingExceedsAThresholdBeyondEverySum) {
  const AtomicLaw law = two_points(1, -1, 0.5, 0.5);
  EXPECT_EQ(worst_mixture_excess(law, law, 100, 100, Mixing::swap).value.upper, 0);
}

}  // namespace
}  // namespace muster::numerics
