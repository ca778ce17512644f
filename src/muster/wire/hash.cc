#include "muster/wire/hash.h"

#include "muster/random/os_bytes.h"

namespace muster::wire {

RunningHash::RunningHash() {
  random::start_libsodium();
  crypto_generichash_init(&state_, nullptr, 0, sizeof(Hash));
}

void RunningHash::add(Bytes part) { crypto_generichash_update(&state_, part.data(), part.size()); }

Hash RunningHash::finish() {
  Hash hash;
  crypto_generichash_final(&state_, hash.data(), hash.size());
  return hash;
}

Hash hash_of(std::initializer_list<Bytes> parts) {
  RunningHash hash;
  for (const Bytes part : parts) hash.add(part);
  return hash.finish();
}

}  // namespace muster::wire
