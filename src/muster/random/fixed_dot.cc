#include "muster/random/fixed_dot.h"

#include <algorithm>
#include <array>

#include "muster/core/error.h"

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/fixed_dot.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x, y: 32 rows elements each. sums: 32, added to.
void LaneSums(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y, std::size_t rows,
              float* HWY_RESTRICT sums) {
  const hn::CappedTag<float, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < 16; i += lanes) {
    auto low = hn::LoadU(d, sums + i), high = hn::LoadU(d, sums + 16 + i);
    for (std::size_t row = 0; row < rows; ++row) {
      low = hn::MulAdd(hn::LoadU(d, x + 32 * row + i), hn::LoadU(d, y + 32 * row + i), low);
      high = hn::MulAdd(hn::LoadU(d, x + 32 * row + 16 + i), hn::LoadU(d, y + 32 * row + 16 + i), high);
    }
    hn::StoreU(low, d, sums + i);
    hn::StoreU(high, d, sums + 16 + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(LaneSums);

namespace {

// size <= kDotBlock
double block_dot(const float* x, const float* y, std::size_t size) {
  alignas(64) std::array<float, 32> sums{};
  const std::size_t rows = size / 32, rest = size % 32;
  HWY_DYNAMIC_DISPATCH(LaneSums)(x, y, rows, sums.data());
  if (rest != 0) {
    std::array<float, 32> x_padded{}, y_padded{};
    std::copy_n(x + 32 * rows, rest, x_padded.begin());
    std::copy_n(y + 32 * rows, rest, y_padded.begin());
    HWY_DYNAMIC_DISPATCH(LaneSums)(x_padded.data(), y_padded.data(), 1, sums.data());
  }
  double total = 0;
  for (float sum : sums) total += static_cast<double>(sum);
  return total;
}

}  // namespace

double fixed_order_dot(std::span<const float> x, std::span<const float> y) {
  if (x.size() != y.size()) throw Error(ErrorCode::internal, "dot", "", "", "sizes differ");
  double total = 0;
  for (std::size_t from = 0; from < x.size(); from += kDotBlock) {
    total += block_dot(&x[from], &y[from], std::min(kDotBlock, x.size() - from));
  }
  return total;
}

}  // namespace muster::random
#endif  // HWY_ONCE
