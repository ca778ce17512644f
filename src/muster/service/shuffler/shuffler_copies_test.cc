// Devices that send each other's sealed reports. An aggregator charges a batch with two equal encapsulated
// keys without an update, so the shuffler must take only one of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/service/shuffler/shuffler.h"
#include "muster/service/shuffler/shuffler_fixture_test.h"
#include "muster/wire/hpke.h"
#include "muster/wire/manifest.h"
#include "muster/wire/token.h"
#include "muster/wire/upload.h"

namespace muster::service {
namespace {

using wire::Buffer;

// The inner layer of a report whose payload begins with `first`.
Buffer inner_of(const ShufflerFixture& rig, std::uint8_t first) {
  Buffer payload(ShufflerFixture::kPayload), inner(ShufflerFixture::kSizes.inner());
  payload[0] = first;
  const wire::RoundKeys keys = rig.keys();
  wire::seal(keys.aggregator, wire::HpkeInfo("muster v1 aggregator"), keys.descriptor, payload, inner);
  return inner;
}

// The upload of a device with this token around an inner layer that it may have from another device.
Buffer upload_around(const ShufflerFixture& rig, const wire::Token& token, wire::Bytes inner,
                     wire::UploadKind kind = wire::UploadKind::report) {
  const wire::RoundKeys keys = rig.keys();
  const Buffer header =
      wire::FieldWriter(wire::kUploadHeader).integer(wire::kWireVersion).integer(keys.round).take();
  const Buffer bound =
      wire::FieldWriter(header.size() + keys.descriptor.size()).bytes(header).bytes(keys.descriptor).take();
  const Buffer plain = wire::FieldWriter(ShufflerFixture::kSizes.outer_plain())
                           .integer(static_cast<std::uint8_t>(kind))
                           .bytes(token)
                           .bytes(inner)
                           .take();
  Buffer upload = header;
  upload.resize(ShufflerFixture::kSizes.upload());
  wire::seal(keys.shuffler, wire::HpkeInfo("muster v1 shuffler"), bound, plain,
             std::span(upload).subspan(header.size()));
  return upload;
}

// A round with the report 0 of an honest device, a copy of it, and another one under the same key, then the
// reports 1 to 8 and a dummy.
struct CopiesRig : ShufflerFixture {
  CopiesRig() {
    open_round();
    const Buffer inner = inner_of(*this, 0);
    Buffer under_the_same_key = inner;
    under_the_same_key.back() ^= 1;
    first = upload_around(*this, token(), inner);
    copy = upload_around(*this, copier = token(), inner);
    changed = upload_around(*this, token(), under_the_same_key);
    for (const Buffer* upload : {&first, &copy, &changed}) {
      EXPECT_EQ(shuffler->upload(*upload), Answer::stored);
    }
    EXPECT_EQ(shuffler->heard(), 1u);
    for (std::uint8_t i = 1; i < 9; ++i) EXPECT_EQ(shuffler->upload(report(i)), Answer::stored);
    EXPECT_EQ(shuffler->upload(dummy()), Answer::stored);
  }
  // Ends the round and returns what its reports begin with, in order.
  std::vector<int> reports() {
    clock.advance(1000 * static_cast<std::int64_t>(kSeconds));
    std::vector<int> firsts = batch();
    std::ranges::sort(firsts);
    return firsts;
  }
  wire::Token copier{};
  Buffer first, copy, changed;
};

std::vector<int> numbers(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) all.push_back(i);
  return all;
}

TEST(ShufflerCopies, AReportThatAnotherDeviceSentIsNotTakenAndTheRoundIsReleased) {
  CopiesRig rig;
  EXPECT_EQ(rig.reports(), numbers(9));
  const auto manifest = rig.manifest();
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->heard, 10u);
  EXPECT_EQ(manifest->rejected[static_cast<std::size_t>(wire::Rejected::repeated)], 2u);
}

TEST(ShufflerCopies, TheHonestDeviceMaySendItsOwnAgain) {
  CopiesRig rig;
  EXPECT_EQ(rig.shuffler->upload(rig.first), Answer::stored);
  EXPECT_EQ(rig.reports(), numbers(9));
  EXPECT_EQ(rig.manifest()->rejected[static_cast<std::size_t>(wire::Rejected::repeated)], 2u);
}

TEST(ShufflerCopies, ADeviceWhoseCopyWasNotTakenCanSendAReportOfItsOwn) {
  CopiesRig rig;
  EXPECT_EQ(rig.shuffler->upload(upload_around(rig, rig.copier, inner_of(rig, 9))), Answer::stored);
  EXPECT_EQ(rig.shuffler->heard(), 11u);
  EXPECT_EQ(rig.reports(), numbers(10));
}

TEST(ShufflerCopies, ACopyIsNotTakenAfterARestartEither) {
  CopiesRig rig;
  rig.restart();
  rig.shuffler->tick();
  EXPECT_EQ(rig.shuffler->heard(), 10u);
  for (const Buffer* upload : {&rig.copy, &rig.changed}) {
    EXPECT_EQ(rig.shuffler->upload(*upload), Answer::stored);
  }
  EXPECT_EQ(rig.shuffler->heard(), 10u);
  EXPECT_EQ(rig.reports(), numbers(9));
}

// The inner layer of a dummy is never read: equal ones are two devices.
TEST(ShufflerCopies, DummiesWithTheSameBytesAreDevicesOfTheirOwn) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  const Buffer inner(ShufflerFixture::kSizes.inner(), 7);
  for (int i = 0; i < 2; ++i) {
    const Buffer dummy = upload_around(rig, rig.token(), inner, wire::UploadKind::dummy);
    EXPECT_EQ(rig.shuffler->upload(dummy), Answer::stored);
  }
  EXPECT_EQ(rig.shuffler->heard(), 2u);
}

}  // namespace
}  // namespace muster::service
