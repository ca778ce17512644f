// Computes a random direction row by row: normals, their squared norm and their inner product with a vector.
// A functor can do other work after each row, because memory is idle while normals are computed. This file is
// included once per vector target. The functions touch only their arguments, so any thread may call them.
#if defined(MUSTER_RANDOM_DIRECTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_RANDOM_DIRECTION_INL_H_
#undef MUSTER_RANDOM_DIRECTION_INL_H_
#else
#define MUSTER_RANDOM_DIRECTION_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "muster/random/direction.h"
#include "muster/random/fixed_dot-inl.h"
#include "muster/random/fixed_dot.h"
#include "muster/random/normals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

static_assert(kSums == kNormalRow && kDotBlock % kNormalRow == 0);

// Holds the running sums of finished blocks of kDotBlock elements. The sums are added up kRoom blocks at a
// time, because every call from the loop over rows makes that loop save its registers.
template <bool kWithOther>
struct EndedBlocks {
  static constexpr std::size_t kRoom = 16;
  alignas(64) float squares[kRoom][kSums], products[kWithOther ? kRoom : 1][kSums];
  std::size_t count = 0;
  DirectionSums sums{0, 0};

  HWY_NOINLINE void AddUpBlocks() {
    for (std::size_t block = 0; block < count; ++block) {
      sums.squared_norm += AddUp(squares[block]);
      if constexpr (kWithOther) sums.dot += AddUp(products[block]);
    }
    count = 0;
  }
};

// A `Beside` for DirectionRows (below) that does nothing.
struct NothingBeside {
  HWY_INLINE void operator()(std::size_t) {}
  HWY_INLINE void Rest(std::size_t, std::size_t) {}
};

// Stores rows and keeps the running sums of fixed_order_dot(out, out) and, if kWithOther, of
// fixed_order_dot(out, other). It calls beside(row) for each whole row. If the last `count` normals do not
// fill a row, it calls beside.Rest(row, count) for them.
template <bool kWithOther, class Beside>
struct DirectionRows {
  static constexpr std::size_t kBlockRows = kDotBlock / kNormalRow;

  const float* HWY_RESTRICT other;
  float* HWY_RESTRICT out;
  NormalVec squares[kRowVectors], products[kRowVectors];
  EndedBlocks<kWithOther>& ended;
  Beside& beside;

  HWY_INLINE DirectionRows(const float* other_, float* out_, EndedBlocks<kWithOther>& ended_, Beside& beside_)
      : other(other_), out(out_), ended(ended_), beside(beside_) {
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
    beside(row);
    if (row % kBlockRows + 1 == kBlockRows) EndBlock();
  }

  HWY_INLINE void Rest(std::size_t row, float* z, std::size_t count) {
    const NormalTag d;
    beside.Rest(row, count);
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
    if (HWY_UNLIKELY(++ended.count == EndedBlocks<kWithOther>::kRoom)) ended.AddUpBlocks();
  }
};

template <bool kWithOther, class Beside>
HWY_INLINE DirectionSums MakeDirection(const std::uint8_t* key, Counter counter, const float* other,
                                       float* out, std::size_t size, Beside beside) {
  EndedBlocks<kWithOther> ended;
  DirectionRows<kWithOther, Beside> rows(other, out, ended, beside);
  NormalRows(key, counter, size, rows);
  if (size % kDotBlock != 0) rows.EndBlock();
  ended.AddUpBlocks();
  return ended.sums;
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
