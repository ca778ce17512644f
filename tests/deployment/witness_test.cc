// Checks that the witness notices faults that no schedule brings about as long as the roles are correct.
#include "tests/deployment/witness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/service/model/tasks_test.h"
#include "muster/service/store/memory_store_test.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/manifest.h"

namespace muster::deployment {
namespace {

using service::Ledger;

class WitnessTest : public ::testing::Test {
 protected:
  // The shuffler hands over a batch of one report in one opening of a round.
  void hand_over(std::uint64_t round, std::uint8_t opening) {
    bytes_ = manifest_of(round, {opening}, 1, task_.needed());
    witness_.sees_manifest(round, bytes_);
    witness_.sees_piece(round, 0, Buffer(kSizes.inner(), opening));
  }
  Buffer manifest_of(std::uint64_t round, const wire::Hash& descriptor, std::uint64_t reports,
                     std::uint64_t heard) const {
    return wire::sign_manifest({.task = task_.name(),
                                .round = round,
                                .descriptor = descriptor,
                                .outcome = wire::Manifest::Outcome::released,
                                .heard = heard,
                                .reports = reports,
                                .width = static_cast<std::uint32_t>(kSizes.inner())},
                               shuffler_);
  }
  service::SignedManifest manifest() const {
    service::SignedManifest manifest{};
    std::ranges::copy(bytes_, manifest.begin());
    return manifest;
  }
  using Findings = std::vector<std::string>;
  Findings findings() { return witness_.judge(ledger_); }
  bool finds(const std::string& what) { return std::ranges::count(findings(), what) == 1; }

  static constexpr wire::UploadSizes kSizes{17};
  const wire::SigningKey aggregator_ = wire::SigningKey::fresh(), shuffler_ = wire::SigningKey::fresh();
  const service::TaskDocument task_ = service::task_of(service::kHistogramPlan, {}, [this] {
    service::TaskSettings settings = service::task_settings();
    settings.aggregator = aggregator_.identity();
    settings.shuffler = shuffler_.identity();
    return settings;
  }());
  Witness witness_{task_, kSizes};
  Buffer bytes_;  // of the manifest that the witness saw last
  service::MemoryStore store_;
  Ledger ledger_{store_, "ledger"};
};

TEST_F(WitnessTest, NoticesARoundThatWasHandedOverAndIsNotCharged) {
  hand_over(1, 1);
  ledger_.append(service::TaskEntry{task_.name(), 0.5, 1e-3});
  ledger_.append(service::OpenEntry{.round = 1});
  EXPECT_TRUE(finds("round 1 was handed over and is not charged"));
}

TEST_F(WitnessTest, MissesNoChargeOfARoundThatIsSpent) {
  hand_over(1, 1);
  ledger_.append(service::TaskEntry{task_.name(), 0.5, 1e-3});
  ledger_.append(service::OpenEntry{.round = 1});
  ledger_.append(service::SpentEntry{1, 0.1, service::SpentEntry::Why::lost, {}});
  EXPECT_FALSE(finds("round 1 was handed over and is not charged"));
}

// An aggregator without its ledger has charged all three planned rounds, one of which was void.
TEST_F(WitnessTest, CountsTheChargesOnceAllPlannedRoundsAreCharged) {
  ledger_.append(service::TaskEntry{task_.name(), 0.5, 1e-3});
  for (const std::uint64_t round : {1u, 2u, 3u}) {
    ledger_.append(service::OpenEntry{.round = round});
    ledger_.append(service::SpentEntry{round, 0.1, service::SpentEntry::Why::lost, {}});
  }
  for (std::uint8_t round = 2; round <= 4; ++round) hand_over(round, round);
  EXPECT_FALSE(finds("round 4 was handed over and is not charged"));
  EXPECT_FALSE(finds("4 rounds were handed over, 3 are charged"));
  hand_over(5, 5);
  EXPECT_TRUE(finds("4 rounds were handed over, 3 are charged"));
}

TEST_F(WitnessTest, NoticesARoundThatIsVoidAndWasHandedOver) {
  hand_over(1, 1);
  ledger_.append(service::TaskEntry{task_.name(), 0.5, 1e-3});
  ledger_.append(service::OpenEntry{.round = 1});
  ledger_.append(service::VoidEntry{1, manifest()});
  EXPECT_TRUE(finds("round 1 is void and was handed over"));
  EXPECT_TRUE(finds("round 1 was handed over and is not charged"));
}

TEST_F(WitnessTest, NoticesARoundThatWasHandedOverInTwoOpenings) {
  hand_over(1, 1);
  hand_over(1, 2);
  EXPECT_TRUE(finds("round 1 was handed over twice"));
}

// A round with uploads of real bytes, in which a test plants the fault of a shuffler.
class WitnessedRound : public WitnessTest {
 protected:
  using Batch = std::vector<Buffer>;

  WitnessedRound() { ledger_.append(service::TaskEntry{task_.name(), 0.5, 1e-3}); }

  // Devices are shown the next round.
  void open() {
    pair_ = wire::HpkeKeyPair::fresh();
    const wire::Descriptor descriptor{.task = task_.name(),
                                      .round = keys_.round + 1,
                                      .shuffler = pair_->public_key(),
                                      .aggregator = wire::HpkeKeyPair::fresh().public_key()};
    keys_ = {descriptor.round, wire::descriptor_hash(descriptor), descriptor.shuffler, descriptor.aggregator};
    const auto shown = wire::countersign_descriptor(wire::sign_descriptor(descriptor, aggregator_),
                                                    aggregator_.identity(), shuffler_);
    const Buffer key =
        wire::FieldWriter(8 + wire::kHpkeKey).integer(keys_.round).bytes(pair_->secret().span()).take();
    witness_.sees_round(shown.value(), key);
    ledger_.append(service::OpenEntry{.round = keys_.round, .update = ledger_.counts().released});
  }
  // The device sends an upload. Returns its inner layer.
  Buffer send(std::uint8_t device, wire::UploadKind kind = wire::UploadKind::report,
              service::Answer answer = service::Answer::stored) {
    wire::Token token{};
    token.fill(device);
    const Buffer upload = wire::seal_upload(keys_, kind, token, Buffer(kSizes.payload));
    witness_.sees_upload(upload);
    witness_.sees_answer(upload, answer);
    wire::OpenedUpload opened;
    EXPECT_EQ(wire::open_upload(*pair_, keys_.round, keys_.descriptor, kSizes, upload, opened),
              wire::UploadFault::none);
    return opened.inner;
  }
  // As many devices as a round needs send a report each. Returns what the shuffler must hand over.
  Batch all_send() {
    Batch batch;
    for (std::uint64_t i = 0; i < task_.needed(); ++i) batch.push_back(send(static_cast<std::uint8_t>(i)));
    return batch;
  }
  // The shuffler closes the round with this batch and hands it over.
  void hand_over(const Batch& batch, std::uint64_t heard) {
    bytes_ = manifest_of(keys_.round, keys_.descriptor, batch.size(), heard);
    witness_.sees_manifest(keys_.round, bytes_);
    for (std::size_t i = 0; i < batch.size(); ++i) witness_.sees_piece(keys_.round, i, batch[i]);
  }
  // The same, and the aggregator releases the round.
  void release(const Batch& batch, std::uint64_t heard) {
    hand_over(batch, heard);
    ledger_.append(service::ReleaseEntry{.round = keys_.round, .epsilon = 0.1, .manifest = manifest()});
  }
  void release(const Batch& batch) { release(batch, task_.needed()); }

  wire::RoundKeys keys_;
  std::optional<wire::HpkeKeyPair> pair_;
};

TEST_F(WitnessedRound, HasNothingToNoticeIfAllWentWell) {
  for (int round = 0; round < 2; ++round) {
    open();
    Batch batch = all_send();
    send(200, wire::UploadKind::dummy);
    std::ranges::reverse(batch);
    release(batch, task_.needed() + 1);
  }
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(WitnessedRound, NoticesALateReportThatIsCarriedOver) {
  open();
  Batch batch = all_send();
  release(batch);
  const Buffer late = send(200, wire::UploadKind::report, service::Answer::over);
  open();
  batch = all_send();
  batch.push_back(late);
  release(batch, task_.needed() + 1);
  EXPECT_EQ(findings(), (Findings{"round 2 has a report in its batch that nobody sent",
                                  "round 2 heard more devices than there were"}));
}

TEST_F(WitnessedRound, NoticesAReportThatIsLostDoubledOrInvented) {
  open();
  Batch batch = all_send();
  batch.front() = batch.back();
  batch.emplace_back(kSizes.inner());
  send(200);
  release(batch, batch.size());
  EXPECT_EQ(findings(), (Findings{"round 1 has a device twice in its batch",
                                  "round 1 has a report in its batch that nobody sent",
                                  "round 1 lost an acknowledged report"}));
}

TEST_F(WitnessedRound, NoticesTwoReportsOfOneDeviceAndADummy) {
  open();
  Batch batch = all_send();
  batch.push_back(send(0));
  batch.push_back(send(200, wire::UploadKind::dummy));
  release(batch, batch.size());
  EXPECT_TRUE(finds("round 1 has a device twice in its batch"));
  EXPECT_TRUE(finds("round 1 has a dummy in its batch"));
}

TEST_F(WitnessedRound, NoticesAnOrderThatIsDrawnAgainAfterAByteLeft) {
  open();
  Batch batch = all_send();
  release(batch);
  std::swap(batch[0], batch[1]);
  hand_over(batch, task_.needed() + 1);
  EXPECT_TRUE(finds("round 1 has a batch that changed"));
  EXPECT_TRUE(finds("round 1 has two manifests"));
}

TEST_F(WitnessedRound, NoticesARoundThatIsReleasedWithTooFewDevices) {
  open();
  Batch batch = all_send();
  batch.pop_back();
  release(batch, task_.needed() - 1);
  EXPECT_EQ(findings(),
            (Findings{"round 1 is released with too few devices", "round 1 lost an acknowledged report"}));
}

}  // namespace
}  // namespace muster::deployment
