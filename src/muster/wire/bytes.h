// Views of bytes, and little-endian fields of fixed width in them.
//
// A decoder checks the length of its input once, and then reads its fields one after another. So reading past
// the end is a defect of the decoder, not of the input. The functions are pure; a reader or a writer belongs
// to one thread.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/wire/wiping_allocator.h"

namespace muster::wire {

using Bytes = std::span<const std::uint8_t>;
// Wiped when it is freed, because many hold a secret, or uploads in their order, for a while.
using Buffer = std::vector<std::uint8_t, WipingAllocator<std::uint8_t>>;
using Hash = std::array<std::uint8_t, 32>;  // of BLAKE2b-256, unless said otherwise

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Reads fields from the front. Each call throws Error(internal) where fewer bytes are left than it needs.
class FieldReader {
 public:
  explicit FieldReader(Bytes bytes) : rest_(bytes) {}

  Bytes bytes(std::size_t count) {
    if (count > rest_.size()) throw Error(ErrorCode::internal, "message", "", "", "is read past its end");
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  template <std::unsigned_integral T>
  T integer() {
    T value = 0;
    const Bytes from = bytes(sizeof(T));
    for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(value << 8 | from[i]);
    return value;
  }
  template <std::size_t N>
  std::array<std::uint8_t, N> array() {
    std::array<std::uint8_t, N> value{};
    std::ranges::copy(bytes(N), value.begin());
    return value;
  }
  Bytes rest() const { return rest_; }

 private:
  Bytes rest_;
};

// Appends fields to a buffer of its own.
class FieldWriter {
 public:
  explicit FieldWriter(std::size_t expected) { bytes_.reserve(expected); }

  FieldWriter& bytes(Bytes value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return *this;
  }
  template <std::unsigned_integral T>
  FieldWriter& integer(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    return *this;
  }
  const Buffer& written() const { return bytes_; }
  Buffer take() { return std::move(bytes_); }

 private:
  Buffer bytes_;
};

}  // namespace muster::wire
