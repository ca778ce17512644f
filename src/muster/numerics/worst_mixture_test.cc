// The worst mixture against direct sums over all counts, and its certificate against shortcuts.
#include "muster/numerics/worst_mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "muster/numerics/call_of_sum.h"
#include "muster/numerics/enumerated_mixture.h"

namespace muster::numerics {
namespace {

// log of count!/(a! b! (count-a-b)!) times the weights.
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

AtomicLaw two_points(double x, double y, double rate, double share) {
  AtomicLaw law;
  law.add(x, rate * share);
  law.add(y, rate * (1 - share));
  return law;
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
        const Enclosure fast = worst_mixture_call(first, second, terms, k, mixing).value;
        EXPECT_GE(fast.upper, worst);
        EXPECT_LE(fast.lower, worst);
        EXPECT_NEAR(fast.upper, static_cast<double>(worst), 1e-11 * static_cast<double>(worst) + 1e-14);
      }
    }
  }
}

// Above 24 terms the contour answers; at 30 it can still be compared with all counts.
TEST(WorstMixture, ContourIsAboveEveryMixtureAndNear) {
  for (const double rate : {0.3, 0.7}) {
    for (const double share : {0.2, 0.45}) {
      const AtomicLaw first = two_points(1.7, -0.6, rate, share);
      const AtomicLaw second = two_points(-1.9, 0.7, rate, share);
      for (const Mixing mixing : {Mixing::product, Mixing::swap}) {
        for (const double k : {0.5, 2.0, 8.0}) {
          const double exact = enumerated_mixture(first, second, 30, k, mixing).upper;
          const WorstMixture fast = worst_mixture_call(first, second, 30, k, mixing);
          SCOPED_TRACE(::testing::Message() << rate << ' ' << share << ' ' << k);
          EXPECT_GE(fast.value.upper, exact * (1 - 1e-11));
          EXPECT_LE(fast.value.upper, exact * 1.02);
          // In the swap reading the lower end belongs to the product one, the all-present event included.
          if (mixing == Mixing::product) {
            EXPECT_LE(fast.value.lower, exact);
          }
        }
      }
    }
  }
}

// The curvature allowance is what stands between the ends and the truth: laws whose even mixture beats both.
TEST(WorstMixture, SeesAMaximumInside) {
  const AtomicLaw first = two_points(4, -0.1, 0.5, 0.01);
  const AtomicLaw second = two_points(-4, 0.4, 0.5, 0.01);
  for (const int terms : {40, 400, 4000}) {
    const double inside = 3.0;
    AtomicLaw even = first;  // a random mixture: its call is a mean over h, so some h is at least as large
    for (double& w : even.weights) w /= 2;
    for (std::size_t i = 0; i < second.points.size(); ++i) {
      even.add(second.points[i], second.weights[i] / 2);
    }
    for (const double k : {-inside, 0.0, inside}) {
      const Enclosure worst = worst_mixture_call(first, second, terms, k, Mixing::product).value;
      for (const AtomicLaw& law : {first, second, even}) {
        EXPECT_GE(worst.upper, call_of_sum(law, terms, k).lower * (1 - 1e-12)) << terms << ' ' << k;
      }
    }
  }
}

TEST(WorstMixture, EqualLawsCostNothing) {
  const AtomicLaw law = two_points(1.5, -0.5, 0.2, 0.25);
  for (const double terms : {1e3, 1e6, 1e9}) {
    const double k = std::sqrt(terms);
    const WorstMixture worst = worst_mixture_call(law, law, terms, k, Mixing::product);
    const Enclosure call = call_of_sum(law, terms, k);
    EXPECT_LE(worst.slack, 1e-9);
    EXPECT_GE(worst.value.upper, call.lower);
    EXPECT_LE(worst.value.lower, call.upper);
    EXPECT_LE(worst.value.upper, call.upper * (1 + 1e-4));
  }
}

TEST(WorstMixture, NothingPassesAStrikeBeyondEverySum) {
  const AtomicLaw law = two_points(1, -1, 0.5, 0.5);
  EXPECT_EQ(worst_mixture_call(law, law, 100, 100, Mixing::swap).value.upper, 0);
}

}  // namespace
}  // namespace muster::numerics
