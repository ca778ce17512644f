#include "muster/random/os_source.h"

#include <sodium.h>

#include <utility>

#include "muster/random/os_bytes.h"

namespace muster::random {

OsSource::OsSource() { start_libsodium(); }

OsSource::~OsSource() { sodium_memzero(buffer_.data(), sizeof buffer_); }

std::uint64_t OsSource::next_u64() {
  if (used_ == buffer_.size()) {
    fill_from_os({reinterpret_cast<std::uint8_t*>(buffer_.data()), sizeof buffer_});
    used_ = 0;
  }
  return std::exchange(buffer_[used_++], 0);
}

}  // namespace muster::random
