// Tests how often the sent direction agrees with the gradient, at several norms, and the likelihood ratio of
// opposite gradients. A randomizer made for a larger epsilon0 must fail the test of the ratio.
#include "muster/randomizers/ldp_sgd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/direction.h"
#include "tests/support/statistics.h"

namespace muster::randomizers {
namespace {

constexpr double kAlpha = 1e-6;

// Counts the messages, out of n messages for `gradient`, whose signed direction has a positive inner product
// with `axis`.
std::uint64_t agreements(const VectorRandomizer& randomizer, const std::vector<float>& gradient,
                         const std::vector<float>& axis, std::uint64_t n, std::uint64_t seed) {
  const random::RunKey key = random::RunKey::from_seed(seed);
  const auto scratch = randomizer.make_scratch();
  std::vector<float> v(axis.size());
  std::uint64_t count = 0;
  Message message;
  for (std::uint64_t client = 0; client < n; ++client) {
    randomizer.randomize(gradient, key, 0, client, *scratch, message);
    const auto& sent = std::get<SignedDirectionMessage>(message);
    const double dot =
        random::fill_direction(random::RunKey::from_bytes(sent.seed), {random::Purpose::direction}, axis, v)
            .dot;
    count += (dot >= 0) == sent.positive;
  }
  return count;
}

std::vector<float> times(std::vector<float> x, float factor) {
  for (float& value : x) value *= factor;
  return x;
}

const std::vector<float> kAxis = {0.6f, 0.0f, -0.8f};  // norm 1
constexpr std::uint64_t kMessages = 200'000;

TEST(LdpSgd, TheBitHasTheStatedProbabilityAtEveryNorm) {
  const double epsilon0 = 1, p = std::exp(epsilon0) / (std::exp(epsilon0) + 1);
  const auto randomizer = make_ldp_sgd(epsilon0, 2.0, 3);
  for (float norm : {0.0f, 0.5f, 1.5f, 2.0f, 100.0f}) {
    const double share = std::min(1.0, static_cast<double>(norm) / 2);
    const double expected = p * (0.5 + share / 2) + (1 - p) * (0.5 - share / 2);
    const auto verdict = testing::binomial_test(
        agreements(*randomizer, times(kAxis, norm), kAxis, kMessages, static_cast<std::uint64_t>(norm)),
        kMessages, expected, kAlpha);
    EXPECT_TRUE(verdict.pass) << "norm " << norm << ": " << verdict.summary;
  }
}

// Counts how often the messages of two opposite gradients have a positive inner product with the axis: n1 and
// n2 times in equally many trials. No event distinguishes the two gradients better than this one. Given
// n1 + n2, n1 is about binomial, and the odds of a success are at most e^epsilon0. Returns false if n1 is too
// large for these odds.
bool ratio_passes(double true_epsilon0, double claimed_epsilon0, std::string& summary) {
  const auto randomizer = make_ldp_sgd(true_epsilon0, 1.0, 3);
  const std::uint64_t n1 = agreements(*randomizer, kAxis, kAxis, kMessages, 100);
  const std::uint64_t n2 = agreements(*randomizer, times(kAxis, -1), kAxis, kMessages, 200);
  const double odds = std::exp(claimed_epsilon0);
  const auto verdict = testing::binomial_test(n1, n1 + n2, odds / (1 + odds), kAlpha);
  summary = verdict.summary;
  const bool above = static_cast<double>(n1) > odds * static_cast<double>(n2);
  return verdict.pass || !above;
}

TEST(LdpSgd, TheLikelihoodRatioStaysWithinEpsilon) {
  std::string summary;
  for (double epsilon0 : {0.2, 1.0, 2.0}) {
    EXPECT_TRUE(ratio_passes(epsilon0, epsilon0, summary)) << epsilon0 << ": " << summary;
  }
  // The test must reject a randomizer whose coin flips too rarely, because it is made for a larger epsilon0
  // than is claimed.
  EXPECT_FALSE(ratio_passes(1.05, 1.0, summary)) << summary;
  EXPECT_FALSE(ratio_passes(2.05, 2.0, summary)) << summary;
}

TEST(LdpSgd, TheSeedIsTheFirstTwoPrivateWords) {
  const random::RunKey key = random::RunKey::from_seed(8);
  const auto randomizer = make_ldp_sgd(2, 1, 20);
  const auto scratch = randomizer->make_scratch();
  Message message;
  randomizer->randomize(std::vector<float>(20, 1), key, 6, 7, *scratch, message);
  random::KeyedStream bits(key, {random::Purpose::randomize, 6, 7});
  const std::uint64_t words[2] = {bits.next_u64(), bits.next_u64()};
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(std::get<SignedDirectionMessage>(message).seed[i],
              static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8))));
  }
}

TEST(LdpSgd, DecodesToTheStatedLengthAndOppositeVectors) {
  // kappa is 1, pi/2 and 2 for d = 1, 2 and 3.
  const double kappa[4] = {0, 1, M_PI / 2, 2};
  for (std::size_t d = 1; d <= 3; ++d) {
    const auto randomizer = make_ldp_sgd(2, 0.1, d);
    const auto scratch = randomizer->make_scratch();
    for (std::uint8_t seed = 0; seed < 50; ++seed) {
      MessageSum sum(d, randomizer->step()), opposite(d, randomizer->step());
      SignedDirectionMessage message{{seed}, true};
      randomizer->accumulate(message, *scratch, sum);
      message.positive = false;
      randomizer->accumulate(message, *scratch, opposite);
      double squared = 0;
      for (std::size_t i = 0; i < d; ++i) {
        EXPECT_EQ(sum.sums()[i], -opposite.sums()[i]);
        squared += std::pow(static_cast<double>(sum.sums()[i]) * sum.step(), 2);
      }
      EXPECT_NEAR(std::sqrt(squared) / (0.1 / std::tanh(1.0) * kappa[d]), 1, 1.5e-6) << d;
    }
  }
}

// The sum must not depend on whether a message's direction is still in the scratch, is made while another
// message is added, or occurs twice, nor on whether the message fits into 32-bit sums. In few dimensions, all
// normals of a direction may be small; they are then scaled up to many steps.
TEST(LdpSgd, MessagesTogetherAreTheSumOfMessagesAlone) {
  const random::RunKey key = random::RunKey::from_seed(5);
  for (const std::size_t d : {1u, 3u, 70u, 3000u}) {
    const auto randomizer = make_ldp_sgd(2, 0.1, d);
    const std::vector<float> gradient(d, 0.01f);
    const auto scratch = randomizer->make_scratch();
    std::vector<Message> messages;
    for (std::uint8_t i = 0; i < 100; ++i) {
      messages.emplace_back(SignedDirectionMessage{{static_cast<std::uint8_t>(i * i % 41)}, i % 3 == 0});
    }
    for (std::uint64_t client = 0; client < 5; ++client) {  // directions that are still held
      randomizer->randomize(gradient, key, 1, client, *scratch, messages.emplace_back());
    }
    std::rotate(messages.begin(), messages.end() - 5, messages.end());
    MessageSum expected = randomizer->make_sum();
    for (const Message& message : messages) {
      randomizer->accumulate(message, *randomizer->make_scratch(), expected);
    }
    for (const std::size_t at_a_time : {2u, 7u, 9u, 105u}) {
      MessageSum sum = randomizer->make_sum();
      for (std::size_t first = 0; first < messages.size(); first += at_a_time) {
        const std::size_t count = std::min(at_a_time, messages.size() - first);
        randomizer->accumulate_all(std::span(messages).subspan(first, count), *scratch, sum);
      }
      EXPECT_EQ(sum.count(), messages.size());
      EXPECT_TRUE(std::ranges::equal(sum.sums(), expected.sums())) << d << ", " << at_a_time << " at a time";
    }
  }
}

TEST(LdpSgd, DescribesWhatItDoes) {
  const auto randomizer = make_ldp_sgd(1.5, 0.1, 10);
  EXPECT_EQ(std::get<accounting::LdpSgdLocal>(randomizer->description()).epsilon0(), 1.5);
  EXPECT_EQ(randomizer->dimension(), 10u);
  EXPECT_EQ(std::ldexp(1.0, std::ilogb(randomizer->step())), randomizer->step());
  EXPECT_ERROR(ErrorCode::plan, make_ldp_sgd(0, 1, 10));
  EXPECT_ERROR(ErrorCode::plan, make_ldp_sgd(1, 0, 10));
}

}  // namespace
}  // namespace muster::randomizers
