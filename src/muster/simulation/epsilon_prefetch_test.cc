// Tests that of() returns the epsilon of the number of rounds it is given, also after a failure.
#include "muster/simulation/epsilon_prefetch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

namespace muster::simulation {
namespace {

double fails_at_two(std::uint64_t rounds) {
  if (rounds == 2) throw std::runtime_error("no epsilon");
  return 0.25 * static_cast<double>(rounds);
}

TEST(EpsilonPrefetch, ReturnsTheEpsilonOfTheRounds) {
  const std::function<double(std::uint64_t)> epsilon = fails_at_two;
  EpsilonPrefetch prefetch(epsilon);
  EXPECT_EQ(prefetch.of(4), 1);
  prefetch.start(8);
  EXPECT_EQ(prefetch.of(8), 2);
  EXPECT_EQ(prefetch.of(8), 2);
  prefetch.start(12);
  EXPECT_EQ(prefetch.of(4), 1);
  EXPECT_EQ(prefetch.of(12), 3);
}

// When of() is called again after a failure, it must not return the smaller epsilon of fewer rounds.
TEST(EpsilonPrefetch, AFailureIsNeverAnEpsilon) {
  const std::function<double(std::uint64_t)> epsilon = fails_at_two;
  EpsilonPrefetch prefetch(epsilon);
  prefetch.start(1);
  EXPECT_EQ(prefetch.of(1), 0.25);
  prefetch.start(2);
  EXPECT_THROW(prefetch.of(2), std::runtime_error);
  EXPECT_THROW(prefetch.of(2), std::runtime_error);
  EXPECT_EQ(prefetch.of(1), 0.25);
}

}  // namespace
}  // namespace muster::simulation
