// A shuffler whose folder was restored from an older copy, or which has its identity key alone: what it
// learns from the issuer, what it does not do again, and which ledger it goes on with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "muster/service/shuffler/shuffler_fixture_test.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::Manifest;

void send(ShufflerFixture& rig, std::uint8_t first, std::uint8_t count) {
  for (std::uint8_t i = first; i < first + count; ++i) {
    EXPECT_EQ(rig.shuffler->upload(rig.report(i)), Answer::stored);
  }
}

// Ends the open round, writes its outcome into the ledger, and gives the shuffler the receipt.
void end_round(ShufflerFixture& rig) {
  rig.clock.advance(ShufflerFixture::kRound);
  const Buffer receipt = rig.conclude();
  EXPECT_TRUE(rig.shuffler->receipt(receipt));
}
void run_round(ShufflerFixture& rig) {
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 0, 10);
  end_round(rig);
}

Disk::Image back_up(ShufflerFixture& rig) {
  rig.shuffler.reset();
  Disk::Image image = rig.disk.image();
  rig.shuffler = rig.start();
  return image;
}
void restore(ShufflerFixture& rig, const Disk::Image& image) {
  rig.shuffler.reset();
  rig.disk.restore(image);
  rig.shuffler = rig.start();
}

TEST(RestoredShuffler, WithItsIdentityKeyAloneGoesOnWithTheNextRound) {
  ShufflerFixture rig;
  run_round(rig);
  run_round(rig);
  rig.shuffler->tick();  // ends the issuance of round 3
  restore(rig, {});
  EXPECT_EQ(rig.offer().opened, 2u);
  EXPECT_EQ(rig.offer().entries, 0u);
  run_round(rig);
  EXPECT_EQ(rig.ledger.counts().released, 3u);
}

TEST(RestoredShuffler, ForgetsWhatItHasOfOlderRounds) {
  ShufflerFixture rig;
  run_round(rig);
  rig.shuffler->tick();
  const Disk::Image old = back_up(rig);
  run_round(rig);
  run_round(rig);
  rig.shuffler->tick();
  restore(rig, old);
  EXPECT_EQ(rig.offer().opened, 3u);
  EXPECT_EQ(rig.offer().head, wire::Hash{});
  EXPECT_FALSE(rig.disk.memory().blob("key"));
  run_round(rig);
  EXPECT_EQ(rig.ledger.counts().released, 4u);
}

// The issuer is told of a release before anything is handed out. So it can tell the restored shuffler of
// round 2, although no later round was prepared. The shuffler then destroys round 3, for which it has no key,
// and ends the issuance of that round as well.
TEST(RestoredShuffler, KnowsOfARoundThatWasHandedOutAlthoughTheNextOneIsUnprepared) {
  ShufflerFixture rig;
  run_round(rig);
  run_round(rig);
  restore(rig, {});
  EXPECT_EQ(rig.offer().opened, 2u);
  rig.shuffler->put_blob(rig.model);
  const OpenEntry open{
      .round = 3, .update = 2, .model = wire::hash_of({rig.model}), .aggregator = rig.round_key.public_key()};
  rig.ledger.append(open);
  rig.describe(open);
  EXPECT_TRUE(rig.ask_to_open(0));
  EXPECT_EQ(rig.manifest()->outcome, Manifest::Outcome::destroyed);
  rig.conclude();
  run_round(rig);
  EXPECT_EQ(rig.descriptor.round, 4u);
  EXPECT_EQ(rig.ledger.counts().released, 3u);
}

// If the round were handed out again with fewer reports, the difference would tell which ones came late. If
// it were called void, it would cost nothing.
TEST(RestoredShuffler, ARoundThatWentOnWithoutItIsNeitherHandedOutAgainNorVoid) {
  for (const bool next_is_prepared : {true, false}) {
    for (const bool was_open : {true, false}) {
      ShufflerFixture rig;
      rig.shuffler->tick();
      Disk::Image copy = back_up(rig);  // it has the key of round 1
      ASSERT_NO_FATAL_FAILURE(rig.open_round());
      send(rig, 0, 10);
      if (was_open) copy = back_up(rig);
      send(rig, 10, 1);
      const Buffer offered = rig.offered;
      end_round(rig);
      if (next_is_prepared) rig.shuffler->tick();
      restore(rig, copy);
      rig.clock.advance(ShufflerFixture::kRound);
      EXPECT_FALSE(rig.shuffler->round());
      EXPECT_FALSE(rig.shuffler->manifest(1));
      EXPECT_FALSE(rig.shuffler->batch(1, 0, 0));
      EXPECT_TRUE(rig.disk.logs().names().empty());
      EXPECT_FALSE(rig.shuffler->open(offered, 0, {rig.ledger_store.rows()[0], rig.ledger_store.rows()[1]}));
      EXPECT_FALSE(rig.shuffler->manifest(1));
    }
  }
}

// The release was not announced, so nothing was handed out.
TEST(RestoredShuffler, ARoundOfWhichNothingWasHandedOutIsRunAgain) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 0, 10);
  const Disk::Image within = back_up(rig);
  rig.issuer.away = true;
  send(rig, 10, 2);
  rig.clock.advance(ShufflerFixture::kRound);
  rig.shuffler->tick();
  EXPECT_FALSE(rig.shuffler->manifest(1));
  rig.issuer.away = false;
  restore(rig, within);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.batch().size(), 10u);
}

// The store says that the round is open, but its log or its key is gone, as it is after a round was handed
// out.
TEST(RestoredShuffler, PiecedTogetherItSaysOfNoRoundThatItIsVoid) {
  for (const bool is_away : {true, false}) {
    for (const bool has_key : {true, false}) {
      ShufflerFixture rig;
      ASSERT_NO_FATAL_FAILURE(rig.open_round());
      send(rig, 0, 10);
      Disk::Image within = back_up(rig);
      if (has_key) {
        within.logs.clear();
      } else {
        within.store.commit({{}, {}, {"key"}});
      }
      end_round(rig);
      rig.issuer.away = is_away;
      restore(rig, within);
      rig.shuffler->tick();
      EXPECT_FALSE(rig.shuffler->round());
      EXPECT_FALSE(rig.shuffler->manifest(1));
      EXPECT_TRUE(rig.disk.logs().names().empty());
      rig.issuer.away = false;
      rig.shuffler->tick();
      EXPECT_FALSE(rig.shuffler->manifest(1));
      EXPECT_EQ(rig.offer().opened, 1u);
      EXPECT_EQ(rig.offer().head, wire::Hash{});
      run_round(rig);
      EXPECT_EQ(rig.ledger.counts().released, 2u);
    }
  }
}

TEST(RestoredShuffler, WaitsForTheIssuerBeforeItClosesARoundOrOpensOne) {
  for (const bool is_older : {true, false}) {
    ShufflerFixture rig;
    ASSERT_NO_FATAL_FAILURE(rig.open_round());
    send(rig, 0, 10);
    const Disk::Image within = back_up(rig);
    if (is_older) {
      send(rig, 10, 2);  // with these, all tokens are spent
      EXPECT_TRUE(rig.shuffler->receipt(rig.conclude()));
      rig.shuffler->tick();
    }
    rig.issuer.away = true;
    restore(rig, within);
    EXPECT_TRUE(rig.shuffler->round());
    const Buffer late = rig.report(20);
    rig.clock.advance(ShufflerFixture::kRound);
    rig.shuffler->tick();
    EXPECT_FALSE(rig.shuffler->round());
    EXPECT_EQ(rig.shuffler->upload(late), Answer::over);
    EXPECT_FALSE(rig.shuffler->manifest(1));
    rig.issuer.away = false;
    rig.shuffler->tick();
    EXPECT_EQ(rig.shuffler->manifest(1).has_value(), !is_older);
    if (is_older) continue;
    EXPECT_EQ(rig.manifest()->heard, 10u);
  }
}

TEST(RestoredShuffler, AsksForAnOutcomeOfEveryRoundThatItHasForgotten) {
  ShufflerFixture rig;
  run_round(rig);
  run_round(rig);
  rig.shuffler->tick();
  restore(rig, {});
  EXPECT_FALSE(rig.opens_with_older_ledger(false));
  EXPECT_TRUE(rig.opens_with_older_ledger(true));
  EXPECT_TRUE(rig.shuffler->round());
}

// Otherwise the orders for the rounds that the issuer lacks would raise its serial, and nobody would notice
// that it has forgotten who has a token.
TEST(RestoredShuffler, DoesNotGoOnWithAnIssuerThatKnowsLessThanTheLedger) {
  for (const auto& [closed, released] : {std::pair{1u, 0u}, {1u, 1u}, {2u, 1u}, {2u, 2u}}) {
    ShufflerFixture rig;
    run_round(rig);
    run_round(rig);
    rig.issuer.restore(closed, released);
    restore(rig, {});
    EXPECT_EQ(rig.offer().opened, std::max(closed - 1, released));
    rig.shuffler->put_blob(rig.model);
    const OpenEntry open{.round = 3,
                         .update = 2,
                         .model = wire::hash_of({rig.model}),
                         .aggregator = rig.round_key.public_key()};
    rig.ledger.append(open);
    rig.describe(open);
    EXPECT_EQ(rig.ask_to_open(0), closed == 2);
  }
}

TEST(RestoredShuffler, KilledWhileItForgetsFindsOutAgain) {
  for (const auto when : {Disk::When::before, Disk::When::after}) {
    for (std::uint64_t operation = 0; operation < 3; ++operation) {
      ShufflerFixture rig;
      ASSERT_NO_FATAL_FAILURE(rig.open_round());
      send(rig, 0, 10);
      const Disk::Image within = back_up(rig);
      end_round(rig);
      rig.shuffler->tick();
      rig.shuffler.reset();
      rig.disk.restore(within);
      rig.disk.kill_after(operation, when);
      try {
        rig.shuffler = rig.start();
      } catch (const Killed&) {
      }
      rig.disk.spare();
      rig.restart();
      EXPECT_EQ(rig.offer().opened, 1u);
      EXPECT_FALSE(rig.shuffler->manifest(1));
      EXPECT_TRUE(rig.disk.logs().names().empty());
    }
  }
}

}  // namespace
}  // namespace muster::service
