// Tests the formulas of "Shuffled check-in" against their printed form in long double and at the paper's
// experiments, and the proven baseline against enumeration.
#include "muster/papers/published/published_check_in.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/papers/renyi/renyi_route.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting {
namespace {

using namespace published_check_in;
using oracle::Law;

const Question kMnist{Question::Kind::epsilon_at_delta, 1e-5};

// Evaluates equation (7) of the paper with its printed constants, term by term.
long double equation7(long double e0, long double n, long double g, long double slack, int order) {
  const long double grown = std::exp(e0), c = (grown * grown - 1) / grown, mean = n * g;
  const long double few = std::exp(-slack * slack * mean / 2);
  const long double crowd = std::floor((1 - slack) * mean / (2 * e0)) + 1;
  long double choose = static_cast<long double>(order) * (order - 1) / 2;
  const auto upsilon = [&](long double k) {
    return (std::pow(1 + g * c, static_cast<long double>(order)) - 1 - order * g * c) *
           std::exp(-(k - 1) / (8 * e0));
  };
  long double sum = 1 + 4 * choose * g * g * (grown - 1) * (grown - 1) * (few / grown + 1 / (grown * crowd));
  for (int j = 3; j <= order; ++j) {
    choose = choose * (order - j + 1) / j;
    sum += choose * std::pow(g, j) * j * std::tgamma(j / 2.0L) * std::pow(2 * c * c, j / 2.0L) *
           (few + std::pow(crowd, -j / 2.0L));
  }
  sum += upsilon(1) * few + upsilon(std::floor((1 - slack) * mean) + 1);
  return std::log(sum) / (order - 1);
}

TEST(PublishedCheckIn, TheoremTwoAsPrinted) {
  for (const double n : {1000.0, 60000.0}) {
    for (const int order : {2, 5, 30}) {
      const long double printed = equation7(2, n, 0.1, 0.5, order);
      const double value = theorem2_printed(2, n, 0.1, 0.5, static_cast<std::uint64_t>(order));
      EXPECT_NEAR(value / static_cast<double>(printed), 1, 1e-6) << n << " " << order;
    }
  }
  // Figure 3a reports "about 1" for these parameters; the formula with its wrong constants gives 8.28.
  const Bound bound = liew_theorem2_printed_bound(60000, 0.1, 2, 6800, kMnist, Conversion::canonne);
  EXPECT_NEAR(*bound.upper, 8.28, 0.01);
  EXPECT_EQ(bound.id, "liew-2022-theorem-2-printed");
}

// Compares Lemma 3 with the divergence of a pair on two outcomes.
TEST(PublishedCheckIn, LemmaThreeIsFalse) {
  const long double p = 1e-5L, q = 1e-100L;
  const long double truth = std::log(p * p / q + (1 - p) * (1 - p) / (1 - q));
  EXPECT_GT(truth, 200);
  EXPECT_LT(lemma3_meant(2, {0, 1e-5}), 1e-4);
  EXPECT_LT(lemma3_printed(2, {0, 1e-5}), 1.1);
  // For pure DP, the lemma claims that every mechanism is perfectly private.
  EXPECT_EQ(lemma3_meant(5, {1, 0}), 0);
  // Two laws of disjoint supports have delta = 1 at every epsilon, and an infinite divergence.
  for (const double certain : {1.0, 1.5}) EXPECT_TRUE(std::isinf(lemma3_meant(2, {0.5, certain})));
  // The lemma's value is a lower bound of the divergence. Below, it is compared with the divergence of
  // randomized response with epsilon0 = 1, whose hockey-stick divergence at epsilon = 1/2 is `delta`.
  const long double high = 1 / (1 + std::exp(-1.0L)), low = 1 - high;
  const auto delta = static_cast<double>(high - std::exp(0.5L) * low);
  for (const double order : {2.0, 5.0, 40.0}) {
    const long double divergence = std::log(std::pow(high, order) * std::pow(low, 1 - order) +
                                            std::pow(low, order) * std::pow(high, 1 - order)) /
                                   (order - 1);
    EXPECT_LE(lemma3_meant(order, {0.5, delta}), divergence);
    EXPECT_GT(lemma3_meant(order, {0.5, delta}), 0.3 * static_cast<double>(divergence));
  }
  // Compares the minimum with a fine scan of r.
  for (const double order : {2.0, 9.0}) {
    long double least = 1e300L;
    for (long double r = 0.01L; r < 1; r += 1e-5L) {
      least = std::min(least, std::pow(r, order) * std::pow(r - 0.01L, 1 - order) +
                                  std::pow(1 - r, order) * std::pow(std::exp(0.3L) - r + 0.01L, 1 - order));
    }
    EXPECT_NEAR(lemma3_printed(order, {0.3, 0.01}), static_cast<double>(least), 1e-7);
  }
}

// The paper's second experiment with a Gaussian has epsilon0 = 8, n = 10^7, rate 10^-4, 2,000 rounds and
// delta0 = n^-1.5. The paper reports 0.80 for the baseline and 0.67 for Approach 2. Both depend on Lemma
// 3. Composed correctly, the baseline's rounds have an epsilon above 100.
TEST(PublishedCheckIn, GaussianExperiment) {
  const Guarantee local{8, std::pow(1e7, -1.5)};
  const Question question{Question::Kind::epsilon_at_delta, 1e-7};
  EXPECT_NEAR(*liew_baseline_bound(1e7, 1e-4, local, 2000, question).upper, 0.80, 0.01);
  EXPECT_NEAR(*liew_approach2_bound(1e7, 1e-4, local, 2000, question).upper, 0.149, 0.001);
  EXPECT_NEAR(*liew_approach1_bound(1e7, 1e-4, local, 2000, question).upper, 0.154, 0.001);
  const Bound proven = high_count_bound(1e7, 1e-4, local, 2000, question);
  EXPECT_EQ(proven.validity, Validity::proven);
  EXPECT_GT(*proven.upper, 100);
}

// Tests the proven baseline for one and two rounds, on every data set of small check-ins with random
// randomizers.
TEST(PublishedCheckIn, HighCountCoversTheEnumeration) {
  std::mt19937_64 engine(12);
  for (int trial = 0; trial < 6; ++trial) {
    const std::vector<Law> laws =
        oracle::random_randomizer(trial % 2 ? oracle::Family::smooth : oracle::Family::extreme, 3, 3, engine);
    const auto e0 = static_cast<double>(oracle::largest_log_ratio(laws)) * (1 + 1e-15);
    for (const double rate : {0.1, 0.5}) {
      for (const double delta : {0.05, 0.3}) {
        const Question question{Question::Kind::epsilon_at_delta, delta};
        const double one = *high_count_bound(4, rate, {e0, 0}, 1, question).upper;
        const double two = *high_count_bound(4, rate, {e0, 0}, 2, question).upper;
        for (const auto& dataset : oracle::multisets(3, 3)) {
          std::vector<Law> others;
          for (const int r : dataset) others.push_back(laws[static_cast<std::size_t>(r)]);
          const auto pair = oracle::check_in(others, laws[0], laws[1], static_cast<long double>(rate));
          EXPECT_LE(oracle::hockey_stick(pair, one), delta);
          EXPECT_LE(oracle::hockey_stick(oracle::product(pair, pair), two), delta);
        }
      }
    }
  }
  // For an (epsilon0, delta0)-LDP randomizer, the round's delta is `miss` plus delta0 times the inclusion
  // rate.
  const Guarantee round = high_count_round(60000, 0.1, {2, 1e-8}, 1e-9);
  EXPECT_GT(round.delta, 1e-9 + 1e-9);
  EXPECT_LT(round.delta, 1e-9 + 1.1e-9);
  EXPECT_GT(round.epsilon, std::log1p(0.1 * std::expm1(2.0)));
  EXPECT_LT(round.epsilon, std::log1p(0.11 * std::expm1(2.0)));
}

TEST(PublishedCheckIn, LemmasFourAndFiveWithTheirWeights) {
  const auto f = [](double k) { return 1 / k; };
  for (const double n : {2.0, 40.0, 1000.0}) {
    for (const double g : {0.05, 0.5}) {
      double truth = 0, weights = 0;
      for (const CountCell& cell : count_cells(n, g, 0)) {
        if (cell.k >= 1) truth += cell.weight * f(cell.k);
        weights += cell.weight;
      }
      EXPECT_NEAR(weights, 1, 1e-9);
      for (const double slack : {0.1, 0.5, 0.9}) {
        EXPECT_GE(lemma4(f, n, g, slack), truth * (1 - 1e-6));
        EXPECT_GE(lemma5(f, n, g, slack), truth * (1 - 1e-6));
      }
    }
  }
  // As printed, without the weights g^k (1-g)^(n-k), the left side of Lemma 4 counts subsets: for n = 2 and
  // f = 1 it is 3, above the right side.
  const auto one = [](double) { return 1.0; };
  EXPECT_LE(lemma4(one, 2, 0.5, 0.5), 2);
}

TEST(PublishedCheckIn, DistributedCheckIn) {
  // Computes E_q'[(p'/q')^l], the removal moment of published_check_in.h, by quadrature of the densities.
  const auto quadrature = [](long double k, long double s, long double order) {
    const long double ps = s / std::sqrt(k), qs = s / std::sqrt(k + 1), h = ps / 400;
    long double sum = 0;
    for (long double x = -60 * ps; x < 60 * ps; x += h) {
      const long double y = x - 1 / (k + 1);
      const long double log_p = -x * x / (2 * ps * ps) - std::log(ps),
                        log_q = -y * y / (2 * qs * qs) - std::log(qs);
      sum += std::exp(order * log_p + (1 - order) * log_q) * h / std::sqrt(2 * std::acos(-1.0L));
    }
    return static_cast<double>(sum);
  };
  for (const double k : {9.0, 30.0}) {
    for (const double order : {2.0, 3.0, 6.0}) {
      EXPECT_NEAR(removal_moment(k, 1, order) / quadrature(k, 1, order), 1, 1e-10);
      EXPECT_GE(removal_moment(k, 1, order), 1);          // a moment is at least 1, by Jensen's inequality
      EXPECT_LT(removal_moment_printed(k, 1, order), 1);  // a moment below 1 is impossible
    }
  }
  EXPECT_NEAR(removal_moment(9, 1, 3), 1.5008, 1e-4);
  EXPECT_NEAR(removal_moment_printed(9, 1, 3), 0.67991, 1e-5);
  EXPECT_TRUE(std::isinf(removal_moment(2, 1, 3)));
  // At the paper's experiment (rate 10^-3, sigma 0.65), Theorem 5's right side is negative because of the
  // factor 1/(1-l).
  EXPECT_LT(theorem5_printed(60000, 1e-3, 0.65, 8), 0);
  const Bound bound = liew_theorem5_bound(60000, 1e-3, 0.65, 1000, kMnist);
  EXPECT_FALSE(bound.upper.has_value());
  EXPECT_EQ(bound.neighbouring, Neighbouring::add_remove);
}

TEST(PublishedCheckIn, SaysWhatItIs) {
  const std::vector<Bound> all = published_check_in_bounds(60000, 0.1, {2, 0}, 6800, kMnist);
  ASSERT_EQ(all.size(), 6u);
  for (const Bound& bound : all) {
    EXPECT_FALSE(bound.citation.empty()) << bound.id;
    EXPECT_EQ(bound.validity == Validity::proven, bound.id == "check-in-high-count");
    EXPECT_TRUE(bound.validity == Validity::proven || !bound.assumptions.empty()) << bound.id;
  }
  for (const Question& question : {Question{Question::Kind::delta_at_epsilon, 1.0}, kMnist}) {
    for (const double n : {1.0, 1e9}) {
      for (const Guarantee& local : {Guarantee{0.01, 0}, Guarantee{20, 1e-12}}) {
        for (const Bound& bound : published_check_in_bounds(n, 0.5, local, 3, question)) {
          EXPECT_GE(bound.upper.value_or(0), 0) << bound.id;
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
