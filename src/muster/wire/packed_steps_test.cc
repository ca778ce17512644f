// Compares packed numbers with bits that are set one at a time, for every width and for up to 41 numbers.
// Numbers out of range and padding bits that are set must be noticed.
#include "muster/wire/packed_steps.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace muster::wire {
namespace {

// The packed numbers as one long string of bits, the slow and obvious way.
Buffer bit_by_bit(const std::vector<std::int32_t>& steps, unsigned bits) {
  Buffer out(packed_size(steps.size(), bits));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (unsigned bit = 0; bit < bits; ++bit) {
      const bool one = (static_cast<std::int64_t>(steps[i]) >> bit & 1) != 0;
      if (one) out[(i * bits + bit) / 8] |= static_cast<std::uint8_t>(1 << (i * bits + bit) % 8);
    }
  }
  return out;
}

TEST(PackedSteps, EveryWidthAndCountIsPackedBitByBitAndReadBack) {
  std::mt19937_64 random(3);
  for (unsigned bits = 2; bits <= kMaxStepBits; ++bits) {
    const std::int64_t largest = (std::int64_t{1} << (bits - 1)) - 1;
    for (std::size_t count = 0; count <= 41; ++count) {
      std::vector<std::int32_t> steps(count);
      for (auto& step : steps) {
        step =
            static_cast<std::int32_t>(std::uniform_int_distribution<std::int64_t>(-largest, largest)(random));
        if (random() % 5 == 0) step = static_cast<std::int32_t>(random() % 2 == 0 ? largest : -largest);
      }
      Buffer packed(packed_size(count, bits), 0xaa);
      ASSERT_TRUE(pack_steps(steps, bits, packed));
      EXPECT_EQ(packed, bit_by_bit(steps, bits)) << bits << ' ' << count;
      std::vector<std::int32_t> read(count, 77);
      const Unpacked unpacked = unpack_steps(packed, bits, read);
      EXPECT_TRUE(unpacked.in_range && unpacked.padded) << bits << ' ' << count;
      EXPECT_EQ(read, steps) << bits << ' ' << count;
    }
  }
}

TEST(PackedSteps, TheLowestNumberIsOutOfRangeAtEveryPlace) {
  for (unsigned bits = 2; bits <= kMaxStepBits; ++bits) {
    const std::int64_t lowest = -(std::int64_t{1} << (bits - 1));
    for (std::size_t place = 0; place < 21; ++place) {
      std::vector<std::int32_t> steps(21, 1), read(21);
      steps[place] = static_cast<std::int32_t>(lowest);
      Buffer packed(packed_size(21, bits));
      EXPECT_FALSE(pack_steps(steps, bits, packed));
      const Unpacked unpacked = unpack_steps(bit_by_bit(steps, bits), bits, read);
      EXPECT_FALSE(unpacked.in_range) << bits << ' ' << place;
      EXPECT_TRUE(unpacked.padded) << bits << ' ' << place;
    }
  }
}

TEST(PackedSteps, NumbersBeyondTheWidthAreNotPacked) {
  Buffer packed(packed_size(1, 11));
  for (const std::int32_t step : {1024, -1024, 2047, 1 << 30, -(1 << 30)}) {
    EXPECT_FALSE(pack_steps(std::vector{step}, 11, packed)) << step;
  }
  EXPECT_TRUE(pack_steps(std::vector{1023}, 11, packed));
  EXPECT_TRUE(pack_steps(std::vector{-1023}, 11, packed));
}

TEST(PackedSteps, EveryUnusedBitIsNoticed) {
  for (unsigned bits = 2; bits <= kMaxStepBits; ++bits) {
    for (std::size_t count = 1; count < 9; ++count) {
      for (std::size_t bit = count * bits; bit < 8 * packed_size(count, bits); ++bit) {
        Buffer packed(packed_size(count, bits));
        packed[bit / 8] = static_cast<std::uint8_t>(1 << bit % 8);
        std::vector<std::int32_t> read(count, 77);
        EXPECT_FALSE(unpack_steps(packed, bits, read).padded) << bits << ' ' << count << ' ' << bit;
        EXPECT_EQ(read, std::vector<std::int32_t>(count));
      }
    }
  }
}

}  // namespace
}  // namespace muster::wire
