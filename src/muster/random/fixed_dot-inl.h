// The end of a block of fixed_order_dot, shared by the kernels that keep its running sums themselves.
// Included once per vector target.
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

// The running sums of a block, in double, as a tree of halves.
HWY_INLINE double AddUp(const float* HWY_RESTRICT sums) {
  double tree[kSums];
  for (std::size_t i = 0; i < kSums; ++i) tree[i] = static_cast<double>(sums[i]);
  for (std::size_t half = kSums / 2; half != 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) tree[i] += tree[i + half];
  }
  return tree[0];
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
