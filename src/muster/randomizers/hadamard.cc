#include "muster/randomizers/hadamard.h"

#include <algorithm>
#include <array>
#include <bit>

#define HWY_WANT_AVX3_DL 1  // the same targets as in random/
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/randomizers/hadamard.cc"
#include <hwy/foreach_target.h>
// This header must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::randomizers {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Element i is added to running sum i mod 16 for every vector width, so the result is the same on every
// target.
constexpr std::size_t kLanes = 16;

// Returns (-1)^(number of ones in i & j), as the sign bit of a float.
HWY_INLINE std::uint32_t SignBit(std::size_t i, std::size_t j) {
  return static_cast<std::uint32_t>(std::popcount(i & j)) << 31;
}

// Adds `blocks` blocks of 16 elements to the running sums. `first` is the position of their first element in
// the vector. The sign of an element is the product of the sign of its block, which the high bits of its
// position determine, and of an entry of `low`, which the four low bits determine.
void AddBlocks(const float* HWY_RESTRICT x, std::size_t first, std::size_t blocks, std::size_t index,
               const std::uint32_t* HWY_RESTRICT low, double* HWY_RESTRICT norms,
               double* HWY_RESTRICT entries) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    const auto signs = hn::LoadU(du, low + lane);
    auto norm = hn::LoadU(d, norms + lane), entry = hn::LoadU(d, entries + lane);
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto values = hn::LoadU(df, x + block * kLanes + lane);
      const auto turned = hn::Xor(hn::BitCast(du, values),
                                  hn::Xor(signs, hn::Set(du, SignBit(first + block * kLanes, index))));
      norm = hn::Add(norm, hn::PromoteTo(d, hn::Abs(values)));
      entry = hn::Add(entry, hn::PromoteTo(d, hn::BitCast(df, turned)));
    }
    hn::StoreU(norm, d, norms + lane);
    hn::StoreU(entry, d, entries + lane);
  }
}

HadamardEntry Entry(const float* x, std::size_t size, std::size_t index) {
  alignas(64) std::uint32_t low[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) low[i] = SignBit(i, index);
  alignas(64) double norms[kLanes] = {}, entries[kLanes] = {};
  const std::size_t blocks = size / kLanes, whole = blocks * kLanes;
  AddBlocks(x, 0, blocks, index, low, norms, entries);
  if (whole < size) {
    alignas(64) float rest[kLanes] = {};
    std::copy(x + whole, x + size, rest);
    AddBlocks(rest, whole, 1, index, low, norms, entries);
  }
  HadamardEntry sums{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    sums.norm += norms[i];
    sums.entry += entries[i];
  }
  return sums;
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::randomizers
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::randomizers {

HWY_EXPORT(Entry);

HadamardEntry hadamard_entry(std::span<const float> x, std::size_t index) {
  return HWY_DYNAMIC_DISPATCH(Entry)(x.data(), x.size(), index);
}

void hadamard_transform(std::span<std::int64_t> x) {
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    for (std::size_t from = 0; from < x.size(); from += 2 * half) {
      for (std::size_t i = from; i < from + half; ++i) {
        const std::int64_t a = x[i], b = x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
    }
  }
}

}  // namespace muster::randomizers
#endif  // HWY_ONCE
