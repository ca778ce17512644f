// Checks that equal stages give the accountant's answer, that a schedule's cost lies between the cost of only
// its cheapest rounds and that of only its most expensive rounds, and that the enumerated truth of two rounds
// lies below the bound and near it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/numerics/work.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting {
namespace {

constexpr double kDelta = 1e-6;
const Question kEpsilon{Question::Kind::epsilon_at_delta, kDelta};

ShuffledCheckIn check_in(std::uint64_t clients, double rate) {
  return {ClientCount::of(clients), Rate::of(rate)};
}

TEST(ScheduledAccountant, StagesThatAreAlikeAgreeWithTheAccountant) {
  for (const Mechanism& mechanism : {Mechanism(PureLocal{2}), Mechanism(GaussianLocal{5})}) {
    const Accountant accountant(mechanism, check_in(20'000, 0.1));
    const Accountant scheduled(mechanism, {{check_in(20'000, 0.1), 100}, {check_in(20'000, 0.1), 300}});
    const Statement expected = accountant.account(400, kEpsilon);
    const Statement got = scheduled.account(kEpsilon);
    EXPECT_EQ(got.best.id, "different-rounds");
    EXPECT_EQ(got.rounds, 400);
    EXPECT_NEAR(*got.best.upper, *expected.best.upper, 2e-4 * *expected.best.upper);
    EXPECT_NEAR(*got.best.lower, *expected.best.lower, 2e-3 * *expected.best.lower);
    EXPECT_DOUBLE_EQ(*got.local_upper, *expected.local_upper);
    EXPECT_LT(got.best.numerical_error, 2e-3 * *got.best.upper);
    for (const std::uint64_t rounds : {60ull, 250ull}) {
      const double epsilon = accountant.epsilon_upper(rounds, Delta::of(kDelta));
      EXPECT_NEAR(scheduled.epsilon_upper(rounds, Delta::of(kDelta)), epsilon, 1e-3 * epsilon) << rounds;
    }
  }
}

TEST(ScheduledAccountant, StagesThatDifferLieBetweenTheExtremes) {
  const PureLocal mechanism{2};
  const Delta delta = Delta::of(kDelta);
  const Accountant scheduled(
      mechanism,
      {{check_in(20'000, 0.1), 100}, {check_in(20'000, 0.05), 100}, {check_in(20'000, 0.08), 100}});
  double before = 0;
  for (std::uint64_t rounds = 60; rounds <= 300; rounds += 120) {
    const double epsilon = scheduled.epsilon_upper(rounds, delta);
    EXPECT_GT(epsilon, before) << rounds;
    before = epsilon;
  }
  const Statement all = scheduled.account(kEpsilon);
  EXPECT_DOUBLE_EQ(before, *all.best.upper);
  EXPECT_LT(before, Accountant(mechanism, check_in(20'000, 0.1)).epsilon_upper(300, delta));
  EXPECT_GT(before, Accountant(mechanism, check_in(20'000, 0.05)).epsilon_upper(300, delta));
  EXPECT_LT(*all.best.lower, *all.best.upper);
  EXPECT_GT(*all.best.lower, 0.6 * *all.best.upper);
  EXPECT_EQ(scheduled.epsilon_upper(0, delta), 0);
  EXPECT_ERROR(ErrorCode::plan, scheduled.epsilon_upper(301, delta));
}

TEST(ScheduledAccountant, DeltaAtAnEpsilonIsTheSameCurve) {
  const Accountant scheduled(PureLocal{2}, {{check_in(20'000, 0.1), 50}, {check_in(20'000, 0.03), 50}});
  const double epsilon = *scheduled.account(kEpsilon).best.upper;
  const Statement back = scheduled.account({Question::Kind::delta_at_epsilon, epsilon});
  EXPECT_NEAR(*back.best.upper, kDelta, 0.02 * kDelta);
  EXPECT_LE(*back.best.lower, *back.best.upper);
}

// A single client has no amplification: each round publicly shows an abstention or one randomized response.
// The truth is enumerated over all outcomes of two rounds at different rates.
TEST(ScheduledAccountant, TwoRoundsOfOneClientEnumerated) {
  const double epsilon0 = 1;
  const std::array<double, 2> rates = {0.7, 0.2};
  const Accountant scheduled(PureLocal{epsilon0}, {{check_in(1, rates[0]), 1}, {check_in(1, rates[1]), 1}});
  const double keep = std::exp(epsilon0) / (1 + std::exp(epsilon0));
  for (const double epsilon : {0.0, 0.3, 0.9, 1.2, 1.9}) {
    double truth = 0;
    for (int first = 0; first < 3; ++first) {
      for (int second = 0; second < 3; ++second) {
        const auto chance = [&](int round, int outcome, bool flipped) {
          const double rate = rates.at(static_cast<std::size_t>(round));
          return outcome == 2 ? 1 - rate : rate * ((outcome == 1) == flipped ? 1 - keep : keep);
        };
        truth += std::max(0.0, chance(0, first, false) * chance(1, second, false) -
                                   std::exp(epsilon) * chance(0, first, true) * chance(1, second, true));
      }
    }
    const Statement s = scheduled.account({Question::Kind::delta_at_epsilon, epsilon});
    EXPECT_GE(*s.best.upper, truth * (1 - 1e-12)) << epsilon;
    EXPECT_LE(*s.best.upper, truth + 0.02) << epsilon;
    // If every round were charged at the second rate, the answer would be too small.
    const Accountant second(PureLocal{epsilon0}, check_in(1, rates[1]));
    if (truth > 0) {
      EXPECT_LT(*second.account(2, {Question::Kind::delta_at_epsilon, epsilon}).best.upper, truth) << epsilon;
    }
  }
}

// Enumerates three clients and two rounds of different rates, over every data set of each round and both
// orders of the neighbours. The truth must lie between the lower and the upper value. Exchanging the two
// rates must not change the answer, and charging both rounds at the second rate would be noticed.
TEST(ScheduledAccountant, TwoRoundsOfThreeClientsEnumerated) {
  constexpr int kClients = 3;
  int caught = 0, cases = 0;
  long double tightest = 0;
  for (const double epsilon0 : {0.5, 2.0}) {
    const long double q = 1 / (std::exp(static_cast<long double>(epsilon0)) + 1);
    const std::vector<oracle::Law> laws{{1 - q, q}, {q, 1 - q}};
    for (const std::array<double, 2> rates : {std::array{0.7, 0.2}, {0.3, 0.15}, {0.95, 0.5}}) {
      const auto stages = [&](double first, double second) {
        return std::vector<Stage>{{check_in(kClients, first), 1}, {check_in(kClients, second), 1}};
      };
      const Accountant scheduled(PureLocal{epsilon0}, stages(rates[0], rates[1]));
      const Accountant exchanged(PureLocal{epsilon0}, stages(rates[1], rates[0]));
      const Accountant lower_rate(PureLocal{epsilon0}, stages(rates[1], rates[1]));
      std::array<std::vector<oracle::OutputPair>, 2> rounds;
      for (std::size_t round = 0; round < 2; ++round) {
        for (const std::vector<int>& picks : oracle::multisets(2, kClients - 1)) {
          std::vector<oracle::Law> others;
          for (const int pick : picks) others.push_back(laws[static_cast<std::size_t>(pick)]);
          rounds[round].push_back(
              oracle::check_in(others, laws[0], laws[1], static_cast<long double>(rates[round])));
        }
      }
      for (const double share : {0.0, 0.3, 0.8, 1.2, 1.7}) {
        const double epsilon = share * epsilon0;
        const auto upper = [&](const Accountant& of) {
          return *of.account({Question::Kind::delta_at_epsilon, epsilon}).best.upper;
        };
        long double truth = 0;
        for (const oracle::OutputPair& x : rounds[0]) {
          for (const oracle::OutputPair& y : rounds[1]) {
            const oracle::OutputPair both = oracle::product(x, y);
            truth = std::max(
                {truth, oracle::hockey_stick(both, epsilon), oracle::hockey_stick(both.swapped(), epsilon)});
          }
        }
        const Statement s = scheduled.account({Question::Kind::delta_at_epsilon, epsilon});
        SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << rates[0] << ' ' << epsilon);
        EXPECT_GE(*s.best.upper, truth * (1 - 1e-12L));
        EXPECT_LE(*s.best.lower, truth * (1 + 1e-12L));
        EXPECT_NEAR(upper(exchanged), *s.best.upper, 1e-9 + 1e-3 * *s.best.upper);
        caught += upper(lower_rate) < truth ? 1 : 0;
        if (*s.best.upper > 1e-9) tightest = std::max(tightest, truth / *s.best.upper);
        ++cases;
      }
    }
  }
  EXPECT_GT(caught, cases / 3);
  EXPECT_GT(tightest, 0.8L);
}

TEST(ScheduledAccountant, SlotsAndAggregatesAndViews) {
  const auto run = [](double rate) {
    return RandomCheckIn{RandomCheckIn::Kind::averaged, ClientCount::of(2'000), 50, Rate::of(rate)};
  };
  const Accountant slots(PureLocal{1}, {{run(0.9), 2}, {run(0.5), 2}});
  const Statement own = slots.account(kEpsilon);
  EXPECT_EQ(own.best.view, View::server_trusted);
  const Statement colluding = slots.account(kEpsilon, View::shuffler_colludes);
  EXPECT_EQ(colluding.best.id, "local-composition");
  EXPECT_EQ(*colluding.best.upper, *own.local_upper);
  EXPECT_ERROR(ErrorCode::uncovered, slots.account(kEpsilon, View::sum_only));
  const Accountant nothing(PureLocal{1}, {{run(0.9), 0}});
  EXPECT_EQ(*nothing.account(kEpsilon).best.upper, 0);
  EXPECT_ERROR(ErrorCode::plan, Accountant(PureLocal{1}, std::vector<Stage>{}));
  EXPECT_ERROR(ErrorCode::plan, Accountant(PureLocal{1}, {{run(0.9), 1}, {check_in(10, 0.1), 1}}));
}

// Rounds within the first stage, and schedules of one stage, get the answer for rounds that are all alike.
TEST(ScheduledAccountant, OneStageIsAConstantProtocol) {
  const GaussianLocal mechanism{5};
  const ShuffledCheckIn often = check_in(20'000, 0.1), rarely = check_in(20'000, 0.02);
  const Accountant constant(mechanism, often);
  const Accountant one(mechanism, {{often, 40}});
  const Accountant two(mechanism, {{often, 40}, {rarely, 60}});
  const Statement expected = constant.account(40, kEpsilon);
  for (const Statement& s : {one.account(kEpsilon), one.account(40, kEpsilon), two.account(40, kEpsilon)}) {
    EXPECT_EQ(s.rounds, 40);
    EXPECT_EQ(s.best.id, expected.best.id);
    EXPECT_EQ(*s.best.upper, *expected.best.upper);
    EXPECT_EQ(*s.best.lower, *expected.best.lower);
    EXPECT_EQ(s.all.size(), expected.all.size());
  }
  EXPECT_EQ(*one.upper(500, kEpsilon), *constant.upper(500, kEpsilon));
  EXPECT_ERROR(ErrorCode::plan, two.account(101, kEpsilon));
  EXPECT_ERROR(ErrorCode::plan, constant.account(kEpsilon));
  EXPECT_ERROR(ErrorCode::plan, two.account({Question::Kind::epsilon_at_delta, 2}));
}

TEST(ScheduledAccountant, TheUpperValueAloneIsThatOfTheStatement) {
  const Accountant scheduled(PureLocal{2}, {{check_in(20'000, 0.1), 50}, {check_in(20'000, 0.03), 50}});
  const Accountant rising(PureLocal{2}, {{check_in(20'000, 0.03), 50}, {check_in(20'000, 0.1), 50}});
  const Question delta{Question::Kind::delta_at_epsilon, 0.1};
  for (const Accountant* accountant : {&scheduled, &rising}) {
    for (const std::uint64_t rounds : {20, 51}) {
      EXPECT_DOUBLE_EQ(*accountant->upper(rounds, kEpsilon),
                       *accountant->account(rounds, kEpsilon).best.upper);
      EXPECT_DOUBLE_EQ(*accountant->upper(rounds, delta), *accountant->account(rounds, delta).best.upper);
    }
    EXPECT_EQ(*accountant->upper(0, kEpsilon), 0);
  }
  EXPECT_DOUBLE_EQ(*scheduled.rough_upper(70, kEpsilon), *scheduled.upper(70, kEpsilon));
}

TEST(ScheduledAccountant, StagesWithoutRoundsCostNothing) {
  const ShuffledCheckIn often = check_in(20'000, 0.1), rarely = check_in(20'000, 0.02);
  const double expected = *Accountant(PureLocal{2}, rarely).account(10, kEpsilon).best.upper;
  const Accountant late(PureLocal{2}, {{often, 0}, {rarely, 10}, {often, 0}});
  EXPECT_EQ(*late.account(kEpsilon).best.upper, expected);
  EXPECT_EQ(late.epsilon_upper(10, Delta::of(kEpsilon.fixed())), expected);
  const Accountant none(PureLocal{2}, {{often, 0}, {rarely, 0}});
  EXPECT_EQ(*none.account(kEpsilon).best.upper, 0);
}

void expect_refused(const char* key, const std::function<void()>& ask) {
  SCOPED_TRACE(key);
  const Error error = error_of(ask);
  EXPECT_EQ(error.code(), ErrorCode::plan) << error.what();
  EXPECT_EQ(error.key(), key) << error.what();
}

// Each kind of round has two tables, and a question for delta makes tables up to five times. Their work is
// limited together; 3.5e9 units (numerics/work.h) take about a second.
TEST(ScheduledAccountant, ManyTablesCostLittle) {
  std::vector<Stage> stages;
  for (const double rate : {8.6e-8, 2.8e-8, 4.8e-8}) {
    stages.push_back({ShuffledCheckIn{ClientCount::of(213), Rate::of(rate)}, 300'000});
  }
  const Accountant accountant(LdpSgdLocal{5.37}, stages);
  const double before = numerics::work_done();
  const Statement s = accountant.account({Question::Kind::delta_at_epsilon, 6.65});
  EXPECT_LE(numerics::work_done() - before, 7e9);
  ASSERT_TRUE(s.best.upper && s.best.lower);
  EXPECT_LE(*s.best.upper, 1.5 * *s.best.lower);
}

TEST(ScheduledAccountant, RefusesWhatIsNoSchedule) {
  const PureLocal mechanism{2};
  const ShuffledCheckIn protocol = check_in(100, 0.5);
  expect_refused("stages", [&] { Accountant(mechanism, std::vector<Stage>{}); });
  expect_refused("stages", [&] {
    Accountant(mechanism, {{protocol, 5}, {Shuffle{ClientCount::of(100)}, 5}});
  });
  expect_refused("rounds", [&] { Accountant(mechanism, protocol).account(kEpsilon); });
  expect_refused("rounds", [&] {
    Accountant(mechanism, {{protocol, 5}, {check_in(100, 0.3), 5}}).upper(11, kEpsilon);
  });
  // If the sum of the stages' rounds wrapped around to 0, nothing would be charged for 2^64 rounds.
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  expect_refused("rounds", [&] { Accountant(mechanism, {{protocol, kHalf}, {check_in(100, 0.3), kHalf}}); });
  expect_refused("rounds", [&] { Accountant(mechanism, {{protocol, kMaxRounds}, {check_in(100, 0.3), 1}}); });
  expect_refused("rounds", [&] { Accountant(mechanism, protocol).upper(kMaxRounds + 1, kEpsilon); });
  EXPECT_NO_THROW(Accountant(mechanism, {{protocol, 1}, {check_in(100, 0.3), kMaxRounds - 1}}));
  EXPECT_GT(Accountant(mechanism, protocol).upper(kMaxRounds, kEpsilon).value_or(HUGE_VAL), 1e12);
}

// A merged bound may become the best one, but it must first pass the gate of all stages.
TEST(ScheduledAccountant, MergesBoundsOfOtherOrigin) {
  const Accountant scheduled(PureLocal{2}, {{check_in(100, 0.5), 5}, {check_in(100, 0.3), 5}});
  const Statement s = scheduled.account(kEpsilon);
  EXPECT_EQ(scheduled.merge(s, {}).all.size(), s.all.size());
  Bound other;
  other.id = "other";
  other.validity = Validity::proven;
  other.upper = *s.best.lower + 0.9 * (*s.best.upper - *s.best.lower);
  EXPECT_EQ(scheduled.merge(s, {other}).best.id, "other");
  other.upper = 1e-9;
  EXPECT_ERROR(ErrorCode::internal, scheduled.merge(s, {other}));
}

}  // namespace
}  // namespace muster::accounting
