// Checks that charging in pieces equals charging at once, that the cost of different rounds lies between that
// of only the cheapest rounds and that of only the most expensive rounds, and that a product of two laws is
// bounded closely.
#include "muster/accounting/running_accountant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "muster/accounting/accountant.h"
#include "muster/accounting/round_kinds.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/describe/stage.h"

namespace muster::accounting {
namespace {

ShuffledCheckIn check_in(std::uint64_t clients, double rate) {
  return {ClientCount::of(clients), Rate::of(rate)};
}

TEST(RunningAccountant, EqualRoundsAgreeWithTheAccountant) {
  const Delta delta = Delta::of(1e-6);
  for (const Mechanism& mechanism : {Mechanism(PureLocal{2}), Mechanism(GaussianLocal{5})}) {
    const Accountant accountant(mechanism, check_in(20'000, 0.1));
    RunningAccountant running(delta);
    for (const std::uint64_t more : {3ull, 97ull, 400ull}) {
      running.charge(mechanism, check_in(20'000, 0.1), more);
      const Statement s =
          accountant.account(running.rounds(), {Question::Kind::epsilon_at_delta, delta.value()});
      const numerics::Enclosure got = running.epsilon();
      EXPECT_NEAR(got.upper, *s.best.upper, 2e-4 * got.upper) << running.rounds();
      EXPECT_NEAR(got.lower, *s.best.lower, 2e-3 * got.lower) << running.rounds();
      EXPECT_GE(got.upper, *s.best.lower);
      EXPECT_LE(got.lower, *s.best.upper);
    }
    EXPECT_EQ(running.rounds(), 500);
  }
}

// If tables ended where the tail is 1e-42, questions for deltas this small would be answered by the local
// guarantees alone, although the accountant for rounds that are all alike composes the rounds at these
// deltas.
TEST(RunningAccountant, TheSmallestDeltasAreComposed) {
  for (const double delta : {1e-60, 1e-130, 1e-270}) {
    RunningAccountant running(Delta::of(delta));
    running.charge(PureLocal{1}, check_in(100'000, 0.1), 1'000);
    const Statement s = Accountant(PureLocal{1}, check_in(100'000, 0.1))
                            .account(1'000, {Question::Kind::epsilon_at_delta, delta});
    ASSERT_TRUE(s.best.upper && s.best.lower && s.local_upper);
    SCOPED_TRACE(delta);
    EXPECT_GE(running.epsilon().upper, *s.best.lower);
    EXPECT_LE(running.epsilon().upper, 1.02 * *s.best.upper);
    EXPECT_LT(running.epsilon().upper, 0.1 * *s.local_upper);
  }
}

TEST(RunningAccountant, ItsRoundsAreLimited) {
  RunningAccountant running(Delta::of(1e-5));
  EXPECT_EQ(running.epsilon().upper, 0);
  running.charge(PureLocal{1e-3}, check_in(100'000, 0.1), 1'000);
  const double before = running.epsilon().upper;
  for (const std::uint64_t more : {kMaxRounds, kMaxRounds - 999, std::uint64_t{0} - 1}) {
    EXPECT_ERROR(ErrorCode::plan, running.charge(PureLocal{1e-3}, check_in(100'000, 0.1), more)) << more;
  }
  EXPECT_EQ(running.rounds(), 1'000);
  EXPECT_EQ(running.epsilon().upper, before);
  running.charge(PureLocal{1e-3}, check_in(100'000, 0.1), kMaxRounds - 1'000);
  EXPECT_EQ(running.rounds(), kMaxRounds);
  EXPECT_GT(running.epsilon().upper, before);
}

TEST(RunningAccountant, OrderAndSplitDoNotMatter) {
  RunningAccountant one(Delta::of(1e-5));
  RunningAccountant other(Delta::of(1e-5));
  one.charge(GaussianLocal{6}, check_in(60'000, 0.1), 100);
  one.charge(GaussianLocal{4}, check_in(60'000, 0.05), 50);
  for (int i = 0; i < 50; ++i) {
    other.charge(GaussianLocal{4}, check_in(60'000, 0.05));
    other.charge(GaussianLocal{6}, check_in(60'000, 0.1), 2);
  }
  EXPECT_NEAR(one.epsilon().upper, other.epsilon().upper, 1e-8 * one.epsilon().upper);
  EXPECT_EQ(one.rounds(), other.rounds());
}

TEST(RunningAccountant, DifferentRoundsLieBetweenTheExtremes) {
  const Delta delta = Delta::of(1e-6);
  const auto epsilon = [&](double epsilon0) {
    return Accountant(PureLocal{epsilon0}, check_in(10'000, 0.2)).epsilon_upper(60, delta);
  };
  RunningAccountant running(delta);
  double before = 0;
  for (const double epsilon0 : {0.5, 1.0, 2.0}) {
    running.charge(PureLocal{epsilon0}, check_in(10'000, 0.2), 20);
    EXPECT_GT(running.epsilon().upper, before);
    before = running.epsilon().upper;
  }
  EXPECT_GT(before, epsilon(0.5));
  EXPECT_LT(before, epsilon(2.0));
  EXPECT_LE(running.epsilon().lower, running.epsilon().upper);
}

// A single client has no amplification, so the truth for two rounds is the divergence of a product of two
// randomized responses.
TEST(RunningAccountant, TwoMessagesOfOneClientAreAProduct) {
  RunningAccountant running(Delta::of(1e-2));
  const double first = 1.0;
  const double second = 0.3;
  running.charge(PureLocal{first}, Shuffle{ClientCount::of(1)});
  running.charge(PureLocal{second}, Shuffle{ClientCount::of(1)});
  const auto p = [](double e, bool own) {
    return own ? std::exp(e) / (1 + std::exp(e)) : 1 / (1 + std::exp(e));
  };
  for (const double epsilon : {0.0, 0.2, 0.7, 1.0, 1.29}) {
    double truth = 0;
    for (const bool a : {true, false}) {
      for (const bool b : {true, false}) {
        truth += std::max(0.0, p(first, a) * p(second, b) - std::exp(epsilon) * p(first, !a) * p(second, !b));
      }
    }
    EXPECT_GE(running.delta_upper(epsilon), truth * (1 - 1e-12)) << epsilon;
    EXPECT_LE(running.delta_upper(epsilon), truth + 0.02) << epsilon;
  }
}

TEST(RunningAccountant, NothingChargedCostsNothingAndBadDescriptionsAreRefused) {
  RunningAccountant running(Delta::of(1e-5));
  EXPECT_EQ(running.epsilon().upper, 0);
  EXPECT_EQ(running.epsilon().lower, 0);
  EXPECT_ERROR(ErrorCode::plan, running.charge(PureLocal{-1}, check_in(10, 0.1)));
  EXPECT_EQ(running.rounds(), 0);
}

// The three stages have few reports, and delta is so small that only the search for epsilon chooses a lattice
// on which the losses can be composed well. Delta at the epsilon found is 2.6e-20 on the lattice that is
// chosen for it, or 2.2e-20 on a processor that does not fuse multiply-adds. A check of epsilon by this delta
// alone would take the answer for a defect.
TEST(RunningAccountant, AnEpsilonIsCheckedByTheMeansThatFoundIt) {
  constexpr double kTarget = 1e-20, kMoreWork = 3.75;
  RunningAccountant running(Delta::of(kTarget), std::make_shared<RoundKinds>(ChargedBy::smallest_bound, 3),
                            kMoreWork);
  for (const auto& [dropout, rounds] : {std::pair{0.1, 299}, {0.2, 400}, {0.35, 301}}) {
    const Participation participation =
        ShuffledCheckIn{ClientCount::of(100'000), Rate::of(1e-6 * (1 - dropout))};
    running.charge(GaussianLocal(2), participation, static_cast<std::uint64_t>(rounds));
  }
  const double epsilon = running.epsilon().upper;
  EXPECT_GT(running.delta_upper(epsilon), kTarget);
  EXPECT_LE(running.delta_upper_as_searched(epsilon), kTarget);
}

}  // namespace
}  // namespace muster::accounting
