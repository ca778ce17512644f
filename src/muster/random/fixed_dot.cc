#include "muster/random/fixed_dot.h"

#include <algorithm>

#include "muster/core/error.h"

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/fixed_dot.cc"
#include <hwy/foreach_target.h>
// These headers must follow foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/fixed_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

// Adds the products of kSums * rows elements of x and y to kSums running sums. With kSquare, x and y are the
// same elements and are loaded once, so only the memory bandwidth limits the speed for a long vector.
template <bool kSquare>
HWY_INLINE void LaneSums(const float* x, const float* y, std::size_t rows, float* HWY_RESTRICT sums) {
  const hn::CappedTag<float, 16> d;
  const auto add = [d](const float* p, const float* q, auto sum) HWY_ATTR {
    const auto value = hn::LoadU(d, p);
    return hn::MulAdd(value, kSquare ? value : hn::LoadU(d, q), sum);
  };
  for (std::size_t i = 0; i < 16; i += hn::Lanes(d)) {
    auto a = hn::LoadU(d, sums + i), b = hn::LoadU(d, sums + 16 + i);
    auto c = hn::LoadU(d, sums + 32 + i), e = hn::LoadU(d, sums + 48 + i);
    for (std::size_t row = 0; row < rows; ++row) {
      const float *p = x + kSums * row + i, *q = y + kSums * row + i;
      a = add(p, q, a);
      b = add(p + 16, q + 16, b);
      c = add(p + 32, q + 32, c);
      e = add(p + 48, q + 48, e);
    }
    hn::StoreU(a, d, sums + i);
    hn::StoreU(b, d, sums + 16 + i);
    hn::StoreU(c, d, sums + 32 + i);
    hn::StoreU(e, d, sums + 48 + i);
  }
}

// Returns the inner product of one block; size <= kDotBlock.
template <bool kSquare>
HWY_INLINE double BlockDot(const float* x, const float* y, std::size_t size) {
  alignas(64) float sums[kSums] = {};
  const std::size_t rows = size / kSums, rest = size % kSums;
  LaneSums<kSquare>(x, y, rows, sums);
  if (rest != 0) {
    float x_padded[kSums] = {}, y_padded[kSums] = {};
    std::copy_n(x + kSums * rows, rest, x_padded);
    std::copy_n(y + kSums * rows, rest, y_padded);
    LaneSums<kSquare>(x_padded, y_padded, 1, sums);
  }
  return AddUp(sums);
}

template <bool kSquare>
HWY_INLINE double BlocksDot(const float* x, const float* y, std::size_t size) {
  double total = 0;
  for (std::size_t from = 0; from < size; from += kDotBlock) {
    total += BlockDot<kSquare>(x + from, y + from, std::min(kDotBlock, size - from));
  }
  return total;
}

double Dot(const float* x, const float* y, std::size_t size) {
  return x == y ? BlocksDot<true>(x, y, size) : BlocksDot<false>(x, y, size);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(Dot);

double fixed_order_dot(std::span<const float> x, std::span<const float> y) {
  if (x.size() != y.size()) throw Error(ErrorCode::internal, "dot", "", "", "sizes differ");
  return HWY_DYNAMIC_DISPATCH(Dot)(x.data(), y.data(), x.size());
}

}  // namespace muster::random
#endif  // HWY_ONCE
