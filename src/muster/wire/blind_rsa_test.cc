// Blinds, signs and verifies with two stored keys, changes bytes of signatures and keys, and checks what is
// refused. The published vectors are those of whole tokens, and are tested in token_test.cc.
#include "muster/wire/blind_rsa.h"

#include <gtest/gtest.h>

#include "muster/wire/issuer_keys_test.h"

namespace muster::wire {
namespace {

const Buffer kMessage{1, 2, 3};

TEST(BlindRsa, ABlindSignatureVerifiesAndShowsNothingOfTheMessage) {
  const RsaSecretKey secret = stored_issuer_key();
  const RsaPublicKey& key = secret.public_key();
  const BlindedMessage first = blind(key, kMessage), second = blind(key, kMessage);
  EXPECT_NE(first.message, second.message);
  const auto answer = secret.blind_sign(first.message);
  ASSERT_TRUE(answer.has_value());
  const auto signature = finalize(key, kMessage, *answer, first.unblinding);
  ASSERT_TRUE(signature.has_value());
  EXPECT_TRUE(key.verify(kMessage, *signature));
  EXPECT_FALSE(key.verify(Buffer{1, 2}, *signature));
  EXPECT_FALSE(other_issuer_key().public_key().verify(kMessage, *signature));
  // The answer to one request is of no use for the other.
  EXPECT_FALSE(finalize(key, kMessage, *answer, second.unblinding).has_value());
  EXPECT_FALSE(finalize(key, Buffer{1, 2}, *answer, first.unblinding).has_value());
}

TEST(BlindRsa, NoByteOfASignatureMayChange) {
  const RsaSecretKey secret = stored_issuer_key();
  const RsaPublicKey& key = secret.public_key();
  const BlindedMessage blinded = blind(key, kMessage);
  const RsaBlock signature =
      finalize(key, kMessage, *secret.blind_sign(blinded.message), blinded.unblinding).value();
  for (std::size_t i = 0; i < kRsa; ++i) {
    RsaBlock changed = signature;
    changed[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    EXPECT_FALSE(key.verify(kMessage, changed)) << i;
  }
  EXPECT_FALSE(key.verify(kMessage, RsaBlock{}));
}

TEST(BlindRsa, NumbersFromTheModulusOnAreRefused) {
  const RsaSecretKey secret = stored_issuer_key();
  const RsaBlock modulus = secret.public_key().modulus();
  RsaBlock largest = modulus;
  largest.back() -= 1;  // the modulus is odd
  EXPECT_TRUE(secret.blind_sign(largest).has_value());
  EXPECT_FALSE(secret.blind_sign(modulus).has_value());
  RsaBlock most;
  most.fill(0xff);
  EXPECT_FALSE(secret.blind_sign(most).has_value());
  const std::array<std::uint8_t, kSalt> salt{};
  EXPECT_FALSE(blind_with(secret.public_key(), kMessage, salt, RsaBlock{}).has_value());
}

TEST(BlindRsa, PublicKeysHaveOneEncoding) {
  const RsaPublicKey key = stored_issuer_key().public_key();
  const auto encoded = key.encoded();
  const auto decoded = RsaPublicKey::decode(encoded);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->modulus(), key.modulus());
  EXPECT_EQ(decoded->id(), key.id());
  EXPECT_FALSE(RsaPublicKey::decode(Bytes(encoded).first(encoded.size() - 1)).has_value());
  EXPECT_FALSE(RsaPublicKey::decode({}).has_value());
  // Everything but the modulus is the same for each key; its first bit says that it has 2048 bits, and its
  // last one that it is odd.
  constexpr std::size_t kModulus = 81;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (i >= kModulus && i < kModulus + kRsa) continue;
    auto changed = encoded;
    changed[i] ^= 1;
    EXPECT_FALSE(RsaPublicKey::decode(changed).has_value()) << i;
  }
  auto shorter = encoded, even = encoded;
  shorter[kModulus] &= 0x7f;
  even[kModulus + kRsa - 1] &= 0xfe;
  EXPECT_FALSE(RsaPublicKey::decode(shorter).has_value());
  EXPECT_FALSE(RsaPublicKey::decode(even).has_value());
}

TEST(BlindRsa, SecretKeysAreReadBackOrRefused) {
  const RsaSecretKey secret = RsaSecretKey::fresh();
  const Buffer encoded = secret.encoded();
  const auto read = RsaSecretKey::decode(encoded);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->public_key().id(), secret.public_key().id());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, encoded.size() / 2, encoded.size() - 1}) {
    EXPECT_FALSE(RsaSecretKey::decode(Bytes(encoded).first(size)).has_value()) << size;
  }
  Buffer longer = encoded;
  longer.push_back(0);
  EXPECT_FALSE(RsaSecretKey::decode(longer).has_value());
}

TEST(BlindRsa, AChangedSecretKeyIsRefusedOrSignsAsBefore) {
  const RsaSecretKey secret = stored_issuer_key();
  const Buffer encoded = secret.encoded();
  const BlindedMessage blinded = blind(secret.public_key(), kMessage);
  int refused = 0, tried = 0;
  for (std::size_t i = 0; i < encoded.size(); i += 31, ++tried) {
    Buffer changed = encoded;
    changed[i] ^= 0x10;
    const auto read = RsaSecretKey::decode(changed);
    if (!read) {
      ++refused;
      continue;
    }
    // The key holds more than it needs. libcrypto checks what it computes with the parts that only make it
    // faster, and computes without them if they are wrong.
    EXPECT_EQ(read->public_key().id(), secret.public_key().id()) << i;
    EXPECT_EQ(read->blind_sign(blinded.message), secret.blind_sign(blinded.message)) << i;
  }
  EXPECT_GT(refused, tried / 6);  // the modulus alone is a fifth of the encoding
}

}  // namespace
}  // namespace muster::wire
