// Opens uploads layer by layer: each role can open its own layer alone, and every change of length, byte,
// round, descriptor or kind must be refused.
#include "muster/wire/upload.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "muster/wire/vectors_test.h"

namespace muster::wire {
namespace {

// A round with its secret keys, a token that nobody checks here, and one report.
struct Round {
  HpkeKeyPair shuffler = HpkeKeyPair::fresh(), aggregator = HpkeKeyPair::fresh();
  Hash descriptor{5};
  RoundKeys keys{7, descriptor, shuffler.public_key(), aggregator.public_key()};
  Token token{};
  Buffer payload = Buffer(17, 3);
  UploadSizes sizes{17};

  Round() { token.fill(9); }
  UploadFault opened(Bytes upload, OpenedUpload& out) const {
    return open_upload(shuffler, keys.round, descriptor, sizes, upload, out);
  }
  UploadFault fault(Bytes upload) const {
    OpenedUpload out;
    return opened(upload, out);
  }
};

TEST(Upload, AReportIsOpenedLayerByLayer) {
  const Round r;
  const Buffer upload = seal_report(r.keys, r.token, r.payload);
  EXPECT_EQ(upload.size(), 460u + 17u);
  OpenedUpload opened;
  ASSERT_EQ(r.opened(upload, opened), UploadFault::none);
  EXPECT_EQ(opened.kind, UploadKind::report);
  EXPECT_EQ(opened.token, r.token);
  Buffer payload(17);
  EXPECT_TRUE(open_inner(r.aggregator, r.descriptor, opened.inner, payload));
  EXPECT_EQ(payload, r.payload);
  // Neither role can open the other's layer.
  EXPECT_FALSE(open_inner(r.shuffler, r.descriptor, opened.inner, payload));
  EXPECT_EQ(open_upload(r.aggregator, 7, r.descriptor, r.sizes, upload, opened), UploadFault::layer);
}

TEST(Upload, ADummyHasTheLengthOfAReportAndNothingInside) {
  const Round r;
  const Buffer dummy = seal_dummy(r.keys, r.token, r.sizes);
  EXPECT_EQ(dummy.size(), seal_report(r.keys, r.token, r.payload).size());
  OpenedUpload opened;
  ASSERT_EQ(r.opened(dummy, opened), UploadFault::none);
  EXPECT_EQ(opened.kind, UploadKind::dummy);
  EXPECT_EQ(opened.token, r.token);
  Buffer payload(17);
  EXPECT_FALSE(open_inner(r.aggregator, r.descriptor, opened.inner, payload));
}

TEST(Upload, EveryLengthButOneIsRefused) {
  const Round r;
  Buffer upload = seal_report(r.keys, r.token, r.payload);
  upload.push_back(0);
  EXPECT_EQ(r.fault(upload), UploadFault::length);
  for (std::size_t size = 0; size + 1 < upload.size(); ++size) {
    EXPECT_EQ(r.fault(Bytes(upload).first(size)), UploadFault::length) << size;
  }
  EXPECT_EQ(r.fault(Buffer(10u << 20)), UploadFault::length);
}

TEST(Upload, EveryByteCounts) {
  const Round r;
  const Buffer upload = seal_report(r.keys, r.token, r.payload);
  for (std::size_t i = 0; i < upload.size(); ++i) {
    Buffer changed = upload;
    changed[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    EXPECT_EQ(r.fault(changed), i == 0  ? UploadFault::version
                                : i < 9 ? UploadFault::round
                                        : UploadFault::layer)
        << i;
  }
}

TEST(Upload, AnotherDescriptorOrRoundOpensNothing) {
  const Round r;
  OpenedUpload opened;
  const Buffer upload = seal_report(r.keys, r.token, r.payload);
  EXPECT_EQ(open_upload(r.shuffler, 7, Hash{6}, r.sizes, upload, opened), UploadFault::layer);
  EXPECT_EQ(open_upload(r.shuffler, 8, r.descriptor, r.sizes, upload, opened), UploadFault::round);
  // An upload whose header was changed to another round does not open there, although that round's key is the
  // same.
  Buffer moved = upload;
  moved[1] = 8;
  EXPECT_EQ(open_upload(r.shuffler, 8, r.descriptor, r.sizes, moved, opened), UploadFault::layer);
  ASSERT_EQ(r.opened(upload, opened), UploadFault::none);
  Buffer payload(17);
  EXPECT_FALSE(open_inner(r.aggregator, Hash{6}, opened.inner, payload));
}

// Returns an upload of this kind, with zeros for the token and the inner layer, whose outer layer is sealed
// for the shuffler under this info.
Buffer sealed_by_hand(const Round& r, std::string_view info, std::uint8_t kind) {
  Buffer plain(r.sizes.outer_plain());
  plain[0] = kind;
  Buffer upload = FieldWriter(9).integer(kWireVersion).integer(r.keys.round).take();
  Buffer aad = upload;
  aad.insert(aad.end(), r.descriptor.begin(), r.descriptor.end());
  upload.resize(r.sizes.upload());
  seal(r.keys.shuffler, HpkeInfo(info), aad, plain, std::span(upload).subspan(9));
  return upload;
}

TEST(Upload, SwappedLayersOpenNothing) {
  const Round r;
  const RoundKeys swapped{r.keys.round, r.descriptor, r.keys.aggregator, r.keys.shuffler};
  EXPECT_EQ(r.fault(seal_report(swapped, r.token, r.payload)), UploadFault::layer);
  // If both layers are sealed for the same key, an inner layer is still no upload, because it has another
  // length.
  const RoundKeys same{r.keys.round, r.descriptor, r.keys.shuffler, r.keys.shuffler};
  OpenedUpload opened;
  ASSERT_EQ(r.opened(seal_report(same, r.token, r.payload), opened), UploadFault::none);
  Buffer inner_as_outer(kUploadHeader);
  inner_as_outer.insert(inner_as_outer.end(), opened.inner.begin(), opened.inner.end());
  EXPECT_EQ(r.fault(inner_as_outer), UploadFault::length);
}

// Even where key and length fit, a layer does not open in the place of the other.
TEST(Upload, TheInfoTellsTheLayersApart) {
  const Round r;
  EXPECT_EQ(r.fault(sealed_by_hand(r, "muster v1 shuffler", 0)), UploadFault::none);
  EXPECT_EQ(r.fault(sealed_by_hand(r, "muster v1 aggregator", 0)), UploadFault::layer);
  for (const auto& [info, opens] : {std::pair("muster v1 aggregator", true), {"muster v1 shuffler", false}}) {
    Buffer inner(r.sizes.inner()), payload(r.payload.size());
    seal(r.keys.aggregator, HpkeInfo(info), r.descriptor, r.payload, inner);
    EXPECT_EQ(open_inner(r.aggregator, r.descriptor, inner, payload), opens) << info;
  }
}

TEST(Upload, OtherKindsAreRefused) {
  const Round r;
  for (int kind = 0; kind < 256; ++kind) {
    EXPECT_EQ(r.fault(sealed_by_hand(r, "muster v1 shuffler", static_cast<std::uint8_t>(kind))),
              kind < 2 ? UploadFault::none : UploadFault::kind)
        << kind;
  }
}

TEST(Upload, TheSameReportIsNeverSealedToTheSameBytes) {
  const Round r;
  const Buffer first = seal_report(r.keys, r.token, r.payload),
               second = seal_report(r.keys, r.token, r.payload);
  std::size_t equal = 0;
  for (std::size_t i = kUploadHeader; i < first.size(); ++i) equal += first[i] == second[i] ? 1 : 0;
  EXPECT_LT(equal, first.size() / 16);
}

}  // namespace
}  // namespace muster::wire
