// Holds the bytes of a secret key in memory from libsodium: it is locked against swapping where the system
// allows, has guard pages around it, and is wiped when it is freed.
//
// A moved-from object holds nothing and may only be destroyed or assigned to. Several threads may read an
// object at the same time.
#pragma once

#include <sodium.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "muster/random/os_bytes.h"

namespace muster::wire {

template <std::size_t N>
class SecretBytes {
 public:
  // Begins with zeros. Throws Error(internal) if libsodium cannot start, and std::bad_alloc without memory.
  SecretBytes() {
    random::start_libsodium();
    memory_.reset(static_cast<std::uint8_t*>(sodium_malloc(N)));
    if (!memory_) throw std::bad_alloc();
    std::ranges::fill(span(), std::uint8_t{0});
  }
  explicit SecretBytes(std::span<const std::uint8_t, N> bytes) : SecretBytes() {
    std::ranges::copy(bytes, memory_.get());
  }
  // Returns a secret from the operating system's CSPRNG.
  static SecretBytes fresh() {
    SecretBytes secret;
    random::fill_from_os(secret.span());
    return secret;
  }

  std::uint8_t* data() { return memory_.get(); }
  const std::uint8_t* data() const { return memory_.get(); }
  std::span<std::uint8_t, N> span() { return std::span<std::uint8_t, N>(memory_.get(), N); }
  std::span<const std::uint8_t, N> span() const { return std::span<const std::uint8_t, N>(memory_.get(), N); }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { sodium_free(memory); }
  };
  std::unique_ptr<std::uint8_t, Free> memory_;
};

}  // namespace muster::wire
