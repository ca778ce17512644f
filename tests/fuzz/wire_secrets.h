// Secrets of the fuzz targets of the wire, each one byte that is repeated, as in tools/golden/wire.py. The
// functions are pure.
#pragma once

#include <array>
#include <cstdint>

#include "muster/wire/hpke.h"
#include "muster/wire/signature.h"

namespace muster::fuzz {

inline wire::SecretBytes<32> secret_of(std::uint8_t byte) {
  std::array<std::uint8_t, 32> bytes;
  bytes.fill(byte);
  return wire::SecretBytes<32>(bytes);
}
inline wire::HpkeKeyPair key_of(std::uint8_t byte) { return wire::HpkeKeyPair::from_secret(secret_of(byte)); }
inline wire::SigningKey signing_key_of(std::uint8_t byte) {
  return wire::SigningKey::from_seed(secret_of(byte));
}

}  // namespace muster::fuzz
