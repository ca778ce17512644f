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
#include "muster/core/error_of_test.h"
#include "tests/support/statistics.h"

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

constexpr std::size_t kRounds = 20'000;

// Tests at a false-alarm rate of 1e-6 whether the squared errors of simulated rounds have the mean
// `expected`. The law of their mean is close to a normal one, whose deviation is estimated from the same
// rounds.
testing::Verdict squares_test(const std::vector<double>& squares, double expected) {
  constexpr double kAlpha = 1e-6;
  const double n = static_cast<double>(squares.size());
  const double mean = std::accumulate(squares.begin(), squares.end(), 0.0) / n;
  const double total = std::accumulate(squares.begin(), squares.end(), 0.0, [&](double sum, double square) {
    return sum + (square - mean) * (square - mean);
  });
  return testing::mean_test(mean, expected, std::sqrt(total / (n - 1)), squares.size(), kAlpha);
}

// Passes if the squares have this mean, and if the test rejects the claim that their mean is 10 % larger.
void expect_mean_of_squares(const std::vector<double>& squares, double expected, const char* name) {
  const testing::Verdict verdict = squares_test(squares, expected);
  EXPECT_TRUE(verdict.pass) << name << ": " << verdict.summary;
  EXPECT_FALSE(squares_test(squares, 1.1 * expected).pass) << name;
}

TEST(RoundVariance, IsThatOfWholeRounds) {
  for (const RandomizerKind kind :
       {RandomizerKind::gaussian, RandomizerKind::ldp_sgd, RandomizerKind::laplace, RandomizerKind::k_rr}) {
    const PlanValues values = values_with(kind);
    std::mt19937_64 bits(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double included = values.rate * (1 - values.dropout.at(1));
    std::vector<double> squares(kRounds);
    for (double& square : squares) {
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
        square += error * error;
      }
    }
    expect_mean_of_squares(squares, round_variance(values), name_of(kind));
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
  // Each client of a window checks in at one of the window's slots or does not check in. The first `batch`
  // slots make up the step; if the window slides, only the first one does.
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

// Returns what the formula leaves out where a step consists of several slots: the covariance of the values
// that two filled slots contribute. Two filled slots draw two different clients. Since all N clients' values
// are 1 or -1 and sum to 0, the mean product of two different clients' values is -1 / (N - 1), so this term
// is negative. If c is the probability that a client checks in at a given slot, two slots are both filled
// with probability 1 - 2 (1-c)^N + (1-2c)^N.
double correlation_of_slots(const PlanValues& values, double c, double filled) {
  if (values.protocol != Protocol::random_check_in_fixed) return 0;
  const double n = static_cast<double>(values.clients), slots = static_cast<double>(values.batch);
  const double both = 1 - 2 * std::pow(1 - c, n) + std::pow(1 - 2 * c, n);
  return -slots * (slots - 1) * both / (n - 1) / (slots * filled * slots * filled);
}

// Clients hold 1 and -1 in turn, so that their mean is 0.
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
    std::vector<double> squares;
    while (squares.size() < kRounds) {
      const std::vector<std::uint64_t> senders = drawn(values, bits);
      double sum = 0;
      for (const std::uint64_t client : senders) {
        sum += noise(bits) + (client == values.clients ? 0 : client % 2 == 0 ? 1 : -1);
      }
      const double estimate = sum / (static_cast<double>(senders.size()) * filled);
      squares.push_back(estimate * estimate);
    }
    expect_mean_of_squares(squares, round_variance(values) + correlation_of_slots(values, checked_in, filled),
                           name_of(protocol));
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
  EXPECT_ERROR(ErrorCode::plan, round_variance(values_with(RandomizerKind::pure)));
}

}  // namespace
}  // namespace muster::protocols
