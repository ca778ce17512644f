// A device that is killed before or after any operation, and starts again: over two rounds it sends at most
// one message a round, of the kind that its coin decided, and no crash keeps it from sending.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "muster/service/client/device.h"
#include "muster/service/client/device_fixture_test.h"
#include "muster/service/store/store_between_test.h"

namespace muster::service {
namespace {

// Forgets the sealed bytes when the process dies, so that they are made anew.
class ForgetsUploads final : public StoreBetween {
 public:
  using StoreBetween::StoreBetween;
  void commit(const Commit& changes) override {
    Commit kept = changes;
    std::erase_if(kept.put, [](const auto& put) { return put.first == kUploadBlob; });
    store_.commit(kept);
  }
};

// Writes the coin, and what is committed with it, only with the commit that follows.
class WritesCoinsLate final : public StoreBetween {
 public:
  using StoreBetween::StoreBetween;
  void commit(const Commit& changes) override {
    const bool coin =
        std::ranges::any_of(changes.put, [](const auto& put) { return put.first == kCoinBlob; });
    if (coin) {
      late_ = changes;
      return;
    }
    Commit all = changes;
    all.put.insert(all.put.begin(), late_.put.begin(), late_.put.end());
    late_ = {};
    store_.commit(all);
  }

 private:
  Commit late_;
};

class KeepsTheCoin final : public StoreBetween {
 public:
  using StoreBetween::StoreBetween;
  void commit(const Commit& changes) override {
    Commit kept = changes;
    std::erase(kept.remove, kCoinBlob);
    store_.commit(kept);
  }
};

// When and where the process dies: at an operation of the disk, or of the network.
struct Death {
  bool disk;
  std::uint64_t operation;
  bool before;
};

// What a run has shown.
struct Found {
  std::set<std::string> faults;
  std::uint64_t disk_operations = 0, calls = 0;
  bool died = false;
};

class Run {
 public:
  explicit Run(const std::function<std::unique_ptr<Store>(Store&)>& between)
      : between_(between), world_(true) {
    // A coin that is drawn again falls on the other side.
    world_.draws.coin_of = [this](std::uint64_t round) {
      if (sent_since_.contains(round)) fault("tossed again after something was fetched or sent");
      return tosses_[round]++ % 2 == 0;
    };
  }

  Found play(const std::optional<Death>& death) {
    const auto count = [this, death](bool before) {
      return [this, death, before](const Call& call) {
        if (before) watch(call);
        // Of polls that follow each other, the first stands for all.
        const bool again = call.what == "round" && last_ == "round";
        if (before && !again) ++calls_;
        if (!before) last_ = call.what;
        const std::uint64_t number = calls_ - 1;
        if (again) return;
        if (death && !death->disk && !found_.died && number == death->operation && before == death->before) {
          found_.died = true;
          throw Killed{};
        }
      };
    };
    world_.network.before = count(true);
    world_.network.after = count(false);
    if (death && death->disk) {
      world_.disk.kill_after(death->operation, death->before ? Disk::When::before : Disk::When::after);
    }
    start();
    run_until(world_.clock.steady_ms() + 1000);
    for (const std::uint64_t round : {1u, 2u}) {
      world_.shuffler->open(round, world_.model);
      run_until(world_.shuffler->end + world_.length() / 10);
      judge(round);
    }
    found_.disk_operations = world_.disk.operations();
    found_.calls = calls_;
    return found_;
  }

 private:
  void fault(const std::string& what) { found_.faults.insert(what); }

  void start() {
    store_ = between_(world_.disk.store());
    world_.start(*store_);
  }

  // Notes the coins on the disk and what leaves the device.
  void watch(const Call& call) {
    const std::uint64_t round = world_.shuffler->descriptor.round;
    if (call.what == "model" || call.what == "upload") sent_since_.insert(round);
    if (call.what != "upload") return;
    const auto coin = world_.stored(kCoinBlob);
    if (!coin || !world_.stored(kUploadBlob)) return fault("sent what is not on the disk");
    kinds_[round].insert(coin->at(40));
  }

  void run_until(std::int64_t time) {
    while (true) {
      try {
        return world_.run_until(time);
      } catch (const Killed&) {
        found_.died = true;
        world_.device.reset();
        world_.disk.crash([](std::size_t most) { return most; });
        world_.clock.advance(50);
        while (true) {
          try {
            start();
            break;
          } catch (const Killed&) {
          }
        }
      }
    }
  }

  void judge(std::uint64_t round) {
    const auto uploads = world_.shuffler->uploads.find(round);
    if (uploads == world_.shuffler->uploads.end()) return fault("silent");
    if (uploads->second.size() > 1) return fault("two messages in a round");
    const TestShuffler::Seen seen = world_.shuffler->only_upload(round);
    if (kinds_[round] != std::set<std::uint8_t>{static_cast<std::uint8_t>(seen.kind)}) {
      fault("sent another kind than its coin decided");
    }
    if (world_.stored(kCoinBlob) || world_.stored(kUploadBlob)) fault("kept coin or bytes after the round");
    const DeviceState state = load_state(world_.disk.memory(), world_.task, world_.key.identity(), 0);
    for (const HeldToken& held : state.tokens) {
      if (held.round <= round) fault("kept a token after the round");
    }
    if (state.ledger.offered != round || state.ledger.seen != round) fault("counted the rounds wrongly");
  }

  std::function<std::unique_ptr<Store>(Store&)> between_;
  DeviceFixture world_;
  std::unique_ptr<Store> store_;
  std::map<std::uint64_t, int> tosses_;
  std::map<std::uint64_t, std::set<std::uint8_t>> kinds_;  // coins on the disk when something was sent
  std::set<std::uint64_t> sent_since_;  // rounds in which something was fetched or sent after the first coin
  std::string last_;                    // the last call that was answered
  std::uint64_t calls_ = 0;
  Found found_;
};

// Returns the faults of all runs together, one run for each operation and call at which the process dies.
// Stops early once `sought` is found.
template <typename Between>
std::set<std::string> faults(const std::string& sought = "") {
  const auto between = [](Store& store) { return std::make_unique<Between>(store); };
  const Found whole = Run(between).play(std::nullopt);
  EXPECT_FALSE(whole.died);
  std::set<std::string> found = whole.faults;
  std::uint64_t deaths = 0;
  for (const bool disk : {true, false}) {
    for (std::uint64_t at = 0; at < (disk ? whole.disk_operations : whole.calls); ++at) {
      for (const bool before : {true, false}) {
        Found one = Run(between).play(Death{disk, at, before});
        deaths += one.died ? 1 : 0;
        found.merge(one.faults);
        if (found.contains(sought)) return found;
      }
    }
  }
  EXPECT_EQ(deaths, 2 * (whole.disk_operations + whole.calls)) << "each run dies once";
  return found;
}

TEST(DeviceCrash, NoDeathChangesACoinDoublesAMessageOrSilencesTheDevice) {
  EXPECT_EQ(faults<StoreBetween>(), std::set<std::string>());
}

TEST(DeviceCrash, ADeviceThatMakesItsBytesAnewIsCaught) {
  EXPECT_TRUE(faults<ForgetsUploads>("two messages in a round").contains("two messages in a round"));
}

TEST(DeviceCrash, ADeviceThatTossesAgainIsCaught) {
  EXPECT_TRUE(faults<WritesCoinsLate>("tossed again after something was fetched or sent")
                  .contains("tossed again after something was fetched or sent"));
}

TEST(DeviceCrash, ADeviceThatKeepsItsCoinIsCaught) {
  EXPECT_TRUE(faults<KeepsTheCoin>("kept coin or bytes after the round")
                  .contains("kept coin or bytes after the round"));
}

}  // namespace
}  // namespace muster::service
