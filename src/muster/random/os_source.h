// Draws random bits from the operating system's CSPRNG, through libsodium, for deployment and secret keys.
//
// Words are drawn in blocks, and each word is wiped from the buffer when it is used. Use an object from one
// thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "muster/random/bit_source.h"

namespace muster::random {

class OsSource final : public BitSource {
 public:
  OsSource();
  ~OsSource() override;
  OsSource(const OsSource&) = delete;
  OsSource& operator=(const OsSource&) = delete;

  std::uint64_t next_u64() override;

 private:
  std::array<std::uint64_t, 32> buffer_{};
  std::size_t used_ = 32;
};

}  // namespace muster::random
