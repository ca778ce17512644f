// What a device does where a request is lost, or answered with busy, refused or over.
#include <gtest/gtest.h>

#include <cstdint>

#include "muster/service/client/device.h"
#include "muster/service/client/device_fixture_test.h"

namespace muster::service {
namespace {

TEST(Device, CountsTheFailuresInARowOfEachServer) {
  DeviceFixture world;
  world.start();
  const auto lose = [&](bool issuer, bool shuffler) {
    world.network.before = [=](const Call& call) {
      const bool is_issuers = call.what == "keys" || call.what == "tokens";
      if (is_issuers ? issuer : shuffler) throw Unreachable(is_issuers ? "no issuer" : "no shuffler");
    };
    world.run_until(world.clock.steady_ms() + 2 * world.length());
    const Device::Counts counts = world.device->counts();
    EXPECT_EQ(counts.without_issuer > 2, issuer);
    EXPECT_EQ(counts.without_issuer == 0, !issuer);
    EXPECT_EQ(counts.without_shuffler > 2, shuffler);
    EXPECT_EQ(counts.without_shuffler == 0, !shuffler);
    EXPECT_EQ(world.device->trouble_with_issuer(), "no issuer");  // that of the last failure, also later
    EXPECT_EQ(world.device->trouble_with_shuffler(), "no shuffler");
  };
  lose(true, true);
  lose(false, true);
  lose(false, false);
  lose(false, true);
}

TEST(Device, TriesAgainUntilTheRoundIsOver) {
  for (const bool busy : {true, false}) {
    DeviceFixture world;
    world.start();
    world.run_until(world.clock.steady_ms() + 1000);
    if (busy) {
      world.shuffler->answers = Answer::busy;
    } else {
      world.network.before = [](const Call& call) {
        if (call.what == "upload") throw Unreachable();
      };
    }
    world.play(1);
    EXPECT_GT(world.calls("upload"), 3u);
    for (const Call& call : world.network.calls) {
      EXPECT_TRUE(call.what != "upload" || call.at < world.shuffler->end);
    }
    EXPECT_EQ(world.shuffler->uploads[1].size(), busy ? 1u : 0u);
    EXPECT_FALSE(world.stored(kUploadBlob));
    EXPECT_EQ(world.device->counts().acknowledged, 0u);
  }
}

TEST(Device, AnUploadThatIsRefusedOrLateIsTheLastOfItsRound) {
  for (const Answer answer : {Answer::refused, Answer::over}) {
    DeviceFixture world;
    world.shuffler->answers = answer;
    world.play(1);
    EXPECT_EQ(world.calls("upload"), answer == Answer::refused ? 3u : 1u);
    EXPECT_EQ(world.device->counts().refused, answer == Answer::refused ? 1u : 0u);
    EXPECT_EQ(world.device->counts().late, answer == Answer::over ? 1u : 0u);
    EXPECT_FALSE(world.stored(kUploadBlob));
    EXPECT_EQ(world.draws.drawn.size(), 1u);
  }
}

// What is in front of the shuffler may refuse a request that the shuffler would take.
TEST(Device, AnUploadThatIsRefusedOnceOrTwiceIsSentAgain) {
  for (const unsigned refusals : {1u, 2u}) {
    DeviceFixture world;
    world.shuffler->answers = Answer::refused;
    world.network.before = [&](const Call& call) {
      if (call.what == "upload" && world.calls("upload") > refusals) world.shuffler->answers.reset();
    };
    world.play(1);
    EXPECT_EQ(world.calls("upload"), refusals + 1);
    EXPECT_EQ(world.shuffler->uploads[1].size(), 1u);
    EXPECT_EQ(world.device->counts().refused, 0u);
    EXPECT_EQ(world.device->counts().acknowledged, 1u);
  }
}

}  // namespace
}  // namespace muster::service
