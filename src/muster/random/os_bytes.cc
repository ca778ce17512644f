#include "muster/random/os_bytes.h"

#include <sodium.h>

#include "muster/core/error.h"

namespace muster::random {

void start_libsodium() {
  static const bool started = sodium_init() >= 0;
  if (!started) throw Error(ErrorCode::internal, "libsodium", "", "", "cannot start");
}

void fill_from_os(std::span<std::uint8_t> out) {
  start_libsodium();
  randombytes_buf(out.data(), out.size());
}

}  // namespace muster::random
