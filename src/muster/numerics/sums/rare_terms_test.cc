// Compares sums with rare large terms with the exact law of the sum, which is convolved term by term on the
// integers.
#include "muster/numerics/sums/rare_terms.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "muster/numerics/sums/excess_of_mixed_sum.h"

namespace muster::numerics {
namespace {

// A law on integers of both signs, where the probability of y falls as a power of |y|. The nonzero integers
// have probability `rate` in total, and a fraction `left` of it lies on the negative ones.
AtomicLaw heavy_law(int largest, double power, double rate, double left) {
  AtomicLaw law;
  double total = 0;
  for (int y = 1; y <= largest; y += 1 + y / 6) {
    total += std::pow(y, -power);
  }
  for (int y = 1; y <= largest; y += 1 + y / 6) {
    law.add(y, (1 - left) * rate * std::pow(y, -power) / total);
    law.add(-y, left * rate * std::pow(y, -power) / total);
  }
  return law;
}

// The law of the sum of n copies; element 0 is for the sum -n * largest.
std::vector<long double> convolved(const AtomicLaw& law, int n, int largest) {
  const std::size_t width = 2 * static_cast<std::size_t>(n) * largest + 1;
  std::vector<long double> sum(width, 0);
  const std::size_t zero = static_cast<std::size_t>(n) * largest;
  sum[zero] = 1;
  long double rest = 1;
  for (const double w : law.weights) {
    rest -= w;
  }
  for (int term = 0; term < n; ++term) {
    std::vector<long double> next(width, 0);
    const std::size_t reach = static_cast<std::size_t>(term) * largest;
    for (std::size_t s = zero - reach; s <= zero + reach; ++s) {
      if (sum[s] == 0) {
        continue;
      }
      next[s] += rest * sum[s];
      for (std::size_t i = 0; i < law.points.size(); ++i) {
        next[static_cast<std::size_t>(static_cast<std::int64_t>(s) +
                                      static_cast<std::int64_t>(law.points[i]))] += law.weights[i] * sum[s];
      }
    }
    sum = std::move(next);
  }
  return sum;
}

TEST(RareTerms, EnclosesTheExactValue) {
  constexpr int kLargest = 1200;
  int taken_apart = 0;
  double widest = 0;
  for (const int n : {2, 3, 12, 30}) {
    for (const double power : {3.0, 5.0}) {
      for (const double left : {0.0, 0.5}) {
        for (const double rate : {0.05, 0.9}) {
          const AtomicLaw law = heavy_law(kLargest, power, rate, left);
          const std::vector<long double> exact = convolved(law, n, kLargest);
          for (const double k : {-20.5, 0.5, 4.5, 30.5, 200.5, 900.5, 1400.5, 2000.5}) {
            long double value = 0;
            for (std::size_t s = 0; s < exact.size(); ++s) {
              const double at = static_cast<double>(s) - static_cast<double>(n) * kLargest;
              value += at > k ? exact[s] * (at - k) : 0;
            }
            const auto got = excess_with_rare_terms(law, n, k);
            if (!got) {
              continue;
            }
            ++taken_apart;
            SCOPED_TRACE(::testing::Message() << n << ' ' << power << ' ' << left << ' ' << rate << ' ' << k);
            EXPECT_GE(got->upper, static_cast<double>(value) * (1 - 1e-12));
            EXPECT_LE(got->lower, static_cast<double>(value) * (1 + 1e-12));
            if (n * rate > 2) {
              widest = std::max(widest, (got->upper - got->lower) / static_cast<double>(value));
            }
          }
        }
      }
    }
  }
  EXPECT_GT(taken_apart, 100);
  EXPECT_LT(widest, 0.35);  // enclosures of few nonzero terms on a lattice are wide because of smoothing
  RecordProperty("taken_apart", taken_apart);
}

// Tests a law of many atoms and thousands of terms, for which the plain inversion is affordable too.
TEST(RareTerms, AgreesWithThePlainInversion) {
  AtomicLaw law;
  for (int i = -400; i <= 400; ++i) {
    const double z = i / 60.0;
    law.add(std::exp(z), 0.1 * std::exp(-z * z / 0.98) / 105);
    law.add(-std::exp(z), 0.1 * std::exp(-z * z / 0.98) / 105);
  }
  const double n = 20'000;
  for (const double k : {0.0, 50.0, 200.0, 400.0}) {
    const auto apart = excess_with_rare_terms(law, n, k);
    ASSERT_TRUE(apart);
    const std::array parts{LawCopies{&law, n}};
    const Enclosure plain = excess_of_laws(parts, k);
    EXPECT_LE(apart->lower, plain.upper);
    EXPECT_GE(apart->upper, plain.lower);
    EXPECT_LE(apart->upper, apart->lower * (1 + 2e-4)) << k;
    EXPECT_LE(apart->upper, plain.upper * (1 + 2e-5)) << k;
  }
}

// Tests a law whose tail is too short to be treated separately, and a threshold so large that nothing is
// integrated.
TEST(RareTerms, LeavesShortTailsAndEndsFarOut) {
  AtomicLaw law;
  law.add(1, 0.1);
  law.add(-1, 0.1);
  EXPECT_FALSE(excess_with_rare_terms(law, 1000, 10));
  law.add(1e6, 1e-30);
  const auto rare = excess_with_rare_terms(law, 1000, 900);
  ASSERT_TRUE(rare);
  EXPECT_GE(rare->upper, 1000 * 1e-30 * (1e6 - 900) * (1 - 1e-9));
  EXPECT_LE(rare->upper, 1000 * 1e-30 * (1e6 - 900) * (1 + 1e-4));
  EXPECT_LE(rare->lower, 1000 * 1e-30 * (1e6 - 900) * (1 + 1e-4));
}

// The threshold is three times the smaller atom, in cases where this product is rounded down. Unless the
// larger atom occurs, which it hardly ever does, the sum exceeds the threshold only if all three terms are
// the smaller atom, and then by less than an ulp.
TEST(RareTerms, AnExcessOfLessThanAnUlpIsCounted) {
  int tested = 0;
  for (double y = 1000.1; y < 1040; y += 0.7) {
    const double k = 3 * y;
    const double excess = std::fma(3, y, -k);  // exact
    if (!(excess > 0)) continue;
    AtomicLaw law;
    law.add(y, 1e-3);
    law.add(1e7, 1e-44);
    const auto rare = excess_with_rare_terms(law, 3, k);
    ASSERT_TRUE(rare);
    ++tested;
    EXPECT_GE(rare->upper, 1e-9 * excess * (1 - 1e-9)) << y;
    EXPECT_LE(rare->lower, 1e-9 * excess * (1 + 1e-9)) << y;
  }
  EXPECT_GT(tested, 5);
}

}  // namespace
}  // namespace muster::numerics
