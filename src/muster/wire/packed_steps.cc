#include "muster/wire/packed_steps.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace muster::wire {
namespace {

// The number that these eight bytes hold. memcpy is there because GCC 12 does not turn the loop into one
// load.
std::uint64_t little_endian(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, bytes, sizeof value);
  } else {
    for (unsigned i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(bytes[i]) << 8 * i;
  }
  return value;
}

// Eight numbers take kBits bytes. With kBits known to the compiler, a number takes a load and a few
// operations (a quarter of the time of a loop over any number of bits; bench/wire_bench.cc).
template <unsigned kBits>
struct Numbers {
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1,
                                 kSign = std::uint64_t{1} << (kBits - 1);

  // Reads the eight numbers whose bytes begin here; seven more bytes are readable. Returns whether they are
  // in range.
  static bool read_eight(const std::uint8_t* bytes, std::int32_t* steps) {
    return [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
      bool in_range = true;
      (..., (in_range = read_one<i>(bytes, steps[i]) && in_range));
      return in_range;
    }
    (std::make_integer_sequence<unsigned, 8>{});
  }

  // Reads number i of eight into `step`, and returns whether it is in range. A number of at most 32 bits that
  // begins within a byte lies within the eight bytes from there on.
  template <unsigned i>
  static bool read_one(const std::uint8_t* bytes, std::int32_t& step) {
    const std::uint64_t value = little_endian(bytes + i * kBits / 8) >> (i * kBits % 8) & kMask;
    step = static_cast<std::int32_t>(static_cast<std::int64_t>((value ^ kSign) - kSign));
    return value != kSign;
  }

  static bool read(Bytes packed, std::span<std::int32_t> steps) {
    bool in_range = true;
    std::size_t group = 0;
    for (; group * kBits + kBits + 7 <= packed.size() && 8 * group + 8 <= steps.size(); ++group) {
      in_range &= read_eight(packed.data() + group * kBits, steps.data() + 8 * group);
    }
    for (; 8 * group < steps.size(); ++group) {
      std::array<std::uint8_t, kBits + 7> bytes{};
      const Bytes rest = packed.subspan(group * kBits);
      std::ranges::copy(rest.first(std::min<std::size_t>(rest.size(), kBits)), bytes.begin());
      std::array<std::int32_t, 8> last{};
      in_range &= read_eight(bytes.data(), last.data());  // numbers beyond the end are 0, which is in range
      std::copy_n(last.begin(), std::min<std::size_t>(8, steps.size() - 8 * group), &steps[8 * group]);
    }
    return in_range;
  }
};

using Read = bool (*)(Bytes, std::span<std::int32_t>);
constexpr auto kReaders = []<unsigned... b>(std::integer_sequence<unsigned, b...>) {
  return std::array<Read, sizeof...(b)>{&Numbers<b + 1>::read...};
}
(std::make_integer_sequence<unsigned, kMaxStepBits>{});

}  // namespace

bool pack_steps(std::span<const std::int32_t> steps, unsigned bits, std::span<std::uint8_t> out) {
  const std::int64_t largest = (std::int64_t{1} << (bits - 1)) - 1;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  // The bits that do not fill a byte yet: at most 7, plus those of one number.
  std::uint64_t held = 0;
  unsigned count = 0;
  std::size_t at = 0;
  for (const std::int32_t step : steps) {
    if (step > largest || step < -largest) return false;
    held |= (static_cast<std::uint64_t>(static_cast<std::int64_t>(step)) & mask) << count;
    for (count += bits; count >= 8; count -= 8, held >>= 8) out[at++] = static_cast<std::uint8_t>(held);
  }
  if (count > 0) out[at] = static_cast<std::uint8_t>(held);
  return true;
}

Unpacked unpack_steps(Bytes packed, unsigned bits, std::span<std::int32_t> steps) {
  const bool in_range = kReaders[bits - 1](packed, steps);
  // If a padding bit is set, the numbers beyond the end may be out of range as well. Then the fault is that
  // of the padding.
  const std::size_t used = steps.size() * bits % 8;
  const bool padded = used == 0 || packed.back() >> used == 0;
  return {in_range || !padded, padded};
}

}  // namespace muster::wire
