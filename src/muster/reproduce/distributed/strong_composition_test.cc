// Strong composition at the best delta of a round must cost no more than at one fixed delta, and less than
// with twice the rounds or half the reports.
#include "muster/reproduce/distributed/strong_composition.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/papers/optimal_composition.h"
#include "muster/papers/published/published_shuffle_gaussian.h"

namespace muster::reproduce {
namespace {

TEST(StrongComposition, IsNoLargerThanAtOneDeltaOfARound) {
  const accounting::published_distributed::DistributedRound round{60'000, 1e-3, 0.65};
  constexpr double kReports = 30, kDelta = 1e-5, kShare = 1e-4;
  const double mu = 1 / (round.sigma * std::sqrt(kReports));
  for (const std::uint64_t rounds : {100, 3400}) {
    const auto all = accounting::published_shuffle_gaussian::gaussian_guarantee(
        mu, kShare * kDelta / (static_cast<double>(rounds) * round.rate));
    const auto one = accounting::advanced_composition_epsilon_upper(accounting::subsampled(all, round.rate),
                                                                    rounds, kDelta);
    const auto best = strong_composition_epsilon(round, kReports, rounds, kDelta);
    ASSERT_TRUE(one && best);
    EXPECT_LE(*best, *one);
    EXPECT_GT(*best, 0.2 * *one);
    EXPECT_LT(*best, strong_composition_epsilon(round, kReports, 2 * rounds, kDelta).value());
    EXPECT_LT(*best, strong_composition_epsilon(round, kReports / 2, rounds, kDelta).value());
  }
}

}  // namespace
}  // namespace muster::reproduce
