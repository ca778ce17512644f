#include "muster/random/counter_blocks.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "muster/core/error.h"

#define HWY_WANT_AVX3_DL 1  // also compile for the target with 512-bit AES
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/counter_blocks.cc"
#include <hwy/foreach_target.h>
// These headers must follow foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/counter_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

const char* Target() { return hwy::TargetName(HWY_TARGET); }

#if HWY_TARGET == HWY_SCALAR

void EncryptIndices(const AesSchedule& schedule, Counter counter, std::uint64_t* out, std::size_t blocks) {
  for (std::size_t b = 0; b < blocks; ++b, ++counter.low) EncryptOne(schedule, counter, out + 2 * b);
}

void EncryptClients(const AesSchedule& schedule, Counter counter, std::uint64_t* out, std::size_t clients) {
  for (std::size_t c = 0; c < clients; ++c, counter.low += std::uint64_t{1} << 32) {
    std::uint64_t words[2];
    EncryptOne(schedule, counter, words);
    out[c] = words[0];
  }
}

#else

// Reads the schedule in place, since a copy would have to be wiped. `out` must not overlap it.
void EncryptIndices(const AesSchedule& key, Counter counter, std::uint64_t* HWY_RESTRICT out,
                    std::size_t blocks) {
  const std::uint8_t* HWY_RESTRICT schedule = key.data();
  const D64 d64;
  const std::size_t lanes = hn::Lanes(d64);
  hn::Vec<D64> counters = FirstCounters(counter, 1);
  const hn::Vec<D64> increment = CounterIncrement(lanes / 2);
  alignas(64) std::uint64_t tail[32];
  for (std::size_t words = 2 * blocks; words != 0;) {
    V8 v[4];
    EncryptNext4(schedule, increment, counters, v);
    const bool full = words >= 4 * lanes;
    std::uint64_t* to = full ? out : tail;
    for (std::size_t i = 0; i < 4; ++i) hn::StoreU(hn::BitCast(d64, v[i]), d64, to + i * lanes);
    if (!full) {
      std::copy_n(tail, words, out);
      return;
    }
    out += 4 * lanes;
    words -= 4 * lanes;
  }
}

void EncryptClients(const AesSchedule& key, Counter counter, std::uint64_t* HWY_RESTRICT out,
                    std::size_t clients) {
  const std::uint8_t* HWY_RESTRICT schedule = key.data();
  const D64 d64;
  const std::size_t lanes = hn::Lanes(d64);
  constexpr std::uint64_t kOneClient = std::uint64_t{1} << 32;
  hn::Vec<D64> counters = FirstCounters(counter, kOneClient);
  const hn::Vec<D64> increment = CounterIncrement(lanes / 2 * kOneClient);
  alignas(64) std::uint64_t tail[16];
  while (clients != 0) {
    V8 v[4];
    EncryptNext4(schedule, increment, counters, v);
    const bool full = clients >= 2 * lanes;
    std::uint64_t* to = full ? out : tail;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto even = hn::BitCast(d64, v[2 * i]), odd = hn::BitCast(d64, v[2 * i + 1]);
      hn::StoreU(hn::ConcatEven(d64, odd, even), d64, to + i * lanes);
    }
    if (!full) {
      std::copy_n(tail, clients, out);
      return;
    }
    out += 2 * lanes;
    clients -= 2 * lanes;
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::random {

static_assert(std::endian::native == std::endian::little, "counter blocks are little-endian");

HWY_EXPORT(Target);
HWY_EXPORT(EncryptIndices);
HWY_EXPORT(EncryptClients);

Counter counter_of(const StreamAddress& address, std::uint32_t index) {
  if (address.round >> 40 != 0) {
    throw Error(ErrorCode::internal, "round", std::to_string(address.round), "below 2^40", "no such stream");
  }
  if (address.client >> 48 != 0) {
    throw Error(ErrorCode::internal, "client", std::to_string(address.client), "below 2^48",
                "no such stream");
  }
  return {index | address.client << 32,
          address.client >> 32 | address.round << 16 | static_cast<std::uint64_t>(address.purpose) << 56};
}

void encrypt_indices(const RunKey& key, const Counter& first, std::span<std::uint64_t> out) {
  if (out.size() % 2 != 0) throw Error(ErrorCode::internal, "out", "", "an even size", "half a block");
  const std::uint64_t blocks = out.size() / 2;
  if ((first.low & 0xffffffffu) + blocks > std::uint64_t{1} << 32) {
    throw Error(ErrorCode::internal, "index", "", "2^32 blocks a stream", "the stream is exhausted");
  }
  HWY_DYNAMIC_DISPATCH(EncryptIndices)(key.schedule(), first, out.data(), blocks);
}

void encrypt_clients(const RunKey& key, const Counter& first, std::span<std::uint64_t> out) {
  Counter counter = first;
  while (!out.empty()) {
    // Stop where the low 32 bits of the client number would carry into the high half of the counter.
    const std::uint64_t room = (std::uint64_t{1} << 32) - (counter.low >> 32);
    const std::size_t part = static_cast<std::size_t>(std::min<std::uint64_t>(room, out.size()));
    HWY_DYNAMIC_DISPATCH(EncryptClients)(key.schedule(), counter, out.data(), part);
    out = out.subspan(part);
    counter.low &= 0xffffffffu;
    ++counter.high;
  }
}

const char* vector_target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace muster::random
#endif  // HWY_ONCE
