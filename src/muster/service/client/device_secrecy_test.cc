// What an observer of a device sees must not depend on its coin. Two devices that differ in their coins
// alone are watched: every call with its time and size, every commit with the sizes of its blobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "muster/service/client/device.h"
#include "muster/service/client/device_fixture_test.h"
#include "muster/service/store/store_between_test.h"

namespace muster::service {
namespace {

// A store that notes the sizes of what is committed among the calls.
class WatchedStore final : public StoreBetween {
 public:
  WatchedStore(Store& store, DeviceFixture& world) : StoreBetween(store), world_(world) {}
  void commit(const Commit& changes) override {
    for (const auto& [name, content] : changes.put) note("put " + name, content.size());
    for (const std::string& name : changes.remove) note("remove " + name, 0);
    store_.commit(changes);
  }

 private:
  void note(const std::string& what, std::size_t size) {
    world_.network.calls.push_back({world_.clock.steady_ms(), what, size});
  }
  DeviceFixture& world_;
};

// What a test does to both devices before they start.
using Setting = std::function<void(DeviceFixture&)>;

// Plays two rounds with a device whose coin comes up as stated, and returns its calls. `setting` prepares the
// world before the device starts.
std::vector<Call> trace(bool heads, const Setting& setting) {
  DeviceFixture world(heads);
  WatchedStore store(world.disk.store(), world);
  setting(world);
  world.start(store);
  world.play(1);
  world.play(2);
  return world.network.calls;
}

// The first difference of the traces of heads and tails; empty if there is none.
std::string difference(const Setting& setting) {
  const std::vector<Call> heads = trace(true, setting), tails = trace(false, setting);
  const auto said = [](const std::vector<Call>& calls, std::size_t i) {
    return i < calls.size()
               ? std::to_string(calls[i].at) + " " + calls[i].what + " " + std::to_string(calls[i].size)
               : std::string("nothing");
  };
  for (std::size_t i = 0; i < std::max(heads.size(), tails.size()); ++i) {
    if (said(heads, i) != said(tails, i))
      return said(heads, i) + " of heads, " + said(tails, i) + " of tails";
  }
  EXPECT_GT(heads.size(), 20u);
  return {};
}

// Loses calls by a pattern that is the same for both devices.
Setting lossy(std::uint64_t seed) {
  return [seed](DeviceFixture& world) {
    auto bits = std::make_shared<random::KeyedStream>(random::RunKey::from_seed(seed),
                                                      random::StreamAddress{random::Purpose::audit, 1});
    const auto lose = [bits](const Call&) {
      if (bits->next_u64() % 3 == 0) throw Unreachable();
    };
    world.network.before = lose;
    world.network.after = lose;
  };
}

TEST(DeviceSecrecy, HeadsAndTailsLookAlike) {
  EXPECT_EQ(difference([](DeviceFixture&) {}), "");
  EXPECT_EQ(difference([](DeviceFixture& w) {
              w.computation.vector->at(0) = std::numeric_limits<float>::quiet_NaN();
            }),
            "");
  EXPECT_EQ(difference([](DeviceFixture& w) { w.computation.vector.reset(); }), "");
  EXPECT_EQ(difference([](DeviceFixture& w) { w.computation.fails_to_start = true; }), "");
  EXPECT_EQ(difference([](DeviceFixture& w) { w.computation.fails = true; }), "");
  EXPECT_EQ(difference([](DeviceFixture& w) { w.shuffler->answers = Answer::busy; }), "");
  EXPECT_EQ(difference([](DeviceFixture& w) { w.shuffler->answers = Answer::refused; }), "");
  EXPECT_EQ(difference([](DeviceFixture& w) {
              w.network.before = [&w](const Call& call) {
                if (call.what == "model") w.shuffler->blobs.clear();
              };
            }),
            "");
}

TEST(DeviceSecrecy, HeadsAndTailsLookAlikeWhateverIsLost) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) EXPECT_EQ(difference(lossy(seed)), "") << seed;
}

TEST(DeviceSecrecy, NeitherRecordNorComputationShowsInWhatIsSent) {
  const auto with = [](std::optional<std::vector<float>> vector) {
    return trace(true, [&](DeviceFixture& world) { world.computation.vector = vector; });
  };
  const std::vector<Call> some = with(std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(with(std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}), some);
  EXPECT_EQ(with(std::vector<float>(10, std::numeric_limits<float>::quiet_NaN())), some);
  EXPECT_EQ(with(std::nullopt), some);
}

// Devices that break a rule. Each must be noticed by the comparison above.

TEST(DeviceSecrecy, ADeviceThatIsSilentOnNanIsCaught) {
  EXPECT_NE(difference([](DeviceFixture& w) {
              w.computation.vector->at(0) = std::numeric_limits<float>::quiet_NaN();
              w.shuffler->silent = [&w] { return w.draws.coin_of(1); };
            }),
            "");
}

TEST(DeviceSecrecy, ADeviceThatIsSilentOnTailsIsCaught) {
  EXPECT_NE(difference([](DeviceFixture& w) { w.shuffler->silent = [&w] { return !w.draws.coin_of(1); }; }),
            "");
}

TEST(DeviceSecrecy, ADeviceThatFetchesTokensAfterItsCoinIsCaught) {
  EXPECT_NE(difference([](DeviceFixture& w) {
              w.draws.coin_of = [&w, heads = w.draws.coin_of(1)](std::uint64_t) {
                if (heads) w.issuer.keys();
                return heads;
              };
            }),
            "");
}

TEST(DeviceSecrecy, ADeviceThatSendsWhenItsGradientIsReadyIsCaught) {
  EXPECT_NE(difference([](DeviceFixture& w) {
              auto report = std::make_shared<bool>(false);
              w.draws.coin_of = [report, heads = w.draws.coin_of(1)](std::uint64_t) {
                return *report = heads;
              };
              w.draws.below_of = [report](std::uint64_t bound) {
                return *report ? bound - 1 : bound / 2;  // as long before the end of the round as can be
              };
            }),
            "");
}

TEST(DeviceSecrecy, ADeviceWhoseDelaysDependOnItsCoinIsCaught) {
  const Setting honest = lossy(1);
  EXPECT_NE(difference([&](DeviceFixture& w) {
              honest(w);
              w.draws.below_of = [heads = w.draws.coin_of(1)](std::uint64_t bound) {
                return bound > 1 && heads ? bound / 3 : bound / 2;
              };
            }),
            "");
}

}  // namespace
}  // namespace muster::service
