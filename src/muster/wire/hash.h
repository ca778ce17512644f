// BLAKE2b-256 of bytes, from libsodium. The function is pure; a RunningHash belongs to one thread.
#pragma once

#include <sodium.h>

#include <initializer_list>

#include "muster/wire/bytes.h"

namespace muster::wire {

// The hash of the parts, one after another, without anything that tells where one ends: all parts but one
// must have a fixed length.
Hash hash_of(std::initializer_list<Bytes> parts);

// The same hash, of parts that come one at a time.
class RunningHash {
 public:
  RunningHash();
  void add(Bytes part);
  Hash finish();  // may be called once

 private:
  crypto_generichash_state state_;
};

}  // namespace muster::wire
