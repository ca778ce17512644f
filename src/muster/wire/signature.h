// Signatures of the roles: Ed25519 (RFC 8032), from libsodium.
//
// What is signed is "muster v1 " | kind | a zero byte | the body, so that a signature of one kind of document
// is never one of another. Keys are immutable, and all functions may be called from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "muster/wire/bytes.h"
#include "muster/wire/secret_bytes.h"

namespace muster::wire {

using IdentityKey = std::array<std::uint8_t, 32>;  // public
using Signature = std::array<std::uint8_t, 64>;

class SigningKey {
 public:
  static constexpr std::size_t kSeed = 32;
  // A new key from the operating system.
  static SigningKey fresh();
  // The key that RFC 8032 derives from the seed. The seed is the whole secret.
  static SigningKey from_seed(const SecretBytes<kSeed>& seed);

  const IdentityKey& identity() const { return identity_; }
  Signature sign(std::string_view kind, Bytes body) const;

 private:
  SigningKey() = default;
  SecretBytes<64> secret_;
  IdentityKey identity_{};
};

bool verify(const IdentityKey& identity, std::string_view kind, Bytes body, const Signature& signature);

// Returns the document, which is `body` with its signature behind it.
Buffer with_signature(Buffer body, std::string_view kind, const SigningKey& key);
// Returns whether the last 64 bytes of `document` are the signature of the bytes before them. The document
// must have at least 64 bytes.
bool signature_holds(Bytes document, std::string_view kind, const IdentityKey& identity);

}  // namespace muster::wire
