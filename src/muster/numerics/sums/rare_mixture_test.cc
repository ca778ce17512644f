// Compares the bound for rare large terms of two types with mixtures computed by convolution: the bound must
// be at least the value of each mixture, and near the largest value.
#include "muster/numerics/sums/rare_mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::numerics {
namespace {

// A law on the integers: a bulk of eight atoms, and three rare large ones.
AtomicLaw heavy_law(double fall, double rare) {
  AtomicLaw law;
  for (int y = -4; y < 0; ++y) law.add(y, 0.3 * std::exp(fall * y));
  for (int y = 1; y <= 4; ++y) law.add(y, 0.3 * std::exp(-fall * y));
  for (const int y : {15, 30, 60}) law.add(y, rare / y);
  return law;
}

// The largest V_h over a few h, from the joint law of the sum and the number of terms that are not absent.
double largest_by_convolution(const AtomicLaw& first, const AtomicLaw& second, int terms, double k,
                              Mixing mixing, double absent) {
  const int count = mixing == Mixing::swap ? terms - 1 : terms, low = 4 * count, high = 60 * 6;
  const int width = low + high + 1;
  const auto place = [width](int c, int s) {
    return static_cast<std::size_t>(c) * static_cast<std::size_t>(width) + static_cast<std::size_t>(s);
  };
  double largest = 0;
  for (const int h : {0, count / 3, count}) {
    std::vector<double> table(place(count + 1, 0), 0.0);
    table[static_cast<std::size_t>(low)] = 1;
    for (int j = 0; j < count; ++j) {
      const AtomicLaw& law = j < h ? first : second;
      double zero = 1 - absent;
      for (const double w : law.weights) zero -= w;
      std::vector<double> next(table.size(), 0.0);
      for (int c = 0; c <= j; ++c) {
        for (int s = 0; s < width; ++s) {
          const double p = table[place(c, s)];
          if (p == 0) continue;
          next[place(c, s)] += p * absent;
          next[place(c + 1, s)] += p * zero;
          for (std::size_t a = 0; a < law.points.size(); ++a) {
            // The table ends at the sum of six of the largest terms; larger sums are left out.
            const int to = s + static_cast<int>(law.points[a]);
            if (to < width) next[place(c + 1, to)] += p * law.weights[a];
          }
        }
      }
      table = std::move(next);
    }
    double value = 0;
    for (int c = 0; c <= count; ++c) {
      const double weight = mixing == Mixing::swap ? terms * absent / (terms - c) : 1;
      for (int s = 0; s < width; ++s) {
        value += table[place(c, s)] * weight * std::max(0.0, s - low - k);
      }
    }
    largest = std::max(largest, value);
  }
  return largest;
}

TEST(RareMixture, IsAboveEveryMixtureAndNear) {
  constexpr int kTerms = 40;
  for (const double rare : {1e-4, 1e-6, 1e-9}) {
    const AtomicLaw first = heavy_law(1.1, rare / 10), second = heavy_law(1.0, rare);
    for (const Mixing mixing : {Mixing::swap, Mixing::product}) {
      const double absent = mixing == Mixing::swap ? 0.3 : 0;
      for (const double k : {0.0, 8.0, 25.0, 45.0}) {
        const double exact = largest_by_convolution(first, second, kTerms, k, mixing, absent);
        const WorstMixture apart = worst_mixture_with_rare_terms(first, second, kTerms, k, mixing, absent);
        SCOPED_TRACE(::testing::Message() << rare << ' ' << k << ' ' << (mixing == Mixing::swap));
        EXPECT_GE(apart.value.upper, exact * (1 - 1e-11));
        EXPECT_LE(apart.value.estimate, apart.value.upper);
        // The part with one large term is only bounded, so the bound may be well above the value. Where the
        // large terms matter little, it must be close.
        EXPECT_LE(apart.value.upper, exact * 1.6);
        EXPECT_TRUE(k > 10 || apart.value.upper <= exact * (1 + 5e-3 + 1e3 * rare))
            << apart.value.upper / exact;
      }
    }
  }
}

// For large thresholds the large terms make up nearly the whole value, so a bound for the laws without them
// is too small.
TEST(RareMixture, WithoutLargeTermsItWouldBeTooSmall) {
  constexpr int kTerms = 40;
  const AtomicLaw first = heavy_law(1.1, 1e-5), second = heavy_law(1.0, 1e-4);
  AtomicLaw bulk[2];
  for (int j = 0; j < 2; ++j) {
    const AtomicLaw& law = j == 0 ? first : second;
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      if (law.points[i] < 10) bulk[j].add(law.points[i], law.weights[i]);
    }
  }
  const double exact = largest_by_convolution(first, second, kTerms, 45, Mixing::swap, 0.3);
  EXPECT_LT(worst_mixture_excess(bulk[0], bulk[1], kTerms, 45, Mixing::swap, 0.3).value.upper, 0.1 * exact);
  EXPECT_GE(worst_mixture_with_rare_terms(first, second, kTerms, 45, Mixing::swap, 0.3).value.upper, exact);
}

TEST(RareMixture, AgreesWithThePlainIntegralWhereThatIsAffordable) {
  const AtomicLaw first = heavy_law(1.1, 1e-8), second = heavy_law(1.0, 1e-7);
  for (const double terms : {300.0, 3e4, 3e6}) {
    for (const double z : {0.0, 1.0, 3.0}) {
      const double k = z * std::sqrt(terms * second.variance());
      const WorstMixture plain = worst_mixture_excess(first, second, terms, k, Mixing::swap, 0.2);
      const WorstMixture apart = worst_mixture_with_rare_terms(first, second, terms, k, Mixing::swap, 0.2);
      SCOPED_TRACE(::testing::Message() << terms << ' ' << z);
      EXPECT_GE(apart.value.upper, plain.value.estimate);
      EXPECT_LE(apart.value.upper, plain.value.upper * 1.02);
      EXPECT_LE(apart.value.estimate, plain.value.upper);
    }
  }
}

}  // namespace
}  // namespace muster::numerics
