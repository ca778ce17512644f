#include "muster/randomizers/grid_kernels.h"

#include <algorithm>

#define HWY_WANT_AVX3_DL 1  // the same targets as random/
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/randomizers/grid_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::randomizers {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using D32 = hn::RebindToSigned<DF>;

// The vector loops below run over whole vectors; this pads the rest.
template <class T>
struct Padded {
  alignas(64) T values[16] = {};
  Padded(const T* from, std::size_t size) { std::copy_n(from, size, values); }
};

HWY_INLINE void AddToSums(hn::Vec<D32> steps, std::int64_t* sums) {
#if HWY_TARGET == HWY_SCALAR
  *sums += hn::GetLane(steps);
#else
  const hn::Half<D32> half;
  const hn::Rebind<std::int64_t, decltype(half)> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::StoreU(hn::Add(hn::LoadU(d, sums), hn::PromoteTo(d, hn::LowerHalf(half, steps))), d, sums);
  hn::StoreU(hn::Add(hn::LoadU(d, sums + lanes), hn::PromoteTo(d, hn::UpperHalf(half, steps))), d,
             sums + lanes);
#endif
}

void AddScaledVectors(const float* HWY_RESTRICT direction, float scale, std::int64_t* HWY_RESTRICT sums,
                      std::size_t size) {
  const DF d;
  const auto factor = hn::Set(d, scale);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    AddToSums(hn::NearestInt(hn::Mul(hn::LoadU(d, direction + i), factor)), sums + i);
  }
}

void AddStepsVectors(const std::int32_t* HWY_RESTRICT steps, std::int64_t* HWY_RESTRICT sums,
                     std::size_t size) {
  const D32 d;
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) AddToSums(hn::LoadU(d, steps + i), sums + i);
}

void AddNoiseVectors(const float* HWY_RESTRICT gradient, float factor, const float* HWY_RESTRICT noise,
                     float deviation, std::int32_t* HWY_RESTRICT steps, std::size_t size) {
  const DF d;
  const D32 di;
  const auto f = hn::Set(d, factor), s = hn::Set(d, deviation);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto clipped = hn::Mul(hn::LoadU(d, gradient + i), f);
    hn::StoreU(hn::NearestInt(hn::MulAdd(hn::LoadU(d, noise + i), s, clipped)), di, steps + i);
  }
}

constexpr std::size_t kWhole = 16;  // a multiple of every vector's lanes

void AddScaled(const float* direction, float scale, std::int64_t* sums, std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole, rest = size - whole;
  AddScaledVectors(direction, scale, sums, whole);
  if (rest == 0) return;
  const Padded<float> d(direction + whole, rest);
  Padded<std::int64_t> s(sums + whole, rest);
  AddScaledVectors(d.values, scale, s.values, kWhole);
  std::copy_n(s.values, rest, sums + whole);
}

void AddSteps(const std::int32_t* steps, std::int64_t* sums, std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole;
  AddStepsVectors(steps, sums, whole);
  for (std::size_t i = whole; i < size; ++i) sums[i] += steps[i];
}

void AddNoise(const float* gradient, float factor, const float* noise, float deviation, std::int32_t* steps,
              std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole, rest = size - whole;
  AddNoiseVectors(gradient, factor, noise, deviation, steps, whole);
  if (rest == 0) return;
  const Padded<float> g(gradient + whole, rest), n(noise + whole, rest);
  alignas(64) std::int32_t tail[kWhole];
  AddNoiseVectors(g.values, factor, n.values, deviation, tail, kWhole);
  std::copy_n(tail, rest, steps + whole);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::randomizers
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::randomizers {

HWY_EXPORT(AddScaled);
HWY_EXPORT(AddSteps);
HWY_EXPORT(AddNoise);

void add_scaled(const float* direction, float scale, std::int64_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddScaled)(direction, scale, sums, size);
}

void add_steps(const std::int32_t* steps, std::int64_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddSteps)(steps, sums, size);
}

void add_noise(const float* gradient, float factor, const float* noise, float deviation, std::int32_t* steps,
               std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddNoise)(gradient, factor, noise, deviation, steps, size);
}

}  // namespace muster::randomizers
#endif  // HWY_ONCE
