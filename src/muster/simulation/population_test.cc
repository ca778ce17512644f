// Checks which records each client holds. If there are enough records, every client has its own. Otherwise
// records are drawn, which must be uniform by a chi-squared test and follow the rule of the first version.
#include "muster/simulation/population.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/samplers.h"
#include "tests/support/statistics.h"

namespace muster::simulation {
namespace {

learning::Dataset examples(std::size_t count) {
  learning::Dataset data;
  data.labels.assign(count, 0);
  data.bytes.assign(count * learning::kImagePixels, 0);
  return data;
}

const random::RunKey kKey = random::RunKey::from_seed(1);

std::vector<Record> records_of(const Population& population, std::uint64_t client) {
  std::vector<Record> room;
  const std::span<const Record> records = population.records(client, room);
  return {records.begin(), records.end()};
}

TEST(Population, EachClientHoldsItsOwnExampleWhileTheyLast) {
  const learning::Dataset data = examples(10);
  for (const std::uint64_t clients : {1, 7, 10}) {
    const Population population({.clients = clients, .share = clients % 2 == 0}, data, kKey);
    for (std::uint64_t client = 0; client < clients; ++client) {
      EXPECT_EQ(records_of(population, client), std::vector<Record>{static_cast<Record>(client)});
    }
  }
}

TEST(Population, MoreClientsThanExamplesDrawUniformly) {
  constexpr double kAlpha = 1e-6;  // false-alarm rate of each statistical test; the seed is fixed
  constexpr std::uint64_t kClients = 10'000;
  const learning::Dataset data = examples(20);
  const Population population({.clients = kClients, .share = true}, data, kKey);
  std::vector<std::uint64_t> held(20, 0);
  std::uint64_t in_turn = 0;
  for (std::uint64_t client = 0; client < kClients; ++client) {
    const std::uint64_t index = records_of(population, client).at(0);
    ASSERT_EQ(index, records_of(population, client).at(0));
    ++held.at(index);
    in_turn += index == client % 20 ? 1 : 0;
  }
  const auto uniform = testing::chi_squared_test(held, std::vector<double>(20, kClients / 20.0), kAlpha);
  EXPECT_TRUE(uniform.pass) << uniform.summary;
  // If client j always held example j mod 20, the examples would be equally frequent as well. With
  // independent draws, a client holds that example only with probability 1/20.
  const auto drawn = testing::binomial_test(in_turn, kClients, 1.0 / 20, kAlpha);
  EXPECT_TRUE(drawn.pass) << drawn.summary;
}

// Shared records must be drawn by the rule of the first version, so that runs of released plans can be
// repeated.
TEST(Population, SharedRecordsAreThoseOfTheFirstVersion) {
  const learning::Dataset data = examples(20);
  const Population population({.clients = 100, .share = true}, data, kKey);
  for (std::uint64_t client = 0; client < 100; ++client) {
    random::KeyedStream draw(kKey, {random::Purpose::bootstrap, 0, client});
    EXPECT_EQ(records_of(population, client).at(0), random::uniform_below(draw, 20));
  }
}

TEST(Population, ClientsHoldTheRecordsOfTheirOwners) {
  learning::Dataset data = examples(6);
  data.owners = {0, 1, 0, 2, 2, 0};
  const Population population({.clients = 5, .by_owner = true}, data, kKey);
  EXPECT_EQ(records_of(population, 0), (std::vector<Record>{0, 2, 5}));
  EXPECT_EQ(records_of(population, 1), (std::vector<Record>{1}));
  EXPECT_EQ(records_of(population, 2), (std::vector<Record>{3, 4}));
  for (const std::uint64_t without : {3U, 4U}) EXPECT_TRUE(records_of(population, without).empty());
  EXPECT_EQ(clients_per_record({.clients = 5, .by_owner = true}, 6), 1);
  const Error error =
      error_of([&] { const Population too_few({.clients = 2, .by_owner = true}, data, kKey); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "population.clients");
  EXPECT_EQ(error.allowed(), "integer >= 3");
}

TEST(Population, ClientsHoldSeveralRecordsOfTheirOwn) {
  const learning::Dataset data = examples(40);
  const Population population({.clients = 10, .each = 4, .partition = protocols::Partition{}}, data, kKey);
  std::set<Record> held;
  for (std::uint64_t client = 0; client < 10; ++client) {
    const std::vector<Record> records = records_of(population, client);
    EXPECT_EQ(records.size(), 4U);
    held.insert(records.begin(), records.end());
  }
  EXPECT_EQ(held.size(), 40U);
}

std::string refusal(const Holdings& holdings, const learning::Dataset& data) {
  try {
    const Population population(holdings, data, kKey);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan);
    return error.what();
  }
  return "accepted";
}

TEST(Population, RefusalsNameBothKeysAndWhatWouldDo) {
  const learning::Dataset data = examples(40);
  EXPECT_EQ(
      refusal({.clients = 10, .each = 5}, data),
      "population.clients = 10 with population.records = 5 each needs more than the 40 training records of "
      "population.data; allowed: integer 1..8, or population.share = true, which lets several clients hold "
      "the "
      "same record");
  EXPECT_EQ(refusal({.clients = 2, .each = 41}, data),
            "population.records = 41 is more than the 40 training records of population.data, for each of "
            "population.clients = 2; allowed: integer 1..40, or population.share = true, which lets several "
            "clients "
            "hold the same record");
  EXPECT_EQ(refusal({.clients = 1'000'000'000'000, .each = 1'000'000'000}, data).substr(0, 34),
            "population.records = 1000000000 is");
  EXPECT_EQ(refusal({.clients = 2, .each = 41, .share = true}, data), "accepted");
}

TEST(Population, SaysHowManyClientsHoldARecord) {
  EXPECT_EQ(clients_per_record({.clients = 10, .each = 4}, 40), 1);
  EXPECT_EQ(clients_per_record({.clients = 10, .each = 5}, 40), 1.25);
  EXPECT_EQ(clients_per_record({.clients = 1'000'000'000'000, .each = 1'000'000'000}, 1000), 1e18);
}

TEST(Population, ClientsShareOnlyIfAsked) {
  const learning::Dataset data = examples(10);
  EXPECT_NO_THROW(Population({.clients = 11, .share = true}, data, kKey));
  const Error error = error_of([&] { const Population population({.clients = 11}, data, kKey); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "population.clients");
  EXPECT_EQ(error.value(), "11");
}

TEST(Population, NeedsAnExample) {
  const learning::Dataset none;
  EXPECT_ERROR(ErrorCode::data, Population({.clients = 3, .share = true}, none, kKey));
}

}  // namespace
}  // namespace muster::simulation
