// BLAKE2b-256 of bytes, from libsodium. The function is pure.
#pragma once

#include <initializer_list>

#include "muster/wire/bytes.h"

namespace muster::wire {

// The hash of the parts, one after another, without anything that tells where one ends: all parts but one
// must have a fixed length.
Hash hash_of(std::initializer_list<Bytes> parts);

}  // namespace muster::wire
