// What the tests of the coordinate samplers linf and l1 share: the law of a message for given shares
// (signed_index.h), and its comparison with the messages that are sent. Call the functions from the thread of
// the test.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/randomizers/signed_index.h"
#include "tests/support/statistics.h"

namespace muster::randomizers {

inline constexpr std::uint64_t kSignedIndexMessages = 100'000;

// Returns the law of a message (index j, sign), computed from the definition and not from the coins. With D
// shares, the probability is (1/D)(1/2 +- share_j / (2 c)). The result holds the probability of (j, +) at
// position 2 j + 1, and that of (j, -) at position 2 j.
inline std::vector<double> law_of_shares(const std::vector<double>& shares, double epsilon0) {
  const double c = (std::exp(epsilon0) + 1) / (std::exp(epsilon0) - 1);
  std::vector<double> law;
  for (double share : shares) {
    for (double sign : {-1.0, 1.0}) {
      law.push_back((0.5 + sign * share / (2 * c)) / static_cast<double>(shares.size()));
    }
  }
  return law;
}

// Compares kSignedIndexMessages messages of `gradient` with a law; the false-alarm probability is 10^-6.
inline testing::Verdict messages_have_law(const VectorRandomizer& randomizer,
                                          const std::vector<float>& gradient, const std::vector<double>& law,
                                          std::uint64_t seed) {
  const random::RunKey key = random::RunKey::from_seed(seed);
  const auto scratch = randomizer.make_scratch();
  std::vector<std::uint64_t> counts(2 * randomizer.sum_size());
  Message message;
  for (std::uint64_t client = 0; client < kSignedIndexMessages; ++client) {
    randomizer.randomize(gradient, key, 0, client, *scratch, message);
    const auto& sent = std::get<SignedIndexMessage>(message);
    ++counts[2 * sent.index + (sent.positive ? 1 : 0)];
  }
  std::vector<double> expected = law;
  for (double& value : expected) value *= static_cast<double>(kSignedIndexMessages);
  return testing::chi_squared_test(counts, expected, 1e-6);
}

// Expects the messages of make(epsilon0) for each input to have the law law(input), and the same comparison
// to reject the messages of make(1.1 epsilon0) for inputs[told].
template <typename Make, typename Law>
void expect_messages_have_law(const Make& make, double epsilon0,
                              const std::vector<std::vector<float>>& inputs, const Law& law,
                              std::size_t told) {
  const auto randomizer = make(epsilon0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto verdict = messages_have_law(*randomizer, inputs[i], law(inputs[i]), i);
    EXPECT_TRUE(verdict.pass) << i << ": " << verdict.summary;
  }
  const auto verdict = messages_have_law(*make(1.1 * epsilon0), inputs[told], law(inputs[told]), 9);
  EXPECT_FALSE(verdict.pass) << verdict.summary;
}

// Expects the likelihood ratio of any two inputs to be at most e^epsilon0 for every message, up to rounding.
// flip_test.cc tests the ratio of the coins exactly.
template <typename Law>
void expect_every_ratio_within(double epsilon0, const std::vector<std::vector<float>>& inputs,
                               const Law& law) {
  std::vector<std::vector<double>> laws;
  for (const auto& input : inputs) laws.push_back(law(input));
  for (const auto& p : laws) {
    for (const auto& r : laws) {
      ASSERT_EQ(p.size(), r.size());
      for (std::size_t i = 0; i < p.size(); ++i) EXPECT_LE(p[i] / r[i], std::exp(epsilon0) * (1 + 1e-14));
    }
  }
}

}  // namespace muster::randomizers
