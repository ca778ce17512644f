// An issuer that was restored from an older copy: what the others refuse, and what nobody can notice.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "muster/service/issuer/small_deployment_test.h"
#include "muster/service/store/disk_test.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::KeyDirectory;

class RestoredIssuer : public ::testing::Test {
 protected:
  RestoredIssuer() {
    start(1);
    issuer_->enrol(devices(6));
    issuer_->prepare(2);
  }

  // Starts the process. The next key that it makes is stored_key(next_key).
  void start(std::uint64_t next_key) {
    issuer_.reset();
    issuer_ = std::make_unique<Issuer>(small_task(), issuer_identity(), disk_.store(), disk_.logs(),
                                       "issuer.db", stored_keys(next_key));
  }
  Disk::Image copy() {
    issuer_.reset();
    Disk::Image image = disk_.image();
    start(3);
    return image;
  }
  void restore(const Disk::Image& image, std::uint64_t next_key = 3) {
    issuer_.reset();
    disk_.restore(image);
    start(next_key);
  }
  // Gives a new token of the round to each of the first `count` devices, and publishes the number of tokens.
  void give_tokens(std::uint64_t round, std::uint8_t count) {
    for (std::uint8_t device = 0; device < count; ++device) {
      EXPECT_EQ(issuer_->tokens(block_of(device, {{round, begin(directory(), round).request}}, name_)).answer,
                Answer::stored);
    }
    issuer_->publish();
  }
  KeyDirectory directory() { return read(issuer_->keys()); }

  const wire::Hash name_ = small_task().name();
  Disk disk_;
  std::unique_ptr<Issuer> issuer_;
};

TEST_F(RestoredIssuer, IsRefusedByWhoeverSawALaterDirectory) {
  const Disk::Image old = copy();
  give_tokens(1, kNeeded);
  const KeyDirectory seen = directory();
  restore(old);
  // It does not know that it has given these devices a token, and gives them another one.
  EXPECT_LE(directory().serial, seen.serial);
  EXPECT_FALSE(wire::follows(directory(), seen));
  give_tokens(1, 1);
  EXPECT_LE(directory().serial, seen.serial);
  EXPECT_FALSE(wire::follows(directory(), seen));
}

TEST_F(RestoredIssuer, IsRefusedForEverIfItLacksTheEndOfARound) {
  give_tokens(1, kNeeded);
  const Disk::Image old = copy();
  const KeyDirectory seen = read(issuer_->close_issuance(order_to_close(1, name_)).value());
  restore(old);
  issuer_->prepare(40);
  for (std::uint8_t more = 6; more < 60; ++more) issuer_->enrol(devices(more));
  EXPECT_GT(directory().serial, 80u);
  EXPECT_FALSE(wire::follows(directory(), seen));
  // No order of the shuffler helps except the one that was lost.
  for (const std::uint64_t round : {2, 3}) {
    EXPECT_FALSE(issuer_->close_issuance(order_to_close(round, name_)).has_value());
  }
}

TEST_F(RestoredIssuer, IsRefusedWhileItLacksARelease) {
  give_tokens(1, kNeeded);
  issuer_->close_issuance(order_to_close(1, name_));
  const Disk::Image old = copy();
  const KeyDirectory seen = read(issuer_->note_release(notice_of_release(1, name_)).value());
  restore(old);
  for (std::uint8_t more = 7; more < 10; ++more) issuer_->enrol(devices(more));
  EXPECT_GT(directory().serial, seen.serial);
  EXPECT_FALSE(wire::follows(directory(), seen));
}

TEST_F(RestoredIssuer, IsRefusedForEverIfAKeyIsAnotherOne) {
  const Disk::Image old = copy();
  issuer_->prepare(3);
  const KeyDirectory seen = directory();
  restore(old, 4);  // it has lost the key of round 3 and makes another one
  issuer_->prepare(10);
  EXPECT_GT(directory().serial, seen.serial);
  EXPECT_FALSE(wire::follows(directory(), seen));
}

TEST_F(RestoredIssuer, IsRefusedWhileItHasIssuedLess) {
  give_tokens(1, 1);
  const Disk::Image old = copy();
  give_tokens(2, kNeeded);
  const KeyDirectory seen = directory();
  restore(old);
  for (std::uint8_t more = 7; more < 10; ++more) issuer_->enrol(devices(more));
  EXPECT_GT(directory().serial, seen.serial);
  EXPECT_FALSE(wire::follows(directory(), seen));
}

// This is the limit that issuer.h states: nothing that others have seen tells this copy from the original.
TEST_F(RestoredIssuer, IsNotNoticedIfItHasIssuedAsMuchInTheSameRoundSince) {
  const Disk::Image old = copy();
  const Buffer first = block_of(0, {{1, begin(directory(), 1).request}}, name_);
  EXPECT_EQ(issuer_->tokens(first).answer, Answer::stored);
  issuer_->publish();
  const KeyDirectory seen = directory();
  restore(old);
  give_tokens(1, 2);  // among them one that has a token already
  issuer_->enrol(devices(7));
  EXPECT_TRUE(wire::follows(directory(), seen));
}

TEST_F(RestoredIssuer, WithItsIdentityKeyAloneIsRefused) {
  const KeyDirectory seen = directory();
  Disk empty;
  Issuer again(small_task(), issuer_identity(), empty.store(), empty.logs(), "issuer.db", stored_keys(2));
  EXPECT_EQ(read(again.keys()).serial, 1u);
  EXPECT_FALSE(wire::follows(read(again.keys()), seen));
  again.enrol(devices(6));
  again.prepare(2);
  EXPECT_FALSE(wire::follows(read(again.keys()), seen));
}

}  // namespace
}  // namespace muster::service
