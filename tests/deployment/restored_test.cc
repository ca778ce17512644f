// What comes out if shuffler and aggregator are both restored from copies of the same time: a round of which
// nothing was handed out is void, because devices refuse a round that they have seen; and after a release the
// aggregator ends with an error until an operator has the lost rounds charged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "muster/service/ledger/ledger.h"
#include "muster/service/ledger/story_test.h"
#include "muster/service/ledger/verification.h"
#include "muster/wire/manifest.h"
#include "tests/deployment/small_task.h"

namespace muster::deployment {
namespace {

using service::Ledger;
using ::testing::HasSubstr;
using Images = std::map<AnyProcess*, service::Disk::Image>;

// Sends as late as it may, so that a round stays open until then.
class LateChoices final : public SeededChoices {
 public:
  using SeededChoices::SeededChoices;
  std::uint64_t below(std::uint64_t bound) override { return bound - 1; }
};

class Restored : public ::testing::Test {
 protected:
  static constexpr std::size_t kDevices = 6;
  static constexpr std::int64_t kSlice = 2'000;

  Ledger ledger() { return Ledger(deployment_.process(Role::aggregator).disk().memory(), "ledger"); }
  bool is_open() { return deployment_.process(Role::shuffler).disk().memory().blob("round").has_value(); }
  // Lets time pass as long as this is true, and returns false if it still is after an hour.
  template <typename Condition>
  bool pass_while(const Condition& condition) {
    for (int slice = 0; slice < 1800; ++slice) {
      if (!condition()) return true;
      deployment_.start();
      deployment_.pass(kSlice);
    }
    return false;
  }
  // Copies all disks just before the first round is opened.
  Images copy_before_the_first_round() {
    Images images;
    for (int slice = 0; slice < 1800 && !is_open(); ++slice) {
      for (AnyProcess* process : deployment_.processes()) {
        process->stop();
        images.insert_or_assign(process, process->disk().image());
      }
      deployment_.start();
      deployment_.pass(kSlice);
    }
    EXPECT_TRUE(is_open());
    return images;
  }
  void restore(const Images& images, AnyProcess& process) {
    process.stop();
    process.disk().restore(images.at(&process));
  }
  void restore_both(const Images& images) {
    deployment_.witness().forgive();
    restore(images, deployment_.process(Role::shuffler));
    restore(images, deployment_.process(Role::aggregator));
  }
  std::string story() { return service::story_of(ledger()); }
  void expect_in_order(std::uint64_t charged) {
    const Ledger now = ledger();
    EXPECT_EQ(now.epsilon(), Deployment::epsilon_of(charged));
    EXPECT_EQ(service::verify(now, small_task(), Deployment::epsilon_of).findings,
              std::vector<std::string>{});
    EXPECT_EQ(deployment_.witness().judge(now), std::vector<std::string>{});
  }
  // The first round is open, and five devices, as many as it needs, are acknowledged in it.
  void let_five_devices_send() {
    ASSERT_TRUE(pass_while([&] { return deployment_.witness().uploads().size() < 5; }));
    ASSERT_TRUE(is_open());
    ASSERT_EQ(deployment_.witness().uploads().size(), 5u);
  }

  Deployment deployment_{small_task(), small_parts(), kDevices,
                         [](std::size_t device) -> std::unique_ptr<service::Draws> {
                           if (device == 0) return std::make_unique<LateChoices>(device);
                           return std::make_unique<SeededChoices>(device);
                         }};
};

TEST_F(Restored, ShufflerAndAggregatorOpenTheRoundAgainAndItIsVoid) {
  const Images images = copy_before_the_first_round();
  ASSERT_NO_FATAL_FAILURE(let_five_devices_send());
  restore_both(images);
  ASSERT_TRUE(pass_while([&] { return !deployment_.has_ended(); }));
  EXPECT_EQ(story(), "open void open release open release open release end");
  const auto voided = std::get<service::VoidEntry>(ledger().entries().at(2));
  const auto manifest = wire::read_manifest(voided.manifest, small_task().settings().shuffler);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->round, 1u);
  EXPECT_EQ(manifest->heard, 0u);
  expect_in_order(3);
}

// The round is void because of what the devices remember: with folders of the same time, they take part.
TEST_F(Restored, WithAllDevicesTheRoundIsHeardAgain) {
  const Images images = copy_before_the_first_round();
  ASSERT_NO_FATAL_FAILURE(let_five_devices_send());
  restore_both(images);
  for (std::size_t i = 0; i < kDevices; ++i) restore(images, deployment_.process(Role::device, i));
  ASSERT_TRUE(pass_while([&] { return !deployment_.has_ended(); }));
  EXPECT_EQ(story(), "open release open release open release end");
}

TEST_F(Restored, ShufflerAndAggregatorAfterAReleaseWantTheLostRoundCharged) {
  const Images images = copy_before_the_first_round();
  ASSERT_TRUE(pass_while([&] { return ledger().counts().released == 0; }));
  restore_both(images);
  AnyProcess& aggregator = deployment_.process(Role::aggregator);
  // It is started and ends again and again, and neither opens a round nor charges one.
  ASSERT_TRUE(pass_while([&] { return aggregator.refusal().empty(); }));
  EXPECT_THAT(aggregator.refusal(), HasSubstr("--charge-lost-rounds"));
  for (int i = 0; i < 60; ++i) {
    deployment_.start();
    deployment_.pass(kSlice);
    EXPECT_FALSE(aggregator.runs());
  }
  EXPECT_EQ(story(), "");
  EXPECT_FALSE(is_open());
  deployment_.charge_lost_rounds();
  ASSERT_TRUE(pass_while([&] { return !deployment_.has_ended(); }));
  EXPECT_EQ(story(), "open spent:lost open release open release end");
  expect_in_order(3);
}

}  // namespace
}  // namespace muster::deployment
