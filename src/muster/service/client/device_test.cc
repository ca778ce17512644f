// Plays rounds between one device and test doubles of its servers: it must send one upload a round whatever
// the coin, the message of the zero vector whatever goes wrong after the coin, and every lost request again.
#include "muster/service/client/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/client/device_fixture_test.h"
#include "muster/wire/round_notice.h"

namespace muster::service {
namespace {

TEST(Device, SendsOneUploadInEveryRoundWhateverItsCoin) {
  for (const bool heads : {true, false}) {
    DeviceFixture world(heads);
    for (const std::uint64_t round : {1u, 2u, 3u}) {
      world.play(round);
      const TestShuffler::Seen seen = world.shuffler->only_upload(round);
      EXPECT_EQ(seen.kind, heads ? wire::UploadKind::report : wire::UploadKind::dummy);
      if (heads) {
        EXPECT_EQ(seen.payload, world.expected(round, world.computation.vector));
      }
    }
    EXPECT_EQ(world.device->counts().acknowledged, 3u);
    EXPECT_EQ(world.device->counts().faults, 0u);
    EXPECT_EQ(world.device->ledger().offered, 3u);
    EXPECT_EQ(world.device->ledger().seen, 3u);
    EXPECT_EQ(world.draws.drawn, (std::vector<std::uint64_t>{1, 2, 3})) << "one coin a round";
    EXPECT_EQ(world.computation.started, 3) << "heads and tails compute";
    EXPECT_EQ(world.computation.asked, 3);
    EXPECT_GE(world.computation.stopped, 3);
  }
}

// Plays three rounds with a source of keys that has a new one for each message or, if `stale`, always its
// first one. Returns in how many rounds the message is the one that the new key makes.
int messages_under_new_keys(bool heads, bool stale) {
  const TaskDocument task =
      task_of(std::string(kTwelve) + kGradients, {{"rounds.learning_rate", "0.1"}}, world_settings());
  DeviceFixture world(heads, task);
  int fresh = 0;
  for (const std::uint64_t round : {1u, 2u, 3u}) {
    const auto newest = random::RunKey::from_seed(100 + round);
    world.draws.key = stale ? random::RunKey::from_seed(101) : newest;
    world.play(round);
    EXPECT_EQ(world.draws.keys_drawn, round) << "one key a round, whatever the coin";
    world.draws.key = newest;
    const wire::Buffer payload = heads ? world.shuffler->only_upload(round).payload : wire::Buffer();
    if (payload == world.expected(round, world.computation.vector)) ++fresh;
  }
  return fresh;
}

TEST(Device, EveryMessageHasNoiseUnderAKeyOfItsOwn) {
  EXPECT_EQ(messages_under_new_keys(true, false), 3);
  EXPECT_EQ(messages_under_new_keys(false, false), 0) << "dummies have no message";
  EXPECT_EQ(messages_under_new_keys(true, true), 1) << "a key that is used again is noticed";
}

TEST(Device, RestsOnceTheAggregatorHasSaidThatTheTaskIsOver) {
  DeviceFixture world;
  world.play(1);
  for (const wire::Buffer& wrong :
       {wire::sign_task_over({world.task.name(), 1}, world.shuffler->shuffler_signer),
        wire::sign_task_over({{1}, 1}, world.shuffler->aggregator_signer), wire::Buffer{1}}) {
    const std::uint64_t faults = world.device->counts().faults;
    world.shuffler->over = wrong;
    world.run_until(world.clock.steady_ms() + world.length());
    EXPECT_FALSE(world.device->is_over());
    EXPECT_GT(world.device->counts().faults, faults);
  }
  world.shuffler->over = wire::sign_task_over({world.task.name(), 1}, world.shuffler->aggregator_signer);
  world.run_until(world.clock.steady_ms() + world.length());
  EXPECT_TRUE(world.device->is_over());
  const std::size_t calls = world.network.calls.size();
  world.run_until(world.clock.steady_ms() + 100 * world.length());
  EXPECT_EQ(world.network.calls.size(), calls);
}

TEST(Device, NoRoundNoUpload) {
  DeviceFixture world;
  world.start();
  world.run_until(world.clock.steady_ms() + 10 * world.length());
  EXPECT_EQ(world.calls("upload"), 0u);
  EXPECT_GT(world.calls("round"), 100u);
  EXPECT_TRUE(world.draws.drawn.empty());
}

TEST(Device, CoinAndSendTimeAreOnDiskBeforeAnythingElseHappens) {
  DeviceFixture world;
  std::vector<std::string> early;
  world.network.before = [&](const Call& call) {
    const bool later = call.what == "model" || call.what == "frozen" || call.what == "upload";
    if (later && !world.stored(kCoinBlob)) early.push_back(call.what);
    if (call.what == "upload" && !world.stored(kUploadBlob)) early.push_back("unsaved upload");
  };
  world.play(1);
  EXPECT_EQ(world.calls("model"), 1u);
  EXPECT_EQ(world.calls("upload"), 1u);
  EXPECT_EQ(early, std::vector<std::string>());
}

TEST(Device, NothingIsLeftOfARoundThatIsOver) {
  DeviceFixture world;
  world.play(1);
  EXPECT_FALSE(world.stored(kCoinBlob));
  EXPECT_FALSE(world.stored(kUploadBlob));
  const DeviceState state = load_state(world.disk.store(), world.task, world.key.identity(), 0);
  ASSERT_EQ(state.tokens.size(), 7u);
  EXPECT_EQ(state.tokens.front().round, 2u);
  EXPECT_EQ(state.ledger, (DeviceLedger{.seen = 1, .offered = 1, .serial = 1, .asked = 8}));
}

// What may go wrong after the coin, on the device and around it.
struct Trouble {
  const char* name;
  std::function<void(DeviceFixture&)> make;
};
std::vector<Trouble> troubles() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  return {{"NaN", [](DeviceFixture& w) { w.computation.vector->at(0) = kNan; }},
          {"infinity", [](DeviceFixture& w) { w.computation.vector->at(9) = -kInf; }},
          {"another dimension", [](DeviceFixture& w) { w.computation.vector->resize(4); }},
          {"never ready", [](DeviceFixture& w) { w.computation.vector.reset(); }},
          {"fails", [](DeviceFixture& w) { w.computation.fails = true; }},
          {"does not start",
           [](DeviceFixture& w) {
             w.computation.fails_to_start = true;
             w.computation.vector.reset();
           }},
          {"no model",
           [](DeviceFixture& w) {
             w.network.before = [&w](const Call& call) {
               if (call.what == "model") w.shuffler->blobs.clear();
             };
           }},
          {"another model",
           [](DeviceFixture& w) {
             w.network.before = [&w](const Call& call) {
               if (call.what == "model") w.shuffler->blobs.begin()->second = wire::Buffer(w.model.size());
             };
           }},
          {"no way to the model", [](DeviceFixture& w) {
             w.network.before = [](const Call& call) {
               if (call.what == "model") throw Unreachable();
             };
           }}};
}

TEST(Device, WhateverHappensAfterTheCoinHeadsSendTheMessageOfZeros) {
  for (const Trouble& trouble : troubles()) {
    SCOPED_TRACE(trouble.name);
    DeviceFixture world;
    ASSERT_NE(world.expected(1, world.computation.vector), world.expected(1, std::nullopt));
    trouble.make(world);
    world.play(1);
    const TestShuffler::Seen seen = world.shuffler->only_upload(1);
    EXPECT_EQ(seen.kind, wire::UploadKind::report);
    EXPECT_EQ(seen.payload, world.expected(1, std::nullopt));
  }
}

// The blobs that the shuffler serves, before the device asks for the frozen part.
std::vector<Trouble> troubles_of_the_frozen_part() {
  const auto before_frozen = [](DeviceFixture& w, const std::function<void()>& act) {
    w.network.before = [act](const Call& call) {
      if (call.what == "frozen") act();
    };
  };
  return {{"none", [=](DeviceFixture& w) { before_frozen(w, [&w] { w.shuffler->blobs.clear(); }); }},
          {"one changed bit",
           [=](DeviceFixture& w) {
             before_frozen(w, [&w] { w.shuffler->blobs.at(w.shuffler->descriptor.frozen).back() = 6; });
           }},
          {"the model in its place",
           [=](DeviceFixture& w) {
             before_frozen(w, [&w] { w.shuffler->blobs.at(w.shuffler->descriptor.frozen) = w.model; });
           }},
          {"no way to it", [=](DeviceFixture& w) { before_frozen(w, [] { throw Unreachable(); }); }}};
}

TEST(Device, WithoutTheFrozenPartOfItsModelHeadsSendTheMessageOfZeros) {
  for (const Trouble& trouble : troubles_of_the_frozen_part()) {
    SCOPED_TRACE(trouble.name);
    DeviceFixture world;
    ASSERT_NE(world.expected(1, world.computation.vector), world.expected(1, std::nullopt));
    world.frozen = wire::Buffer(100, 7);
    trouble.make(world);
    world.play(1);
    EXPECT_EQ(world.computation.started, 0);
    EXPECT_EQ(world.shuffler->only_upload(1).payload, world.expected(1, std::nullopt));
  }
}

TEST(Device, DownloadsAFrozenPartOnce) {
  DeviceFixture world;
  world.frozen = wire::Buffer(100, 7);
  for (const std::uint64_t round : {1u, 2u}) {
    world.play(round);
    EXPECT_EQ(world.shuffler->only_upload(round).payload, world.expected(round, world.computation.vector));
  }
  EXPECT_EQ(world.calls("model"), 2u);
  EXPECT_EQ(world.calls("frozen"), 1u);
}

TEST(Device, LostRequestsAndAnswersChangeNoByte) {
  for (const bool request : {true, false}) {
    DeviceFixture world;
    int left = 3;
    const auto lose = [&](const Call& call) {
      if (call.what == "upload" && left-- > 0) throw Unreachable();
    };
    (request ? world.network.before : world.network.after) = lose;
    world.play(1);
    EXPECT_EQ(world.calls("upload"), 4u);
    EXPECT_EQ(world.shuffler->only_upload(1).kind, wire::UploadKind::report);
    EXPECT_EQ(world.device->counts().acknowledged, 1u);
  }
}

// Starts the device, opens round 1, and lets time pass until the upload is acknowledged. Returns the steady
// time at which the round ends.
std::int64_t play_until_acknowledged(DeviceFixture& world) {
  world.start();
  world.run_until(world.clock.steady_ms() + 1000);
  world.shuffler->open(1, world.model);
  while (world.device->counts().acknowledged == 0) world.clock.advance_to(world.device->step());
  return world.shuffler->end;
}

TEST(Device, HearsOfTheNextRoundWhenOneEndsBeforeItsTime) {
  DeviceFixture world;
  // It sends as early as it may, and then asks as soon as it may.
  world.draws.below_of = [&](std::uint64_t bound) {
    return world.device && world.device->counts().acknowledged > 0 ? 0 : bound - 1;
  };
  const std::int64_t end = play_until_acknowledged(world);
  world.shuffler->open(2, world.model);
  while (world.draws.drawn.size() < 2) world.clock.advance_to(world.device->step());
  EXPECT_LT(world.clock.steady_ms(), end - world.length() / 3);
}

// Returns the times of the requests for a round that the device makes once the upload of round 1 is
// acknowledged, relative to the round's end, if each of its draws is the largest or the smallest.
std::vector<std::int64_t> times_of_polls(bool largest) {
  DeviceFixture world;
  world.draws.below_of = [=](std::uint64_t bound) { return largest ? bound - 1 : 0; };
  const std::int64_t end = play_until_acknowledged(world);
  world.network.calls.clear();
  world.run_until(end + world.length() / 9);
  std::vector<std::int64_t> times;
  for (const Call& call : world.network.calls) {
    if (call.what == "round") times.push_back(call.at - end);
  }
  return times;
}

TEST(Device, AsksRarelyBetweenItsUploadAndTheEndOfTheRound) {
  const auto before_the_end = [](const std::vector<std::int64_t>& times) {
    return std::ranges::count_if(times, [](std::int64_t time) { return time < 0; });
  };
  EXPECT_LE(before_the_end(times_of_polls(true)), 2);
  EXPECT_EQ(before_the_end(times_of_polls(false)), 0) << "it sends when a tenth of the round is left";
}

TEST(Device, DevicesDoNotAllAskInTheMomentARoundEnds) {
  const auto first_after_the_end = [](const std::vector<std::int64_t>& times) {
    return *std::ranges::find_if(times, [](std::int64_t time) { return time >= 0; });
  };
  EXPECT_EQ(first_after_the_end(times_of_polls(false)), 0);
  EXPECT_EQ(first_after_the_end(times_of_polls(true)), DeviceFixture().length() / 10 - 1);
}

TEST(Device, StaysOutOfARoundsLastTenth) {
  for (const bool late : {true, false}) {
    DeviceFixture world;
    world.start();
    world.run_until(world.clock.steady_ms() + 1000);
    world.shuffler->open(1, world.model);
    world.shuffler->is_open = false;
    world.run_until(world.shuffler->end - world.length() / 10 - (late ? 0 : 1));
    world.shuffler->is_open = true;
    // The device is restarted, so that it asks at once.
    world.device.reset();
    world.start();
    world.run_until(world.shuffler->end);
    EXPECT_EQ(world.draws.drawn.size(), late ? 0u : 1u);
    EXPECT_EQ(world.calls("upload"), late ? 0u : 1u);
  }
}

TEST(Device, SendsAtTheTimeThatWasDrawnWithTheCoin) {
  for (const std::int64_t tenths : {0, 1, 5, 10}) {
    DeviceFixture world;
    world.start();
    world.run_until(world.clock.steady_ms() + 1000);
    world.draws.below_of = [&](std::uint64_t bound) {
      return (bound - 1) * static_cast<std::uint64_t>(tenths) / 10;
    };
    world.shuffler->open(1, world.model);
    world.run_until(world.shuffler->end - 1);
    const auto sent = std::ranges::find(world.network.calls, "upload", &Call::what);
    ASSERT_NE(sent, world.network.calls.end());
    const auto heard = std::ranges::find(world.network.calls, "model", &Call::what);
    const std::int64_t remaining = world.shuffler->end - heard->at, edge = remaining / 10;
    EXPECT_EQ(sent->at, world.shuffler->end - edge - (remaining - 2 * edge) * tenths / 10);
  }
}

// The shuffler states a round's end as the time that is left, so that no device needs to know what time it
// is.
TEST(Device, AWallClockThatIsWrongOrJumpsChangesNothing) {
  constexpr std::int64_t kYear = 31'536'000'000;
  const auto calls_of = [](std::int64_t first, std::int64_t then) {
    DeviceFixture world;
    world.clock.set_wall(world.clock.wall_ms() + first);
    world.start();
    world.run_until(world.clock.steady_ms() + 1000);
    world.shuffler->open(1, world.model);
    while (world.calls("model") == 0) world.clock.advance_to(world.device->step());
    world.clock.set_wall(world.clock.wall_ms() + then - first);
    world.device.reset();
    world.start();
    world.run_until(world.shuffler->end + 1000);
    EXPECT_EQ(world.shuffler->only_upload(1).kind, wire::UploadKind::report);
    std::vector<std::pair<std::string, std::int64_t>> calls;
    for (const Call& call : world.network.calls) calls.emplace_back(call.what, call.at);
    return calls;
  };
  const auto right = calls_of(0, 0);
  EXPECT_GT(right.size(), 5u);
  for (const std::int64_t error : {-kYear, kYear}) {
    EXPECT_EQ(calls_of(error, error), right);
    EXPECT_EQ(calls_of(0, error), right);
    EXPECT_EQ(calls_of(error, 0), right);
  }
}

TEST(Device, ARoundThatIsNotForItIsNotEvenTossedFor) {
  const auto refused = [](const char* what, const std::function<void(DeviceFixture&)>& change) {
    SCOPED_TRACE(what);
    DeviceFixture world;
    world.play(2);
    world.shuffler->open(3, world.model);
    change(world);
    world.run_until(world.shuffler->end);
    EXPECT_EQ(world.draws.drawn.size(), 1u);
    EXPECT_EQ(world.calls("upload"), 1u);
    EXPECT_EQ(world.device->ledger().offered, 1u);
  };
  const wire::HpkePublicKey low_order{};
  refused("seen", [](DeviceFixture& w) { w.shuffler->descriptor.round = 2; });
  refused("before one that was seen", [](DeviceFixture& w) { w.shuffler->descriptor.round = 1; });
  refused("above most_rounds", [](DeviceFixture& w) { w.shuffler->descriptor.round = 1001; });
  refused("no token", [](DeviceFixture& w) { w.shuffler->open(9, w.model); });
  refused("another token key",
          [](DeviceFixture& w) { w.shuffler->descriptor.token_key = w.issuer.key(2).public_key().id(); });
  refused("another task", [](DeviceFixture& w) { w.shuffler->descriptor.task[0] ^= 1; });
  refused("another aggregator", [](DeviceFixture& w) { w.shuffler->aggregator_signer = key_of_byte(4); });
  refused("another shuffler", [](DeviceFixture& w) { w.shuffler->shuffler_signer = key_of_byte(4); });
  refused("a key of low order", [&](DeviceFixture& w) { w.shuffler->descriptor.shuffler = low_order; });
  refused("a key of low order", [&](DeviceFixture& w) { w.shuffler->descriptor.aggregator = low_order; });
}

TEST(Device, ARestartFindsCoinTimeAndBytesAgain) {
  for (const bool heads : {true, false}) {
    for (const bool sent : {true, false}) {
      DeviceFixture world(heads);
      world.start();
      world.run_until(world.clock.steady_ms() + 1000);
      world.shuffler->open(1, world.model);
      while (sent ? world.calls("upload") == 0 : world.calls("model") == 0)
        world.clock.advance_to(world.device->step());
      world.device.reset();
      world.draws.coin_of = [heads](std::uint64_t) { return !heads; };
      world.clock.advance(10);
      world.start();
      world.run_until(world.shuffler->end + 1000);
      EXPECT_EQ(world.draws.drawn.size(), 1u);
      EXPECT_EQ(world.shuffler->only_upload(1).kind,
                heads ? wire::UploadKind::report : wire::UploadKind::dummy);
      EXPECT_EQ(world.calls("upload"), sent ? 2u : 1u);
    }
  }
}

TEST(Device, ARoundThatEndedWhileItWasAwayIsCleanedUp) {
  for (const bool other : {true, false}) {
    DeviceFixture world;
    world.start();
    world.run_until(world.clock.steady_ms() + 1000);
    world.shuffler->open(1, world.model);
    while (!world.stored(kUploadBlob)) world.clock.advance_to(world.device->step());
    world.device.reset();
    world.clock.advance_to(world.shuffler->end + 1);
    if (other) world.shuffler->open(2, world.model);
    world.start();
    world.device->step();
    EXPECT_FALSE(world.stored(kUploadBlob));
    EXPECT_EQ(world.stored(kCoinBlob).has_value(), other) << "the coin of the next round";
    EXPECT_EQ(world.calls("upload"), 0u);
  }
}

TEST(Device, AnotherTasksOrDevicesStoreIsRefused) {
  DeviceFixture world;
  world.play(1);
  world.device.reset();
  DeviceFixture other(true, task_of(std::string(kTwelve) + kHistogram, {{"seed", "2"}}, world_settings()));
  EXPECT_ERROR(ErrorCode::file, other.start(world.disk.store()));
  world.key = key_of_byte(8);
  EXPECT_ERROR(ErrorCode::file, world.start());
  world.key = key_of_byte(9);
  EXPECT_NO_THROW(world.start());
}

}  // namespace
}  // namespace muster::service
