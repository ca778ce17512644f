#include "muster/random/direction.h"

#include <algorithm>
#include <cstddef>

#include "muster/core/error.h"
#include "muster/random/fixed_dot.h"
#include "muster/random/normals.h"

#define HWY_WANT_AVX3_DL 1  // the same targets as counter_blocks.cc
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/direction.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/fixed_dot-inl.h"
#include "muster/random/normals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

static_assert(kSums == kNormalRow && kDotBlock % kNormalRow == 0);

// The running sums of blocks, added up many at a time: a call in the loop over rows would empty its
// registers.
template <bool kWithOther>
struct EndedBlocks {
  static constexpr std::size_t kRoom = 16;
  alignas(64) float squares[kRoom][kSums], products[kWithOther ? kRoom : 1][kSums];
  std::size_t count = 0;
  DirectionSums sums{0, 0};

  HWY_NOINLINE void add_up() {
    for (std::size_t block = 0; block < count; ++block) {
      sums.squared_norm += AddUp(squares[block]);
      if constexpr (kWithOther) sums.dot += AddUp(products[block]);
    }
    count = 0;
  }
};

// Stores rows and keeps the running sums of fixed_order_dot(out, out), and of fixed_order_dot(out, other) if
// wanted.
template <bool kWithOther>
struct DirectionRows {
  static constexpr std::size_t kBlockRows = kDotBlock / kNormalRow;

  const float* HWY_RESTRICT other;
  float* HWY_RESTRICT out;
  NormalVec squares[kRowVectors], products[kRowVectors];
  EndedBlocks<kWithOther>& ended;

  HWY_INLINE DirectionRows(const float* other_, float* out_, EndedBlocks<kWithOther>& ended_)
      : other(other_), out(out_), ended(ended_) {
    Begin();
  }

  HWY_INLINE void Begin() {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < kRowVectors; ++v) squares[v] = products[v] = hn::Zero(NormalTag());
  }

  HWY_INLINE void operator()(std::size_t row, const NormalVec* z) {
    const NormalTag d;
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < kRowVectors; ++v) {
      const std::size_t at = row * kNormalRow + v * kNormalLanes;
      hn::StoreU(z[v], d, out + at);
      squares[v] = hn::MulAdd(z[v], z[v], squares[v]);
      if constexpr (kWithOther) products[v] = hn::MulAdd(z[v], hn::LoadU(d, other + at), products[v]);
    }
    if (row % kBlockRows + 1 == kBlockRows) EndBlock();
  }

  HWY_INLINE void Rest(std::size_t row, float* z, std::size_t count) {
    const NormalTag d;
    std::copy_n(z, count, out + row * kNormalRow);
    std::fill(z + count, z + kNormalRow, 0.0f);
    alignas(64) float others[kNormalRow] = {};
    if constexpr (kWithOther) std::copy_n(other + row * kNormalRow, count, others);
    for (std::size_t v = 0; v < kRowVectors; ++v) {
      const NormalVec x = hn::Load(d, z + v * kNormalLanes);
      squares[v] = hn::MulAdd(x, x, squares[v]);
      products[v] = hn::MulAdd(x, hn::Load(d, others + v * kNormalLanes), products[v]);
    }
  }

  HWY_INLINE void EndBlock() {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < kRowVectors; ++v) {
      const std::size_t at = v * kNormalLanes;
      hn::Store(squares[v], NormalTag(), ended.squares[ended.count] + at);
      if constexpr (kWithOther) hn::Store(products[v], NormalTag(), ended.products[ended.count] + at);
    }
    Begin();
    if (HWY_UNLIKELY(++ended.count == EndedBlocks<kWithOther>::kRoom)) ended.add_up();
  }
};

template <bool kWithOther>
HWY_INLINE DirectionSums MakeDirection(const std::uint8_t* key, Counter counter, const float* other,
                                       float* out, std::size_t size) {
  EndedBlocks<kWithOther> ended;
  DirectionRows<kWithOther> rows(other, out, ended);
  NormalRows(key, counter, size, rows);
  if (size % kDotBlock != 0) rows.EndBlock();
  ended.add_up();
  return ended.sums;
}

DirectionSums Direction(const std::uint8_t* key, Counter counter, const float* other, float* out,
                        std::size_t size) {
  return other == nullptr ? MakeDirection<false>(key, counter, other, out, size)
                          : MakeDirection<true>(key, counter, other, out, size);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(Direction);

DirectionSums fill_direction(const RunKey& key, const StreamAddress& address, std::span<const float> other,
                             std::span<float> out) {
  if (!other.empty() && other.size() != out.size()) {
    throw Error(ErrorCode::internal, "direction", "", "", "sizes differ");
  }
  return HWY_DYNAMIC_DISPATCH(Direction)(key.schedule().data(), counter_of_normal(address, 0, out.size()),
                                         other.empty() ? nullptr : other.data(), out.data(), out.size());
}

}  // namespace muster::random
#endif  // HWY_ONCE
