// The bytes of version 1 of the wire, as a program that shares nothing with this one wrote them
// (tools/golden/wire.py). Whoever changes any of them must count up the version.
#include <gtest/gtest.h>

#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/laplace.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/linf.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/hash.h"
#include "muster/wire/issuance.h"
#include "muster/wire/issuer_keys_test.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"
#include "muster/wire/payload.h"
#include "muster/wire/receipt.h"
#include "muster/wire/round_notice.h"
#include "muster/wire/token.h"
#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

const Vector& frozen() {
  static const Vector vector = published_vectors("testdata/wire-v1.txt", "aggregator seed").front();
  return vector;
}

SigningKey signing_key(const std::string& role) {
  const auto seed = array_of<32>(frozen().at(role + " seed"));
  SigningKey key = SigningKey::from_seed(SecretBytes<32>(seed));
  EXPECT_EQ(Buffer(key.identity().begin(), key.identity().end()), frozen().at(role + " identity"));
  return key;
}

HpkeKeyPair round_key(const std::string& role) {
  const auto secret = array_of<32>(frozen().at(role + " key"));
  return HpkeKeyPair::from_secret(SecretBytes<32>(secret));
}

Descriptor descriptor() {
  const auto read = read_descriptor(frozen().at("descriptor"), signing_key("aggregator").identity(),
                                    signing_key("shuffler").identity());
  EXPECT_TRUE(read.has_value());
  return read.value_or(Descriptor{});
}

TEST(FrozenWire, TheDescriptorIsReadAndWritten) {
  const Descriptor d = descriptor();
  EXPECT_EQ(d.round, 7u);
  EXPECT_EQ(d.update, 5u);
  EXPECT_EQ(d.shuffler, round_key("shuffler").public_key());
  EXPECT_EQ(d.aggregator, round_key("aggregator").public_key());
  EXPECT_EQ(d.token_key, stored_issuer_key().public_key().id());
  const Hash hash = descriptor_hash(d);
  EXPECT_EQ(Buffer(hash.begin(), hash.end()), frozen().at("descriptor hash"));
  const SigningKey aggregator = signing_key("aggregator"), shuffler = signing_key("shuffler");
  EXPECT_EQ(countersign_descriptor(sign_descriptor(d, aggregator), aggregator.identity(), shuffler),
            frozen().at("descriptor"));
}

TEST(FrozenWire, TheTokenIsOneOfItsRound) {
  const Hash digest = round_challenge_digest(descriptor().task, descriptor().round);
  EXPECT_EQ(Buffer(digest.begin(), digest.end()), frozen().at("challenge"));
  EXPECT_TRUE(verify_token(stored_issuer_key().public_key(), digest, frozen().at("token")));
}

TEST(FrozenWire, TheUploadsOpen) {
  const Hash hash = descriptor_hash(descriptor());
  OpenedUpload opened;
  for (const std::string kind : {"report", "dummy"}) {
    ASSERT_EQ(open_upload(round_key("shuffler"), 7, hash, {17}, frozen().at(kind), opened),
              UploadFault::none);
    EXPECT_EQ(opened.kind, kind == "report" ? UploadKind::report : UploadKind::dummy);
    EXPECT_EQ(Buffer(opened.token.begin(), opened.token.end()), frozen().at("token"));
    Buffer payload(17);
    EXPECT_EQ(open_inner(round_key("aggregator"), hash, opened.inner, payload), kind == "report");
    EXPECT_EQ(payload, kind == "report" ? frozen().at("payload direction") : Buffer(17));
  }
}

TEST(FrozenWire, ManifestsReceiptAndDirectoryAreReadAndWritten) {
  const SigningKey shuffler = signing_key("shuffler"), aggregator = signing_key("aggregator"),
                   issuer = signing_key("issuer");
  for (const char* name : {"manifest", "destroyed"}) {
    const auto manifest = read_manifest(frozen().at(name), shuffler.identity());
    ASSERT_TRUE(manifest.has_value()) << name;
    EXPECT_EQ(sign_manifest(*manifest, shuffler), frozen().at(name));
  }
  const Manifest manifest = read_manifest(frozen().at("manifest"), shuffler.identity()).value();
  EXPECT_EQ(manifest.heard, 2064u);
  EXPECT_EQ(manifest.reports, 1031u);
  EXPECT_EQ(manifest.width, 65u);
  EXPECT_EQ(manifest.rejected.back(), 5u);
  const auto receipt = read_receipt(frozen().at("receipt"), aggregator.identity());
  ASSERT_TRUE(receipt.has_value());
  EXPECT_EQ(receipt->manifest, hash_of({frozen().at("manifest")}));
  EXPECT_EQ(sign_receipt(*receipt, aggregator), frozen().at("receipt"));
  const auto directory = read_key_directory(frozen().at("directory"), issuer.identity());
  ASSERT_TRUE(directory.has_value());
  EXPECT_EQ(directory->entries.at(0).modulus, stored_issuer_key().public_key().modulus());
  EXPECT_EQ(sign_key_directory(*directory, issuer), frozen().at("directory"));
}

TEST(FrozenWire, ATokenBlockIsReadAndWritten) {
  const SigningKey device = signing_key("device");
  const auto block = read_token_block(frozen().at("block"));
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->task, descriptor().task);
  EXPECT_EQ(block->device, device.identity());
  EXPECT_EQ(sign_token_block(*block, device), frozen().at("block"));
  ASSERT_EQ(block->entries.size(), 3u);
  for (const std::size_t i : {0, 1, 2}) {
    EXPECT_EQ(block->entries[i].round, std::vector({7u, 8u, 11u})[i]);
    EXPECT_TRUE(issue_token(stored_issuer_key(), block->entries[i].request).has_value());
  }
}

TEST(FrozenWire, TheNoticesOfARoundAndTheOfferAreReadAndWritten) {
  const SigningKey shuffler = signing_key("shuffler");
  const auto close = read_close_issuance(frozen().at("close"), shuffler.identity());
  EXPECT_EQ(close, (RoundNotice{descriptor().task, 7}));
  EXPECT_EQ(sign_close_issuance(*close, shuffler), frozen().at("close"));
  const auto release = read_release_notice(frozen().at("release"), shuffler.identity());
  EXPECT_EQ(release, close);
  EXPECT_EQ(sign_release_notice(*release, shuffler), frozen().at("release"));
  const SigningKey aggregator = signing_key("aggregator");
  const auto over = read_task_over(frozen().at("over"), aggregator.identity());
  EXPECT_EQ(over, close);
  EXPECT_EQ(sign_task_over(*over, aggregator), frozen().at("over"));
  const auto offer = read_offer(frozen().at("offer"), shuffler.identity());
  ASSERT_TRUE(offer.has_value());
  EXPECT_EQ(offer->opened, 6u);
  EXPECT_EQ(offer->entries, 13u);
  EXPECT_EQ(offer->head, descriptor().ledger_head);
  EXPECT_EQ(offer->waits, Waits::issuance);
  EXPECT_EQ(offer->issued, 2100u);
  EXPECT_EQ(offer->key, round_key("shuffler").public_key());
  EXPECT_EQ(sign_offer(*offer, shuffler), frozen().at("offer"));
}

template <typename Sent>
Sent payload(const std::string& name, const randomizers::VectorRandomizer& randomizer) {
  const PayloadFormat format(randomizer);
  randomizers::Message message;
  EXPECT_EQ(format.decode(frozen().at(name), message), PayloadFault::none) << name;
  Buffer again(format.size());
  format.encode(message, again);
  EXPECT_EQ(again, frozen().at(name)) << name;
  return std::get<Sent>(message);
}

TEST(FrozenWire, PayloadsAreReadAndWritten) {
  EXPECT_TRUE(
      payload<randomizers::SignedDirectionMessage>("payload direction", *randomizers::make_ldp_sgd(2, 1, 9))
          .positive);
  const auto index =
      payload<randomizers::SignedIndexMessage>("payload index", *randomizers::make_linf(2, 1, 20'000));
  EXPECT_EQ(index.index, 12345u);
  EXPECT_FALSE(index.positive);
  EXPECT_EQ(payload<randomizers::AnswerMessage>("payload answer", *randomizers::make_k_rr(2, 10)).answer, 9u);
  EXPECT_EQ(payload<randomizers::GridMessage>("payload number", *randomizers::make_laplace(2, 1)).steps.at(0),
            -123456789);
  // With this sigma a coordinate has 11 bits.
  const auto gaussian = randomizers::make_gaussian(20, 1, 9);
  ASSERT_EQ(randomizers::gaussian_grid(20, 1, 9).bits, 11u);
  const auto steps = payload<randomizers::GridMessage>("payload grid", *gaussian).steps;
  const std::vector<std::int32_t> expected{0, 1, -1, 1023, -1023, 512, -512, 77, -300};
  EXPECT_EQ(std::vector<std::int32_t>(steps.begin(), steps.end()), expected);
}

}  // namespace
}  // namespace muster::wire
