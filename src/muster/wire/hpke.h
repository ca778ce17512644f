// Hybrid public-key encryption of one message: RFC 9180, base mode, with DHKEM(X25519, HKDF-SHA256),
// HKDF-SHA256 and ChaCha20-Poly1305, single shot (the sequence number is always 0).
//
// A sealed message is
//     enc 32 | ciphertext (as long as the plain text) | tag 16.
// Everybody who knows the public key can seal, so opening shows that the bytes arrived as they were sent and
// with the same `aad`, and says nothing about who sent them. Keys are secret; info, aad and lengths are not.
// The construction is composed from libsodium's primitives; hpke_test.cc compares it with the vectors of
// appendix A.2 of the RFC. All functions may be called from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "muster/wire/bytes.h"
#include "muster/wire/secret_bytes.h"

namespace muster::wire {

inline constexpr std::size_t kHpkeKey = 32;
inline constexpr std::size_t kSealing = kHpkeKey + 16;  // how much longer a sealed message is

// The receiver's public key: any 32 bytes. Sealing for a key of low order is refused.
using HpkePublicKey = std::array<std::uint8_t, kHpkeKey>;

class HpkeKeyPair {
 public:
  // A new secret from the operating system.
  static HpkeKeyPair fresh();
  static HpkeKeyPair from_secret(SecretBytes<kHpkeKey> secret);

  const HpkePublicKey& public_key() const { return public_key_; }
  const SecretBytes<kHpkeKey>& secret() const { return secret_; }

 private:
  explicit HpkeKeyPair(SecretBytes<kHpkeKey> secret);
  SecretBytes<kHpkeKey> secret_;
  HpkePublicKey public_key_{};
};

// The `info` of RFC 9180, which says what a message is for, as the key schedule needs it. Messages that were
// sealed with another info cannot be opened.
class HpkeInfo {
 public:
  explicit HpkeInfo(std::string_view info);
  // key_schedule_context: the mode and the hashes of the empty PSK identity and of the info.
  Bytes context() const { return context_; }

 private:
  std::array<std::uint8_t, 65> context_;
};

// Seals `plain` for the holder of `to` under a fresh ephemeral key. Throws Error(data) if `to` is of low
// order, and Error(internal) unless sealed.size() is plain.size() + kSealing.
void seal(const HpkePublicKey& to, const HpkeInfo& info, Bytes aad, Bytes plain,
          std::span<std::uint8_t> sealed);
// The same under an ephemeral key that the caller chooses and must never use again.
void seal_with(const HpkeKeyPair& ephemeral, const HpkePublicKey& to, const HpkeInfo& info, Bytes aad,
               Bytes plain, std::span<std::uint8_t> sealed);
// Whether something can be sealed for this key: whether it is not of low order.
bool is_usable(const HpkePublicKey& key);

// Opens a sealed message into `plain` and returns true. Returns false for every other input: one of another
// length, key, info or aad, a changed one, and one whose `enc` is of low order. `plain` is then zero.
bool open(const HpkeKeyPair& receiver, const HpkeInfo& info, Bytes aad, Bytes sealed,
          std::span<std::uint8_t> plain);

}  // namespace muster::wire
