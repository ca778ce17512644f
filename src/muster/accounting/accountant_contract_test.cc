// One contract that every way of accounting keeps, whichever class answers: an accountant of rounds that are
// all alike, one of a single stage, a schedule of two stages, rounds charged one after another, and two
// launches.
//
// All of them are asked about the same rounds, so they must also agree.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/accounting/launches.h"
#include "muster/accounting/running_accountant.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/numerics/enclosure.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;

// Rounds of one mechanism and one participation, all alike.
struct Rounds {
  Mechanism mechanism;
  Participation participation;
  std::uint64_t count;
};

Enclosure enclosure_of(const Statement& statement) {
  return {statement.best.lower.value_or(0),
          statement.best.upper.value_or(std::numeric_limits<double>::infinity())};
}

Enclosure by_accountant(const Rounds& rounds, const Question& question) {
  return enclosure_of(Accountant(rounds.mechanism, rounds.participation).account(rounds.count, question));
}

Enclosure by_one_stage(const Rounds& rounds, const Question& question) {
  return enclosure_of(Accountant(rounds.mechanism, {{rounds.participation, rounds.count}}).account(question));
}

Enclosure by_two_stages(const Rounds& rounds, const Question& question) {
  const std::uint64_t first = rounds.count / 2;
  return enclosure_of(Accountant(rounds.mechanism, {{rounds.participation, first},
                                                    {rounds.participation, rounds.count - first}})
                          .account(question));
}

Enclosure by_charging(const Rounds& rounds, const Question& question) {
  RunningAccountant running(Delta::of(question.asks_epsilon() ? question.fixed() : 1e-5));
  for (std::uint64_t round = 0; round < rounds.count; ++round) {
    running.charge(rounds.mechanism, rounds.participation);
  }
  return question.asks_epsilon() ? running.epsilon() : running.delta(question.fixed());
}

Enclosure by_launches(const Rounds& rounds, const Question& question) {
  const std::uint64_t first = rounds.count / 3;
  return enclosure_of(Launches({{rounds.mechanism, {{rounds.participation, first}}},
                                {rounds.mechanism, {{rounds.participation, rounds.count - first}}}})
                          .account(question));
}

struct Way {
  const char* name;
  std::function<Enclosure(const Rounds&, const Question&)> answer;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class AccountantContract : public testing::TestWithParam<Way> {
 protected:
  static Enclosure epsilon(const Rounds& rounds, double delta) {
    return GetParam().answer(rounds, {Question::Kind::epsilon_at_delta, delta});
  }
  static Enclosure delta(const Rounds& rounds, double epsilon) {
    return GetParam().answer(rounds, {Question::Kind::delta_at_epsilon, epsilon});
  }
};

ShuffledCheckIn check_in(std::uint64_t clients, double rate) {
  return {ClientCount::of(clients), Rate::of(rate)};
}

const std::vector<Rounds>& some_rounds() {
  static const std::vector<Rounds> all = {
      {PureLocal{1}, check_in(50, 0.3), 12},
      {LdpSgdLocal{2}, Shuffle{ClientCount::of(40)}, 5},
      {GaussianLocal{3}, AggregatedCheckIn{ClientCount::of(1000), Rate::of(0.1)}, 12}};
  return all;
}

TEST_P(AccountantContract, NoRoundsCostNothing) {
  for (Rounds rounds : some_rounds()) {
    rounds.count = 0;
    for (const Enclosure& nothing : {epsilon(rounds, 1e-5), delta(rounds, 0.1)}) {
      EXPECT_EQ(nothing.lower, 0);
      EXPECT_EQ(nothing.upper, 0);
    }
  }
}

// The lower value is at most the upper value, which is at most the local guarantee. The enclosures by the
// tested way and by the Accountant hold the same epsilon, so they overlap. Upper values may differ, because
// schedules and launches compose tables of their own.
TEST_P(AccountantContract, EnclosesTheSameTruth) {
  for (const Rounds& rounds : some_rounds()) {
    const Question question{Question::Kind::epsilon_at_delta, 1e-5};
    const Enclosure own = epsilon(rounds, 1e-5), reference = by_accountant(rounds, question);
    const double local =
        local_upper(rounds.mechanism, message_rate(rounds.participation), rounds.count, question);
    EXPECT_LE(own.lower, own.upper);
    EXPECT_LE(own.upper, local * (1 + 1e-6));
    EXPECT_LE(own.lower, reference.upper);
    EXPECT_LE(reference.lower, own.upper);
    EXPECT_NEAR(own.upper / reference.upper, 1, 0.02);
    EXPECT_GT(own.lower, 0);
  }
}

TEST_P(AccountantContract, MoreRoundsAndASmallerDeltaCostNoLess) {
  Rounds rounds = some_rounds().front();
  double fewer = 0;
  for (const std::uint64_t count : {1, 2, 5, 20}) {
    rounds.count = count;
    const double cost = epsilon(rounds, 1e-5).upper;
    EXPECT_GE(cost, fewer) << count;
    fewer = cost;
  }
  double larger_delta = 0;
  for (const double at : {1e-2, 1e-5, 1e-9}) {
    const double cost = epsilon(rounds, at).upper;
    EXPECT_GE(cost, larger_delta) << at;
    larger_delta = cost;
  }
}

// The two questions are inverse to each other, up to the numerical error of tables that are made for
// different deltas.
TEST_P(AccountantContract, DeltaAtTheAnsweredEpsilonIsTheDeltaAsked) {
  const Rounds& rounds = some_rounds().front();
  for (const double at : {1e-3, 1e-6}) {
    const double answer = delta(rounds, epsilon(rounds, at).upper).upper;
    EXPECT_LE(answer, at * 1.01) << at;
    EXPECT_GE(answer, at * 0.9) << at;
  }
}

// With next to no noise, shuffling the messages of n clients hides little: in one round, a privacy loss of
// about epsilon0 - ln n or more is likely.
TEST_P(AccountantContract, NextToNoNoiseIsNotCheap) {
  const double clients = 10, epsilon0 = 60;
  const Rounds rounds{PureLocal{epsilon0}, Shuffle{ClientCount::of(10)}, 2};
  EXPECT_GE(epsilon(rounds, 1e-5).upper, epsilon0 - std::log(clients) - 1);
}

TEST_P(AccountantContract, RefusesWhatIsNoQuestion) {
  EXPECT_ERROR(ErrorCode::plan, delta(some_rounds().front(), -1));
  EXPECT_ERROR(ErrorCode::plan, epsilon(some_rounds().front(), 0));
}

INSTANTIATE_TEST_SUITE_P(Ways, AccountantContract,
                         testing::Values(Way{"Accountant", by_accountant}, Way{"OneStage", by_one_stage},
                                         Way{"TwoStages", by_two_stages}, Way{"Charging", by_charging},
                                         Way{"Launches", by_launches}),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace muster::accounting
