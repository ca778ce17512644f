// Reads published test vectors, as the RFCs print them: a name, a colon, and bytes in hexadecimal, which may
// go on over the following lines and end at an empty line or at the next name. Call from the thread of the
// test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "muster/wire/bytes.h"

namespace muster::wire {

// Returns the bytes of a hexadecimal text, and fails the test if it is not one.
inline Buffer from_hex(std::string_view text) {
  Buffer bytes;
  EXPECT_EQ(text.size() % 2, 0u) << text;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

template <std::size_t N>
std::array<std::uint8_t, N> array_of(Bytes bytes) {
  std::array<std::uint8_t, N> array{};
  EXPECT_EQ(bytes.size(), N);
  if (bytes.size() == N) std::ranges::copy(bytes, array.begin());
  return array;
}

using Vector = std::map<std::string, Buffer>;

// The vectors of a file under testdata/. A new vector begins wherever the name `first` comes.
inline std::vector<Vector> published_vectors(const std::string& file, const std::string& first) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  std::vector<std::map<std::string, std::string>> texts;
  std::string line, name;
  while (std::getline(in, line)) {
    const std::size_t colon = line.find(':');
    if (line.empty() || line.front() == '#') {
      name.clear();
    } else if (colon != std::string::npos) {
      name = line.substr(0, colon);
      if (name == first || texts.empty()) texts.emplace_back();
      line.erase(0, colon + 1);
    }
    if (name.empty()) continue;
    std::erase(line, ' ');
    texts.back()[name] += line;
  }
  std::vector<Vector> vectors;
  for (const auto& text : texts) {
    Vector& vector = vectors.emplace_back();
    for (const auto& [key, hex] : text) vector[key] = from_hex(hex);
  }
  return vectors;
}

}  // namespace muster::wire
