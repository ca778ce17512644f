#include "muster/papers/random_allocation.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::accounting {
namespace {

// The expected epsilon is that of 1,000 clients in shuffle_gaussian_pair_test.cc, in the forward direction.
// It is 0.17172868, rounded to eight digits; tools/golden/shuffle_gaussian_pair.py computes it.
TEST(RandomAllocation, BracketsEpsilonQuickly) {
  const auto start = std::chrono::steady_clock::now();
  const numerics::Enclosure epsilon = RandomAllocation(1000, 1).epsilon(1e-6);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", static_cast<int>(time.count() * 1e3));
  EXPECT_LE(epsilon.lower, 0.171728685);
  EXPECT_GE(epsilon.upper, 0.171728675);
  EXPECT_LE(epsilon.upper, epsilon.lower * 1.001);
}

}  // namespace
}  // namespace muster::accounting
