#include "muster/wire/hpke.h"

#include <sodium.h>

#include <initializer_list>
#include <utility>

#include "muster/random/os_bytes.h"

namespace muster::wire {
namespace {

// A key on the stack, wiped at the end of its scope. (SecretBytes costs several system calls.)
struct Key {
  std::array<std::uint8_t, 32> bytes{};
  Key() = default;
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() { sodium_memzero(bytes.data(), bytes.size()); }
};
using Nonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

constexpr std::size_t kTag = crypto_aead_chacha20poly1305_ietf_ABYTES;
static_assert(kSealing == kHpkeKey + kTag && crypto_auth_hmacsha256_BYTES == 32);

// The suites' identifiers (RFC 9180, sections 4.1 and 5.1): of the key encapsulation, 0x0020, and of this
// with the key derivation 0x0001 and the encryption 0x0003. Numbers are big-endian there.
constexpr std::array<std::uint8_t, 5> kKemSuite{'K', 'E', 'M', 0, 0x20};
constexpr std::array<std::uint8_t, 10> kSuite{'H', 'P', 'K', 'E', 0, 0x20, 0, 1, 0, 3};
constexpr std::string_view kVersion = "HPKE-v1";

// Writes to `out` the HMAC-SHA256 of the parts, one after another.
void hmac(Bytes key, std::initializer_list<Bytes> parts, std::uint8_t* out) {
  crypto_auth_hmacsha256_state state;
  // The pointer of an empty key may be null, and libsodium must not be given a null pointer.
  static constexpr std::uint8_t kNothing = 0;
  crypto_auth_hmacsha256_init(&state, key.empty() ? &kNothing : key.data(), key.size());
  for (const Bytes part : parts) crypto_auth_hmacsha256_update(&state, part.data(), part.size());
  crypto_auth_hmacsha256_final(&state, out);
  sodium_memzero(&state, sizeof state);
}

// LabeledExtract of section 4: the extraction of HKDF (RFC 5869).
void extract(Bytes suite, Bytes salt, std::string_view label, Bytes input, std::uint8_t* out) {
  hmac(salt, {bytes_of(kVersion), suite, bytes_of(label), input}, out);
}

// LabeledExpand of section 4. At most 32 bytes are needed, so the expansion of HKDF has one block.
void expand(Bytes suite, const Key& key, std::string_view label, std::initializer_list<Bytes> info,
            std::span<std::uint8_t> out) {
  const std::array<std::uint8_t, 2> length{0, static_cast<std::uint8_t>(out.size())};
  static constexpr std::array<std::uint8_t, 1> kFirstBlock{1};
  std::array<Bytes, 2> context;  // of two parts at most
  std::ranges::copy(info, context.begin());
  Key block;
  hmac(key.bytes, {length, bytes_of(kVersion), suite, bytes_of(label), context[0], context[1], kFirstBlock},
       block.bytes.data());
  std::copy_n(block.bytes.data(), out.size(), out.begin());
}

// The key and the nonce of one message, from the Diffie-Hellman value (DHKEM in section 4.1, and the key
// schedule in section 5.1 for the base mode).
struct MessageKey {
  Key key;
  Nonce nonce{};

  MessageKey(const Key& diffie_hellman, Bytes enc, Bytes receiver, const HpkeInfo& info) {
    Key prk, shared, secret;
    extract(kKemSuite, {}, "eae_prk", diffie_hellman.bytes, prk.bytes.data());
    expand(kKemSuite, prk, "shared_secret", {enc, receiver}, shared.bytes);
    extract(kSuite, shared.bytes, "secret", {}, secret.bytes.data());
    expand(kSuite, secret, "key", {info.context()}, key.bytes);
    expand(kSuite, secret, "base_nonce", {info.context()}, nonce);
  }
};

// Seals under the ephemeral key whose two parts are given.
void seal_under(const std::uint8_t* secret, const HpkePublicKey& enc, const HpkePublicKey& to,
                const HpkeInfo& info, Bytes aad, Bytes plain, std::span<std::uint8_t> sealed) {
  if (sealed.size() != plain.size() + kSealing) {
    throw Error(ErrorCode::internal, "sealed message", "", "", "has the wrong length");
  }
  Key diffie_hellman;
  if (crypto_scalarmult(diffie_hellman.bytes.data(), secret, to.data()) != 0) {
    throw Error(ErrorCode::data, "public key", "", "a key whose order is the group's", "is of low order");
  }
  const MessageKey message(diffie_hellman, enc, to, info);
  std::ranges::copy(enc, sealed.begin());
  crypto_aead_chacha20poly1305_ietf_encrypt(sealed.data() + kHpkeKey, nullptr, plain.data(), plain.size(),
                                            aad.data(), aad.size(), nullptr, message.nonce.data(),
                                            message.key.bytes.data());
}

}  // namespace

HpkeKeyPair HpkeKeyPair::fresh() { return HpkeKeyPair(SecretBytes<kHpkeKey>::fresh()); }
HpkeKeyPair HpkeKeyPair::from_secret(SecretBytes<kHpkeKey> secret) { return HpkeKeyPair(std::move(secret)); }

HpkeKeyPair::HpkeKeyPair(SecretBytes<kHpkeKey> secret) : secret_(std::move(secret)) {
  crypto_scalarmult_base(public_key_.data(), secret_.data());
}

HpkeInfo::HpkeInfo(std::string_view info) : context_{} {
  random::start_libsodium();
  extract(kSuite, {}, "psk_id_hash", {}, context_.data() + 1);
  extract(kSuite, {}, "info_hash", bytes_of(info), context_.data() + 33);
}

void seal(const HpkePublicKey& to, const HpkeInfo& info, Bytes aad, Bytes plain,
          std::span<std::uint8_t> sealed) {
  Key secret;
  HpkePublicKey enc;
  random::fill_from_os(secret.bytes);
  crypto_scalarmult_base(enc.data(), secret.bytes.data());
  seal_under(secret.bytes.data(), enc, to, info, aad, plain, sealed);
}

void seal_with(const HpkeKeyPair& ephemeral, const HpkePublicKey& to, const HpkeInfo& info, Bytes aad,
               Bytes plain, std::span<std::uint8_t> sealed) {
  seal_under(ephemeral.secret().data(), ephemeral.public_key(), to, info, aad, plain, sealed);
}

// A key of low order is one that every secret takes to zero.
bool is_usable(const HpkePublicKey& key) {
  constexpr std::array<std::uint8_t, kHpkeKey> kAnySecret{};
  std::array<std::uint8_t, kHpkeKey> product;
  return crypto_scalarmult(product.data(), kAnySecret.data(), key.data()) == 0;
}

bool open(const HpkeKeyPair& receiver, const HpkeInfo& info, Bytes aad, Bytes sealed,
          std::span<std::uint8_t> plain) {
  std::ranges::fill(plain, std::uint8_t{0});
  if (sealed.size() != plain.size() + kSealing) return false;
  const Bytes enc = sealed.first(kHpkeKey), cipher = sealed.subspan(kHpkeKey);
  Key diffie_hellman;
  if (crypto_scalarmult(diffie_hellman.bytes.data(), receiver.secret().data(), enc.data()) != 0) return false;
  const MessageKey message(diffie_hellman, enc, receiver.public_key(), info);
  return crypto_aead_chacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, cipher.data(),
                                                   cipher.size(), aad.data(), aad.size(),
                                                   message.nonce.data(), message.key.bytes.data()) == 0;
}

}  // namespace muster::wire
