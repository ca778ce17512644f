#include "muster/simulation/population.h"

#include <gtest/gtest.h>

#include <vector>

#include "muster/core/error.h"
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

TEST(Population, EachClientHoldsItsOwnExampleWhileTheyLast) {
  const learning::Dataset data = examples(10);
  for (const std::uint64_t clients : {1, 7, 10}) {
    const Population population({clients, clients % 2 == 0}, data, kKey);
    for (std::uint64_t client = 0; client < clients; ++client) {
      EXPECT_EQ(population.example_index(client), client);
    }
  }
}

TEST(Population, MoreClientsThanExamplesDrawUniformly) {
  constexpr double kAlpha = 1e-6;  // false-alarm rate; the seed is fixed, so the result is always the same
  constexpr std::uint64_t kClients = 10'000;
  const learning::Dataset data = examples(20);
  const Population population({kClients, true}, data, kKey);
  std::vector<std::uint64_t> held(20, 0);
  std::uint64_t in_turn = 0;
  for (std::uint64_t client = 0; client < kClients; ++client) {
    const std::uint64_t index = population.example_index(client);
    ASSERT_EQ(index, population.example_index(client));
    ++held.at(index);
    in_turn += index == client % 20 ? 1 : 0;
  }
  const auto uniform = testing::chi_squared_test(held, std::vector<double>(20, kClients / 20.0), kAlpha);
  EXPECT_TRUE(uniform.pass) << uniform.summary;
  // Giving client j example j mod 20 would also be uniform. With independent draws, a client holds that
  // example with probability 1/20.
  const auto drawn = testing::binomial_test(in_turn, kClients, 1.0 / 20, kAlpha);
  EXPECT_TRUE(drawn.pass) << drawn.summary;
}

TEST(Population, ClientsShareOnlyIfAsked) {
  const learning::Dataset data = examples(10);
  EXPECT_NO_THROW(Population({11, true}, data, kKey));
  try {
    const Population population({11, false}, data, kKey);
    ADD_FAILURE() << "eleven clients hold ten records";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.key(), "population.clients");
    EXPECT_EQ(error.value(), "11");
    EXPECT_EQ(error.allowed(), "integer 1..10, or more with population.share = true");
  }
}

TEST(Population, NeedsAnExample) {
  const learning::Dataset none;
  EXPECT_THROW(Population({3, true}, none, kKey), Error);
}

}  // namespace
}  // namespace muster::simulation
