// Tests the formulas of "Shuffle Gaussian mechanism": the sum over integer partitions that the paper
// evaluates, its Table 1, and the cases in which its bounds are false.
#include "muster/papers/published/published_shuffle_gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "muster/papers/published/published_check_in.h"

namespace muster::accounting {
namespace {

using namespace published_shuffle_gaussian;

// Computes Theorem 1's sum over integer partitions of the order, as the paper's Appendix B describes it: the
// multinomial coefficient times the number of ways to assign the parts to n clients. `printed` selects
// Algorithm 1 as printed, which lacks 1/(2 sigma^2), the count of the zero parts, the logarithm and 1/(l-1).
long double by_partitions(long double n, long double sigma, int order, bool printed) {
  long double sum = 0;
  std::vector<int> parts;
  const std::function<void(int, int)> visit = [&](int left, int most) {
    if (left == 0) {
      if (static_cast<long double>(parts.size()) > n) return;
      long double log_term = std::lgamma(order + 1.0L) - order * std::log(n) - order / (2 * sigma * sigma);
      std::map<int, int> repeats;
      long double squares = 0;
      for (const int k : parts) {
        log_term -= std::lgamma(k + 1.0L);
        squares += static_cast<long double>(k) * k;
        ++repeats[k];
      }
      log_term += printed ? squares : squares / (2 * sigma * sigma);
      log_term += std::lgamma(n + 1);
      if (!printed) log_term -= std::lgamma(n - static_cast<long double>(parts.size()) + 1);
      for (const auto& [part, count] : repeats) log_term -= std::lgamma(count + 1.0L);
      sum += std::exp(log_term);
      return;
    }
    for (int k = std::min(left, most); k >= 1; --k) {
      parts.push_back(k);
      visit(left - k, k);
      parts.pop_back();
    }
  };
  visit(order, order);
  return printed ? sum : std::log(sum) / (order - 1);
}

TEST(ShuffleGaussian, TheoremOneIsTheSumOverPartitions) {
  for (const double n : {2.0, 5.0, 1000.0}) {
    for (const double sigma : {0.7, 2.0}) {
      const Divergence rdp = theorem1(n, 1 / sigma);
      for (const int order : {2, 3, 7, 20}) {
        // At n = 1000, lgamma(n + 1) costs the slow sum several digits; at small n the sum is exact to 1e-12.
        const long double slow = by_partitions(n, sigma, order, false);
        EXPECT_NEAR(rdp(static_cast<std::uint64_t>(order)) / static_cast<double>(slow), 1,
                    n > 10 ? 1e-6 : 1e-12);
      }
    }
  }
  // Algorithm 1 as printed does not compute Theorem 1.
  EXPECT_GT(by_partitions(5, 2, 3, true), 10 * by_partitions(5, 2, 3, false));
}

// Reproduces Table 1, for n = 60,000, sigma = 9.48, delta = 1/n and orders up to 30.
TEST(ShuffleGaussian, TableOne) {
  const std::vector<double> ours = {0.22820, 0.22820, 0.22821, 0.22821, 0.22821, 0.22822, 0.22822};
  const std::vector<double> clones = {0.18623, 0.38461, 0.59516, 0.79355, 1.02241, 1.22689, 1.43138};
  const double n = 60000, delta = 1 / n;
  const Question question{Question::Kind::epsilon_at_delta, delta};
  for (std::uint64_t rounds = 1; rounds <= 7; ++rounds) {
    const auto bound =
        shuffle_gaussian_theorem1_bound(n, 1 / 9.48, rounds, question, Conversion::canonne, 30);
    EXPECT_NEAR(*bound.upper, ours[rounds - 1], 6e-6);
    // The "Clones" row takes sensitivity 2 and adds the epsilons of the rounds. Its printed values are
    // slightly larger, because the paper tries only few values of delta0.
    const double row = table1_clones(n, 2 / 9.48, rounds, delta);
    EXPECT_LT(row, clones[rounds - 1]);
    EXPECT_GT(row, clones[rounds - 1] * 0.97);
  }
  // A scan that halves delta0 gives the paper's row to its last digits.
  for (std::uint64_t rounds = 1; rounds <= 7; ++rounds) {
    const auto t = static_cast<double>(rounds);
    double least = 1e9;
    for (double delta0 = 9.884e-11 * 1024; delta0 > 1e-13; delta0 /= 2) {
      const Guarantee local = classical_gaussian_guarantee(2 / 9.48, delta0);
      const Guarantee shuffled = published_check_in::shuffled(n, local, delta0);
      if (shuffled.delta <= delta / t) least = std::min(least, shuffled.epsilon);
    }
    EXPECT_NEAR(t * least, clones[rounds - 1], 1.2e-5 * t) << rounds;
  }
  // These values use orders up to 2000, except for the last value, which uses the exact conversion at orders
  // up to 30. The divergences behind them are those of tools/golden/shuffle_gaussian_rdp.py.
  EXPECT_NEAR(*shuffle_gaussian_theorem1_bound(n, 1 / 9.48, 1, question, Conversion::canonne, 2000).upper,
              0.001406, 2e-6);
  EXPECT_NEAR(*shuffle_gaussian_theorem1_bound(n, 1 / 9.48, 7, question, Conversion::canonne, 2000).upper,
              0.002512, 2e-6);
  EXPECT_NEAR(*shuffle_gaussian_theorem1_bound(n, 2 / 9.48, 1, question, Conversion::canonne, 2000).upper,
              0.007916, 2e-6);
  EXPECT_LT(*shuffle_gaussian_theorem1_bound(n, 1 / 9.48, 1, question, Conversion::exact, 30).upper, 0.0027);
  // By the classical formula, a message with sigma = 9.48 is (1, 1/n)-LDP at distance 2, not at 1. The exact
  // epsilon is smaller; bisection of the Gaussian profile in Python's erfc gives 0.7418490900.
  EXPECT_NEAR(classical_gaussian_guarantee(2 / 9.48, delta).epsilon, 1, 1e-3);
  EXPECT_NEAR(gaussian_guarantee(2 / 9.48, delta).epsilon, 0.7418490900, 1e-8);
}

TEST(ShuffleGaussian, CorollaryOneIsAbove) {
  const Divergence rdp = theorem1(100, 0.5);
  for (const std::uint64_t order : {2u, 5u, 50u}) EXPECT_LT(rdp(order), corollary1(0.5, order));
  const Divergence one = theorem1(1, 0.5);  // with one client, shuffling has no effect
  for (const std::uint64_t order : {2u, 5u, 50u}) EXPECT_NEAR(one(order), corollary1(0.5, order), 1e-9);
}

// Computes D_l = log E_Q[(P/Q)^l] / (l-1) of shuffled check-in for n clients at rate g, where the others hold
// the victim's second record. The expectation is l! n^-l times the coefficient of x^l in the n-th power of
// sum mu_j x^j / j!, with mu_j = 1 - g + g e^(j(j-1)/(2 sigma^2)).
long double homogeneous_check_in(int n, long double g, long double sigma, int order) {
  const auto size = static_cast<std::size_t>(order) + 1;
  std::vector<long double> one(size), power(size, 0);
  power[0] = 1;
  for (int j = 0; j <= order; ++j) {
    const long double mu = 1 - g + g * std::exp(j * (j - 1) / (2 * sigma * sigma));
    one[static_cast<std::size_t>(j)] = mu / std::tgamma(j + 1.0L);
  }
  for (int i = 0; i < n; ++i) {
    std::vector<long double> next(size, 0);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; a + b < size; ++b) next[a + b] += power[a] * one[b];
    }
    power = next;
  }
  return (std::log(power.back()) + std::lgamma(order + 1.0L) -
          order * std::log(static_cast<long double>(n))) /
         (order - 1);
}

TEST(ShuffleGaussian, CheckInFormulasAreFalse) {
  // For two clients at rate 0.05 and sigma = 1, the true divergences of order 6 and 2 exceed the formulas.
  // tools/golden/small_truths.py computes all four values.
  EXPECT_NEAR(static_cast<double>(homogeneous_check_in(2, 0.05L, 1, 6)), 1.7161, 1e-4);
  EXPECT_NEAR(theorem3(2, 0.05, 1, 0.5)(6), 0.22692, 1e-5);
  EXPECT_NEAR(static_cast<double>(homogeneous_check_in(2, 0.05L, 1, 2)), 0.04206, 1e-5);
  EXPECT_NEAR(equation17(2, 0.05, 1)(2), -2.31453, 1e-5);
}

// Tests the experiment of Figure 1b, with n = 60,000, rate 0.1, sigma = 5 and 5,540 rounds.
TEST(ShuffleGaussian, FigureOneB) {
  const Question question{Question::Kind::epsilon_at_delta, 1e-5};
  const Bound third = shuffle_gaussian_theorem3_bound(60000, 0.1, 0.2, 5540, question);
  const Bound sum = shuffle_gaussian_equation17_bound(60000, 0.1, 0.2, 5540, question);
  ASSERT_TRUE(third.upper && sum.upper);
  EXPECT_GT(*third.upper, *sum.upper);
  EXPECT_GT(*third.upper, 0.1457);  // 0.1457 is a proven upper bound, for distance 2
  // From order l = 3 on, the sum of equation (16) contains 2 g^3 C(l,3), where g is the rate, whatever the
  // noise is. So order 2 is best, and its conversion term alone is log(1/delta) - log 4.
  EXPECT_NEAR(*third.upper, 10.13, 0.005);
  EXPECT_NEAR(*sum.upper, 10.13, 0.005);
  EXPECT_GT(*sum.upper, std::log(1e5) - std::log(4.0));
}

// At delta0 = n^-1.5 a single client's message would be (0, 1)-LDP, which is no guarantee at all. So delta0
// is capped at 1/2.
TEST(ShuffleGaussian, OneClientIsNotFree) {
  EXPECT_GT(message_guarantee(4, 1).epsilon, 0);
  EXPECT_EQ(message_guarantee(4, 1).delta, 0.5);
  EXPECT_EQ(message_guarantee(4, 100).delta, std::pow(100.0, -1.5));
  // The bounds of the paper "Shuffled check-in" then depend on the noise.
  const Question question{Question::Kind::epsilon_at_delta, 1e-5};
  const auto epsilons = [&](double sigma) {
    std::map<std::string, double> found;
    for (const Bound& bound : published_gaussian_check_in_bounds(1, 0.9, sigma, 1, question)) {
      if (bound.upper) found[bound.id] = *bound.upper;
    }
    return found;
  };
  const std::map<std::string, double> little = epsilons(0.5), much = epsilons(3);
  for (const char* id : {"liew-2022-approach-1", "liew-2022-approach-2", "liew-2022-baseline"}) {
    EXPECT_GT(little.at(id), 1.01 * much.at(id)) << id;
  }
}

TEST(ShuffleGaussian, SaysWhatItIs) {
  for (const Question& question :
       {Question{Question::Kind::epsilon_at_delta, 1e-5}, Question{Question::Kind::delta_at_epsilon, 0.5}}) {
    std::vector<Bound> all = published_gaussian_shuffle_bounds(1000, 2, 3, question);
    for (const auto& more : {published_gaussian_subset_bounds(1000, 100, 2, 3, question),
                             published_gaussian_check_in_bounds(1000, 0.1, 2, 3, question)}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    for (const Bound& bound : all) {
      EXPECT_EQ(bound.validity == Validity::proven, bound.id == "check-in-high-count") << bound.id;
      EXPECT_FALSE(bound.citation.empty());
      EXPECT_GE(bound.upper.value_or(0), 0) << bound.id;
    }
  }
}

}  // namespace
}  // namespace muster::accounting
