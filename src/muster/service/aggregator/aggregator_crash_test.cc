// A run of four rounds, in which the aggregator is killed before or after each operation on its disk, and
// each call of the shuffler is lost on its way there or back. However it goes, the run comes to the same end.
// What is promised to others is on the disk before they hear of it; stores that write late, or forget to
// remove, fail the same checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "muster/service/aggregator/aggregator_fixture_test.h"
#include "muster/service/store/round_key.h"
#include "muster/service/store/store_between_test.h"

namespace muster::service {
namespace {

using wire::Buffer;
using State = Progress::State;

constexpr const char* kStory = "open release open void open spent:duplicate open release end";

// Closes the open round. What becomes of it depends on its number alone.
void close_round(ShufflerDouble& shuffler) {
  switch (shuffler.opened()) {
    case 1:
      return shuffler.close(11, answers({1, 2, 2, 10}));
    case 2:
      return shuffler.destroy_round();
    case 3:
      return shuffler.close(10, answers({3, 3}),
                            [](Buffer& batch) { std::copy_n(batch.begin(), 52, batch.begin() + 52); });
    default:
      return shuffler.close(10, answers({4, 5, 6}));
  }
}

bool is_open(ShufflerDouble& shuffler) {
  return shuffler.opened() > 0 && !shuffler.rounds().at(shuffler.opened()).manifest;
}

// Checks at every call of the shuffler that the disk holds what it must hold by then, and notes what is
// missing.
class Watch {
 public:
  explicit Watch(AggregatorFixture& d) : d_(d) {
    d.shuffler().watch = [this](const char* call) { check(call); };
  }
  const std::set<std::string>& findings() const { return findings_; }

  // Checks, after each step, that no blob holds the key of a round that is over.
  void check_keys() {
    const Ledger durable(d_.memory(), "durable");
    if (const auto key = read_round_key(d_.memory())) {
      secrets_.insert(Buffer(key->pair.secret().span().begin(), key->pair.secret().span().end()));
      if (!durable.open_round()) findings_.insert("a key of a round that is over is kept");
    }
  }
  void check_end() {
    for (const char* name : {"key", "manifest", "receipt"}) {
      if (d_.memory().blob(name)) findings_.insert(std::string(name) + " is kept after the end");
    }
    for (const char* name : {"model", "counts", "serial"}) {
      const Buffer blob = d_.memory().blob(name).value();
      for (const Buffer& secret : secrets_) {
        if (std::search(blob.begin(), blob.end(), secret.begin(), secret.end()) != blob.end())
          findings_.insert("a secret is in a blob");
      }
    }
  }

 private:
  void expect(bool holds, const char* what) {
    if (!holds) findings_.insert(what);
  }
  void check(const std::string& call) {
    MemoryStore& memory = d_.memory();
    const Ledger durable(memory, "durable");
    if (call == "open" || call == "put_blob") {
      expect(durable.open_round() && memory.blob("key"), "a round is opened before it is written");
    }
    if (call == "batch") {
      expect(memory.blob("manifest").has_value(), "a batch is asked for before its manifest is written");
    }
    if (call == "receipt")
      expect(is_of(durable, memory.blob("receipt")), "a receipt is sent before it is written");
  }
  // Whether this is a receipt, and its ledger head is or was that of the ledger.
  bool is_of(const Ledger& durable, const std::optional<Buffer>& receipt) const {
    if (!receipt) return false;
    const auto read = wire::read_receipt(*receipt, d_.task().settings().aggregator);
    return read && durable.has_had(read->ledger_head);
  }

  AggregatorFixture& d_;
  std::set<std::string> findings_;
  std::set<Buffer> secrets_;
};

// Runs the deployment to its end through every fault, and returns the number of steps.
void run_to_the_end(AggregatorFixture& d, Watch& watch, const std::function<void()>& after_each_step = {}) {
  for (int step = 0; step < 200; ++step) {
    State state = State::waiting;
    try {
      if (is_open(d.shuffler()) && step % 2 == 1) close_round(d.shuffler());
      state = d.step().state;
    } catch (const Killed&) {
      d.stop();
      d.disk().crash([](std::size_t) { return 0; });
    }
    watch.check_keys();
    if (after_each_step) after_each_step();
    if (state == State::ended && !d.memory().blob("receipt")) {
      watch.check_end();
      return;
    }
  }
  ADD_FAILURE() << "the run comes to no end";
}

struct Expected {
  Buffer model;
  std::uint64_t operations = 0, calls = 0;
};
// The run without a fault.
const Expected& undisturbed() {
  static const Expected expected = [] {
    AggregatorFixture d;
    Watch watch(d);
    run_to_the_end(d, watch);
    EXPECT_EQ(d.story(), kStory);
    EXPECT_EQ(d.findings(), "");
    EXPECT_TRUE(watch.findings().empty()) << *watch.findings().begin();
    return Expected{d.model(), d.disk().operations(), d.shuffler().calls()};
  }();
  return expected;
}

void expect_the_same_end(AggregatorFixture& d, const Watch& watch) {
  EXPECT_EQ(d.story(), kStory);
  EXPECT_EQ(d.findings(), "");
  EXPECT_EQ(d.model(), undisturbed().model);
  EXPECT_TRUE(watch.findings().empty()) << *watch.findings().begin();
  EXPECT_EQ(d.shuffler().opens_accepted(), 4u);
  for (const std::uint64_t round : {1u, 3u, 4u}) {
    const auto& receipts = d.shuffler().rounds().at(round).receipts;
    EXPECT_GE(receipts.size(), 1u) << round;
    // A receipt that is sent again is the same.
    for (const wire::Receipt& receipt : receipts) EXPECT_EQ(receipt, receipts[0]) << round;
    EXPECT_FALSE(d.shuffler().rounds().at(round).batch) << round;
  }
  EXPECT_TRUE(d.shuffler().rounds().at(2).receipts.empty());
  EXPECT_EQ(d.role().rejected().reports.range, 1u);
  EXPECT_EQ(d.role().rejected().uploads[0], 4u);
}

TEST(AggregatorCrash, ComesToTheSameEndWhereverItIsKilled) {
  ASSERT_GE(undisturbed().operations, 15u);
  for (std::uint64_t operation = 0; operation < undisturbed().operations; ++operation) {
    for (const Disk::When when : {Disk::When::before, Disk::When::after}) {
      SCOPED_TRACE(testing::Message()
                   << (when == Disk::When::before ? "before" : "after") << " operation " << operation);
      AggregatorFixture d;
      Watch watch(d);
      d.disk().kill_after(operation, when);
      run_to_the_end(d, watch);
      expect_the_same_end(d, watch);
    }
  }
}

TEST(AggregatorCrash, ComesToTheSameEndWhicheverCallIsLost) {
  ASSERT_GE(undisturbed().calls, 20u);
  for (std::uint64_t call = 0; call < undisturbed().calls; ++call) {
    for (const ShufflerDouble::Lost lost : {ShufflerDouble::Lost::request, ShufflerDouble::Lost::answer}) {
      SCOPED_TRACE(testing::Message()
                   << (lost == ShufflerDouble::Lost::request ? "request " : "answer ") << call);
      AggregatorFixture d;
      Watch watch(d);
      d.shuffler().lose_after(call, lost);
      run_to_the_end(d, watch);
      expect_the_same_end(d, watch);
    }
  }
}

TEST(AggregatorCrash, ComesToTheSameEndThroughManyFaults) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    AggregatorFixture d;
    Watch watch(d);
    int faults = 12;
    const auto fault = [&] {
      if (faults-- <= 0) return;
      const std::uint64_t next = random() % 4;
      if (random() % 2 == 0) {
        d.disk().kill_after(next, random() % 2 == 0 ? Disk::When::before : Disk::When::after);
      } else {
        d.shuffler().lose_after(
            next, random() % 2 == 0 ? ShufflerDouble::Lost::request : ShufflerDouble::Lost::answer);
      }
    };
    fault();
    run_to_the_end(d, watch, fault);
    expect_the_same_end(d, watch);
  }
}

// A store that reports a commit as written although it reaches the disk only with the next one. An aggregator
// on such a store behaves like one that acts before it writes.
class Late final : public Store {
 public:
  explicit Late(Store& disk) : disk_(disk) {}
  std::vector<Buffer> rows() override { return seen_.rows(); }
  std::optional<Buffer> blob(const std::string& name) override { return seen_.blob(name); }
  void commit(const Commit& changes) override {
    seen_.commit(changes);
    disk_.commit(pending_);
    pending_ = changes;
  }

 private:
  Store& disk_;
  MemoryStore seen_;
  Commit pending_;
};

// A store that keeps what it should remove.
class Hoarder final : public StoreBetween {
 public:
  using StoreBetween::StoreBetween;
  std::optional<Buffer> blob(const std::string& name) override {
    return removed_.contains(name) ? std::nullopt : store_.blob(name);
  }
  void commit(const Commit& changes) override {
    for (const std::string& name : changes.remove) removed_.insert(name);
    for (const auto& [name, content] : changes.put) removed_.erase(name);
    store_.commit({changes.append, changes.put, {}});
  }

 private:
  std::set<std::string> removed_;
};

TEST(AggregatorCrash, WritingLateIsNoticed) {
  AggregatorFixture d;
  Late late(d.disk().store());
  d.store = &late;
  Watch watch(d);
  for (int step = 0; step < 6; ++step) {
    if (is_open(d.shuffler()) && step % 2 == 1) close_round(d.shuffler());
    d.step();
  }
  EXPECT_TRUE(watch.findings().contains("a round is opened before it is written"));
  EXPECT_TRUE(watch.findings().contains("a batch is asked for before its manifest is written"));
  EXPECT_TRUE(watch.findings().contains("a receipt is sent before it is written"));
}

TEST(AggregatorCrash, KeepingAKeyIsNoticed) {
  AggregatorFixture d;
  Hoarder hoarder(d.disk().store());
  d.store = &hoarder;
  Watch watch(d);
  for (int step = 0; step < 4; ++step) {
    if (is_open(d.shuffler()) && step % 2 == 1) close_round(d.shuffler());
    d.step();
    watch.check_keys();
  }
  EXPECT_TRUE(watch.findings().contains("a key of a round that is over is kept"));
}

}  // namespace
}  // namespace muster::service
