// Memory that a container frees, or leaves behind when it grows, must hold nothing of what was in it.
#include "muster/wire/wiping_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "muster/wire/bytes.h"
#include "muster/wire/freed_memory_test.h"

namespace muster::wire {
namespace {

using Secret = std::array<std::uint8_t, 32>;

Secret secret() {
  Secret bytes;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{100});
  return bytes;
}

// The number of blocks with the secret that are freed while a buffer grows, is copied and goes.
template <typename Bytes>
std::size_t left_by_a_buffer() {
  const Secret needle = secret();
  const FreedMemory freed(needle);
  {
    Bytes buffer(needle.begin(), needle.end());
    for (int i = 0; i < 10; ++i) buffer.insert(buffer.end(), needle.begin(), needle.end());
    const Bytes copy = buffer;
    buffer.resize(5);
    buffer.shrink_to_fit();
  }
  return freed.found();
}

template <typename Allocator>
std::size_t left_by_a_table() {
  const Secret needle = secret();
  const FreedMemory freed(needle);
  { std::set<Secret, std::less<>, Allocator>{needle}; }
  return freed.found();
}

TEST(WipingAllocator, LeavesNothingBehind) {
  EXPECT_EQ(left_by_a_buffer<Buffer>(), 0u);
  EXPECT_EQ(left_by_a_table<WipingAllocator<Secret>>(), 0u);
}

TEST(WipingAllocator, ContainersWithoutItAreNoticed) {
  EXPECT_GE(left_by_a_buffer<std::vector<std::uint8_t>>(), 3u);
  EXPECT_EQ(left_by_a_table<std::allocator<Secret>>(), 1u);
}

}  // namespace
}  // namespace muster::wire
