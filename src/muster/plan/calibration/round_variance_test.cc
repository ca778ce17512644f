// Compares the variance formulas with simulated rounds and with each other in special cases.
#include "muster/plan/calibration/round_variance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "muster/core/error.h"

namespace muster::protocols {
namespace {

PlanValues values_with(RandomizerKind kind) {
  PlanValues values;
  values.clients = 40;
  values.protocol = Protocol::shuffled_check_in;
  values.rate = 0.5;
  values.dropout = 0.2;
  values.randomizer = kind;
  if (kind == RandomizerKind::gaussian) {
    values.sigma = 1.5;
  } else {
    values.epsilon0 = 1.3;
  }
  values.k = 5;
  return values;
}

// Draws one report of the value 1 (for k-rr, of symbol 0), as a vector.
std::vector<double> report(const PlanValues& values, std::mt19937_64& bits) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double e = values.epsilon0 ? std::exp(*values.epsilon0) : 0;
  switch (values.randomizer) {
    case RandomizerKind::gaussian:
      return {1 + std::normal_distribution<double>(0, *values.sigma)(bits)};
    case RandomizerKind::laplace: {
      const double size = std::exponential_distribution<double>(*values.epsilon0 / 2)(bits);
      return {1 + (uniform(bits) < 0.5 ? size : -size)};
    }
    case RandomizerKind::k_rr: {
      const double k = static_cast<double>(*values.k), p = e / (e + k - 1), q = 1 / (e + k - 1);
      std::size_t answer = 0;
      if (uniform(bits) >= p) {
        answer = 1 + static_cast<std::size_t>(uniform(bits) * (k - 1));
      }
      std::vector<double> indicator(*values.k);
      for (std::size_t i = 0; i < indicator.size(); ++i) {
        indicator[i] = ((i == answer ? 1 : 0) - q) / (p - q);
      }
      return indicator;
    }
    default:
      return {(uniform(bits) < e / (e + 1) ? 1 : -1) * (e + 1) / (e - 1)};
  }
}

// With 20,000 rounds, a variance estimate has a relative error of about 1 %; the threshold is five times that
// error.
TEST(RoundVariance, IsThatOfWholeRounds) {
  for (const RandomizerKind kind :
       {RandomizerKind::gaussian, RandomizerKind::ldp_sgd, RandomizerKind::laplace, RandomizerKind::k_rr}) {
    const PlanValues values = values_with(kind);
    std::mt19937_64 bits(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double included = values.rate * (1 - values.dropout.at(1));
    constexpr int kRounds = 20'000;
    double squares = 0;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> mean(kind == RandomizerKind::k_rr ? *values.k : 1);
      for (std::uint64_t client = 0; client < values.clients; ++client) {
        if (uniform(bits) < included) {
          const std::vector<double> message = report(values, bits);
          for (std::size_t i = 0; i < mean.size(); ++i) {
            mean[i] += message[i] / (static_cast<double>(values.clients) * included);
          }
        }
      }
      for (std::size_t i = 0; i < mean.size(); ++i) {
        const double error = mean[i] - (i == 0 ? 1 : 0);
        squares += error * error;
      }
    }
    EXPECT_NEAR(squares / kRounds / round_variance(values), 1, 0.05) << name_of(kind);
  }
}

TEST(RoundVariance, ASlotTakesItsShareOfTheClients) {
  PlanValues values = values_with(RandomizerKind::gaussian);
  values.rate = 0.05;
  const double one = round_variance(values);
  values.protocol = Protocol::random_check_in_averaged;
  values.rate = 0.5;
  values.slots = 10;
  EXPECT_DOUBLE_EQ(round_variance(values), one);
}

// Draws the clients whose reports make up the estimate of one round or step, by the protocol's own rules. A
// dummy has the number `clients`.
std::vector<std::uint64_t> drawn(const PlanValues& values, std::mt19937_64& bits) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::uint64_t> everybody(values.clients), chosen;
  std::iota(everybody.begin(), everybody.end(), std::uint64_t{0});
  if (values.protocol == Protocol::shuffle) return everybody;
  if (values.protocol == Protocol::subset) {
    std::ranges::sample(everybody, std::back_inserter(chosen), static_cast<std::ptrdiff_t>(values.subset),
                        bits);
    return chosen;
  }
  // Each client of a window checks in at one of the window's slots. The first `batch` slots make up the step;
  // if the window slides, only the first one does.
  const bool sliding = values.protocol == Protocol::random_check_in_sliding;
  std::vector<std::vector<std::uint64_t>> present(values.slots);
  for (std::uint64_t client = 0; client < (sliding ? values.slots : values.clients); ++client) {
    if (uniform(bits) < values.rate * (1 - values.dropout.at(1))) {
      present[static_cast<std::size_t>(uniform(bits) * static_cast<double>(values.slots))].push_back(client);
    }
  }
  for (std::uint64_t slot = 0; slot < (sliding ? 1 : values.batch); ++slot) {
    const auto& here = present[slot];
    chosen.push_back(here.empty() ? values.clients : here[bits() % here.size()]);
  }
  return chosen;
}

// Clients hold 1 and -1 in turn, so that their mean is 0. With 20,000 rounds, a variance estimate has a
// relative error of about 1 %. The formula for a step of several slots ignores their correlation, which
// lowers the variance by 2 % here. The threshold is 5 %.
TEST(RoundVariance, IsThatOfEveryProtocolsOwnDraws) {
  PlanValues values = values_with(RandomizerKind::gaussian);
  values.subset = 8;
  values.slots = 20;
  values.rate = 0.9;
  values.batch = 5;
  for (const Protocol protocol : {Protocol::shuffle, Protocol::subset, Protocol::random_check_in_fixed,
                                  Protocol::random_check_in_sliding}) {
    values.protocol = protocol;
    const bool sliding = protocol == Protocol::random_check_in_sliding;
    const bool one_a_slot = sliding || protocol == Protocol::random_check_in_fixed;
    const double checked_in = values.rate * (1 - values.dropout.at(1)) / static_cast<double>(values.slots);
    const double filled =
        one_a_slot ? 1 - std::pow(1 - checked_in, sliding ? values.slots : values.clients) : 1;
    std::mt19937_64 bits(12);
    std::normal_distribution<double> noise(0, *values.sigma);
    constexpr int kRounds = 20'000;
    double squares = 0;
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<std::uint64_t> senders = drawn(values, bits);
      double sum = 0;
      for (const std::uint64_t client : senders) {
        sum += noise(bits) + (client == values.clients ? 0 : client % 2 == 0 ? 1 : -1);
      }
      const double estimate = sum / (static_cast<double>(senders.size()) * filled);
      squares += estimate * estimate;
    }
    EXPECT_NEAR(squares / kRounds / round_variance(values), 1, 0.05) << name_of(protocol);
  }
}

TEST(RoundVariance, ASubsetOfEverybodyIsAShuffle) {
  PlanValues values = values_with(RandomizerKind::laplace);
  values.protocol = Protocol::shuffle;
  const double all = round_variance(values);
  values.protocol = Protocol::subset;
  values.subset = values.clients;
  EXPECT_DOUBLE_EQ(round_variance(values), all);
  values.subset = values.clients = 1;
  EXPECT_DOUBLE_EQ(round_variance(values), 8 / (1.3 * 1.3));
}

TEST(RoundVariance, RefusesWhatDoesNotSayWhatAReportCarries) {
  EXPECT_THROW(round_variance(values_with(RandomizerKind::pure)), Error);
}

}  // namespace
}  // namespace muster::protocols
