// The shuffler is killed before and after every operation on its disk, in a run of three rounds of which the
// second is void. Whatever happens, each acknowledged upload is in exactly one batch or its round is void, no
// batch changes once a byte of it was seen, and a closed round leaves no key. Disks that do not do what they
// are asked to do stand for shufflers that forget to ask; the same test must notice them.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "muster/service/shuffler/shuffler_fixture_test.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::Manifest;

// The number of an operation that no run reaches.
constexpr std::uint64_t kNever = std::uint64_t{1} << 60;

// What everybody outside saw of one round.
struct Witness {
  std::set<int> sent, acknowledged;
  std::optional<Buffer> manifest, batch;
};

// A run with at most one kill, and what came of it. Each finding is a sentence about one thing that went
// wrong.
class CrashRun {
 public:
  // If `issuer_forgets`, the issuer also forgets the release of the round at each loss of power.
  CrashRun(std::uint64_t operation, Disk::When when, bool loses_all, const Disk::Faults& faults = {},
           bool issuer_forgets = false)
      : loses_all_(loses_all), issuer_forgets_(issuer_forgets) {
    rig_.disk.break_promises(faults);
    rig_.disk.kill_after(operation, when);
  }

  std::vector<std::string> go() {
    for (const int heard : {10, 5, 11}) {
      if (!round(heard)) return findings_;
    }
    rig_.disk.spare();
    if (!rig_.disk.logs().names().empty()) findings_.push_back("a log is left at the end");
    return findings_;
  }
  std::uint64_t operations() const { return rig_.disk.operations(); }

 private:
  // Does the work again and again until the shuffler survives it.
  template <typename Work>
  auto survive(const Work& work) {
    while (true) {
      try {
        if (!rig_.shuffler) rig_.shuffler = rig_.start();
        return work();
      } catch (const Killed&) {
        lose_power();
      }
    }
  }
  void lose_power() {
    rig_.shuffler.reset();
    if (issuer_forgets_) rig_.issuer.restore(rig_.descriptor.round, 0);
    rig_.disk.crash([&](std::size_t most) { return loses_all_ ? most : most / 2; });
  }

  void find(const std::string& what) {
    findings_.push_back("round " + std::to_string(rig_.descriptor.round) + ": " + what);
  }

  // Returns false if the round does not open or end. That is a finding, and the run cannot go on.
  bool round(int heard) {
    survive([&] { rig_.shuffler->tick(); });
    survive([&] { rig_.shuffler->put_blob(rig_.model); });
    rig_.write_open();
    // After a kill the shuffler may offer another key than before, and then the round becomes void.
    const bool opened =
        survive([&] { return rig_.ask_to_open(rig_.offer().entries) || rig_.ask_to_open(0); });
    if (!opened) {
      find("is not opened");
      return false;
    }
    Witness seen;
    send(heard, seen);
    rig_.clock.advance(static_cast<std::int64_t>(ShufflerFixture::kSeconds) * 1000);
    for (int look = 0; look < 2; ++look) {
      survive([&] { watch(seen); });
      lose_power();
    }
    if (!survive([&] { return rig_.manifest(); })) return false;
    judge(seen);
    const Buffer receipt = rig_.conclude();
    if (!receipt.empty() && !survive([&] { return rig_.shuffler->receipt(receipt); })) {
      find("refuses its receipt");
    }
    return true;
  }

  void send(int heard, Witness& seen) {
    for (int i = 0; i < heard; ++i) {
      const Buffer upload = rig_.report(static_cast<std::uint8_t>(i));
      seen.sent.insert(i);
      if (survive([&] { return rig_.shuffler->upload(upload); }) == Answer::stored)
        seen.acknowledged.insert(i);
    }
  }

  // Looks at the manifest, and at the batch in two pieces.
  void watch(Witness& seen) {
    rig_.let_announce();
    const auto manifest = rig_.shuffler->manifest(rig_.descriptor.round);
    if (!manifest) return find("has no manifest after its end");
    if (seen.manifest && seen.manifest != manifest) find("has two manifests");
    seen.manifest = manifest;
    if (rig_.disk.memory().blob("key") && key_is_of(rig_.descriptor.round)) find("leaves its key");
    const auto stated = rig_.manifest();
    if (stated->outcome == Manifest::Outcome::destroyed) {
      if (rig_.shuffler->batch(stated->round, 0, 0)) find("is void and has a batch");
      return;
    }
    Buffer batch;
    for (const auto& [first, count] : {std::pair{std::uint64_t{0}, stated->reports / 2},
                                       {stated->reports / 2, stated->reports - stated->reports / 2}}) {
      const auto piece = rig_.shuffler->batch(stated->round, first, count);
      if (!piece) return find("hands out no batch");
      batch.insert(batch.end(), piece->begin(), piece->end());
    }
    if (seen.batch && seen.batch != batch) find("has two batches");
    if (wire::hash_of({batch}) != stated->batch) find("hands out another batch than it states");
    seen.batch = batch;
  }

  bool key_is_of(std::uint64_t round) {
    return wire::FieldReader(*rig_.disk.memory().blob("key")).integer<std::uint64_t>() == round;
  }

  void judge(const Witness& seen) {
    const auto stated = rig_.manifest();
    if (!stated) return;
    const bool enough = seen.acknowledged.size() >= ShufflerFixture::kNeeded;
    if (stated->outcome == Manifest::Outcome::destroyed) {
      if (enough) find("is void although enough devices were acknowledged");
      return;
    }
    std::map<int, int> times;
    const auto batch = rig_.read_batch();
    if (!batch) return find("has another batch than it states");
    for (const int report : *batch) ++times[report];
    for (const int report : seen.acknowledged) {
      if (times[report] == 0) find("lost report " + std::to_string(report));
    }
    for (const auto& [report, count] : times) {
      if (count > 1) find("doubled report " + std::to_string(report));
      if (count > 0 && !seen.sent.contains(report)) find("invented report " + std::to_string(report));
    }
  }

  bool loses_all_, issuer_forgets_;
  ShufflerFixture rig_;
  std::vector<std::string> findings_;
};

TEST(ShufflerCrash, NothingIsLostDoubledOrInvented) {
  CrashRun quiet(kNever, Disk::When::before, true);
  EXPECT_EQ(quiet.go(), std::vector<std::string>{});
  const std::uint64_t operations = quiet.operations();
  EXPECT_GT(operations, 40u);
  for (std::uint64_t i = 0; i < operations; ++i) {
    for (const auto when : {Disk::When::before, Disk::When::after}) {
      const bool loses_all = (i % 2 == 0) == (when == Disk::When::after);
      EXPECT_EQ(CrashRun(i, when, loses_all).go(), std::vector<std::string>{})
          << "killed " << (when == Disk::When::before ? "before" : "after") << " operation " << i << " of "
          << operations;
    }
  }
}

// Returns the findings of all runs together, one run for each operation at which it is killed.
std::set<std::string> findings_with(const Disk::Faults& faults, bool issuer_forgets = false) {
  CrashRun quiet(kNever, Disk::When::before, true);
  quiet.go();
  std::set<std::string> found;
  for (std::uint64_t i = 0; i < quiet.operations(); ++i) {
    const auto findings = CrashRun(i, Disk::When::after, true, faults, issuer_forgets).go();
    found.insert(findings.begin(), findings.end());
  }
  return found;
}

TEST(ShufflerCrash, AnAnswerBeforeTheSyncIsNoticed) {
  EXPECT_TRUE(findings_with({.forgets_syncs = true})
                  .contains("round 1: is void although enough devices were acknowledged"));
}
// The disk loses the release after it was announced. The shuffler then has the round as open, and could draw
// another order; but the issuer says that the round was released.
TEST(ShufflerCrash, AReleaseThatIsForgottenIsNoticedAndNoOrderIsDrawnAgain) {
  const auto found = findings_with({.forgets = "manifest"});
  EXPECT_TRUE(found.contains("round 1: has no manifest after its end"));
  EXPECT_FALSE(found.contains("round 1: has two manifests") || found.contains("round 1: has two batches"));
}
// If nobody knows of the release any more, the shuffler does draw another order.
TEST(ShufflerCrash, AnOrderThatIsDrawnAgainAfterAByteLeftIsNoticed) {
  EXPECT_TRUE(findings_with({.forgets = "manifest"}, true).contains("round 1: has two batches"));
}
TEST(ShufflerCrash, AKeyThatIsKeptIsNoticed) {
  EXPECT_TRUE(findings_with({.keeps = "key"}).contains("round 1: leaves its key"));
}

}  // namespace
}  // namespace muster::service
