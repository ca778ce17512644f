// Lets a device fetch tokens from a test double of the issuer, with answers lost in between and directories
// that are forged or old, and damages each stored blob.
#include "muster/service/client/token_wallet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "muster/core/error_of_test.h"
#include "muster/service/client/device_fixture_test.h"

namespace muster::service {
namespace {

// A world in which no round is ever open, so that the device does nothing but fetch tokens.
struct Fetching : DeviceFixture {
  explicit Fetching(std::uint64_t last = 4) { issuer.last = last; }
  void run(std::int64_t more) { run_until(clock.steady_ms() + more); }
  std::set<std::uint64_t> held() {
    std::set<std::uint64_t> rounds;
    for (const HeldToken& token : state().tokens) rounds.insert(token.round);
    return rounds;
  }
  DeviceState state() { return load_state(disk.memory(), task, key.identity(), 0); }
};

TEST(TokenWallet, FetchesATokenForEveryComingRoundInOneBlock) {
  Fetching world;
  world.start();
  world.run(1000);
  EXPECT_EQ(world.held(), (std::set<std::uint64_t>{1, 2, 3, 4}));
  ASSERT_EQ(world.issuer.blocks.size(), 1u);
  EXPECT_EQ(world.issuer.blocks[0].entries.size(), 4u);
  EXPECT_FALSE(world.stored(kPendingBlob));
  for (const HeldToken& token : world.state().tokens) {
    EXPECT_TRUE(wire::verify_token(world.issuer.key(token.round).public_key(),
                                   wire::round_challenge_digest(world.task.name(), token.round),
                                   token.token));
  }
}

TEST(TokenWallet, ABlockIsNeverTooLong) {
  Fetching world(70);
  world.start();
  world.run(1000);
  EXPECT_EQ(world.held().size(), wire::kMaxTokenBlock);
  world.run(40 * world.length());
  EXPECT_EQ(world.held().size(), wire::kMaxTokenBlock) << "enough";
}

TEST(TokenWallet, LooksAgainForNewRounds) {
  Fetching world(1);
  world.start();
  world.run(1000);
  world.issuer.last = 3;
  world.issuer.serial = 2;
  world.run(2 * world.length());
  EXPECT_EQ(world.held(), (std::set<std::uint64_t>{1, 2, 3}));
}

TEST(TokenWallet, WhatWasLostIsAskedForAgainWithTheSameRequest) {
  for (const bool request : {true, false}) {
    Fetching world;
    int left = 2;
    const auto lose = [&](const Call& call) {
      if (call.what != "tokens") return;
      EXPECT_TRUE(world.stored(kPendingBlob)) << "persisted before it leaves";
      if (left-- > 0) throw Unreachable();
    };
    (request ? world.network.before : world.network.after) = lose;
    world.start();
    world.device->step();
    world.device.reset();  // with a restart between
    world.start();
    world.run(2 * world.length());
    EXPECT_EQ(world.held().size(), 4u);
    ASSERT_EQ(world.issuer.blocks.size(), request ? 1u : 3u);
    for (const wire::TokenBlock& block : world.issuer.blocks) EXPECT_EQ(block, world.issuer.blocks[0]);
    EXPECT_EQ(world.device->counts().faults, 0u);
  }
}

// A relay that ends TLS can change a byte. The issuer gives the same answer again.
TEST(TokenWallet, ATokenThatWasDamagedOnItsWayIsAskedForAgainWithTheSameRequest) {
  for (const unsigned damaged : {1u, 2u, 3u}) {
    Fetching world;
    world.issuer.damaged = damaged;
    world.start();
    world.run(2 * world.length());
    const std::set<std::uint64_t> all{1, 2, 3, 4}, without{2, 3, 4};
    EXPECT_EQ(world.held(), damaged < 3 ? all : without) << damaged;
    EXPECT_EQ(world.device->counts().faults, damaged);
    ASSERT_EQ(world.issuer.blocks.size(), std::min(damaged + 1, 3u));
    for (const wire::TokenBlock& block : world.issuer.blocks) {
      EXPECT_EQ(block.entries[0], world.issuer.blocks[0].entries[0]);
    }
    EXPECT_EQ(world.issuer.blocks[1].entries.size(), 1u) << "the others were valid";
    EXPECT_FALSE(world.stored(kPendingBlob));
    world.issuer.last = 6;
    world.issuer.serial = 2;
    world.run(4 * world.length());
    EXPECT_TRUE(world.held().contains(6)) << "later rounds do not wait for it";
  }
}

TEST(TokenWallet, ADeviceThatLostItsTokensGetsNoSecondOnesAndStaysOut) {
  Fetching world(2);
  world.start();
  world.run(1000);
  world.device.reset();
  Disk restored;
  world.issuer.last = 4;
  world.start(restored.store());
  world.run(2 * world.length());
  std::set<std::uint64_t> rounds;
  for (const HeldToken& token : load_state(restored.memory(), world.task, world.key.identity(), 0).tokens) {
    rounds.insert(token.round);
  }
  EXPECT_EQ(rounds, (std::set<std::uint64_t>{3, 4})) << "one by one, where a block is refused";
  EXPECT_EQ(world.device->counts().tokens_refused, 2u);
  EXPECT_FALSE(restored.memory().blob(kPendingBlob));
}

TEST(TokenWallet, RoundsThatEndedMeanwhileAreDroppedAndTheOthersKeepTheirRequests) {
  for (const bool listed : {false, true}) {
    Fetching world;
    bool lost = false;
    world.network.after = [&](const Call& call) {
      if (call.what != "tokens" || lost) return;
      lost = true;
      (listed ? world.issuer.issued_until : world.issuer.first) = listed ? 2 : 3;
      throw Unreachable();
    };
    world.start();
    world.run(2 * world.length());
    EXPECT_EQ(world.held(), (std::set<std::uint64_t>{3, 4}));
    for (const wire::TokenBlock& block : world.issuer.blocks) {
      for (const auto& entry : block.entries) {
        EXPECT_EQ(entry, world.issuer.blocks[0].entries.at(entry.round - 1));
      }
    }
  }
}

TEST(TokenWallet, ADirectoryThatIsNotTheIssuersOrOlderIsRefused) {
  Fetching forged;
  forged.issuer.signer = key_of_byte(4);
  forged.start();
  forged.run(forged.length());
  EXPECT_TRUE(forged.held().empty());
  EXPECT_GT(forged.device->counts().faults, 0u);

  Fetching older(1);
  older.issuer.serial = 7;
  older.start();
  older.run(1000);
  older.issuer.serial = 6;
  older.issuer.last = 4;
  older.run(4 * older.length());
  EXPECT_EQ(older.held(), std::set<std::uint64_t>{1});
  EXPECT_EQ(older.state().ledger.serial, 7u);
  older.issuer.serial = 7;
  older.run(4 * older.length());
  EXPECT_EQ(older.held().size(), 4u);
}

TEST(TokenWallet, ATokenIsForItsRoundAndKeyAlone) {
  Fetching world;
  world.start();
  world.run(1000);
  TestDraws draws(true);
  DeviceLedger ledger;
  const TokenWallet wallet(world.task, world.key, world.disk.store(), world.issuer, draws, ledger,
                           world.state(), 0);
  const wire::Hash& odd = world.issuer.key(1).public_key().id();
  const wire::Hash& even = world.issuer.key(2).public_key().id();
  EXPECT_TRUE(wallet.token(1, odd));
  EXPECT_FALSE(wallet.token(1, even));
  EXPECT_TRUE(wallet.token(2, even));
  EXPECT_FALSE(wallet.token(5, odd));
}

TEST(DeviceState, EveryDamagedBlobIsRefused) {
  Fetching world;
  world.network.before = [](const Call& call) {
    if (call.what == "upload" || call.what == "tokens") throw Unreachable();
  };
  world.start();
  world.run(10);
  world.device.reset();
  const wire::Buffer coin =
      encode_coin({.round = 1, .descriptor = {}, .kind = wire::UploadKind::report, .send = 9});
  world.disk.memory().commit(
      {.append = {}, .put = {{kCoinBlob, coin}, {kUploadBlob, {1, 2, 3}}}, .remove = {}});
  const auto load = [&](std::size_t upload) {
    return load_state(world.disk.memory(), world.task, world.key.identity(), upload);
  };
  const DeviceState whole = load(3);
  EXPECT_EQ(encode_coin(*whole.coin), coin);
  EXPECT_EQ(whole.upload, (wire::Buffer{1, 2, 3}));
  EXPECT_EQ(encode_pending(whole.pending), world.stored(kPendingBlob));
  EXPECT_EQ(whole.pending.size(), 4u);
  EXPECT_ERROR(ErrorCode::file, load(4));
  for (const char* name : {kDeviceBlob, kCoinBlob, kTokensBlob, kPendingBlob}) {
    const wire::Buffer before = *world.stored(name);
    wire::Buffer longer = before;
    longer.push_back(0);
    world.disk.memory().commit({.append = {}, .put = {{name, longer}}, .remove = {}});
    EXPECT_ERROR(ErrorCode::file, load(3)) << name;
    world.disk.memory().commit({.append = {}, .put = {{name, before}}, .remove = {}});
  }
  wire::Buffer other = coin;
  other[40] = 2;
  world.disk.memory().commit({.append = {}, .put = {{kCoinBlob, other}}, .remove = {}});
  EXPECT_ERROR(ErrorCode::file, load(3)) << "neither heads nor tails";
  world.disk.memory().commit({.append = {}, .put = {}, .remove = {kCoinBlob}});
  EXPECT_ERROR(ErrorCode::file, load(3)) << "bytes without a coin";
  world.disk.memory().commit({.append = {}, .put = {{kCoinBlob, coin}}, .remove = {kDeviceBlob}});
  EXPECT_ERROR(ErrorCode::file, load(3)) << "no ledger";
}

}  // namespace
}  // namespace muster::service
