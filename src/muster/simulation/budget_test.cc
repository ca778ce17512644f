// Compares the affordable number of rounds with its closed form if epsilon grows as the square root of the
// rounds, and counts the evaluations of epsilon.
#include "muster/simulation/budget.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::simulation {
namespace {

double root(std::uint64_t rounds) { return 0.5 * std::sqrt(static_cast<double>(rounds)); }

TEST(AffordableRounds, IsTheLastWithinTheBudget) {
  // With the budget b, 0.5 sqrt(T) <= b holds for T <= 4 b^2 rounds.
  EXPECT_EQ(affordable_rounds(root, 100, 10.0), 100);
  EXPECT_EQ(affordable_rounds(root, 100, 5.0), 100);  // a budget that is reached exactly is not exceeded
  EXPECT_EQ(affordable_rounds(root, 100, 4.999), 99);
  EXPECT_EQ(affordable_rounds(root, 1'000'000, 5.0), 100);
  EXPECT_EQ(affordable_rounds(root, 2, 0.5), 1);
  EXPECT_EQ(affordable_rounds(root, 0, 0.1), 0);
}

TEST(AffordableRounds, AsksFewQuestions) {
  int asked = 0;
  const auto counting = [&](std::uint64_t rounds) {
    ++asked;
    return root(rounds);
  };
  EXPECT_EQ(affordable_rounds(counting, 1 << 20, 100.0), 40'000);
  EXPECT_LE(asked, 23);
}

TEST(AffordableRounds, AFirstRoundThatPassesIsRefused) {
  for (const std::uint64_t rounds : {1, 2, 100}) {
    const Error error = error_of([&] { affordable_rounds(root, rounds, 0.4); });
    EXPECT_EQ(error.code(), ErrorCode::budget);
    EXPECT_EQ(error.key(), "privacy.budget");
  }
  // The budget that the error advises is enough, because it is rounded up.
  const auto third = [](std::uint64_t rounds) { return static_cast<double>(rounds) / 3; };
  const Error error = error_of([&] { affordable_rounds(third, 5, 0.1); });
  EXPECT_EQ(error.allowed(), "at least 0.333334");
  EXPECT_EQ(affordable_rounds(third, 5, 0.333334), 1);
  // An infinite epsilon exceeds every budget.
  EXPECT_ERROR(ErrorCode::budget, affordable_rounds([](std::uint64_t) { return INFINITY; }, 5, 1e300));
}

}  // namespace
}  // namespace muster::simulation
