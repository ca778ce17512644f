// The mean of messages must have the same bits whatever their order and however they are divided among
// aggregators, and an aggregator must take nothing but messages.
#include "muster/protocols/aggregate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "muster/protocols/shuffle.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/ldp_sgd.h"

namespace muster::protocols {
namespace {

constexpr std::size_t kDimension = 257;
constexpr std::uint64_t kClients = 100;

// Checks that an aggregator can only be given messages: receive() takes no client, round or position.
template <typename... Extra>
concept Receives = requires(Aggregator aggregator, std::span<const randomizers::Message> messages,
                            Extra... extra) {
  aggregator.receive(messages, extra...);
};
static_assert(Receives<>);
static_assert(!Receives<std::uint64_t>);

std::vector<randomizers::Message> messages_of(const randomizers::VectorRandomizer& randomizer) {
  const auto scratch = randomizer.make_scratch();
  const random::RunKey key = random::RunKey::from_seed(3);
  std::vector<randomizers::Message> messages(kClients);
  std::vector<float> gradient(kDimension);
  for (std::uint64_t client = 0; client < kClients; ++client) {
    for (std::size_t i = 0; i < kDimension; ++i) {
      gradient[i] = std::sin(static_cast<float>(client + 3 * i));
    }
    randomizer.randomize(gradient, key, 1, client, *scratch, messages[client]);
  }
  return messages;
}

std::vector<float> mean_of(const randomizers::VectorRandomizer& randomizer,
                           const std::vector<randomizers::Message>& messages) {
  const auto scratch = randomizer.make_scratch();
  Aggregator aggregator(randomizer, *scratch);
  for (const randomizers::Message& message : messages) {
    aggregator.receive({&message, 1});
  }
  EXPECT_EQ(aggregator.count(), messages.size());
  std::vector<float> mean(kDimension);
  aggregator.mean(mean);
  return mean;
}

class AggregatorTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<randomizers::VectorRandomizer> randomizer_ =
      GetParam() ? randomizers::make_ldp_sgd(2.0, 0.5, kDimension)
                 : randomizers::make_gaussian(1.0, 0.5, kDimension);
};

TEST_P(AggregatorTest, TheOrderOfMessagesChangesNoBit) {
  std::vector<randomizers::Message> messages = messages_of(*randomizer_);
  const std::vector<float> before = mean_of(*randomizer_, messages);
  secret_shuffle(std::span(messages), 1);
  EXPECT_EQ(mean_of(*randomizer_, messages), before);
}

TEST_P(AggregatorTest, ShardsMergeToTheSameBits) {
  const std::vector<randomizers::Message> messages = messages_of(*randomizer_);
  const auto scratch_a = randomizer_->make_scratch();
  const auto scratch_b = randomizer_->make_scratch();
  Aggregator a(*randomizer_, *scratch_a);
  Aggregator b(*randomizer_, *scratch_b);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    (i % 3 == 0 ? a : b).receive({&messages[i], 1});
  }
  a.merge(b);
  std::vector<float> merged(kDimension);
  a.mean(merged);
  EXPECT_EQ(merged, mean_of(*randomizer_, messages));
  b.next_round();
  b.receive(messages);
  b.mean(merged);
  EXPECT_EQ(merged, mean_of(*randomizer_, messages));
}

TEST_P(AggregatorTest, NoMessagesMeanZeroAndARoundLeavesNothingBehind) {
  const auto scratch = randomizer_->make_scratch();
  Aggregator aggregator(*randomizer_, *scratch);
  std::vector<float> mean(kDimension, 1.0f);
  aggregator.mean(mean);
  EXPECT_EQ(mean, std::vector<float>(kDimension, 0.0f));
  const std::vector<randomizers::Message> messages = messages_of(*randomizer_);
  aggregator.receive({messages.data(), 1});
  EXPECT_EQ(aggregator.count(), 1);
  aggregator.next_round();
  EXPECT_EQ(aggregator.count(), 0);
  aggregator.mean(mean);
  EXPECT_EQ(mean, std::vector<float>(kDimension, 0.0f));
}

INSTANTIATE_TEST_SUITE_P(Randomizers, AggregatorTest, ::testing::Bool(),
                         [](const auto& parameter) { return parameter.param ? "ldp_sgd" : "gaussian"; });

}  // namespace
}  // namespace muster::protocols
