#include "muster/random/normals.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "muster/core/error.h"
#include "muster/random/counter_blocks.h"

#define HWY_WANT_AVX3_DL 1  // the same targets as counter_blocks.cc
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/normals.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/normals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

// words: 32 a group; out: 32 a group.
void TransformGroups(const std::int32_t* HWY_RESTRICT words, float* HWY_RESTRICT out, std::size_t groups) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t group = 0; group < groups; ++group, words += 32, out += 32) {
    for (std::size_t i = 0; i < 16; i += lanes) {
      hn::Vec<decltype(d)> first, second;
      BoxMuller(d, hn::LoadU(di, words + i), hn::LoadU(di, words + 16 + i), first, second);
      hn::StoreU(first, d, out + i);
      hn::StoreU(second, d, out + 16 + i);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(TransformGroups);

namespace {

constexpr std::size_t kWordsPerGroup = kNormalGroup / 2;
constexpr std::size_t kChunkGroups = 32;  // 4 KiB of words: they stay in the first-level cache

}  // namespace

void fill_normals(const RunKey& key, const StreamAddress& address, std::span<float> out) {
  fill_normals_from(key, address, 0, out);
}

void fill_normals_from(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                       std::span<float> out) {
  if (first % kNormalGroup != 0) {
    throw Error(ErrorCode::internal, "first", std::to_string(first), "a multiple of 32",
                "not the start of a group");
  }
  alignas(64) std::array<std::uint64_t, kChunkGroups * kWordsPerGroup> words;
  std::uint64_t next_word = first / 2;
  while (!out.empty()) {
    const std::size_t groups = std::min(kChunkGroups, (out.size() + kNormalGroup - 1) / kNormalGroup);
    const std::span<std::uint64_t> part = std::span(words).first(groups * kWordsPerGroup);
    fill_words(key, address, next_word, part);
    next_word += part.size();
    alignas(64) std::array<std::int32_t, 2 * words.size()> halves;
    std::memcpy(halves.data(), part.data(), part.size_bytes());
    const std::size_t whole = std::min(groups, out.size() / kNormalGroup);
    HWY_DYNAMIC_DISPATCH(TransformGroups)(halves.data(), out.data(), whole);
    out = out.subspan(whole * kNormalGroup);
    if (whole != groups) {
      alignas(64) std::array<float, kNormalGroup> tail;
      HWY_DYNAMIC_DISPATCH(TransformGroups)(halves.data() + whole * kNormalGroup, tail.data(), 1);
      std::copy_n(tail.begin(), out.size(), out.begin());
      return;
    }
  }
}

}  // namespace muster::random
#endif  // HWY_ONCE
