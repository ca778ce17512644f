// Compares mean and worst tenth over clients with values computed by hand from scores by label.
#include "muster/simulation/client_accuracy.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster::simulation {
namespace {

const random::RunKey kKey = random::RunKey::from_seed(1);

// Returns records of which record i has the label i mod 4.
learning::Dataset records(std::size_t count) {
  learning::Dataset data;
  data.shape = {1, 1, 1};
  data.classes = 4;
  for (std::size_t i = 0; i < count; ++i) {
    data.labels.push_back(static_cast<std::uint8_t>(i % 4));
    data.values.push_back(0);
  }
  return data;
}

// Each of twenty clients holds one record, so a client's accuracy is the accuracy for its record's label.
TEST(ClientAccuracy, IsTheMeanOverClientsAndOverTheWorstTenth) {
  const learning::Dataset data = records(20);
  const Population population({.clients = 20}, data, kKey);
  const std::vector<LabelScore> scores = {{10, 5}, {10, 10}, {10, 8}, {2, 1}};
  const auto by_client = ClientAccuracy(population).of(scores);
  ASSERT_TRUE(by_client);
  EXPECT_DOUBLE_EQ(by_client->mean, (0.5 + 1 + 0.8 + 0.5) / 4);
  EXPECT_DOUBLE_EQ(by_client->worst_decile, 0.5);
  // The lowest tenth of three clients is one client.
  EXPECT_DOUBLE_EQ(ClientAccuracy(population, 3).of(scores)->worst_decile, 0.5);
  EXPECT_DOUBLE_EQ(ClientAccuracy(population, 3).of(scores)->mean, (0.5 + 1 + 0.8) / 3);
}

// The lowest tenth of eleven clients is two clients, with accuracies 0 and 0.6.
TEST(ClientAccuracy, TheWorstTenthIsRoundedUp) {
  learning::Dataset data = records(11);
  data.labels.assign(11, 1);
  data.labels[0] = 0;
  const Population population({.clients = 11}, data, kKey);
  EXPECT_DOUBLE_EQ(
      ClientAccuracy(population).of(std::vector<LabelScore>{{10, 0}, {10, 6}, {}, {}})->worst_decile, 0.3);
}

// The fractions of correct predictions are averaged over the labels of the client's own records.
TEST(ClientAccuracy, OfSeveralRecordsFollowsTheirLabels) {
  const learning::Dataset data = records(12);
  const Population population({.clients = 1, .each = 12, .partition = protocols::Partition{}}, data, kKey);
  const auto by_client =
      ClientAccuracy(population).of(std::vector<LabelScore>{{4, 1}, {4, 2}, {4, 3}, {4, 4}});
  EXPECT_DOUBLE_EQ(by_client->mean, 0.625);
  EXPECT_DOUBLE_EQ(by_client->worst_decile, 0.625);
}

TEST(ClientAccuracy, LabelsWithoutTestExamplesAreLeftOut) {
  const learning::Dataset data = records(4);
  const Population population({.clients = 4}, data, kKey);
  EXPECT_DOUBLE_EQ(ClientAccuracy(population).of(std::vector<LabelScore>{{0, 0}, {2, 1}, {}, {}})->mean, 0.5);
  EXPECT_FALSE(ClientAccuracy(population).of(std::vector<LabelScore>(4)));
}

}  // namespace
}  // namespace muster::simulation
