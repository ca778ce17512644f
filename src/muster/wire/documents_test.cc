// Every signed document (descriptor, manifest, receipt, key directory, offer, token block, and the notices
// about a round) must be read back as it was signed, and refused with any byte changed, removed or appended.
#include <gtest/gtest.h>

#include <functional>

#include "muster/core/error_of_test.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/issuance.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"
#include "muster/wire/receipt.h"
#include "muster/wire/round_notice.h"
#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

Descriptor some_descriptor() { return {{1}, 7, 5, {2}, {3}, {4}, {5}, {6}, {7}}; }
Manifest some_manifest() {
  return {{1}, 7, {2}, Manifest::Outcome::released, 20, 11, 65, {3}, {0, 1, 2, 3, 4, 5}};
}
Receipt some_receipt() { return {{1}, 7, {2}, Receipt::Outcome::released, {3}}; }
KeyDirectory some_directory() {
  KeyDirectory directory{{1}, 3, 20, 5, {}};
  for (const std::uint64_t round : {7u, 8u, 11u}) {
    RsaBlock modulus;
    modulus.fill(0xff);
    directory.entries.push_back({round, modulus, round});
  }
  return directory;
}

// Expects that `reads` accepts the document, and no document with a byte changed, removed or appended.
void expect_exact(const Buffer& document, const std::function<bool(Bytes)>& reads) {
  EXPECT_TRUE(reads(document));
  for (std::size_t i = 0; i < document.size(); ++i) {
    Buffer changed = document;
    changed[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    EXPECT_FALSE(reads(changed)) << i;
    EXPECT_FALSE(reads(Bytes(document).first(i))) << i;
  }
  Buffer longer = document;
  longer.push_back(0);
  EXPECT_FALSE(reads(longer));
}

const SigningKey& key() {
  static const SigningKey key = SigningKey::fresh();
  return key;
}
const SigningKey& other() {
  static const SigningKey key = SigningKey::fresh();
  return key;
}

TEST(Documents, ADescriptorIsReadAsBothRolesSignedIt) {
  const Buffer offered = sign_descriptor(some_descriptor(), key());
  EXPECT_EQ(read_offered_descriptor(offered, key().identity()), some_descriptor());
  const auto both = countersign_descriptor(offered, key().identity(), other());
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->size(), kSignedDescriptor);
  EXPECT_EQ(read_descriptor(*both, key().identity(), other().identity()), some_descriptor());
  expect_exact(offered, [](Bytes b) { return read_offered_descriptor(b, key().identity()).has_value(); });
  expect_exact(*both,
               [](Bytes b) { return read_descriptor(b, key().identity(), other().identity()).has_value(); });
}

TEST(Documents, ADescriptorNeedsTheRightRoles) {
  const Buffer offered = sign_descriptor(some_descriptor(), key());
  EXPECT_FALSE(countersign_descriptor(offered, other().identity(), other()).has_value());
  const Buffer both = countersign_descriptor(offered, key().identity(), other()).value();
  EXPECT_FALSE(read_descriptor(both, other().identity(), key().identity()).has_value());
  EXPECT_FALSE(read_descriptor(both, key().identity(), key().identity()).has_value());
}

TEST(Documents, TheHashOfADescriptorCoversEveryField) {
  const Hash hash = descriptor_hash(some_descriptor());
  const std::vector<std::function<void(Descriptor&)>> changes{
      [](auto& d) { d.task[31] ^= 1; },       [](auto& d) { d.round ^= 1; },
      [](auto& d) { d.update ^= 1; },         [](auto& d) { d.model[31] ^= 1; },
      [](auto& d) { d.frozen[31] ^= 1; },     [](auto& d) { d.shuffler[31] ^= 1; },
      [](auto& d) { d.aggregator[31] ^= 1; }, [](auto& d) { d.token_key[31] ^= 1; },
      [](auto& d) { d.ledger_head[31] ^= 1; }};
  for (const auto& change : changes) {
    Descriptor changed = some_descriptor();
    change(changed);
    EXPECT_NE(descriptor_hash(changed), hash);
  }
}

TEST(Documents, AManifestIsReadAsItWasSigned) {
  const Buffer bytes = sign_manifest(some_manifest(), key());
  EXPECT_EQ(bytes.size(), kManifest);
  EXPECT_EQ(read_manifest(bytes, key().identity()), some_manifest());
  EXPECT_FALSE(read_manifest(bytes, other().identity()).has_value());
  expect_exact(bytes, [](Bytes b) { return read_manifest(b, key().identity()).has_value(); });
}

TEST(Documents, AManifestThatContradictsItselfIsNotSignedAndNotRead) {
  const std::vector<std::function<void(Manifest&)>> contradictions{
      [](auto& m) { m.reports = m.heard + 1; }, [](auto& m) { m.width = 0; },
      [](auto& m) { m.outcome = Manifest::Outcome::destroyed; },
      [](auto& m) {
        m = {m.task, m.round, m.descriptor, Manifest::Outcome::destroyed, m.heard, 0, 0, {1}, {}};
      }};
  for (const auto& contradict : contradictions) {
    Manifest manifest = some_manifest();
    contradict(manifest);
    EXPECT_ERROR(ErrorCode::internal, sign_manifest(manifest, key()));
  }
  Manifest destroyed = some_manifest();
  destroyed = {
      destroyed.task, destroyed.round, destroyed.descriptor, Manifest::Outcome::destroyed, 19, 0, 0, {}, {}};
  Buffer bytes = sign_manifest(destroyed, key());
  EXPECT_EQ(read_manifest(bytes, key().identity()), destroyed);
  // A contradiction is refused even if the shuffler itself has signed it.
  bytes.resize(kManifest - 64);
  for (const std::uint8_t outcome : {std::uint8_t{1}, std::uint8_t{2}}) {
    bytes[73] = outcome;
    EXPECT_FALSE(read_manifest(with_signature(bytes, "manifest", key()), key().identity()).has_value());
  }
}

TEST(Documents, AReceiptIsReadAsItWasSigned) {
  const Buffer bytes = sign_receipt(some_receipt(), key());
  EXPECT_EQ(bytes.size(), kReceipt);
  EXPECT_EQ(read_receipt(bytes, key().identity()), some_receipt());
  expect_exact(bytes, [](Bytes b) { return read_receipt(b, key().identity()).has_value(); });
  Buffer body(bytes.begin(), bytes.end() - 64);
  body[73] = 2;  // no such outcome
  EXPECT_FALSE(read_receipt(with_signature(body, "receipt", key()), key().identity()).has_value());
}

TEST(Documents, AKeyDirectoryIsReadAsItWasSigned) {
  const Buffer bytes = sign_key_directory(some_directory(), key());
  EXPECT_EQ(read_key_directory(bytes, key().identity()), some_directory());
  expect_exact(bytes, [](Bytes b) { return read_key_directory(b, key().identity()).has_value(); });
  KeyDirectory empty = some_directory();
  empty.entries.clear();
  EXPECT_EQ(read_key_directory(sign_key_directory(empty, key()), key().identity()), empty);
}

TEST(Documents, AKeyDirectoryIsInOrderAndNotTooLong) {
  KeyDirectory doubled = some_directory();
  doubled.entries[1].round = 7;
  EXPECT_ERROR(ErrorCode::internal, sign_key_directory(doubled, key()));
  KeyDirectory long_one = some_directory();
  while (long_one.entries.size() < kMaxDirectoryEntries) {
    long_one.entries.push_back(long_one.entries.back());
    ++long_one.entries.back().round;
  }
  EXPECT_EQ(read_key_directory(sign_key_directory(long_one, key()), key().identity()), long_one);
  long_one.entries.push_back(long_one.entries.back());
  ++long_one.entries.back().round;
  EXPECT_ERROR(ErrorCode::internal, sign_key_directory(long_one, key()));
  // An issuer that signs entries out of order, or a modulus that is even, is not believed.
  const Buffer bytes = sign_key_directory(some_directory(), key());
  const Buffer body(bytes.begin(), bytes.end() - 64);
  constexpr std::size_t kFirst = 61;
  Buffer unordered = body, even = body;
  unordered[kFirst] = 9;
  even[kFirst + 8 + 255] = 0;
  EXPECT_FALSE(
      read_key_directory(with_signature(unordered, "key directory", key()), key().identity()).has_value());
  EXPECT_FALSE(
      read_key_directory(with_signature(even, "key directory", key()), key().identity()).has_value());
}

TEST(Documents, AKeyDirectoryFollowsAnotherOneIfNothingGoesBack) {
  const KeyDirectory seen = some_directory();
  EXPECT_TRUE(follows(seen, seen));
  const auto later = [&](const std::function<void(KeyDirectory&)>& change) {
    KeyDirectory directory = seen;
    ++directory.serial;
    change(directory);
    return follows(directory, seen);
  };
  EXPECT_TRUE(later([](auto&) {}));
  EXPECT_TRUE(later([](auto& d) { ++d.enrolled; }));
  EXPECT_TRUE(later([](auto& d) { ++d.released; }));
  EXPECT_TRUE(later([](auto& d) { ++d.entries[1].issued; }));
  EXPECT_TRUE(later([](auto& d) { d.entries.erase(d.entries.begin()); }));
  EXPECT_TRUE(later([](auto& d) { d.entries.push_back({12, d.entries[0].modulus, 0}); }));
  EXPECT_FALSE(later([](auto& d) { d.serial -= 2; }));
  EXPECT_FALSE(later([](auto& d) { d.serial -= 1, ++d.enrolled; }));  // the same serial, other content
  EXPECT_FALSE(later([](auto& d) { d.task[0] ^= 1; }));
  EXPECT_FALSE(later([](auto& d) { --d.enrolled; }));
  EXPECT_FALSE(later([](auto& d) { --d.released; }));
  EXPECT_FALSE(later([](auto& d) { --d.entries[2].issued; }));
  EXPECT_FALSE(later([](auto& d) { d.entries[2].modulus[1] ^= 1; }));
}

TEST(Documents, AnOfferIsReadAsItWasSigned) {
  const Offer offer{{1}, 6, 13, {2}, {3}, Waits::issuance, 9};
  const Buffer bytes = sign_offer(offer, key());
  EXPECT_EQ(bytes.size(), kOffer);
  EXPECT_EQ(read_offer(bytes, key().identity()), offer);
  expect_exact(bytes, [](Bytes b) { return read_offer(b, key().identity()).has_value(); });
  Buffer body(bytes.begin(), bytes.end() - 64);
  body[113] = 4;  // no such reason
  EXPECT_FALSE(read_offer(with_signature(body, "offer", key()), key().identity()).has_value());
}

TEST(Documents, AnOrderToCloseIsReadAsItWasSigned) {
  const RoundNotice close{{1}, 7};
  const Buffer bytes = sign_close_issuance(close, key());
  EXPECT_EQ(bytes.size(), kRoundNotice);
  EXPECT_EQ(read_close_issuance(bytes, key().identity()), close);
  expect_exact(bytes, [](Bytes b) { return read_close_issuance(b, key().identity()).has_value(); });
}

TEST(Documents, ANoticeIsReadAsItWasSignedAndAsNoOtherKind) {
  const RoundNotice notice{{1}, 7};
  const Buffer release = sign_release_notice(notice, key()), over = sign_task_over(notice, key());
  EXPECT_EQ(release.size(), kRoundNotice);
  EXPECT_EQ(read_release_notice(release, key().identity()), notice);
  EXPECT_EQ(read_task_over(over, key().identity()), notice);
  expect_exact(release, [](Bytes b) { return read_release_notice(b, key().identity()).has_value(); });
  expect_exact(over, [](Bytes b) { return read_task_over(b, key().identity()).has_value(); });
  EXPECT_FALSE(read_close_issuance(release, key().identity()).has_value());
  EXPECT_FALSE(read_task_over(release, key().identity()).has_value());
  EXPECT_FALSE(read_release_notice(over, key().identity()).has_value());
  EXPECT_FALSE(read_release_notice(sign_close_issuance(notice, key()), key().identity()).has_value());
}

TokenBlock some_block(std::size_t rounds) {
  TokenBlock block{{1}, key().identity(), {}};
  for (std::size_t i = 0; i < rounds; ++i) block.entries.push_back({7 + 2 * i, {0, 2, 1}});
  return block;
}

TEST(Documents, ATokenBlockIsReadAsItsDeviceSignedIt) {
  const Buffer bytes = sign_token_block(some_block(3), key());
  EXPECT_EQ(read_token_block(bytes), some_block(3));
  expect_exact(bytes, [](Bytes b) { return read_token_block(b).has_value(); });
  // A block that names a device must be signed by that device.
  const Buffer body(bytes.begin(), bytes.end() - 64);
  EXPECT_TRUE(read_token_block(with_signature(body, "token block", key())).has_value());
  EXPECT_FALSE(read_token_block(with_signature(body, "token block", other())).has_value());
  EXPECT_ERROR(ErrorCode::internal, sign_token_block(some_block(3), other()));
}

TEST(Documents, ATokenBlockIsInOrderNotEmptyAndNotTooLong) {
  EXPECT_EQ(read_token_block(sign_token_block(some_block(kMaxTokenBlock), key())),
            some_block(kMaxTokenBlock));
  EXPECT_ERROR(ErrorCode::internal, sign_token_block(some_block(0), key()));
  EXPECT_ERROR(ErrorCode::internal, sign_token_block(some_block(kMaxTokenBlock + 1), key()));
  TokenBlock doubled = some_block(2);
  doubled.entries[1].round = doubled.entries[0].round;
  EXPECT_ERROR(ErrorCode::internal, sign_token_block(doubled, key()));
  const Buffer bytes = sign_token_block(some_block(2), key());
  Buffer unordered(bytes.begin(), bytes.end() - 64), empty(bytes.begin(), bytes.begin() + 67);
  unordered[67] = 9;
  empty[65] = 0;
  EXPECT_FALSE(read_token_block(with_signature(unordered, "token block", key())).has_value());
  EXPECT_FALSE(read_token_block(with_signature(empty, "token block", key())).has_value());
}

TEST(Documents, NoDocumentIsOneOfAnotherKind) {
  // The body of a receipt that was signed as a document of another kind is no receipt.
  const Buffer receipt = sign_receipt(some_receipt(), key());
  const Buffer body(receipt.begin(), receipt.end() - 64);
  EXPECT_TRUE(read_receipt(with_signature(body, "receipt", key()), key().identity()).has_value());
  for (const char* kind :
       {"manifest", "descriptor", "countersigned descriptor", "key directory", "", "receip"}) {
    EXPECT_FALSE(read_receipt(with_signature(body, kind, key()), key().identity()).has_value()) << kind;
  }
}

}  // namespace
}  // namespace muster::wire
