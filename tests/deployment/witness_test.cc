// Checks that the witness notices faults that no schedule brings about as long as the roles are correct.
#include "tests/deployment/witness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "muster/service/model/tasks_test.h"
#include "muster/service/store/memory_store_test.h"
#include "muster/wire/manifest.h"

namespace muster::deployment {
namespace {

using service::Ledger;

class WitnessTest : public ::testing::Test {
 protected:
  // The shuffler hands over a batch of one report in one opening of a round.
  void hand_over(std::uint64_t round, std::uint8_t opening) {
    const wire::Manifest manifest{.task = task_.name(),
                                  .round = round,
                                  .descriptor = {opening},
                                  .outcome = wire::Manifest::Outcome::released,
                                  .heard = task_.needed(),
                                  .reports = 1,
                                  .width = static_cast<std::uint32_t>(kSizes.inner())};
    bytes_ = wire::sign_manifest(manifest, key_);
    witness_.sees_manifest(round, bytes_);
    witness_.sees_piece(round, 0, Buffer(kSizes.inner(), opening));
  }
  service::SignedManifest manifest() const {
    service::SignedManifest manifest{};
    std::ranges::copy(bytes_, manifest.begin());
    return manifest;
  }
  bool finds(const std::string& what) { return std::ranges::count(witness_.judge(ledger_), what) == 1; }

  static constexpr wire::UploadSizes kSizes{17};
  const wire::SigningKey key_ = wire::SigningKey::fresh();
  const service::TaskDocument task_ = service::task_of(service::kHistogramPlan, {}, [this] {
    service::TaskSettings settings = service::task_settings();
    settings.shuffler = key_.identity();
    return settings;
  }());
  Witness witness_{task_, kSizes};
  Buffer bytes_;
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

}  // namespace
}  // namespace muster::deployment
