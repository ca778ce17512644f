// Encrypts counter blocks by AES-128 in registers: four vectors of counters at a time, or one block at a time
// on the portable target. This file is included once per vector target. A schedule is the 176 bytes of
// RunKey::schedule(). The functions touch only their arguments, so any thread may call them.
#if defined(MUSTER_RANDOM_COUNTER_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_RANDOM_COUNTER_BLOCKS_INL_H_
#undef MUSTER_RANDOM_COUNTER_BLOCKS_INL_H_
#else
#define MUSTER_RANDOM_COUNTER_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "muster/random/aes.h"
#include "muster/random/counter_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

inline void EncryptOne(const AesSchedule& schedule, const Counter& counter, std::uint64_t words[2]) {
  std::array<std::uint8_t, 16> block;
  std::memcpy(block.data(), &counter, 16);
  block = encrypt_aes128_block(schedule, block);
  std::memcpy(words, block.data(), 16);
}

#else

using D8 = hn::CappedTag<std::uint8_t, 64>;
using D64 = hn::Repartition<std::uint64_t, D8>;
using V8 = hn::Vec<D8>;

// Encrypts four vectors side by side, which hides the latency of an AES round.
HWY_INLINE void Encrypt4(const std::uint8_t* HWY_RESTRICT schedule, V8& a, V8& b, V8& c, V8& d) {
  const D8 d8;
  V8 key = hn::LoadDup128(d8, schedule);
  a = hn::Xor(a, key);
  b = hn::Xor(b, key);
  c = hn::Xor(c, key);
  d = hn::Xor(d, key);
  for (std::size_t round = 1; round < 10; ++round) {
    key = hn::LoadDup128(d8, schedule + 16 * round);
    a = hn::AESRound(a, key);
    b = hn::AESRound(b, key);
    c = hn::AESRound(c, key);
    d = hn::AESRound(d, key);
  }
  key = hn::LoadDup128(d8, schedule + 160);
  a = hn::AESLastRound(a, key);
  b = hn::AESLastRound(b, key);
  c = hn::AESLastRound(c, key);
  d = hn::AESLastRound(d, key);
}

// Encrypts the next four vectors of counters and advances `counters` by four times `increment`.
HWY_INLINE void EncryptNext4(const std::uint8_t* HWY_RESTRICT schedule, hn::Vec<D64> increment,
                             hn::Vec<D64>& counters, V8 (&v)[4]) {
  const D8 d8;
  for (V8& vector : v) {
    vector = hn::BitCast(d8, counters);
    counters = hn::Add(counters, increment);
  }
  Encrypt4(schedule, v[0], v[1], v[2], v[3]);
}

// Returns the vector of the counters first, first + step, and so on. The step is added to the low half of
// each counter only: the caller makes sure that the counted field (index or client) does not overflow.
HWY_INLINE hn::Vec<D64> FirstCounters(const Counter& first, std::uint64_t step) {
  alignas(64) std::uint64_t halves[8];
  for (std::size_t i = 0; i < 4; ++i) {
    halves[2 * i] = first.low + i * step;
    halves[2 * i + 1] = first.high;
  }
  return hn::Load(D64(), halves);
}

HWY_INLINE hn::Vec<D64> CounterIncrement(std::uint64_t increment) {
  alignas(64) const std::uint64_t halves[8] = {increment, 0, increment, 0, increment, 0, increment, 0};
  return hn::Load(D64(), halves);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
