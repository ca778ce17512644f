#include "muster/random/os_source.h"

#include <sodium.h>

#include <utility>

#include "muster/core/error.h"

namespace muster::random {

OsSource::OsSource() {
  if (sodium_init() < 0) throw Error(ErrorCode::internal, "libsodium", "", "", "cannot start");
}

OsSource::~OsSource() { sodium_memzero(buffer_.data(), sizeof buffer_); }

std::uint64_t OsSource::next_u64() {
  if (used_ == buffer_.size()) {
    randombytes_buf(buffer_.data(), sizeof buffer_);
    used_ = 0;
  }
  return std::exchange(buffer_[used_++], 0);
}

}  // namespace muster::random
