// Blind signatures: RSABSSA-SHA384-PSS-Deterministic of RFC 9474 with keys of 2048 bits and the exponent
// 65537. The signer does not learn what it signs, and whoever has the public key can verify the signature.
//
//     client                                   signer
//     blinded = blind(key, message)   ------>  blind_sign(blinded.message)
//     finalize(...)                   <------  the blind signature
//
// The arithmetic is that of OpenSSL's libcrypto; the padding EMSA-PSS (RFC 8017, section 9.1.1) is written
// here, because the client needs it without a private key. token_test.cc compares with the vectors of RFC
// 9578. libcrypto draws keys and blinding factors from the operating system itself. Keys are immutable, and
// all functions may be called from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "muster/wire/bytes.h"
#include "muster/wire/secret_bytes.h"

namespace muster::wire {

inline constexpr std::size_t kRsa = 256;  // bytes of the modulus, of a signature and of a blinded message
inline constexpr std::size_t kSalt = 48;
using RsaBlock = std::array<std::uint8_t, kRsa>;

// Whether the number is odd and has 2048 bits; its first byte is the most significant one.
inline bool is_modulus(const RsaBlock& number) {
  return (number.front() & 0x80) != 0 && (number.back() & 1) != 0;
}

class RsaPublicKey {
 public:
  // The encoding of RFC 9578, section 8.2.2: a SubjectPublicKeyInfo in DER with the object identifier of
  // RSASSA-PSS and its parameters. It differs between keys in the modulus alone.
  static constexpr std::size_t kEncoded = 342;
  using Encoded = std::array<std::uint8_t, kEncoded>;

  // Returns nullopt unless the bytes are exactly the encoding of an odd modulus of 2048 bits.
  static std::optional<RsaPublicKey> decode(Bytes encoded);
  // Returns nullopt unless is_modulus().
  static std::optional<RsaPublicKey> of_modulus(const RsaBlock& modulus);

  Encoded encoded() const;
  const RsaBlock& modulus() const;
  const Hash& id() const;  // SHA-256 of the encoding
  // Whether this is a signature of the message.
  bool verify(Bytes message, const RsaBlock& signature) const;

 private:
  friend class RsaSecretKey;
  friend struct BlindRsa;
  struct State;
  explicit RsaPublicKey(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

class RsaSecretKey {
 public:
  // A new key from the operating system's randomness, which takes about a third of a second.
  static RsaSecretKey fresh();
  // Reads the private key in DER that encoded() writes (PKCS #8). Returns nullopt for other bytes, for a key
  // of another kind, size or exponent, and for one whose signatures do not verify.
  static std::optional<RsaSecretKey> decode(Bytes encoded);

  // The key as PKCS #8 in DER. The caller wipes it.
  Buffer encoded() const;
  const RsaPublicKey& public_key() const { return public_key_; }
  // Returns nullopt if `blinded` is not below the modulus.
  std::optional<RsaBlock> blind_sign(const RsaBlock& blinded) const;

 private:
  struct State;
  bool signs() const;  // whether a signature of the key verifies
  RsaSecretKey(std::shared_ptr<const State> state, RsaPublicKey public_key)
      : state_(std::move(state)), public_key_(std::move(public_key)) {}
  std::shared_ptr<const State> state_;
  RsaPublicKey public_key_;
};

// What the signer sees, which tells nothing about the message, and the secret that takes the blinding off.
struct BlindedMessage {
  RsaBlock message{};
  SecretBytes<kRsa> unblinding;
};

// Blinds the message with fresh randomness of the operating system.
BlindedMessage blind(const RsaPublicKey& key, Bytes message);
// Blinds the message with the salt and the blinding factor that the caller chooses. Returns nullopt if the
// factor is not invertible, which happens to a random factor with a probability of about 2^-1023.
std::optional<BlindedMessage> blind_with(const RsaPublicKey& key, Bytes message,
                                         std::span<const std::uint8_t, kSalt> salt, const RsaBlock& factor);

// Returns the signature of the message, or nullopt if the signer's answer does not give one.
std::optional<RsaBlock> finalize(const RsaPublicKey& key, Bytes message, const RsaBlock& blind_signature,
                                 const SecretBytes<kRsa>& unblinding);

}  // namespace muster::wire
