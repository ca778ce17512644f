// What the aggregator does when its ledger, or the shuffler's memory, is an older copy.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/aggregator/aggregator_fixture_test.h"

namespace muster::service {
namespace {

using ::testing::HasSubstr;
using State = Progress::State;

std::string hex(const wire::Hash& hash) { return fmt::format("{:02x}", fmt::join(hash, "")); }

void restore(AggregatorFixture& d, const Disk::Image& image) {
  d.stop();
  d.disk().restore(image);
}

TEST(LostRounds, AnOlderLedgerIsRefusedWithBothHeads) {
  AggregatorFixture d;
  d.run();
  const Disk::Image yesterday = d.disk().image();
  const wire::Hash old_head = d.ledger().head();
  d.run();
  const wire::Hash seen = d.shuffler().memory().head;
  restore(d, yesterday);
  const Error error = error_of([&] { d.step(); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(exit_status(error.code()), 3);
  EXPECT_EQ(error.value(), hex(old_head));
  EXPECT_EQ(error.allowed(), hex(seen));
  EXPECT_THAT(error.what(), HasSubstr("--charge-lost-rounds"));
  EXPECT_EQ(d.memory().rows(), Disk::Image(yesterday).store.rows());
}

// If it ended the task, the final epsilon would lack the rounds that the ledger has lost.
TEST(LostRounds, AnOlderLedgerDoesNotEndBecauseAnOperatorStopsIt) {
  AggregatorFixture d;
  d.run();
  const Disk::Image yesterday = d.disk().image();
  d.run();
  restore(d, yesterday);
  d.start();
  d.role().stop();
  EXPECT_ERROR(ErrorCode::file, d.step());
  d.stop();
  d.options.charge_lost_rounds = true;
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.story(), "open release open spent:lost end");
  EXPECT_EQ(d.ledger().epsilon(), test_epsilon(2));
  EXPECT_EQ(d.findings(), "");
}

TEST(LostRounds, AreChargedWhenAnOperatorSaysSo) {
  AggregatorFixture d;
  d.run();
  const Disk::Image yesterday = d.disk().image();
  d.run();
  restore(d, yesterday);
  d.options.charge_lost_rounds = true;
  EXPECT_EQ(d.step().state, State::open);
  EXPECT_EQ(d.story(), "open release open spent:lost open");
  EXPECT_EQ(d.ledger().epsilon(), test_epsilon(2));
  d.shuffler().close(10, answers({1}));
  d.step();
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.story(), "open release open spent:lost open release end");
  EXPECT_EQ(d.findings(), "");
}

// The decision of the operator holds for the head that was given up, and for no other.
TEST(LostRounds, AreChargedOnceHoweverOftenTheAggregatorDies) {
  for (const Disk::When when : {Disk::When::before, Disk::When::after}) {
    for (std::uint64_t operation = 0; operation < 4; ++operation) {
      AggregatorFixture d;
      d.run();
      const Disk::Image yesterday = d.disk().image();
      d.run();
      restore(d, yesterday);
      d.options.charge_lost_rounds = true;
      d.start();
      d.disk().kill_after(operation, when);
      try {
        d.step();
        ADD_FAILURE() << "fewer operations than " << operation;
      } catch (const Killed&) {
      }
      d.stop();
      d.disk().crash([](std::size_t) { return 0; });
      // If the decision was not durable yet, the operator must make it again.
      d.options.charge_lost_rounds = operation == 0 && when == Disk::When::before;
      EXPECT_EQ(d.step().state, State::open) << operation;
      EXPECT_EQ(d.story(), "open release open spent:lost open") << operation;
      EXPECT_EQ(d.findings(), "");
    }
  }
}

TEST(LostRounds, AnOpenRoundOfTheOlderLedgerIsOneOfThem) {
  AggregatorFixture d;
  d.open();
  const Disk::Image yesterday = d.disk().image();
  d.shuffler().close(10, answers({1}));
  d.step();
  d.open();
  restore(d, yesterday);
  d.options.charge_lost_rounds = true;
  EXPECT_EQ(d.step().state, State::open);
  EXPECT_EQ(d.story(), "open spent:lost open spent:lost open");
  EXPECT_EQ(d.findings(), "");
}

// The aggregator was restored within a round: the shuffler has seen nothing newer, but the batch is gone.
TEST(LostRounds, ARoundThatWasReleasedAlreadyIsNotReleasedAgain) {
  AggregatorFixture d;
  d.open();
  const Disk::Image within = d.disk().image();
  d.shuffler().close(10, answers({1}));
  d.step();
  restore(d, within);
  for (int i = 0; i < AggregatorRole::kPulls; ++i) d.step();
  EXPECT_EQ(d.story().substr(0, 15), "open spent:hash");
  EXPECT_EQ(d.findings(), "");
}

// The ledger that was lost has charged no more than the planned rounds, so no more need be charged.
TEST(LostRounds, AreChargedUpToThePlannedOnes) {
  AggregatorFixture d;
  const Disk::Image fresh = (d.start(), d.stop(), d.disk().image());
  for (int i = 0; i < 4; ++i) {
    d.open();
    d.shuffler().destroy_round();
    d.step();
  }
  restore(d, fresh);
  d.options.charge_lost_rounds = true;
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.story(), "open spent:lost open spent:lost open spent:lost end");
  EXPECT_EQ(d.ledger().epsilon(), test_epsilon(3));
  EXPECT_EQ(d.findings(), "");
}

TEST(LostRounds, AnotherLedgerOfTheSameLengthIsRefused) {
  AggregatorFixture d;
  d.start();
  const wire::Buffer first_model = d.model();
  d.run();
  d.open();
  // A ledger of the same task and aggregator, with as many entries.
  MemoryStore other;
  Ledger fork(other, "fork");
  fork.append(d.ledger().entries()[0], {.append = {}, .put = {{"model", first_model}}, .remove = {}});
  fork.append(OpenEntry{.round = 1});
  fork.append(SpentEntry{1, test_epsilon(1), SpentEntry::Why::lost, {}});
  fork.append(OpenEntry{.round = 2});
  d.stop();
  d.store = &other;
  d.start();
  EXPECT_EQ(d.ledger().entries().size(), d.shuffler().memory().entries);
  EXPECT_ERROR(ErrorCode::file, d.step());
  d.options.charge_lost_rounds = true;
  d.start();
  EXPECT_EQ(d.step().state, State::open);
  EXPECT_EQ(d.story(), "open spent:lost open spent:lost open");
}

TEST(LostRounds, AShufflerThatWasRestoredLearnsOfTheRoundsByOneThatIsVoid) {
  AggregatorFixture d;
  const ShufflerDouble::Memory before = (d.run(), d.shuffler().memory());
  d.run();
  d.shuffler().restore(before);
  const std::uint64_t opened = d.shuffler().opened();
  EXPECT_EQ(opened, 1u);
  d.step();
  ASSERT_EQ(d.story(), "open release open release open");
  d.shuffler().destroy_unopened(descriptor_of(*d.ledger().open_round(), d.task().name(), d.ledger().head()));
  d.step();
  EXPECT_EQ(d.story(), "open release open release open void");
  d.run();
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.findings(), "");
}

// The issuer has erased the keys of the rounds that the shuffler believes to be the next ones.
TEST(LostRounds, AShufflerThatIsBehindIsToldOfTheRoundsWithoutAKeyOrTokens) {
  AggregatorFixture d;
  d.run();
  d.run();
  d.shuffler().restore({});
  d.shuffler().have_key(false);
  d.shuffler().have_directory(false);
  d.step();
  ASSERT_EQ(d.story(), "open release open release open");
  const auto descriptor = descriptor_of(*d.ledger().open_round(), d.task().name(), d.ledger().head());
  EXPECT_EQ(descriptor.shuffler, wire::HpkePublicKey{});
  EXPECT_EQ(descriptor.token_key, wire::Hash{});
  d.shuffler().destroy_unopened(descriptor);
  d.step();
  EXPECT_EQ(d.story(), "open release open release open void");
  EXPECT_EQ(d.findings(), "");
}

// What a shuffler that has forgotten rounds offers: how many there were, and no place in the ledger.
ShufflerDouble::Memory forgotten(std::uint64_t rounds) {
  return {.opened = rounds, .entries = 0, .head = {}};
}

TEST(LostRounds, ARoundThatTheShufflerHasForgottenIsChargedIfAnOperatorSaysSo) {
  AggregatorFixture d;
  d.run();
  d.open();
  d.shuffler().rounds().erase(2);
  d.shuffler().restore(forgotten(2));
  const Error error = error_of([&] { d.step(); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.value(), "1 rounds");
  EXPECT_EQ(error.allowed(), "2 rounds");
  EXPECT_THAT(error.what(), HasSubstr("--charge-lost-rounds"));
  EXPECT_EQ(d.story(), "open release open");
  d.options.charge_lost_rounds = true;
  d.start();
  d.step();
  EXPECT_EQ(d.story(), "open release open spent:lost");
  EXPECT_EQ(d.ledger().epsilon(), test_epsilon(2));
  // It is charged once, and the decision does not hold for another round.
  d.options.charge_lost_rounds = false;
  d.start();
  EXPECT_EQ(d.step().state, State::open);
  d.shuffler().rounds().erase(3);
  d.shuffler().restore(forgotten(3));
  EXPECT_ERROR(ErrorCode::file, d.step());
  EXPECT_EQ(d.story(), "open release open spent:lost open");
  EXPECT_EQ(d.findings(), "");
}

TEST(LostRounds, ALedgerThatKnowsFewerRoundsThanAForgetfulShufflerIsRefused) {
  AggregatorFixture d;
  d.run();
  const Disk::Image yesterday = d.disk().image();
  d.run();
  restore(d, yesterday);
  d.shuffler().restore(forgotten(2));
  EXPECT_ERROR(ErrorCode::file, d.step());
  d.options.charge_lost_rounds = true;
  d.start();
  EXPECT_EQ(d.step().state, State::open);
  EXPECT_EQ(d.story(), "open release open spent:lost open");
  EXPECT_EQ(d.findings(), "");
}

// The store of the issuer is lost, so that the shuffler never gets a directory of keys again that it accepts.
TEST(LostRounds, AnOpenRoundThatWaitsForTheIssuerIsChargedIfAnOperatorEndsTheTask) {
  for (const wire::Waits waits : {wire::Waits::issuer, wire::Waits::directory}) {
    for (const bool is_heard_of : {true, false}) {
      AggregatorFixture d;
      d.run();
      d.shuffler().refuse_to_open(!is_heard_of);
      d.open();
      d.shuffler().refuse_to_open(true);
      d.shuffler().wait_for(waits);
      EXPECT_NE(d.step().state, State::ended);
      // Neither of the two decisions is enough alone.
      d.options.charge_lost_rounds = true;
      d.start();
      EXPECT_NE(d.step().state, State::ended);
      d.options.charge_lost_rounds = false;
      d.start();
      d.role().stop();
      EXPECT_NE(d.step().state, State::ended);
      EXPECT_EQ(d.story(), "open release open");
      d.options.charge_lost_rounds = true;
      d.start();
      d.step();
      EXPECT_EQ(d.step().state, State::ended);
      EXPECT_EQ(d.story(), "open release open spent:lost end");
      EXPECT_EQ(d.ledger().epsilon(), test_epsilon(2));
      EXPECT_EQ(d.shuffler().ends(), std::vector<std::uint64_t>{2});
      EXPECT_EQ(d.findings(), "");
    }
  }
}

// A round that the shuffler can still end is not charged as lost.
TEST(LostRounds, AnOpenRoundThatWaitsForTokensOrHasAManifestIsEndedByTheShuffler) {
  AggregatorFixture d;
  d.options.charge_lost_rounds = true;
  d.open();
  d.role().stop();
  for (const wire::Waits waits : {wire::Waits::nothing, wire::Waits::issuance}) {
    d.shuffler().wait_for(waits);
    EXPECT_EQ(d.step().state, State::open);
  }
  EXPECT_EQ(d.story(), "open");
  d.shuffler().wait_for(wire::Waits::issuer);
  d.shuffler().close(d.task().needed(), answers({1, 2, 2, 7, 5}));
  d.step();
  EXPECT_EQ(d.step().state, State::ended);
  EXPECT_EQ(d.story(), "open release end");
  EXPECT_EQ(d.findings(), "");
}

// An intact ledger needs no decision: it has an outcome for each of the rounds.
TEST(LostRounds, AForgetfulShufflerGoesOnWithALedgerThatKnowsEveryRound) {
  AggregatorFixture d;
  d.run();
  d.run();
  d.shuffler().restore(forgotten(2));
  EXPECT_EQ(d.step().state, State::open);
  d.shuffler().close(10, answers({1}));
  d.step();
  EXPECT_EQ(d.story(), "open release open release open release");
  EXPECT_EQ(d.findings(), "");
}

}  // namespace
}  // namespace muster::service
