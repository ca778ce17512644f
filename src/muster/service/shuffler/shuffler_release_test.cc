// How a released round leaves the shuffler: not before the issuer knows that it is released, and until the
// aggregator's receipt.
#include <gtest/gtest.h>

#include <cstdint>

#include "muster/service/shuffler/shuffler_fixture_test.h"
#include "muster/wire/receipt.h"

namespace muster::service {
namespace {

// Opens a round, and lets `devices` devices report in it.
void hear(ShufflerFixture& rig, std::uint8_t devices) {
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  for (std::uint8_t i = 0; i < devices; ++i) rig.shuffler->upload(rig.report(i));
}

TEST(ShufflerRelease, WaitsForTheIssuerToKnowOfIt) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(hear(rig, 10));
  rig.issuer.away = true;
  rig.clock.advance(ShufflerFixture::kRound);
  for (const bool restarts : {false, true}) {
    if (restarts) rig.restart();
    rig.shuffler->tick();
    EXPECT_EQ(rig.shuffler->last_manifest()->outcome, wire::Manifest::Outcome::released);
    EXPECT_FALSE(rig.shuffler->manifest(1));
    EXPECT_FALSE(rig.shuffler->batch(1, 0, 0));
  }
  rig.issuer.away = false;
  rig.shuffler->tick();
  EXPECT_EQ(rig.batch().size(), 10u);
}

TEST(ShufflerRelease, WaitsForEverForAnIssuerThatForgotTheRound) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(hear(rig, 10));
  rig.issuer.restore(0, 0);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_FALSE(rig.manifest());
  EXPECT_FALSE(rig.shuffler->batch(1, 0, 0));
}

TEST(ShufflerRelease, ADestroyedRoundDoesNotWait) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(hear(rig, 9));
  rig.issuer.away = true;
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.manifest()->outcome, wire::Manifest::Outcome::destroyed);
}

// The aggregator asks for a part of its batch, is then away for an hour, and asks for the whole batch.
TEST(ShufflerRelease, WaitsForTheAggregator) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(hear(rig, 10));
  const wire::Buffer late = rig.report(99);
  rig.clock.advance(ShufflerFixture::kRound);
  const auto batch = rig.batch();
  EXPECT_TRUE(rig.shuffler->batch(1, 0, 4));
  for (int minute = 0; minute < 60; ++minute) {
    rig.clock.advance(60'000);
    rig.shuffler->tick();
    EXPECT_EQ(rig.shuffler->upload(late), Answer::over);
  }
  EXPECT_EQ(rig.batch(), batch);
  EXPECT_TRUE(rig.shuffler->receipt(rig.conclude()));
  EXPECT_FALSE(rig.shuffler->batch(1, 0, 4));
}

TEST(ShufflerRelease, IsHandedOutAgainAfterARestart) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(hear(rig, 10));
  rig.clock.advance(ShufflerFixture::kRound);
  const auto batch = rig.batch();
  rig.restart();
  EXPECT_EQ(rig.batch(), batch);
}

// The shuffler starts before the issuer can be reached, after a power cut for example.
TEST(ShufflerRelease, IsHandedOutAfterARestartWithoutTheIssuer) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(hear(rig, 10));
  rig.clock.advance(ShufflerFixture::kRound);
  const auto batch = rig.batch();
  rig.issuer.away = true;
  rig.restart();
  EXPECT_EQ(rig.batch(), batch);
}

TEST(ShufflerRelease, TheReceiptMustBeTheAggregatorsForThisBatch) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(hear(rig, 10));
  rig.clock.advance(ShufflerFixture::kRound);
  rig.let_announce();
  const wire::Buffer manifest = rig.shuffler->manifest(1).value();
  wire::Receipt receipt{rig.task.name(), 1, wire::hash_of({manifest}), wire::Receipt::Outcome::released, {}};
  EXPECT_FALSE(rig.shuffler->receipt(wire::sign_receipt(receipt, rig.shuffler_key)));
  wire::Receipt other = receipt;
  other.manifest[0] ^= 1;
  EXPECT_FALSE(rig.shuffler->receipt(wire::sign_receipt(other, rig.aggregator)));
  other = receipt;
  other.round = 2;
  EXPECT_FALSE(rig.shuffler->receipt(wire::sign_receipt(other, rig.aggregator)));
  other = receipt;
  other.task[0] ^= 1;
  EXPECT_FALSE(rig.shuffler->receipt(wire::sign_receipt(other, rig.aggregator)));
  EXPECT_EQ(rig.batch().size(), 10u);
  EXPECT_TRUE(rig.shuffler->receipt(wire::sign_receipt(receipt, rig.aggregator)));
  EXPECT_FALSE(rig.shuffler->batch(1, 0, 1));
}

TEST(ShufflerRelease, AReceiptThatComesTooEarlyOrAgainLaterChangesNothing) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(hear(rig, 10));
  const wire::Receipt early{rig.task.name(), 1, {}, wire::Receipt::Outcome::released, {}};
  EXPECT_FALSE(rig.shuffler->receipt(wire::sign_receipt(early, rig.aggregator)));
  EXPECT_EQ(rig.shuffler->heard(), 10u);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.batch().size(), 10u);
  const wire::Buffer first = rig.conclude();
  EXPECT_TRUE(rig.shuffler->receipt(first));
  ASSERT_NO_FATAL_FAILURE(hear(rig, 11));
  EXPECT_TRUE(rig.shuffler->receipt(first));
  EXPECT_EQ(rig.shuffler->heard(), 11u);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_TRUE((rig.let_announce(), rig.shuffler->receipt(first)));
  EXPECT_EQ(rig.batch().size(), 11u);
}

}  // namespace
}  // namespace muster::service
