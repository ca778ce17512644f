#include "muster/wire/hash.h"

#include <sodium.h>

#include "muster/random/os_bytes.h"

namespace muster::wire {

Hash hash_of(std::initializer_list<Bytes> parts) {
  random::start_libsodium();
  crypto_generichash_state state;
  Hash hash;
  crypto_generichash_init(&state, nullptr, 0, hash.size());
  for (const Bytes part : parts) crypto_generichash_update(&state, part.data(), part.size());
  crypto_generichash_final(&state, hash.data(), hash.size());
  return hash;
}

}  // namespace muster::wire
