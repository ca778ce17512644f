// Adds up the running sums of a block of fixed_order_dot, also for kernels that keep these sums themselves.
// This file is included once per vector target. The functions are pure and may be called from any thread.
#if defined(MUSTER_RANDOM_FIXED_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_RANDOM_FIXED_DOT_INL_H_
#undef MUSTER_RANDOM_FIXED_DOT_INL_H_
#else
#define MUSTER_RANDOM_FIXED_DOT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::size_t kSums = 64;  // four vectors of 16: enough to hide the latency of a multiply-add

// Adds up the lanes of a vector as a binary tree: the upper half is added to the lower half, repeatedly.
template <class D>
HWY_INLINE double AddUpLanes([[maybe_unused]] D d, hn::Vec<D> lanes) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(d) > 1) {
    const hn::Half<D> half;
    return AddUpLanes(half, hn::Add(hn::LowerHalf(half, lanes), hn::UpperHalf(half, lanes)));
  }
#endif
  return hn::GetLane(lanes);
}

// Adds up the running sums of a block in double precision as a binary tree: sums i and i + 32, then i and i +
// 16, ..., then 0 and 1.
HWY_NOINLINE inline double AddUp(const float* HWY_RESTRICT sums) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> narrow;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  hn::Vec<decltype(d)> tree[kSums / kLanes];
  HWY_UNROLL(64)
  for (std::size_t i = 0; i < kSums / kLanes; ++i) {
    tree[i] = hn::PromoteTo(d, hn::LoadU(narrow, sums + i * kLanes));
  }
  HWY_UNROLL(8)
  for (std::size_t half = kSums / kLanes / 2; half != 0; half /= 2) {
    HWY_UNROLL(32)
    for (std::size_t i = 0; i < half; ++i) tree[i] = hn::Add(tree[i], tree[i + half]);
  }
  return AddUpLanes(d, tree[0]);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
