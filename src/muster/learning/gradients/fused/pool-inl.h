// Computes ReLU and 2x2 max-pooling with stride 1 in one pass, with vectors over channels.
//
// The maximum of zero and a window of the raw convolution equals ReLU followed by pooling. In the backward
// pass, a window passes its slope to the first position, in [y][x] order, that holds the maximum. It passes
// nothing if the pooled value is zero. Slopes that meet at one position are added in the order of the
// windows. The reference engine does the same. The functions touch only the arrays that they are given and
// may be called from any thread.

#if defined(MUSTER_LEARNING_POOL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_LEARNING_POOL_INL_H_
#undef MUSTER_LEARNING_POOL_INL_H_
#else
#define MUSTER_LEARNING_POOL_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "muster/learning/gradients/fused/convolution-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::learning::fused {
namespace HWY_NAMESPACE {

// `in` is kSide x kSide x kChannels, before ReLU; `out` is (kSide-1) x (kSide-1) x kChannels.
template <std::size_t kSide, std::size_t kChannels>
HWY_INLINE void ReluPool(const float* HWY_RESTRICT in, float* HWY_RESTRICT out) {
  const F d;
  for (std::size_t y = 0; y + 1 < kSide; ++y) {
    for (std::size_t channel = 0; channel < kChannels; channel += kLanes) {
      const float* top = in + y * kSide * kChannels + channel;
      const float* bottom = top + kSide * kChannels;
      float* to = out + y * (kSide - 1) * kChannels + channel;
      V left = hn::Max(hn::Load(d, top), hn::Load(d, bottom));
      for (std::size_t x = 1; x < kSide; ++x) {
        const V right = hn::Max(hn::Load(d, top + x * kChannels), hn::Load(d, bottom + x * kChannels));
        hn::Store(hn::Max(hn::Max(left, right), hn::Zero(d)), d, to + (x - 1) * kChannels);
        left = right;
      }
    }
  }
}

// Computes the backward pass. `in` and `out` are the arguments of ReluPool. Overwrites in_slope, which has
// the shape of `in`.
template <std::size_t kSide, std::size_t kChannels>
HWY_INLINE void ReluPoolGradient(const float* HWY_RESTRICT in, const float* HWY_RESTRICT out,
                                 const float* HWY_RESTRICT out_slope, float* HWY_RESTRICT in_slope) {
  const F d;
  constexpr std::size_t kRow = kSide * kChannels;
  for (std::size_t i = 0; i < kRow; i += kLanes) hn::Store(hn::Zero(d), d, in_slope + i);
  for (std::size_t y = 0; y + 1 < kSide; ++y) {
    for (std::size_t channel = 0; channel < kChannels; channel += kLanes) {
      const float* top = in + y * kRow + channel;
      const float* bottom = top + kRow;
      float* top_slope = in_slope + y * kRow + channel;
      float* bottom_slope = top_slope + kRow;
      const std::size_t first = y * (kSide - 1) * kChannels + channel;
      V above = hn::Load(d, top_slope);  // the slope so far at the window's top left
      V below = hn::Zero(d);             // the slope so far at the window's bottom left
      V upper_left = hn::Load(d, top);
      V lower_left = hn::Load(d, bottom);
      for (std::size_t x = 0; x + 1 < kSide; ++x) {
        const V upper_right = hn::Load(d, top + (x + 1) * kChannels);
        const V lower_right = hn::Load(d, bottom + (x + 1) * kChannels);
        const V most = hn::Load(d, out + first + x * kChannels);
        V rest =
            hn::IfThenElseZero(hn::Gt(most, hn::Zero(d)), hn::Load(d, out_slope + first + x * kChannels));
        const auto is_upper_left = hn::Eq(upper_left, most);
        const V to_upper_left = hn::IfThenElseZero(is_upper_left, rest);
        rest = hn::IfThenZeroElse(is_upper_left, rest);
        const auto is_upper_right = hn::Eq(upper_right, most);
        const V to_upper_right = hn::IfThenElseZero(is_upper_right, rest);
        rest = hn::IfThenZeroElse(is_upper_right, rest);
        const auto is_lower_left = hn::Eq(lower_left, most);
        const V to_lower_left = hn::IfThenElseZero(is_lower_left, rest);
        rest = hn::IfThenZeroElse(is_lower_left, rest);

        hn::Store(hn::Add(above, to_upper_left), d, top_slope + x * kChannels);
        hn::Store(hn::Add(below, to_lower_left), d, bottom_slope + x * kChannels);
        above = hn::Add(hn::Load(d, top_slope + (x + 1) * kChannels), to_upper_right);
        below = rest;
        upper_left = upper_right;
        lower_left = lower_right;
      }
      hn::Store(above, d, top_slope + (kSide - 1) * kChannels);
      hn::Store(below, d, bottom_slope + (kSide - 1) * kChannels);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::learning::fused
HWY_AFTER_NAMESPACE();

#endif  // toggle
