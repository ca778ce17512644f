// Compares the sum over the number of nonzero terms with sums over all outcomes.
#include "muster/numerics/sums/sparse_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "muster/numerics/sums/enumerated_excess.h"
#include "muster/numerics/sums/enumerated_mixture.h"
#include "muster/numerics/sums/two_points_test.h"

namespace muster::numerics {
namespace {

// The reference, enumerated_mixture(), computes V_i (worst_mixture.h) for every number i of terms of the
// first law, as a sum over all combinations of how many terms take each atom, and returns the largest V_i.
TEST(SparseSum, IsTheMaximumOverAllTypes) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  int cases = 0, inside = 0, forgotten_weight = 0;
  double loosest = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const int terms = 3 + trial % 18;
    const double rate = std::pow(10, -7 * uniform(engine)) / (terms + 1);
    const bool far = trial % 2 == 1;  // the second law has the larger atom, and mostly the smaller mean
    const AtomicLaw first =
        two_points(1 + 2 * uniform(engine), -uniform(engine) * 0.5, rate, far ? 0.9 : uniform(engine));
    const AtomicLaw second =
        two_points(far ? 3.5 : -1 - 3 * uniform(engine), uniform(engine), rate, far ? 0.2 : uniform(engine));
    for (const Mixing mixing : {Mixing::product, Mixing::swap}) {
      for (const double k : {-0.4, 0.0, 0.3, 1.9, 4.1, 6.5}) {
        const auto few = few_terms_mixture(first, second, terms, k, mixing);
        ASSERT_TRUE(few.has_value());
        const Enclosure exact = enumerated_mixture(first, second, terms, k, mixing);
        SCOPED_TRACE(::testing::Message() << trial << ' ' << terms << ' ' << rate << ' ' << k);
        EXPECT_GE(few->value.upper, exact.lower);
        EXPECT_LE(few->value.estimate, exact.upper);
        EXPECT_LE(few->value.upper, exact.upper * (1 + 4e-9) + 1e-288);
        if (exact.upper < 1e-200) continue;  // the allowance for underflow is most of the value
        ++cases;
        loosest = std::max(loosest, few->value.upper / exact.lower - 1);
        inside += few->value.estimate < exact.lower * (1 - 1e-6) ? 1 : 0;
        if (mixing == Mixing::swap) {  // without the weight n absent/(n - N) the bound would be too small
          const auto bare = few_terms_mixture(first, second, terms - 1, k, Mixing::product);
          forgotten_weight += bare->value.upper < exact.lower * (1 - 1e-6) ? 1 : 0;
        }
      }
    }
  }
  std::printf("%d cases, at most %.2g above; the ends alone fail %d of them, no swap's weight %d\n", cases,
              loosest, inside, forgotten_weight);
  EXPECT_GT(cases, 250);
  EXPECT_GT(inside, 10);
  EXPECT_GT(forgotten_weight, 10);
}

// Tests sums of many terms. The reference adds up, by the definition of V, all outcomes with at most three
// nonzero terms.
TEST(SparseSum, ManyTermsOfWhichThreeCount) {
  int cases = 0;
  for (const double n : {1e3, 1e6, 1e9}) {
    for (const double expected : {1e-12, 1e-6, 1e-3}) {
      for (const double epsilon : {0.0, 0.3 / n, 0.9 / n, 2.5 / n}) {
        const double e = std::exp(epsilon), k = n * std::expm1(epsilon), rare = 1 / (std::exp(1.0) + 1);
        const double rate = expected / n;
        const AtomicLaw first = two_points(std::expm1(1.0), std::expm1(-1.0), rate, rare);
        const AtomicLaw second = two_points(-e * std::expm1(1.0), -e * std::expm1(-1.0), rate, rare);
        const auto few = few_terms_mixture(first, second, n, k, Mixing::swap);
        ASSERT_TRUE(few.has_value());
        long double largest = 0;
        for (const double share : {0.0, 0.3, 0.5, 1.0}) {
          const double i = std::floor(share * (n - 1));
          // For each of the four atoms, two of either law, the number of terms that have the atom's law.
          const double of[4] = {i, i, n - 1 - i, n - 1 - i};
          const double point[4] = {first.points[0], first.points[1], second.points[0], second.points[1]};
          const double weight[4] = {first.weights[0], first.weights[1], second.weights[0], second.weights[1]};
          long double total = 0;
          for (int code = 0; code < 256; ++code) {
            int count[4], all = 0;
            long double p = 1, sum = 0;
            double drawn[2] = {0, 0};
            for (int atom = 0, rest = code; atom < 4; ++atom, rest /= 4) {
              count[atom] = rest % 4;
              all += count[atom];
              sum += static_cast<long double>(count[atom]) * point[atom];
              for (int c = 0; c < count[atom]; ++c) {
                p *= std::max(0.0, of[atom] - drawn[atom / 2]) / (c + 1.0L) * weight[atom];
                drawn[atom / 2] += 1;
              }
            }
            if (all > 3 || sum <= k) continue;
            const long double absent = 1 - static_cast<long double>(rate);
            total += p * std::exp((n - 1 - all) * std::log1p(-static_cast<long double>(rate))) * absent * n /
                     (n - all) * (sum - k);
          }
          largest = std::max(largest, total);
        }
        SCOPED_TRACE(::testing::Message() << n << ' ' << expected << ' ' << epsilon * n);
        EXPECT_GE(few->value.upper, largest * (1 - 1e-14L));
        EXPECT_LE(few->value.upper, largest * (1 + 2 * expected + 4e-9L) + 1e-299L);
        EXPECT_GT(largest, 0);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 36);
}

TEST(SparseSum, OneLawOfThreeAtoms) {
  std::mt19937_64 engine(8);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 1 + trial;
    AtomicLaw law = two_points(0.5 + 2.5 * uniform(engine), -uniform(engine),
                               std::pow(10, -5 * uniform(engine)) / (4 * n + 4), uniform(engine));
    law.add(uniform(engine), law.weights[0]);
    for (const double k : {-0.4, 0.0, 0.3, 4.1, 6.5}) {
      const auto few = few_terms_excess(law, n, k);
      ASSERT_TRUE(few.has_value());
      const Enclosure exact = enumerated_excess(law, n, k);
      SCOPED_TRACE(::testing::Message() << trial << ' ' << k);
      EXPECT_GE(few->upper, exact.lower);
      EXPECT_LE(few->lower, exact.upper);
      EXPECT_LE(few->upper - few->lower, 1e-9 * few->upper + 1e-130);
    }
  }
}

// The reference adds up every outcome of six terms of five atoms and zero.
TEST(SparseSum, OneLawOfManyAtoms) {
  constexpr int kTerms = 6, kAtoms = 5;
  std::mt19937_64 engine(9);
  std::uniform_real_distribution<double> uniform(0, 1);
  int answered = 0, one_alone_fails = 0;
  for (int trial = 0; trial < 30; ++trial) {
    AtomicLaw law;
    const double rate = std::pow(10, -2.8 - 4 * uniform(engine));
    for (int i = 0; i < kAtoms; ++i) law.add(4 * uniform(engine) - 1.5, rate * uniform(engine) / kAtoms);
    long double mass = 0;
    for (const double w : law.weights) mass += w;
    for (const double k : {-0.4, 0.0, 0.2, 1.1, law.largest_point() * 1.01, law.largest_point() * 2.02}) {
      long double exact = 0, one = 0;
      for (int code = 0; code < 46656; ++code) {
        long double p = 1, sum = 0;
        int nonzero = 0;
        for (int i = 0, rest = code; i < kTerms; ++i, rest /= kAtoms + 1) {
          const int atom = rest % (kAtoms + 1);
          p *= atom == kAtoms ? 1 - mass : law.weights[static_cast<std::size_t>(atom)];
          sum += atom == kAtoms ? 0 : law.points[static_cast<std::size_t>(atom)];
          nonzero += atom < kAtoms ? 1 : 0;
        }
        exact += p * std::max(0.0L, sum - k);
        one += nonzero <= 1 ? p * std::max(0.0L, sum - k) : 0;
      }
      const auto few = few_terms_excess(law, kTerms, k);
      if (!few) continue;
      SCOPED_TRACE(::testing::Message() << trial << ' ' << rate << ' ' << k);
      ++answered;
      EXPECT_GE(few->upper, exact);
      EXPECT_LE(few->lower, exact);
      EXPECT_LE(few->upper - few->lower, 1.1e-7 * few->upper + 1e-88);
      one_alone_fails += one < exact * (1 - 1e-6L) ? 1 : 0;
    }
  }
  std::printf("%d of 180 answered; one term alone fails %d of them\n", answered, one_alone_fails);
  EXPECT_GT(answered, 100);
  EXPECT_GT(one_alone_fails, 30);
}

// Where three or more nonzero terms decide, the enclosure comes from integrals. The reference adds up every
// outcome of the terms and zero. Some laws have so few atoms that an integral takes the effort for few atoms
// (excess_by_contour.cc), and some have more.
TEST(SparseSum, IntegratesThreeAndMoreTerms) {
  std::mt19937_64 engine(10);
  std::uniform_real_distribution<double> uniform(0, 1);
  int answered = 0, integrated = 0, two_alone_fail = 0;
  for (const auto& [atoms, terms, trials] : {std::array{5, 6, 60}, std::array{11, 5, 20}}) {
    for (int trial = 0; trial < trials; ++trial) {
      AtomicLaw law;
      const double rate = std::pow(10, -2.8 - 4 * uniform(engine));
      for (int i = 0; i < atoms; ++i) law.add(4 * uniform(engine) - 1.5, rate * uniform(engine) / atoms);
      long double mass = 0;
      for (const double w : law.weights) mass += w;
      for (const double k :
           {0.2, law.largest_point() * 2.02, law.largest_point() * 2.6, 3.3 * law.largest_point()}) {
        long double exact = 0, two = 0;
        const auto outcomes = static_cast<int>(std::lround(std::pow(atoms + 1, terms)));
        for (int code = 0; code < outcomes; ++code) {
          long double p = 1, sum = 0;
          int nonzero = 0;
          for (int i = 0, rest = code; i < terms; ++i, rest /= atoms + 1) {
            const int atom = rest % (atoms + 1);
            p *= atom == atoms ? 1 - mass : law.weights[static_cast<std::size_t>(atom)];
            sum += atom == atoms ? 0 : law.points[static_cast<std::size_t>(atom)];
            nonzero += atom == atoms ? 0 : 1;
          }
          exact += p * std::max(0.0L, sum - k);
          two += nonzero <= 2 ? p * std::max(0.0L, sum - k) : 0;
        }
        constexpr double kWidest = 1e-3;
        const auto few = few_terms_excess(law, terms, k, kWidest);
        if (!few) continue;
        SCOPED_TRACE(::testing::Message() << atoms << ' ' << trial << ' ' << rate << ' ' << k);
        ++answered;
        EXPECT_GE(few->upper, exact);
        EXPECT_LE(few->lower, exact);
        // The ends are rounded outward after they are compared.
        EXPECT_LE(few->upper - few->lower, (kWidest + 1e-9) * few->upper + 1e-88);
        integrated += few_terms_excess(law, terms, k) ? 0 : 1;
        two_alone_fail += two < exact * (1 - 1e-3L) ? 1 : 0;
      }
    }
  }
  std::printf("%d of 320 answered, %d of them by integrals; two terms alone fail %d\n", answered, integrated,
              two_alone_fail);
  EXPECT_GT(answered, 250);
  EXPECT_GT(integrated, 60);
  EXPECT_GT(two_alone_fail, 60);
}

// Only sums of dozens of nonzero terms exceed these thresholds. The reference is a binomial tail in extended
// precision. The expected excess of the law of three atoms differs from that of the law of one atom by less
// than the tolerance.
TEST(SparseSum, FarThresholdsNeedDozensOfTerms) {
  for (const double n : {200.0, 1e9}) {
    for (const double expected : {1e-2, 0.5}) {
      const double w = expected / n;
      const AtomicLaw one{{1}, {w}}, three{{1 - 1e-13, 1, 1 + 1e-13}, {w / 4, w / 2, w / 4}};
      for (const double k : {20.5, 40.5, 63.5}) {
        // log_probability is the logarithm of the probability of s nonzero terms, but without the factor
        // (1 - w)^(n - s) of the other terms being zero.
        long double exact = 0, log_probability = 0;
        for (int s = 1; s < 120; ++s) {
          log_probability += std::log((n + 1.0L - s) / s * w);
          if (s > k)
            exact += (s - k) * std::exp(log_probability + (n - s) * std::log1p(-static_cast<long double>(w)));
        }
        SCOPED_TRACE(::testing::Message() << n << ' ' << expected << ' ' << k << ": " << exact);
        for (const AtomicLaw* law : {&one, &three}) {
          const auto few = few_terms_excess(*law, n, k);
          ASSERT_TRUE(few.has_value());
          EXPECT_GE(few->upper, exact * (1 - 1e-11L));
          EXPECT_LE(few->upper, exact * (1 + 1e-9L) + 1e-288L);
          EXPECT_LE(few->lower, exact * (1 + 1e-11L));
          EXPECT_GE(few->lower, exact * (1 - 1e-9L));
        }
      }
    }
  }
}

// The weights of thousands of equal atoms, added up as doubles, drift away from their sum by many roundings
// of the same sign. At a threshold just below the sum of three atoms, the lower end uses the mean of the
// third term, and the drift moves this mean by more than the lower end allows for.
TEST(SparseSum, TheMassOfManyAtomsTakesFewRoundings) {
  constexpr int kAtoms = 8000, kTerms = 100;
  constexpr double k = 3 - 0x1p-18;
  int drifts = 0;  // laws whose mass lacks more than 100 roundings if doubles are added
  for (int i = 0; i < 40; ++i) {
    const double weight = (1 + i / 40.0) * 1e-15;
    AtomicLaw law;
    for (int a = 0; a < kAtoms; ++a) law.add(1, weight);
    const long double mass = kAtoms * static_cast<long double>(weight);
    long double probability = std::exp(kTerms * std::log1p(-mass)), exact = 0;
    for (int c = 1; c <= 12; ++c) {
      probability *= (kTerms + 1.0L - c) / c * mass / (1 - mass);
      if (c > k) exact += probability * (c - static_cast<long double>(k));
    }
    const auto few = few_terms_excess(law, kTerms, k);
    ASSERT_TRUE(few.has_value());
    EXPECT_LE(few->lower, exact) << weight;
    EXPECT_GE(few->upper, exact) << weight;
    drifts += law.nonzero_mass() < mass * (1 - 100 * 0x1p-53L) ? 1 : 0;
  }
  std::printf("%d of 40 masses lack more than 100 roundings\n", drifts);
  EXPECT_GT(drifts, 10);
}

TEST(SparseSum, LeavesTheRestToTheContour) {
  const AtomicLaw first = two_points(1, -0.5, 1e-3, 0.3), second = two_points(-1, 0.5, 1e-3, 0.3);
  EXPECT_FALSE(few_terms_mixture(first, second, 1e4, 0, Mixing::product));   // ten nonzero terms expected
  EXPECT_FALSE(few_terms_mixture(first, second, 100, 70, Mixing::product));  // k is 70 times the largest atom
  EXPECT_FALSE(few_terms_mixture(first, two_points(1, 2, 2e-3, 0.3), 100, 0, Mixing::product));
  EXPECT_TRUE(few_terms_mixture(first, second, 100, 0, Mixing::product));
}

}  // namespace
}  // namespace muster::numerics
