#include "muster/randomizers/grid_kernels.h"

#include <algorithm>
#include <array>

#include "muster/random/normals.h"

#define HWY_WANT_AVX3_DL 1  // the same targets as random/
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/randomizers/grid_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/normals-inl.h"

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

// Nearest whole number, ties to even. Below 2^31 in magnitude the conversion needs none of NearestInt's care.
HWY_INLINE hn::Vec<D32> ToSteps(hn::Vec<DF> x) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return hn::Vec<D32>{_mm512_cvtps_epi32(x.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<D32>{_mm256_cvtps_epi32(x.raw)};
#else
  return hn::NearestInt(x);
#endif
}

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
    AddToSums(ToSteps(hn::Mul(hn::LoadU(d, direction + i), factor)), sums + i);
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
    hn::StoreU(ToSteps(hn::MulAdd(hn::LoadU(d, noise + i), s, clipped)), di, steps + i);
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

// The sums in 32 bits, of kCount messages at once: what a pass costs is mostly reading and writing them.
template <std::size_t kCount>
HWY_INLINE void AddScaledNarrowVectors(const std::array<const float*, kCount>& directions,
                                       const std::array<float, kCount>& scales,
                                       std::int32_t* HWY_RESTRICT sums, std::size_t size) {
  const DF d;
  const D32 di;
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    auto sum = hn::LoadU(di, sums + i);
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < kCount; ++m) {
      sum = hn::Add(sum, ToSteps(hn::Mul(hn::LoadU(d, directions[m] + i), hn::Set(d, scales[m]))));
    }
    hn::StoreU(sum, di, sums + i);
  }
}

template <std::size_t kCount>
HWY_INLINE void AddScaledNarrow(const std::array<const float*, kCount>& directions,
                                const std::array<float, kCount>& scales, std::int32_t* sums,
                                std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole, rest = size - whole;
  AddScaledNarrowVectors<kCount>(directions, scales, sums, whole);
  for (std::size_t m = 0; rest != 0 && m < kCount; ++m) {
    const Padded<float> d(directions[m] + whole, rest);
    Padded<std::int32_t> s(sums + whole, rest);
    AddScaledNarrowVectors<1>({d.values}, {scales[m]}, s.values, kWhole);
    std::copy_n(s.values, rest, sums + whole);
  }
}

void AddOneScaled(const float* direction, float scale, std::int32_t* sums, std::size_t size) {
  AddScaledNarrow<1>({direction}, {scale}, sums, size);
}

void AddFourScaled(const std::array<const float*, 4>& directions, const std::array<float, 4>& scales,
                   std::int32_t* sums, std::size_t size) {
  AddScaledNarrow<4>(directions, scales, sums, size);
}

// Adds, and returns the largest of max(x, -1 - x).
template <std::size_t kCount>
HWY_INLINE std::int32_t AddStepsNarrowVectors(const std::array<const std::int32_t*, kCount>& steps,
                                              std::int32_t* HWY_RESTRICT sums, std::size_t size) {
  const D32 d;
  auto largest = hn::Zero(d);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    auto sum = hn::LoadU(d, sums + i);
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < kCount; ++m) {
      const auto x = hn::LoadU(d, steps[m] + i);
      sum = hn::Add(sum, x);
      largest = hn::Max(largest, hn::Xor(x, hn::BroadcastSignBit(x)));
    }
    hn::StoreU(sum, d, sums + i);
  }
  alignas(64) std::int32_t lanes[16];
  hn::Store(largest, d, lanes);
  return *std::max_element(lanes, lanes + hn::Lanes(d));
}

template <std::size_t kCount>
HWY_INLINE bool AddStepsNarrow(const std::array<const std::int32_t*, kCount>& steps, std::uint32_t bound,
                               std::int32_t* sums, std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole, rest = size - whole;
  std::int32_t largest = AddStepsNarrowVectors<kCount>(steps, sums, whole);
  for (std::size_t m = 0; rest != 0 && m < kCount; ++m) {
    const Padded<std::int32_t> x(steps[m] + whole, rest);
    Padded<std::int32_t> s(sums + whole, rest);
    largest = std::max(largest, AddStepsNarrowVectors<1>({x.values}, s.values, kWhole));
    std::copy_n(s.values, rest, sums + whole);
  }
  return static_cast<std::uint32_t>(largest) < bound;
}

bool AddOneStepsWithin(const std::int32_t* steps, std::uint32_t bound, std::int32_t* sums, std::size_t size) {
  return AddStepsNarrow<1>({steps}, bound, sums, size);
}

bool AddFourStepsWithin(const std::array<const std::int32_t*, 4>& steps, std::uint32_t bound,
                        std::int32_t* sums, std::size_t size) {
  return AddStepsNarrow<4>(steps, bound, sums, size);
}

void SubtractSteps(const std::int32_t* steps, std::int32_t* sums, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    sums[i] =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) - static_cast<std::uint32_t>(steps[i]));
  }
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

// Rounds gradient * factor + z * deviation for rows of normals z.
struct NoisyRows {
  const float* HWY_RESTRICT gradient;
  float factor, deviation;
  std::int32_t* HWY_RESTRICT steps;

  HWY_INLINE void operator()(std::size_t row, const hn::Vec<DF>* z) {
    const DF d;
    const auto f = hn::Set(d, factor), s = hn::Set(d, deviation);
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < random::HWY_NAMESPACE::kRowVectors; ++v) {
      const std::size_t at = row * random::HWY_NAMESPACE::kNormalRow + v * hn::MaxLanes(d);
      const auto clipped = hn::Mul(hn::LoadU(d, gradient + at), f);
      hn::StoreU(ToSteps(hn::MulAdd(z[v], s, clipped)), D32(), steps + at);
    }
  }
  HWY_INLINE void Rest(std::size_t row, const float* z, std::size_t count) {
    const std::size_t at = row * random::HWY_NAMESPACE::kNormalRow;
    AddNoise(gradient + at, factor, z, deviation, steps + at, count);
  }
};

void AddStreamNoise(const std::uint8_t* key, random::Counter counter, const float* gradient, float factor,
                    float deviation, std::int32_t* steps, std::size_t size) {
  NoisyRows noisy{gradient, factor, deviation, steps};
  random::HWY_NAMESPACE::NormalRows(key, counter, size, noisy);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::randomizers
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::randomizers {

HWY_EXPORT(AddScaled);
HWY_EXPORT(AddOneScaled);
HWY_EXPORT(AddFourScaled);
HWY_EXPORT(AddSteps);
HWY_EXPORT(AddOneStepsWithin);
HWY_EXPORT(AddFourStepsWithin);
HWY_EXPORT(SubtractSteps);
HWY_EXPORT(AddNoise);
HWY_EXPORT(AddStreamNoise);

void add_scaled(const float* direction, float scale, std::int64_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddScaled)(direction, scale, sums, size);
}

void add_scaled(const float* direction, float scale, std::int32_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddOneScaled)(direction, scale, sums, size);
}

void add_four_scaled(const std::array<const float*, 4>& directions, const std::array<float, 4>& scales,
                     std::int32_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddFourScaled)(directions, scales, sums, size);
}

bool add_four_steps_within(const std::array<const std::int32_t*, 4>& steps, std::uint32_t bound,
                           std::int32_t* sums, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(AddFourStepsWithin)(steps, bound, sums, size);
}

void add_steps(const std::int32_t* steps, std::int64_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddSteps)(steps, sums, size);
}

bool add_steps_within(const std::int32_t* steps, std::uint32_t bound, std::int32_t* sums, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(AddOneStepsWithin)(steps, bound, sums, size);
}

void subtract_steps(const std::int32_t* steps, std::int32_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(SubtractSteps)(steps, sums, size);
}

void add_noise(const float* gradient, float factor, const float* noise, float deviation, std::int32_t* steps,
               std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddNoise)(gradient, factor, noise, deviation, steps, size);
}

void add_stream_noise(std::span<const float> gradient, float factor, const random::RunKey& key,
                      const random::StreamAddress& address, float deviation, std::int32_t* steps) {
  HWY_DYNAMIC_DISPATCH(AddStreamNoise)
  (key.schedule().data(), random::counter_of_normal(address, 0, gradient.size()), gradient.data(), factor,
   deviation, steps, gradient.size());
}

}  // namespace muster::randomizers
#endif  // HWY_ONCE
