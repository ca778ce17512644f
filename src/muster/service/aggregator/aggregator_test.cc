// How a task begins, what it waits for, what it may cost, and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/aggregator/aggregator_fixture_test.h"
#include "muster/service/model/model_blob.h"
#include "muster/simulation/setup.h"

namespace muster::service {
namespace {

using ::testing::HasSubstr;
using wire::Buffer;
using wire::Manifest;
using State = Progress::State;

TEST(Aggregator, RunsEveryPlannedRoundAndEnds) {
  AggregatorFixture d;
  EXPECT_EQ(d.open().state, State::open);
  EXPECT_EQ(d.step().state, State::open);
  d.shuffler().close(d.task().needed(), answers({1, 2, 3}));
  EXPECT_THAT(d.step().reason, HasSubstr("round 1 was released"));
  d.run();
  d.run();
  const Progress end = d.step();
  EXPECT_EQ(end.state, State::ended);
  EXPECT_EQ(end.round, 3u);
  EXPECT_THAT(end.reason, HasSubstr("every planned round"));
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.story(), "open release open release open release end");
  EXPECT_EQ(d.findings(), "");
  EXPECT_EQ(d.start().step().state, State::ended);  // after a restart, too
  EXPECT_EQ(d.story(), "open release open release open release end");
}

TEST(Aggregator, TheDescriptorStatesWhatTheLedgerOpened) {
  AggregatorFixture d;
  d.run();
  const Buffer model = Learner::model_blob(d.learner().model().state);
  d.open();
  const wire::Descriptor& descriptor = d.shuffler().rounds().at(2).descriptor;
  EXPECT_EQ(descriptor.task, d.task().name());
  EXPECT_EQ(descriptor.update, 1u);
  EXPECT_EQ(descriptor.model, blob_hash(model));
  EXPECT_EQ(descriptor.frozen, wire::Hash{});
  EXPECT_EQ(descriptor.ledger_head, d.ledger().head());
  EXPECT_EQ(descriptor.token_key,
            wire::RsaPublicKey::of_modulus(d.shuffler().directory().entries[1].modulus)->id());
  EXPECT_NE(descriptor.aggregator, d.shuffler().rounds().at(1).descriptor.aggregator);
  EXPECT_EQ(std::get<ReleaseEntry>(d.ledger().entries()[2]).model, blob_hash(model));
}

TEST(Aggregator, TellsTheShufflerThatTheTaskIsOverOnceAStart) {
  AggregatorFixture d;
  for (int round = 0; round < 3; ++round) d.run();
  EXPECT_TRUE(d.shuffler().ends().empty());
  d.shuffler().lose_after(0, ShufflerDouble::Lost::answer);
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.start().step().state, State::ended);
  // The first answer was lost, and the second start tells it again.
  EXPECT_EQ(d.shuffler().ends(), (std::vector<std::uint64_t>{3, 3, 3}));
}

TEST(Aggregator, SaysWhatItWaitsFor) {
  AggregatorFixture d;
  const auto expect = [&](const char* reason) {
    const Progress progress = d.step();
    EXPECT_EQ(progress.state, State::waiting);
    EXPECT_EQ(progress.round, 1u);
    EXPECT_THAT(progress.reason, HasSubstr(reason));
    EXPECT_EQ(d.story(), "");
  };
  d.shuffler().have_key(false);
  expect("no key for round 1 yet");
  d.shuffler().wait_for(wire::Waits::issuer);
  expect("cannot reach the issuer");
  d.shuffler().wait_for(wire::Waits::directory);
  expect("refuses the issuer's key directory");
  d.shuffler().wait_for(wire::Waits::issuance);
  expect("tokens issued for round 1: 7, and 10 are needed");
  d.shuffler().wait_for(wire::Waits::nothing);
  d.shuffler().have_key(true);
  d.shuffler().have_directory(false);
  expect("no key directory of the issuer yet");
  d.shuffler().have_directory(true);
  wire::KeyDirectory& directory = d.shuffler().directory();
  directory.entries[0].issued = 9;
  expect("tokens issued for round 1: 9, and 10 are needed");
  const auto entries = directory.entries;
  directory.entries.erase(directory.entries.begin());
  expect("no key for the tokens of round 1 yet");
  directory.entries = entries;
  directory.task[0] ^= 1;
  expect("not one that the issuer signed for this task");
  directory.task[0] ^= 1;
  d.shuffler().lose_after(0, ShufflerDouble::Lost::request);
  expect("cannot be reached");
  directory.entries[0].issued = 10;
  EXPECT_EQ(d.step().state, State::open);
  EXPECT_EQ(d.step().reason, "round 1 is open");
  d.shuffler().wait_for(wire::Waits::issuer);
  EXPECT_EQ(d.step().reason, "round 1 is open; the shuffler cannot reach the issuer");
}

TEST(Aggregator, ADirectoryOfAnotherIssuerIsNotUsed) {
  AggregatorFixture d, other;
  ShufflerDouble forging(d.task(), d.shuffler().identity(), other.issuer_key());
  Learner learner(d.task().plan(), d.parts(), 1);
  AggregatorRole role(d.task(), d.aggregator_key(), d.disk().store(), forging, learner, test_epsilon);
  EXPECT_THAT(role.step().reason, HasSubstr("not one that the issuer signed"));
}

TEST(Aggregator, AnOlderDirectoryIsNotUsedEvenAfterARestart) {
  AggregatorFixture d;
  d.shuffler().directory().serial = 7;
  d.shuffler().directory().entries[0].issued = 9;
  d.step();
  d.start();
  d.shuffler().directory().serial = 6;
  d.shuffler().directory().entries[0].issued = 10;
  EXPECT_THAT(d.step().reason, HasSubstr("older than one that was seen (serial 6 after 7)"));
  d.shuffler().directory().serial = 7;
  EXPECT_EQ(d.step().state, State::open);
}

TEST(Aggregator, AnOfferThatIsNotTheShufflersOpensNothing) {
  AggregatorFixture d, other;
  ShufflerDouble stranger(d.task(), other.shuffler().identity(), d.issuer_key());
  Learner learner(d.task().plan(), d.parts(), 1);
  AggregatorRole role(d.task(), d.aggregator_key(), d.disk().store(), stranger, learner, test_epsilon);
  EXPECT_THAT(role.step().reason, HasSubstr("offer is not one that it signed"));
  EXPECT_EQ(role.ledger().counts().opened, 0u);
}

TEST(Aggregator, AnotherIdentityIsRefused) {
  AggregatorFixture d, other;
  Learner learner(d.task().plan(), d.parts(), 1);
  const auto start_as_another = [&] {
    AggregatorRole(d.task(), other.aggregator_key(), d.disk().store(), d.shuffler(), learner, test_epsilon);
  };
  EXPECT_ERROR(ErrorCode::plan, start_as_another());
  EXPECT_TRUE(d.memory().rows().empty());
}

TEST(Aggregator, TheLedgerOfAnotherTaskOrAnotherCostIsRefused) {
  AggregatorFixture d, other;
  d.start();
  other.memory() = d.memory();
  EXPECT_ERROR(ErrorCode::file, other.start());
  d.epsilon = [](std::uint64_t rounds) { return test_epsilon(rounds) * (1 + 1e-8); };
  EXPECT_ERROR(ErrorCode::file, d.start());
}

// A task may move to a machine whose floating point differs in the last digits.
TEST(Aggregator, ATaskGoesOnOnAnotherMachine) {
  for (const double factor : {1 - 1e-13, 1 + 1e-13}) {
    AggregatorFixture d;
    d.start();
    d.run();
    d.epsilon = [factor](std::uint64_t rounds) { return factor * test_epsilon(rounds); };
    d.start();
    d.run();
    EXPECT_EQ(std::get<TaskEntry>(d.ledger().entries()[0]).epsilon, test_epsilon(3));
    EXPECT_EQ(d.ledger().epsilon(), factor * test_epsilon(2));
    EXPECT_EQ(d.findings(), "");
    d.epsilon = test_epsilon;  // and back
    d.start();
    d.run();
    EXPECT_EQ(d.ledger().epsilon(), test_epsilon(3));
    EXPECT_EQ(d.findings(), "");
  }
}

TEST(Aggregator, ADamagedModelIsRefused) {
  AggregatorFixture d;
  d.run();
  Buffer model = d.model();
  model.pop_back();
  for (const Store::Commit& damage :
       {Store::Commit{{}, {{"model", model}}, {}}, Store::Commit{{}, {}, {"model"}}}) {
    d.memory().commit(damage);
    EXPECT_ERROR(ErrorCode::file, d.start());
  }
}

// Budgets

TEST(Aggregator, ABudgetThatPaysForNoRoundIsRefusedBeforeTheFirstEntry) {
  AggregatorFixture d(Overrides{{"privacy.budget", "0.124"}});
  EXPECT_ERROR(ErrorCode::budget, d.start());
  EXPECT_TRUE(d.memory().rows().empty());
}

TEST(Aggregator, TheBudgetIsSpentToTheLastRoundThatItPaysFor) {
  AggregatorFixture d(Overrides{{"privacy.budget", "0.25"}});
  EXPECT_EQ(d.role().planned_rounds(), 2u);
  EXPECT_EQ(std::get<TaskEntry>(d.ledger().entries()[0]), (TaskEntry{d.task().name(), 0.25, 1e-3}));
  d.run();
  d.run();
  EXPECT_THAT(d.step().reason, HasSubstr("privacy.budget"));
  EXPECT_EQ(std::get<EndEntry>(d.last()), (EndEntry{EndEntry::Why::budget, 0.25}));
  EXPECT_EQ(d.findings(), "");
}

TEST(Aggregator, AnEpsilonThatIsNoAmountIsRefused) {
  for (const double epsilon :
       {std::numeric_limits<double>::infinity(), 0.0, 1e-310, std::numeric_limits<double>::quiet_NaN()}) {
    AggregatorFixture d;
    d.epsilon = [epsilon](std::uint64_t) { return epsilon; };
    EXPECT_ERROR(ErrorCode::budget, d.start()) << epsilon;
    EXPECT_TRUE(d.memory().rows().empty());
  }
}

TEST(Aggregator, TheTasksOfAPopulationShareItsBudget) {
  AggregatorFixture first, second, third;
  MemoryStore store;
  const auto limit = PopulationBudget::Amount{0.75, 1};
  const PopulationBudget::Amount within{0.75, std::nextafter(1.0, 0.0)};
  EXPECT_ERROR(ErrorCode::plan, PopulationBudget(store, "population", limit));
  PopulationBudget budget(store, "population", within);
  for (AggregatorFixture* d : {&first, &second, &third}) d->options.population = &budget;
  first.start().stop();
  EXPECT_EQ(first.step().state, State::ended);
  EXPECT_EQ(std::get<EndEntry>(first.last()).why, EndEntry::Why::stopped);
  // The first task has run no round, and stays charged all of its three.
  second.start();
  EXPECT_ERROR(ErrorCode::budget, third.start());
  EXPECT_TRUE(third.memory().rows().empty());
  second.start();
  first.start();
  EXPECT_EQ(budget.reserved(), (PopulationBudget::Amount{0.75, 2e-3}));
}

TEST(Aggregator, EpsilonIsTheAccountantsToTheLastDigit) {
  AggregatorFixture d;
  d.epsilon = simulation::epsilon_of(d.task().plan());
  const auto again = simulation::epsilon_of(d.task().plan());
  EXPECT_EQ(std::get<TaskEntry>(d.ledger().entries()[0]).epsilon, again(3));
  d.run();
  d.open();
  d.shuffler().destroy_round();
  d.step();
  d.open();
  d.shuffler().close(
      10, answers({1}), [](Buffer& batch) { batch.insert(batch.end(), batch.begin(), batch.end()); },
      [](Manifest& m) { m.reports = 2; });
  d.step();
  d.run();
  d.step();
  EXPECT_EQ(d.story(), "open release open void open spent:duplicate open release end");
  EXPECT_EQ(std::get<ReleaseEntry>(d.ledger().entries()[2]).epsilon, again(1));
  EXPECT_EQ(std::get<SpentEntry>(d.ledger().entries()[6]).epsilon, again(2));
  EXPECT_EQ(std::get<ReleaseEntry>(d.ledger().entries()[8]).epsilon, again(3));
  EXPECT_LT(again(1), again(2));
  EXPECT_EQ(d.findings(), "");
}

// The end

TEST(Aggregator, AnOperatorEndsTheTaskAfterTheOpenRound) {
  AggregatorFixture d;
  d.open();
  d.role().stop();
  d.start();
  EXPECT_EQ(d.step().state, State::open);
  d.shuffler().close(10, answers({1, 2, 3, 4, 5}));
  d.step();
  EXPECT_THAT(d.step().reason, HasSubstr("stopped by an operator"));
  EXPECT_EQ(d.story(), "open release end");
  EXPECT_EQ(std::get<EndEntry>(d.last()), (EndEntry{EndEntry::Why::stopped, test_epsilon(1)}));
  EXPECT_EQ(d.findings(), "");
}

TEST(Aggregator, NoMoreThanMostRoundsAreOpened) {
  AggregatorFixture d(Overrides{}, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(d.open().state, State::open);
    d.shuffler().destroy_round();
    d.step();
  }
  EXPECT_THAT(d.step().reason, HasSubstr("task.most_rounds"));
  EXPECT_EQ(std::get<EndEntry>(d.last()), (EndEntry{EndEntry::Why::rounds, 0}));
  EXPECT_EQ(d.findings(), "");
}

TEST(Aggregator, AModelThatWouldDivergeStaysAndEndsTheTask) {
  AggregatorFixture d(Overrides{{"model.kind", "logistic"},
                                {"randomizer.kind", "ldp-sgd"},
                                {"randomizer.clip", "1"},
                                {"rounds.learning_rate", "3e38"}});
  d.start();
  const Buffer before = Learner::model_blob(d.learner().model().state);
  Buffer report(d.learner().payload());
  report.back() = 1;
  d.open();
  d.shuffler().close(10, {report});
  d.step();
  EXPECT_EQ(d.story(), "open release");
  EXPECT_EQ(Learner::model_blob(d.learner().model().state), before);
  EXPECT_EQ(std::get<ReleaseEntry>(d.last()).model, blob_hash(before));
  EXPECT_THAT(d.start().step().reason, HasSubstr("diverged"));
  EXPECT_EQ(d.story(), "open release end");
  EXPECT_EQ(d.findings(), "");
}

// Void rounds do not count for the learning rate, so that it is that of a simulation, which has no void
// rounds. Rounds that are charged do count.
TEST(Aggregator, TheLearningRateIsThatOfTheRoundAmongThoseCharged) {
  const Overrides gradients{{"model.kind", "logistic"},
                            {"randomizer.kind", "ldp-sgd"},
                            {"randomizer.clip", "1"},
                            {"rounds.learning_rate", "inverse-sqrt:1"}};
  AggregatorFixture first(gradients), after_void(gradients), after_spent(gradients);
  Buffer report((first.start(), first.learner().payload()));
  report.back() = 1;
  after_void.open();
  after_void.shuffler().destroy_round();
  after_void.step();
  after_spent.open();
  after_spent.shuffler().close(10, {report}, {}, [](Manifest& m) { m.heard = 9; });
  after_spent.step();
  for (AggregatorFixture* d : {&first, &after_void, &after_spent}) d->run({report});
  EXPECT_EQ(after_void.story(), "open void open release");
  EXPECT_EQ(after_spent.story(), "open spent:heard open release");
  EXPECT_EQ(after_void.model(), first.model());
  EXPECT_NE(after_spent.model(), first.model());
}

// Check-ins

TEST(Aggregator, CheckInsAreComparedWithTheDevicesThatWereHeard) {
  AggregatorFixture d;
  ShufflerDouble::Payloads hundred(100, answer(1));
  d.open();
  d.shuffler().close(200, hundred);
  EXPECT_EQ(d.step().alarm, std::nullopt);
  d.open();
  // One of the hundred reports is not valid, but its device checked in all the same.
  hundred[0] = answer(10);
  d.shuffler().close(100, hundred);
  const Progress progress = d.step();
  ASSERT_TRUE(progress.alarm);
  EXPECT_THAT(*progress.alarm, HasSubstr("round 2 had 100 check-ins"));
  EXPECT_EQ(d.start().step().alarm, progress.alarm);
  EXPECT_EQ(d.role().history().check_ins().rounds_watched(), 2u);
  EXPECT_EQ(d.findings(), "");
}

}  // namespace
}  // namespace muster::service
