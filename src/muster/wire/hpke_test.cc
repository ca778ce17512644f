// Compares sealed messages with the published vector of RFC 9180. A message with a changed bit must not open,
// and keys of low order must be refused. Messages for such keys are sealed by a key schedule that the test
// writes itself.
#include "muster/wire/hpke.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "muster/core/error_of_test.h"
#include "muster/wire/vectors_test.h"

namespace muster::wire {
namespace {

Vector published() { return published_vectors("testdata/rfc9180-a2-base.txt", "info").at(0); }

HpkeInfo info_of(const Vector& vector) {
  const Buffer& info = vector.at("info");
  return HpkeInfo({reinterpret_cast<const char*>(info.data()), info.size()});
}

HpkeKeyPair key_pair(const Buffer& secret) {
  const auto bytes = array_of<kHpkeKey>(secret);
  return HpkeKeyPair::from_secret(SecretBytes<kHpkeKey>(bytes));
}

TEST(Hpke, SealsAndOpensThePublishedVector) {
  const Vector v = published();
  const HpkeKeyPair ephemeral = key_pair(v.at("skEm")), receiver = key_pair(v.at("skRm"));
  EXPECT_EQ(Buffer(ephemeral.public_key().begin(), ephemeral.public_key().end()), v.at("pkEm"));
  EXPECT_EQ(Buffer(receiver.public_key().begin(), receiver.public_key().end()), v.at("pkRm"));
  const HpkeInfo info = info_of(v);
  const Bytes context = info.context();
  EXPECT_EQ(Buffer(context.begin(), context.end()), v.at("key_schedule_context"));

  Buffer expected = v.at("enc");
  expected.insert(expected.end(), v.at("ct").begin(), v.at("ct").end());
  Buffer sealed(v.at("pt").size() + kSealing);
  seal_with(ephemeral, receiver.public_key(), info, v.at("aad"), v.at("pt"), sealed);
  EXPECT_EQ(sealed, expected);
  Buffer plain(v.at("pt").size());
  EXPECT_TRUE(open(receiver, info, v.at("aad"), expected, plain));
  EXPECT_EQ(plain, v.at("pt"));
}

// A message of five bytes for a receiver, which a test changes.
struct Sealed {
  HpkeKeyPair receiver = HpkeKeyPair::fresh();
  HpkeInfo info{"test"};
  Buffer aad{1, 2, 3}, plain{9, 8, 7, 6, 5}, sealed = Buffer(plain.size() + kSealing);
  Sealed() { seal(receiver.public_key(), info, aad, plain, sealed); }
  // Returns whether the message opens. It must then give the plain text, and otherwise leave zeros.
  bool opens(const HpkeKeyPair& key, const HpkeInfo& with, Bytes bound, Bytes message) const {
    Buffer out(message.size() < kSealing ? 0 : message.size() - kSealing, 0xaa);
    const bool opened = open(key, with, bound, message, out);
    EXPECT_EQ(out, opened ? plain : Buffer(out.size(), 0));
    return opened;
  }
};

TEST(Hpke, OpensOnlyWhatWasSealedForThisKeyInfoAndContext) {
  const Sealed s;
  EXPECT_TRUE(s.opens(s.receiver, s.info, s.aad, s.sealed));
  EXPECT_FALSE(s.opens(HpkeKeyPair::fresh(), s.info, s.aad, s.sealed));
  EXPECT_FALSE(s.opens(s.receiver, HpkeInfo("tes"), s.aad, s.sealed));
  EXPECT_FALSE(s.opens(s.receiver, s.info, Buffer{1, 2}, s.sealed));
  EXPECT_FALSE(s.opens(s.receiver, s.info, {}, s.sealed));
}

TEST(Hpke, NoBitMayChangeAndNoByteMayBeMissing) {
  const Sealed s;
  for (std::size_t i = 0; i < s.sealed.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      // The highest bit of `enc` is ignored by X25519, but not by the key schedule, which takes it as sent.
      Buffer changed = s.sealed;
      changed[i] ^= static_cast<std::uint8_t>(1 << bit);
      EXPECT_FALSE(s.opens(s.receiver, s.info, s.aad, changed)) << i << ' ' << bit;
    }
    EXPECT_FALSE(s.opens(s.receiver, s.info, s.aad, Bytes(s.sealed).first(i))) << i;
  }
  Buffer longer = s.sealed;
  longer.push_back(0);
  EXPECT_FALSE(s.opens(s.receiver, s.info, s.aad, longer));
}

// The points of low order on Curve25519, for which the Diffie-Hellman value is 0 whatever the secret
// (https://cr.yp.to/ecdh.html, "How do I validate Curve25519 public keys?").
const char* const kLowOrder[] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
};

// HKDF-SHA256 (RFC 5869) with the labels of RFC 9180, section 4, for outputs of at most 32 bytes.
Buffer hmac(const Buffer& key, const Buffer& message) {
  Buffer out(crypto_auth_hmacsha256_BYTES);
  crypto_auth_hmacsha256_state state;
  const Buffer no_key{0};  // the pointer of an empty key may be null, which libsodium must not be given
  crypto_auth_hmacsha256_init(&state, key.empty() ? no_key.data() : key.data(), key.size());
  crypto_auth_hmacsha256_update(&state, message.data(), message.size());
  crypto_auth_hmacsha256_final(&state, out.data());
  return out;
}

Buffer joined(std::initializer_list<Buffer> parts) {
  Buffer all;
  for (const Buffer& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Buffer text(std::string_view words) { return {words.begin(), words.end()}; }

const Buffer kKem{'K', 'E', 'M', 0, 0x20}, kHpke{'H', 'P', 'K', 'E', 0, 0x20, 0, 1, 0, 3};

Buffer labeled_extract(const Buffer& suite, const Buffer& salt, std::string_view label, const Buffer& input) {
  return hmac(salt, joined({text("HPKE-v1"), suite, text(label), input}));
}

Buffer labeled_expand(const Buffer& suite, const Buffer& key, std::string_view label, const Buffer& info,
                      std::uint8_t length) {
  Buffer out = hmac(key, joined({{0, length}, text("HPKE-v1"), suite, text(label), info, {1}}));
  out.resize(length);
  return out;
}

// Returns the plain text, sealed as a sender would that sends `enc` and has this Diffie-Hellman value. The
// function follows RFC 9180 and uses nothing of hpke.cc.
Buffer sealed_with(const Buffer& diffie_hellman, const HpkePublicKey& enc, const Sealed& s) {
  const HpkePublicKey to = s.receiver.public_key();
  const Buffer sent(enc.begin(), enc.end()), receiver(to.begin(), to.end());
  const Buffer shared = labeled_expand(kKem, labeled_extract(kKem, {}, "eae_prk", diffie_hellman),
                                       "shared_secret", joined({sent, receiver}), 32);
  const Buffer context = joined({{0},
                                 labeled_extract(kHpke, {}, "psk_id_hash", {}),
                                 labeled_extract(kHpke, {}, "info_hash", text("test"))});
  const Buffer secret = labeled_extract(kHpke, shared, "secret", {});
  const Buffer key = labeled_expand(kHpke, secret, "key", context, 32);
  const Buffer nonce = labeled_expand(kHpke, secret, "base_nonce", context, 12);
  Buffer cipher(s.plain.size() + crypto_aead_chacha20poly1305_ietf_ABYTES);
  crypto_aead_chacha20poly1305_ietf_encrypt(cipher.data(), nullptr, s.plain.data(), s.plain.size(),
                                            s.aad.data(), s.aad.size(), nullptr, nonce.data(), key.data());
  return joined({sent, cipher});
}

// With a point of low order, everybody knows the Diffie-Hellman value, so that the message would open if the
// receiver did not look at the point.
TEST(Hpke, PointsOfLowOrderAreRefused) {
  const Sealed s;
  const HpkeKeyPair sender = HpkeKeyPair::fresh();
  EXPECT_TRUE(is_usable(sender.public_key()));
  Buffer honest(crypto_scalarmult_BYTES);
  ASSERT_EQ(crypto_scalarmult(honest.data(), sender.secret().data(), s.receiver.public_key().data()), 0);
  EXPECT_TRUE(s.opens(s.receiver, s.info, s.aad, sealed_with(honest, sender.public_key(), s)));
  for (const char* hex : kLowOrder) {
    const auto point = array_of<kHpkeKey>(from_hex(hex));
    Buffer out(s.sealed.size());
    EXPECT_ERROR(ErrorCode::data, seal(point, s.info, s.aad, s.plain, out)) << hex;
    EXPECT_FALSE(is_usable(point)) << hex;
    EXPECT_FALSE(s.opens(s.receiver, s.info, s.aad, sealed_with(Buffer(32), point, s))) << hex;
  }
}

TEST(Hpke, SealedMessagesNeverRepeat) {
  const Sealed s;
  Buffer again(s.sealed.size());
  seal(s.receiver.public_key(), s.info, s.aad, s.plain, again);
  EXPECT_NE(again, s.sealed);
}

TEST(Hpke, AnEmptyMessageIsAMessage) {
  const Sealed s;
  Buffer sealed(kSealing), plain;
  seal(s.receiver.public_key(), s.info, {}, {}, sealed);
  EXPECT_TRUE(open(s.receiver, s.info, {}, sealed, plain));
  EXPECT_FALSE(open(s.receiver, s.info, {}, Bytes(sealed).first(kSealing - 1), plain));
  EXPECT_FALSE(open(s.receiver, s.info, {}, {}, plain));
}

}  // namespace
}  // namespace muster::wire
