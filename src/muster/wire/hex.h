// Bytes as hexadecimal text: two digits a byte. The functions are pure.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "muster/wire/bytes.h"

namespace muster::wire {

// Returns the digits in lower case.
inline std::string hex_of(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// Returns nullopt unless the text is exactly 2 N digits, in lower or upper case.
template <std::size_t N>
std::optional<std::array<std::uint8_t, N>> array_from_hex(std::string_view text) {
  if (text.size() != 2 * N) return std::nullopt;
  std::array<std::uint8_t, N> bytes{};
  for (std::size_t i = 0; i < N; ++i) {
    const char* at = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(at, at + 2, bytes[i], 16);
    if (error != std::errc() || end != at + 2) return std::nullopt;
  }
  return bytes;
}

}  // namespace muster::wire
