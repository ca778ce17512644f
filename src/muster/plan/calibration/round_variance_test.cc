// Compares the variance model with slow computations of the same number: enumeration of the answers, and
// simulated rounds.
#include "muster/plan/calibration/round_variance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "muster/core/error.h"

namespace muster::protocols {
namespace {

Plan plan_with(RandomizerKind kind) {
  Plan plan;
  plan.clients = 40;
  plan.protocol = Protocol::shuffled_check_in;
  plan.rate = 0.5;
  plan.dropout = 0.2;
  plan.randomizer = kind;
  if (kind == RandomizerKind::gaussian) {
    plan.sigma = 1.5;
  } else {
    plan.epsilon0 = 1.3;
  }
  plan.k = 5;
  return plan;
}

// One report of the value 1 (for k-rr, of symbol 0), as a vector.
std::vector<double> report(const Plan& plan, std::mt19937_64& bits) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double e = plan.epsilon0 ? std::exp(*plan.epsilon0) : 0;
  switch (plan.randomizer) {
    case RandomizerKind::gaussian:
      return {1 + std::normal_distribution<double>(0, *plan.sigma)(bits)};
    case RandomizerKind::laplace: {
      const double size = std::exponential_distribution<double>(*plan.epsilon0 / 2)(bits);
      return {1 + (uniform(bits) < 0.5 ? size : -size)};
    }
    case RandomizerKind::k_rr: {
      const double k = static_cast<double>(*plan.k), p = e / (e + k - 1), q = 1 / (e + k - 1);
      std::size_t answer = 0;
      if (uniform(bits) >= p) {
        answer = 1 + static_cast<std::size_t>(uniform(bits) * (k - 1));
      }
      std::vector<double> indicator(*plan.k);
      for (std::size_t i = 0; i < indicator.size(); ++i) {
        indicator[i] = ((i == answer ? 1 : 0) - q) / (p - q);
      }
      return indicator;
    }
    default:
      return {(uniform(bits) < e / (e + 1) ? 1 : -1) * (e + 1) / (e - 1)};
  }
}

// With 20,000 rounds, a variance estimate has a relative error of about 1 %; the threshold is
// five times that.
TEST(RoundVariance, IsThatOfWholeRounds) {
  for (const RandomizerKind kind :
       {RandomizerKind::gaussian, RandomizerKind::ldp_sgd, RandomizerKind::laplace, RandomizerKind::k_rr}) {
    const Plan plan = plan_with(kind);
    std::mt19937_64 bits(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double included = plan.rate * (1 - plan.dropout.at(1));
    constexpr int kRounds = 20'000;
    double squares = 0;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> mean(kind == RandomizerKind::k_rr ? *plan.k : 1);
      for (std::uint64_t client = 0; client < plan.clients; ++client) {
        if (uniform(bits) < included) {
          const std::vector<double> message = report(plan, bits);
          for (std::size_t i = 0; i < mean.size(); ++i) {
            mean[i] += message[i] / (static_cast<double>(plan.clients) * included);
          }
        }
      }
      for (std::size_t i = 0; i < mean.size(); ++i) {
        const double error = mean[i] - (i == 0 ? 1 : 0);
        squares += error * error;
      }
    }
    EXPECT_NEAR(squares / kRounds / round_variance(plan), 1, 0.05) << name_of(kind);
  }
}

TEST(RoundVariance, ASlotTakesItsShareOfTheClients) {
  Plan plan = plan_with(RandomizerKind::gaussian);
  plan.rate = 0.05;
  const double one = round_variance(plan);
  plan.protocol = Protocol::random_check_in_averaged;
  plan.rate = 0.5;
  plan.slots = 10;
  EXPECT_DOUBLE_EQ(round_variance(plan), one);
}

TEST(RoundVariance, RefusesWhatHasNoMeanOverARate) {
  Plan plan = plan_with(RandomizerKind::pure);
  EXPECT_THROW(round_variance(plan), Error);
  plan = plan_with(RandomizerKind::ldp_sgd);
  plan.protocol = Protocol::subset;
  EXPECT_THROW(round_variance(plan), Error);
}

}  // namespace
}  // namespace muster::protocols
