// What becomes of a round's batch, manifest and receipt, with a shuffler that follows the rules or breaks
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "muster/service/aggregator/aggregator_fixture_test.h"
#include "muster/service/store/round_key.h"
#include "muster/service/store/store_between_test.h"

namespace muster::service {
namespace {

using ::testing::HasSubstr;
using wire::Buffer;
using wire::Manifest;
using State = Progress::State;

TEST(AggregatorBatch, ReportsThatAreNoneAreCountedByReason) {
  AggregatorFixture d;
  d.open();
  const auto payloads = answers({1, 10, 2, 0xffffffff, 3});
  d.shuffler().close(10, payloads, [](Buffer& batch) { batch[3 * 52 - 1] ^= 1; });
  d.step();
  EXPECT_EQ(d.story(), "open release");
  EXPECT_EQ(d.role().rejected().reports, (ReportCounts{.valid = 0, .sealed = 1, .range = 1 + 1}));
  EXPECT_EQ(d.role().rejected().uploads, (std::array<std::uint64_t, 6>{1, 0, 2, 0, 0, 3}));
  // The model is that of the valid reports.
  AggregatorFixture only_valid;
  only_valid.run(answers({1, 3}));
  EXPECT_EQ(d.model(), only_valid.model());
  d.open();
  d.shuffler().destroy_round();
  d.step();
  EXPECT_EQ(d.start().rejected().uploads, (std::array<std::uint64_t, 6>{2, 0, 4, 0, 0, 6}));
  EXPECT_EQ(d.role().rejected().reports.range, 2u);
}

TEST(AggregatorBatch, ARoundOfOneReportIsReleasedAndChangesTheModel) {
  AggregatorFixture d;
  const Buffer before = (d.start(), d.model());
  d.run(answers({1}));
  EXPECT_EQ(d.story(), "open release");
  EXPECT_NE(d.model(), before);
  EXPECT_EQ(d.role().rejected().reports, (ReportCounts{.valid = 0, .sealed = 0, .range = 0}));
  EXPECT_EQ(d.ledger().epsilon(), test_epsilon(1));
  EXPECT_EQ(d.findings(), "");
}

// The inner layer of a hostile device, with a point of X25519 whose shared secret is 0 for every key.
TEST(AggregatorBatch, AReportWithAPointOfLowOrderIsCountedAndTheOthersStay) {
  AggregatorFixture d;
  d.open();
  d.shuffler().close(10, answers({1, 2, 3}), [](Buffer& batch) {
    std::fill_n(batch.begin(), 32, std::uint8_t{0});
    std::fill_n(batch.begin() + 52, 32, std::uint8_t{0});
    batch[52] = 1;
  });
  d.step();
  EXPECT_EQ(d.story(), "open release");
  EXPECT_EQ(d.role().rejected().reports, (ReportCounts{.valid = 0, .sealed = 2, .range = 0}));
  AggregatorFixture only_valid;
  only_valid.run(answers({3}));
  EXPECT_EQ(d.model(), only_valid.model());
}

TEST(AggregatorBatch, ARoundWithoutReportsIsReleasedAndLeavesTheModel) {
  AggregatorFixture d;
  const Buffer before = (d.start(), d.model());
  d.run({});
  EXPECT_EQ(d.story(), "open release");
  EXPECT_EQ(d.model(), before);
  EXPECT_EQ(d.ledger().epsilon(), test_epsilon(1));
  EXPECT_EQ(d.findings(), "");
}

TEST(AggregatorBatch, ADestroyedRoundCostsNothing) {
  AggregatorFixture d;
  d.open();
  d.shuffler().destroy_round();
  const Progress progress = d.step();
  EXPECT_EQ(progress.state, State::waiting);
  EXPECT_THAT(progress.reason, HasSubstr("round 1 is void: 9 devices were heard, 10 are needed"));
  EXPECT_EQ(d.ledger().epsilon(), 0);
  EXPECT_EQ(d.memory().blob("key"), std::nullopt);
  EXPECT_EQ(d.run().round, 3u);
  EXPECT_EQ(d.story(), "open void open release");
  EXPECT_EQ(d.findings(), "");
}

// What a shuffler, or a disk, may do to a batch, and why the round is then charged without an update.
struct Unusable {
  const char* why;
  std::function<void(AggregatorFixture&)> close;
};

class UnusableBatch : public ::testing::TestWithParam<Unusable> {};

TEST_P(UnusableBatch, IsChargedWithoutAnUpdate) {
  AggregatorFixture d;
  d.run();
  const Buffer before = d.model();
  d.open();
  GetParam().close(d);
  Progress progress = d.step();
  for (int i = 0; i < AggregatorRole::kPulls && progress.state == State::closing; ++i) progress = d.step();
  EXPECT_EQ(d.story(), std::string("open release open spent:") + GetParam().why);
  EXPECT_THAT(progress.reason, HasSubstr("charged without an update"));
  EXPECT_EQ(d.ledger().epsilon(), test_epsilon(2));
  EXPECT_EQ(d.model(), before);
  EXPECT_EQ(d.memory().blob("key"), std::nullopt);
  const auto& receipts = d.shuffler().rounds().at(2).receipts;
  ASSERT_EQ(receipts.size(), 1u);
  EXPECT_EQ(receipts[0].outcome, wire::Receipt::Outcome::spent);
  EXPECT_EQ(receipts[0].ledger_head, d.ledger().head());
  EXPECT_EQ(d.findings(), "");
  d.run();
  EXPECT_EQ(d.step().state, State::ended);
}

const auto kFive = answers({1, 2, 3, 4, 5});
INSTANTIATE_TEST_SUITE_P(
    AggregatorBatch, UnusableBatch,
    ::testing::Values(Unusable{"heard",
                               [](AggregatorFixture& d) {
                                 // Nine devices are too few, and still the shuffler says that it released
                                 // their reports.
                                 d.shuffler().close(10, kFive, {}, [](Manifest& m) { m.heard = 9; });
                               }},
                      Unusable{"duplicate",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive, [](Buffer& batch) {
                                   // The encapsulated key of the first report stands before the fifth one's
                                   // ciphertext.
                                   std::copy_n(batch.begin(), 32, batch.begin() + 4 * 52);
                                 });
                               }},
                      Unusable{"hash",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive, {}, [](Manifest& m) { m.batch[0] ^= 1; });
                               }},
                      Unusable{"hash",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive, {}, [](Manifest& m) { m.width = 26; });
                               }},
                      Unusable{"hash",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive, {}, [](Manifest& m) { m.reports = 6; });
                               }},
                      Unusable{"hash",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive, {}, [](Manifest& m) { m.reports = 4; });
                               }},
                      Unusable{"hash",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive);
                                 d.shuffler().rounds().at(2).batch.reset();
                               }},
                      // More reports than anybody could hold, of which five come.
                      Unusable{"hash",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive, {}, [](Manifest& m) {
                                   m.heard = m.reports = std::uint64_t{1} << 62;
                                 });
                               }},
                      // The reports are in another order than the manifest says, and then the batch is one
                      // byte too short.
                      Unusable{"hash",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive);
                                 Buffer& batch = *d.shuffler().rounds().at(2).batch;
                                 std::swap_ranges(batch.begin(), batch.begin() + 52, batch.begin() + 52);
                               }},
                      Unusable{"hash",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive);
                                 d.shuffler().rounds().at(2).batch->pop_back();
                               }},
                      Unusable{"key",
                               [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive);
                                 d.memory().commit({.append = {}, .put = {}, .remove = {"key"}});
                               }},
                      Unusable{"key", [](AggregatorFixture& d) {
                                 d.shuffler().close(10, kFive);
                                 d.memory().commit(
                                     {.append = {},
                                      .put = {{"key", encode(RoundKey{2, wire::HpkeKeyPair::fresh()})}},
                                      .remove = {}});
                               }}));

TEST(AggregatorBatch, ABatchThatWasDamagedOnItsWayIsAskedForAgain) {
  AggregatorFixture d;
  d.open();
  d.shuffler().close(10, kFive);
  Buffer& batch = *d.shuffler().rounds().at(1).batch;
  batch[60] ^= 1;
  EXPECT_THAT(d.step().reason, HasSubstr("not the one of its manifest (asked for 1 of 3 times)"));
  batch[60] ^= 1;
  EXPECT_THAT(d.step().reason, HasSubstr("round 1 was released"));
  AggregatorFixture undamaged;
  undamaged.run(kFive);
  EXPECT_EQ(d.model(), undamaged.model());
}

TEST(AggregatorBatch, ALostPieceIsPulledAgainAndTheRoundWaitsForIt) {
  AggregatorFixture d;
  d.open();
  d.shuffler().close(10, kFive);
  // The step calls offer(), manifest() and then batch(), whose answer is lost.
  d.shuffler().lose_after(2, ShufflerDouble::Lost::answer);
  const Progress progress = d.step();
  EXPECT_EQ(progress.state, State::closing);
  EXPECT_THAT(progress.reason, HasSubstr("cannot be reached"));
  EXPECT_EQ(d.story(), "open");
  d.step();
  EXPECT_EQ(d.story(), "open release");
}

// Manifests

TEST(AggregatorBatch, AManifestThatIsNotTheShufflersWordAboutTheRoundIsNotAccepted) {
  const std::vector<std::function<void(Manifest&)>> changes = {[](Manifest& m) { m.task[0] ^= 1; },
                                                               [](Manifest& m) { m.round = 2; },
                                                               [](Manifest& m) { m.descriptor[0] ^= 1; }};
  for (const auto& change : changes) {
    AggregatorFixture d;
    d.open();
    d.shuffler().close(10, kFive, {}, change);
    const Progress progress = d.step();
    EXPECT_EQ(progress.state, State::open);
    EXPECT_THAT(progress.reason, HasSubstr("manifest of round 1 is not one that the shuffler signed for it"));
    EXPECT_EQ(d.story(), "open");
    EXPECT_EQ(d.shuffler().rounds().at(1).pulled, 0u);
  }
  AggregatorFixture d;
  d.open();
  d.shuffler().close(10, kFive);
  Buffer& manifest = *d.shuffler().rounds().at(1).manifest;
  const Buffer signed_by_shuffler = manifest;
  for (std::size_t i = 0; i < manifest.size(); i += 7) {
    manifest[i] ^= 1;
    d.step();
    EXPECT_EQ(d.story(), "open") << i;
    manifest = signed_by_shuffler;
  }
  manifest.pop_back();
  d.step();
  EXPECT_EQ(d.story(), "open");
  manifest = signed_by_shuffler;
  d.step();
  EXPECT_EQ(d.story(), "open release");
}

// A store that drops one blob: with it, the aggregator forgets what it must not forget.
class Forgetful final : public StoreBetween {
 public:
  Forgetful(Store& store, std::string name) : StoreBetween(store), name_(std::move(name)) {}
  void commit(const Commit& changes) override {
    Commit others = changes;
    std::erase_if(others.put, [&](const auto& blob) { return blob.first == name_; });
    store_.commit(others);
  }

 private:
  std::string name_;
};

// Pulls a piece of a round's batch, and then lets the shuffler sign a second manifest, by which the round was
// destroyed. The first manifest must count, because the batch may have been handed out upon it. Returns how
// the round ended.
std::string story_with_a_second_manifest(AggregatorFixture& d) {
  d.open();
  d.shuffler().close(10, kFive);
  d.shuffler().lose_after(2, ShufflerDouble::Lost::answer);
  d.step();
  EXPECT_EQ(d.shuffler().rounds().at(1).pulled, 1u);
  d.start();
  const Manifest destroyed{.task = d.task().name(),
                           .round = 1,
                           .descriptor = wire::descriptor_hash(d.shuffler().rounds().at(1).descriptor)};
  d.shuffler().rounds().at(1).manifest = wire::sign_manifest(destroyed, d.shuffler().identity());
  d.shuffler().refuse_receipts(true);
  d.shuffler().rounds().at(1).batch.reset();
  for (int i = 0; i < AggregatorRole::kPulls; ++i) d.step();
  return d.story().substr(0, std::string("open spent:hash").size());
}
TEST(AggregatorBatch, AChangedManifestIsNotAccepted) {
  AggregatorFixture d;
  EXPECT_EQ(story_with_a_second_manifest(d), "open spent:hash");
}
TEST(AggregatorBatch, AnAggregatorThatForgetsTheFirstManifestWouldTakeTheSecond) {
  AggregatorFixture d;
  Forgetful forgetful(d.disk().store(), "manifest");
  d.store = &forgetful;
  EXPECT_NE(story_with_a_second_manifest(d), "open spent:hash");
}

// Receipts and repeated calls

TEST(AggregatorBatch, AReceiptSaysWhatTheLedgerSays) {
  AggregatorFixture d;
  d.run();
  const auto& round = d.shuffler().rounds().at(1);
  ASSERT_EQ(round.receipts.size(), 1u);
  EXPECT_EQ(round.receipts[0], (wire::Receipt{.task = d.task().name(),
                                              .round = 1,
                                              .manifest = wire::hash_of({*round.manifest}),
                                              .outcome = wire::Receipt::Outcome::released,
                                              .ledger_head = d.ledger().head()}));
  EXPECT_EQ(d.memory().blob("receipt"), std::nullopt);
}

TEST(AggregatorBatch, AReceiptIsSentUntilItIsAccepted) {
  AggregatorFixture d;
  d.open();
  d.shuffler().close(10, kFive);
  // The step calls offer(), manifest(), batch() and then receipt(), which is lost.
  d.shuffler().lose_after(3, ShufflerDouble::Lost::request);
  EXPECT_THAT(d.step().reason, HasSubstr("cannot be reached"));
  EXPECT_EQ(d.story(), "open release");
  EXPECT_TRUE(d.shuffler().rounds().at(1).receipts.empty());
  d.shuffler().refuse_receipts(true);
  d.start();
  EXPECT_EQ(d.step().state, State::open);  // the next round is not kept from being opened
  EXPECT_TRUE(d.shuffler().rounds().at(1).receipts.empty());
  d.shuffler().refuse_receipts(false);
  d.step();
  EXPECT_EQ(d.shuffler().rounds().at(1).receipts.size(), 1u);
  d.step();
  EXPECT_EQ(d.shuffler().rounds().at(1).receipts.size(), 1u);
}

TEST(AggregatorBatch, ARoundThatTheShufflerRefusesIsOfferedAgainAndNeverEnteredTwice) {
  AggregatorFixture d;
  d.shuffler().refuse_to_open(true);
  for (int i = 0; i < 3; ++i) {
    const Progress progress = i == 1 ? d.start().step() : d.step();
    EXPECT_EQ(progress.state, State::waiting);
    EXPECT_THAT(progress.reason, HasSubstr("the shuffler refuses to open round 1"));
    EXPECT_EQ(d.story(), "open");
  }
  d.shuffler().refuse_to_open(false);
  EXPECT_EQ(d.step().state, State::open);
  EXPECT_EQ(d.story(), "open");
  EXPECT_EQ(d.shuffler().rounds().at(1).descriptor.ledger_head, d.ledger().head());
}

TEST(AggregatorBatch, ARoundWhoseKeyTheShufflerLostIsVoid) {
  AggregatorFixture d;
  d.shuffler().refuse_to_open(true);
  d.step();
  d.shuffler().destroy_unopened(descriptor_of(*d.ledger().open_round(), d.task().name(), d.ledger().head()));
  d.step();
  EXPECT_EQ(d.story(), "open void");
  d.shuffler().refuse_to_open(false);
  d.run();
  EXPECT_EQ(d.story(), "open void open release");
  EXPECT_EQ(d.findings(), "");
}

}  // namespace
}  // namespace muster::service
