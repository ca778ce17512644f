// An account that is charged piece by piece must state what Accountant and Launches state about the same
// rounds, also after a refused charge or an interrupted answer.
#include "muster/accounting/open_account.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "muster/accounting/accountant.h"
#include "muster/accounting/launches.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/core/interrupt.h"

namespace muster::accounting {
namespace {

const Question kEpsilon{Question::Kind::epsilon_at_delta, 1e-5};
const Question kDelta{Question::Kind::delta_at_epsilon, 0.03};

ShuffledCheckIn check_in(double rate) { return {ClientCount::of(20'000), Rate::of(rate)}; }

TEST(OpenAccount, OfNothingIsZero) {
  const Statement statement = OpenAccount().statement(kEpsilon);
  EXPECT_EQ(*statement.best.upper, 0);
  EXPECT_EQ(*statement.best.lower, 0);
  EXPECT_EQ(statement.rounds, 0);
}

// However its rounds are charged, an account of rounds that are alike says what the accountant says.
TEST(OpenAccount, OfRoundsThatAreAlikeIsTheAccountants) {
  OpenAccount account;
  for (const std::uint64_t rounds : {1, 0, 30, 9}) account.charge(PureLocal{2}, check_in(0.1), rounds);
  EXPECT_EQ(account.rounds(), 40);
  EXPECT_EQ(account.charges().size(), 1);
  const Accountant alike(PureLocal{2}, check_in(0.1));
  for (const Question& question : {kEpsilon, kDelta}) {
    const Statement got = account.statement(question), expected = alike.account(40, question);
    EXPECT_EQ(got.best.id, expected.best.id);
    EXPECT_EQ(got.best.upper, expected.best.upper);
    EXPECT_EQ(got.best.lower, expected.best.lower);
    EXPECT_EQ(got.local_upper, expected.local_upper);
  }
}

// Rounds of different kinds cost what launches of them cost, and charging some of them one by one, or asking
// in between, changes nothing.
TEST(OpenAccount, OfDifferentRoundsIsTheLaunches) {
  OpenAccount account;
  for (int i = 0; i < 40; ++i) account.charge(PureLocal{2}, check_in(0.1));
  account.statement(kEpsilon);
  account.charge(GaussianLocal{4}, check_in(0.02), 60);
  const Launches launches(
      {{PureLocal{2}, {{check_in(0.1), 40}}}, {GaussianLocal{4}, {{check_in(0.02), 60}}}});
  for (const Question& question : {kEpsilon, kDelta}) {
    const Statement got = account.statement(question), expected = launches.account(question);
    EXPECT_EQ(got.best.id, "different-rounds");
    EXPECT_EQ(got.best.upper, expected.best.upper);
    EXPECT_EQ(got.best.lower, expected.best.lower);
    EXPECT_EQ(got.local_upper, expected.local_upper);
    EXPECT_EQ(got.rounds, 100);
  }
}

TEST(OpenAccount, ACopyIsChargedByItself) {
  OpenAccount account;
  account.charge(PureLocal{2}, check_in(0.1), 10);
  OpenAccount copy = account;
  copy.charge(PureLocal{2}, check_in(0.1), 30);
  EXPECT_EQ(account.rounds(), 10);
  EXPECT_LT(*account.statement(kEpsilon).best.upper, *copy.statement(kEpsilon).best.upper);
}

TEST(OpenAccount, RefusesTooManyRoundsAndChargesNoneOfThem) {
  OpenAccount account;
  account.charge(PureLocal{2}, check_in(0.1), kMaxRounds - 1);
  EXPECT_ERROR(ErrorCode::plan, account.charge(PureLocal{2}, check_in(0.1), 2));
  EXPECT_ERROR(ErrorCode::plan, account.charge(PureLocal{1}, check_in(0.1), ~std::uint64_t{0}));
  EXPECT_EQ(account.rounds(), kMaxRounds - 1);
}

// An answer that is interrupted leaves the account as it was: the next answer is the right one.
TEST(OpenAccount, AnswersAfterAnInterruptedAnswer) {
  const auto charged = [] {
    OpenAccount account;
    account.charge(GaussianLocal{2}, check_in(0.1), 500);
    account.charge(PureLocal{1}, check_in(0.3), 100);
    return account;
  };
  const OpenAccount account = charged();
  int interrupted_answers = 0;
  for (const int milliseconds : {0, 5, 20, 50}) {
    std::atomic<bool> stop{false};
    std::thread alarm([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      stop = true;
    });
    try {
      const InterruptScope scope{Interrupt(&stop)};
      account.statement(kEpsilon);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::interrupted);
      ++interrupted_answers;
    }
    alarm.join();
  }
  EXPECT_GT(interrupted_answers, 0);
  EXPECT_EQ(account.statement(kEpsilon).best.upper, charged().statement(kEpsilon).best.upper);
  EXPECT_FALSE(InterruptScope::current().requested());
}

// The pair of everything charged is an upper bound of its delta, close to the one that is stated, for one
// round, for more, and where rounds are charged by types.
TEST(OpenAccount, ExportsADominatingPair) {
  const AggregatedCheckIn sum{ClientCount::of(20'000), Rate::of(0.1), 1};
  OpenAccount one, alike, typed;
  one.charge(PureLocal{2}, check_in(0.1));
  alike.charge(PureLocal{2}, check_in(0.1), 40);
  typed.charge(GaussianLocal{4}, sum, 3);
  for (const OpenAccount* account : {&one, &alike, &typed}) {
    for (const double spacing : account == &one ? std::vector{0.0, 1e-4} : std::vector{1e-4}) {
      const LossTable pair = account->losses(Delta::of(1e-8), spacing);
      EXPECT_TRUE(spacing == 0 || pair.spacing == spacing);
      const Statement stated = account->statement({Question::Kind::epsilon_at_delta, 1e-8});
      EXPECT_GE(divergence_upper(pair, *stated.best.lower), 1e-8) << spacing;
      EXPECT_LE(divergence_upper(pair, *stated.best.upper), 1.02e-8) << spacing;
    }
  }
  EXPECT_EQ(OpenAccount().losses(Delta::of(1e-8)).masses, std::vector<double>{1});
  const Error error = error_of([&] { alike.losses(Delta::of(1e-8), 1e-12); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "spacing");
}

}  // namespace
}  // namespace muster::accounting
