// Tests the composition of (epsilon, delta) guarantees against the printed theorem and against the exact
// composition of randomized responses. Also compares the methods with each other.
#include "muster/papers/optimal_composition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::accounting {
namespace {

// Returns the delta of Theorem 3.3 as printed: k rounds are ((k-2i) eps, 1 - (1-delta)^k (1-delta_i))-DP for
// every i = 0 .. k/2.
long double theorem33_delta(long double epsilon, long double delta, int k, int i) {
  long double sum = 0, choose = 1;
  for (int l = 0; l < i; ++l) {
    sum += choose * (std::exp((k - l) * epsilon) - std::exp((k - 2 * i + l) * epsilon));
    choose = choose * (k - l) / (l + 1);
  }
  const long double delta_i = sum / std::pow(1 + std::exp(epsilon), static_cast<long double>(k));
  return 1 - std::pow(1 - delta, static_cast<long double>(k)) * (1 - delta_i);
}

// Returns the hockey-stick divergence of k rounds, each of which reveals the record with probability delta
// and otherwise answers by randomized response. The sum runs over the number of truthful answers.
long double flagged_response_delta(long double epsilon0, long double delta, int k, long double epsilon) {
  const long double p = std::exp(epsilon0) / (1 + std::exp(epsilon0)), q = 1 - p;
  long double sum = 0, choose = 1;
  // Let j of the k messages equal the first of two records. Given that no round reveals the record, `a` is
  // the probability of this j if the client holds the first record, and `b` if she holds the second.
  for (int j = 0; j <= k; ++j) {
    const long double a = choose * std::pow(p, j) * std::pow(q, k - j);
    const long double b = choose * std::pow(q, j) * std::pow(p, k - j);
    sum += std::max(0.0L, a - std::exp(epsilon) * b);
    choose = choose * (k - j) / (j + 1);
  }
  const long double kept = std::pow(1 - delta, static_cast<long double>(k));
  return 1 - kept + kept * sum;
}

TEST(OptimalComposition, EqualsTheTheoremsList) {
  for (const double epsilon0 : {0.1, 0.7, 2.0}) {
    for (const double delta : {0.0, 1e-6, 0.01}) {
      for (const int k : {1, 2, 7, 30}) {
        const auto rounds = static_cast<std::uint64_t>(k);
        for (int i = 0; i <= k / 2; ++i) {
          const long double exact = theorem33_delta(epsilon0, delta, k, i);
          const double upper =
              optimal_composition_delta_upper({epsilon0, delta}, rounds, (k - 2 * i) * epsilon0);
          EXPECT_GE(upper, exact - 1e-17L);
          EXPECT_NEAR(upper, static_cast<double>(exact), 1e-11);
        }
        for (const double epsilon : {0.05, 0.33, 1.1}) {
          const long double exact = flagged_response_delta(epsilon0, delta, k, epsilon);
          const double upper = optimal_composition_delta_upper({epsilon0, delta}, rounds, epsilon);
          EXPECT_GE(upper, exact - 1e-17L);
          EXPECT_NEAR(upper, static_cast<double>(exact), 1e-11);
          if (exact < 0.999L) {
            const auto back =
                optimal_composition_epsilon_upper({epsilon0, delta}, rounds, upper * (1 + 1e-10));
            ASSERT_TRUE(back.has_value());
            EXPECT_LE(*back, epsilon + 1e-6);
          }
        }
      }
    }
  }
}

TEST(OptimalComposition, OthersAreNeverBelowIt) {
  for (const double epsilon0 : {0.01, 0.1, 1.0}) {
    for (const double delta0 : {0.0, 1e-9}) {
      for (const std::uint64_t k : {2u, 20u, 1000u}) {
        for (const double delta : {1e-2, 1e-5}) {
          const auto best = optimal_composition_epsilon_upper({epsilon0, delta0}, k, delta);
          const auto mixed = heterogeneous_composition_epsilon_upper(
              std::vector<Guarantee>(k, Guarantee{epsilon0, delta0}), delta);
          const auto strong = advanced_composition_epsilon_upper({epsilon0, delta0}, k, delta);
          ASSERT_TRUE(best && mixed && strong);
          EXPECT_LE(*best, *mixed);
          EXPECT_LE(*mixed, *strong * (1 + 1e-9));
        }
      }
    }
  }
}

// Compares the bound for unequal rounds with the exact hockey-stick divergence of k randomized responses,
// summed over their 2^k outcomes.
TEST(HeterogeneousComposition, CoversUnequalRandomizedResponses) {
  const std::vector<std::vector<double>> cases = {
      {0.1, 0.2, 0.4, 0.8}, {1, 1, 0.05, 0.05, 0.05}, {0.3, 0.3, 0.3, 2}, {0.02, 0.01, 0.5, 0.4, 0.3, 0.2}};
  for (const std::vector<double>& epsilons : cases) {
    std::vector<Guarantee> rounds;
    for (const double e : epsilons) rounds.push_back({e, 0});
    for (const double delta : {0.3, 0.1, 1e-2, 1e-4}) {
      const double epsilon = *heterogeneous_composition_epsilon_upper(rounds, delta);
      long double truth = 0;
      for (unsigned signs = 0; signs < 1u << epsilons.size(); ++signs) {
        long double p = 1, q = 1;
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
          const long double high = 1 / (1 + std::exp(-static_cast<long double>(epsilons[i])));
          p *= signs >> i & 1 ? high : 1 - high;
          q *= signs >> i & 1 ? 1 - high : high;
        }
        truth += std::max(0.0L, p - std::exp(static_cast<long double>(epsilon)) * q);
      }
      EXPECT_LE(truth, delta);
    }
  }
}

// The sums over many equal rounds are compared with products in extended precision. A plain sum of three
// million doubles can be wrong by more than the margin of 1e-12 that covers a few operations.
TEST(HeterogeneousComposition, SumsOverManyRoundsAreRoundedUp) {
  constexpr std::size_t kRounds = 3'000'000;
  constexpr double kDelta = 1e-5;
  int plain_sums_are_too_small = 0;
  for (const double each : {1.1e-4, 7.3e-4, 1.7e-3}) {
    const double epsilon =
        *heterogeneous_composition_epsilon_upper(std::vector<Guarantee>(kRounds, Guarantee{each, 0}), kDelta);
    const long double e = each, squares = kRounds * e * e, mean = kRounds * e * std::tanh(e / 2);
    const long double plain = std::sqrt(-2 * squares * std::log(static_cast<long double>(kDelta)));
    const long double other = std::sqrt(2 * squares * std::log(std::exp(1.0L) + std::sqrt(squares) / kDelta));
    const long double truth = std::min(kRounds * e, mean + std::min(plain, other));
    EXPECT_GE(epsilon, truth) << each;
    EXPECT_LE(epsilon, truth * (1 + 1e-11L)) << each;
    double sum = 0;
    for (std::size_t i = 0; i < kRounds; ++i) sum += each * each;
    plain_sums_are_too_small += sum * (1 + 1e-12) < squares ? 1 : 0;
  }
  EXPECT_GT(plain_sums_are_too_small, 0);
}

TEST(Composition, AnswersAtTheEdges) {
  EXPECT_EQ(*optimal_composition_epsilon_upper({1, 0}, 0, 1e-5), 0);
  // The rounds' own deltas add up to 1e-4.
  EXPECT_FALSE(optimal_composition_epsilon_upper({1, 1e-6}, 100, 1e-5).has_value());
  EXPECT_NEAR(*optimal_composition_epsilon_upper({1, 0}, 5, 1e-320), 5, 1e-9);
  EXPECT_EQ(optimal_composition_delta_upper({1e300 * 1e300, 0}, 5, 1), 1);
  EXPECT_EQ(optimal_composition_delta_upper({1, 1}, 5, 1), 1);
  EXPECT_FALSE(advanced_composition_epsilon_upper({1000, 0}, 10, 1e-5).has_value());
  EXPECT_NEAR(subsampled({800, 1e-6}, 0.1).epsilon, 800, 1e-9);
  EXPECT_NEAR(subsampled({2, 1e-6}, 0.1).epsilon, std::log1p(0.1 * std::expm1(2.0)), 1e-10);
  EXPECT_NEAR(subsampled({2, 1e-6}, 0.1).delta, 1e-7, 1e-18);
}

// Asks for epsilon at a delta and for delta at an epsilon, of a mechanism given by its curve delta ->
// epsilon. Each answer inverts the other, and the answer for one round is the curve itself.
TEST(Composition, CurvesAnswerBothQuestions) {
  const auto curve = [](double delta) -> std::optional<double> { return 0.01 * std::sqrt(-std::log(delta)); };
  const Question at_delta{Question::Kind::epsilon_at_delta, 1e-6};
  EXPECT_EQ(*composed_optimally_upper(curve, 1, at_delta), *curve(1e-6));
  EXPECT_NEAR(*composed_optimally_upper(curve, 1, {Question::Kind::delta_at_epsilon, *curve(1e-6)}), 1e-6,
              1e-14);
  const double epsilon = *composed_optimally_upper(curve, 500, at_delta);
  EXPECT_GT(epsilon, 0.5);
  const double delta = *composed_optimally_upper(curve, 500, {Question::Kind::delta_at_epsilon, epsilon});
  EXPECT_NEAR(delta, 1e-6, 5e-7);
  const auto never = [](double) -> std::optional<double> { return std::nullopt; };
  EXPECT_FALSE(composed_optimally_upper(never, 3, at_delta).has_value());
  EXPECT_EQ(*composed_optimally_upper(never, 3, {Question::Kind::delta_at_epsilon, 1}), 1.0);
}

// For more than 10^6 rounds, composed_optimally_upper() finds by bisection a delta per round at which the
// rounds' own deltas add up to about half of the bound, and tries a few deltas around and below it. The first
// mechanism is 1e-4-DP, so the least bound has delta 0 per round. At the smallest delta that is tried, the
// rounds' own deltas add at most a thousandth to it. The epsilon of the second mechanism grows slowly as
// delta falls. Its answer is compared with the least bound over deltas that are a factor e apart.
TEST(Composition, MillionsOfRoundsAreSearchedToTheEnd) {
  constexpr std::uint64_t kRounds = 2'000'000;
  const Question question{Question::Kind::delta_at_epsilon, 0.7};
  const auto pure = [](double) -> std::optional<double> { return 1e-4; };
  const double exact = optimal_composition_delta_upper({1e-4, 0}, kRounds, question.fixed());
  const double found = *composed_optimally_upper(pure, kRounds, question);
  EXPECT_LT(exact, 1e-5);
  EXPECT_GE(found, exact);
  EXPECT_LE(found, exact / 0.999 * (1 + 1e-9));

  const auto slow = [](double delta) -> std::optional<double> { return 1e-4 * (1 - 1e-4 * std::log(delta)); };
  double least = 1;
  for (double log_delta = -20; log_delta > -50; --log_delta) {
    const double delta = std::exp(log_delta);
    least =
        std::min(least, optimal_composition_delta_upper({*slow(delta), delta}, kRounds, question.fixed()));
  }
  const double searched = *composed_optimally_upper(slow, kRounds, question);
  EXPECT_GE(searched, 0.95 * least);
  EXPECT_LE(searched, 1.05 * least);
}

}  // namespace
}  // namespace muster::accounting
