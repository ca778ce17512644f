// A fuzz target is one reader of untrusted bytes, as a function of one input.
//
// Each NAME_target.cc defines accepts() for one reader. Two programs call it: `fuzz_NAME`, to which libFuzzer
// gives inputs that it makes (preset `fuzz`), and `replay_NAME`, which reads the files of corpus/NAME in
// every build. An input must be accepted or refused with one of the reader's documented errors, in words
// without control characters. Anything else, such as another exception or a read past an end, ends the
// process.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "muster/core/error.h"

namespace muster::fuzz {

using Input = std::span<const std::uint8_t>;

// Returns whether the reader accepts this input.
bool accepts(Input input);

// Returns whether a text can be shown on a terminal without moving its cursor or changing its state.
inline bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

// Runs `read` and returns whether it threw no Error. Only Errors of the `documented` codes whose words are
// printable are caught.
template <typename Read>
bool accepted(Read&& read, std::initializer_list<ErrorCode> documented) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    if (std::ranges::find(documented, error.code()) == documented.end() || !is_printable(error.what())) {
      throw;
    }
    return false;
  }
}

inline std::string text_of(Input input) { return {input.begin(), input.end()}; }

// Removes from the front of `input` a two-byte little-endian length and that many bytes, or all bytes that
// are left if they are fewer. Returns the removed bytes without the length. An input that stands for two
// files begins with the first file in this form.
inline Input take_counted(Input& input) {
  if (input.size() < 2) {
    return input = {};
  }
  const std::size_t length = std::min<std::size_t>(input[0] | input[1] << 8, input.size() - 2);
  const Input part = input.subspan(2, length);
  input = input.subspan(2 + length);
  return part;
}

}  // namespace muster::fuzz
