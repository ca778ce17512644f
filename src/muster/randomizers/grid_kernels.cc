#include "muster/randomizers/grid_kernels.h"

#include <algorithm>

#include "muster/random/normals.h"

#define HWY_WANT_AVX3_DL 1  // the same targets as random/
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/randomizers/grid_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/direction-inl.h"
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
  alignas(64) T values[32] = {};
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

constexpr std::size_t kWhole = 32;  // a multiple of two vectors' lanes

void AddScaled(const float* direction, float scale, std::int64_t* sums, std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole, rest = size - whole;
  AddScaledVectors(direction, scale, sums, whole);
  if (rest == 0) return;
  const Padded<float> d(direction + whole, rest);
  Padded<std::int64_t> s(sums + whole, rest);
  AddScaledVectors(d.values, scale, s.values, kWhole);
  std::copy_n(s.values, rest, sums + whole);
}

// The sums in 32 bits, of kCount messages at once, two vectors a turn: so the second-level cache, where they
// lie, is read fastest.
template <std::size_t kCount>
HWY_INLINE void AddScaledNarrowVectors(const float* const* directions, const float* scales,
                                       std::int32_t* HWY_RESTRICT sums, std::size_t size) {
  const DF d;
  const D32 di;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  for (std::size_t i = 0; i < size; i += 2 * kLanes) {
    auto first = hn::LoadU(di, sums + i), second = hn::LoadU(di, sums + i + kLanes);
    HWY_UNROLL(8)
    for (std::size_t m = 0; m < kCount; ++m) {
      const auto scale = hn::Set(d, scales[m]);
      first = hn::Add(first, ToSteps(hn::Mul(hn::LoadU(d, directions[m] + i), scale)));
      second = hn::Add(second, ToSteps(hn::Mul(hn::LoadU(d, directions[m] + i + kLanes), scale)));
    }
    hn::StoreU(first, di, sums + i);
    hn::StoreU(second, di, sums + i + kLanes);
  }
}

template <std::size_t kCount>
HWY_INLINE void AddScaledNarrow(const float* const* directions, const float* scales, std::int32_t* sums,
                                std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole, rest = size - whole;
  AddScaledNarrowVectors<kCount>(directions, scales, sums, whole);
  for (std::size_t m = 0; rest != 0 && m < kCount; ++m) {
    const Padded<float> d(directions[m] + whole, rest);
    const float* const padded = d.values;
    Padded<std::int32_t> s(sums + whole, rest);
    AddScaledNarrowVectors<1>(&padded, scales + m, s.values, kWhole);
    std::copy_n(s.values, rest, sums + whole);
  }
}

void AddAllScaled(const float* const* directions, const float* scales, std::size_t count, std::int32_t* sums,
                  std::size_t size) {
  const auto next = [&](std::size_t done) {
    directions += done;
    scales += done;
    count -= done;
  };
  for (; count >= 8; next(8)) AddScaledNarrow<8>(directions, scales, sums, size);
  for (; count >= 4; next(4)) AddScaledNarrow<4>(directions, scales, sums, size);
  for (; count >= 1; next(1)) AddScaledNarrow<1>(directions, scales, sums, size);
}

// AddScaledNarrow row by row.
struct AddRows {
  const float* HWY_RESTRICT direction;
  float scale;
  std::int32_t* HWY_RESTRICT sums;

  HWY_INLINE void operator()(std::size_t row) {
    const DF d;
    const D32 di;
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < random::HWY_NAMESPACE::kRowVectors; ++v) {
      const std::size_t at = row * random::HWY_NAMESPACE::kNormalRow + v * hn::MaxLanes(d);
      const auto steps = ToSteps(hn::Mul(hn::LoadU(d, direction + at), hn::Set(d, scale)));
      hn::StoreU(hn::Add(hn::LoadU(di, sums + at), steps), di, sums + at);
    }
  }
  HWY_INLINE void Rest(std::size_t row, std::size_t count) {
    const std::size_t at = row * random::HWY_NAMESPACE::kNormalRow;
    const float* const from = direction + at;
    AddScaledNarrow<1>(&from, &scale, sums + at, count);
  }
};

double DirectionBesideAdding(const std::uint8_t* key, random::Counter counter, float* out, std::size_t size,
                             const float* added, float scale, std::int32_t* sums) {
  const AddRows add{added, scale, sums};
  return random::HWY_NAMESPACE::MakeDirection<false>(key, counter, nullptr, out, size, add).squared_norm;
}

// Adds, and returns the largest of x + bound, which is a whole number modulo 2^32.
template <std::size_t kCount>
HWY_INLINE std::uint32_t AddStepsNarrowVectors(const std::int32_t* const* steps, std::uint32_t bound,
                                               std::int32_t* HWY_RESTRICT sums, std::size_t size) {
  const D32 d;
  const hn::RebindToUnsigned<D32> du;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  const auto shift = hn::Set(d, static_cast<std::int32_t>(bound));
  auto largest = hn::Zero(du);
  for (std::size_t i = 0; i < size; i += 2 * kLanes) {
    auto first = hn::LoadU(d, sums + i), second = hn::LoadU(d, sums + i + kLanes);
    HWY_UNROLL(8)
    for (std::size_t m = 0; m < kCount; ++m) {
      const auto x = hn::LoadU(d, steps[m] + i), y = hn::LoadU(d, steps[m] + i + kLanes);
      first = hn::Add(first, x);
      second = hn::Add(second, y);
      largest = hn::Max(largest, hn::BitCast(du, hn::Add(x, shift)));
      largest = hn::Max(largest, hn::BitCast(du, hn::Add(y, shift)));
    }
    hn::StoreU(first, d, sums + i);
    hn::StoreU(second, d, sums + i + kLanes);
  }
  alignas(64) std::uint32_t lanes[kLanes];
  hn::Store(largest, du, lanes);
  return *std::max_element(lanes, lanes + kLanes);
}

template <std::size_t kCount>
HWY_INLINE std::uint32_t AddStepsNarrow(const std::int32_t* const* steps, std::uint32_t bound,
                                        std::int32_t* sums, std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole, rest = size - whole;
  std::uint32_t largest = AddStepsNarrowVectors<kCount>(steps, bound, sums, whole);
  for (std::size_t m = 0; rest != 0 && m < kCount; ++m) {
    const Padded<std::int32_t> x(steps[m] + whole, rest);
    const std::int32_t* const padded = x.values;
    Padded<std::int32_t> s(sums + whole, rest);
    largest = std::max(largest, AddStepsNarrowVectors<1>(&padded, bound, s.values, kWhole));
    std::copy_n(s.values, rest, sums + whole);
  }
  return largest;
}

bool AddAllStepsWithin(const std::int32_t* const* steps, std::size_t count, std::uint32_t bound,
                       std::int32_t* sums, std::size_t size) {
  std::uint32_t largest = 0;
  const auto add = [&](std::uint32_t one, std::size_t done) {
    largest = std::max(largest, one);
    steps += done;
    count -= done;
  };
  while (count >= 8) add(AddStepsNarrow<8>(steps, bound, sums, size), 8);
  while (count >= 4) add(AddStepsNarrow<4>(steps, bound, sums, size), 4);
  while (count >= 1) add(AddStepsNarrow<1>(steps, bound, sums, size), 1);
  return largest <= 2 * bound;
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

void MoveSteps(std::int32_t* HWY_RESTRICT steps, std::int64_t* HWY_RESTRICT sums, std::size_t size) {
  const D32 d;
  const std::size_t whole = size / kWhole * kWhole;
  for (std::size_t i = 0; i < whole; i += hn::Lanes(d)) {
    AddToSums(hn::LoadU(d, steps + i), sums + i);
    hn::StoreU(hn::Zero(d), d, steps + i);
  }
  AddSteps(steps + whole, sums + whole, size - whole);
  std::fill(steps + whole, steps + size, 0);
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
HWY_EXPORT(AddAllScaled);
HWY_EXPORT(DirectionBesideAdding);
HWY_EXPORT(AddSteps);
HWY_EXPORT(MoveSteps);
HWY_EXPORT(AddAllStepsWithin);
HWY_EXPORT(SubtractSteps);
HWY_EXPORT(AddNoise);
HWY_EXPORT(AddStreamNoise);

void add_scaled(const float* direction, float scale, std::int64_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddScaled)(direction, scale, sums, size);
}

void add_scaled(std::span<const float* const> directions, std::span<const float> scales, std::int32_t* sums,
                std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddAllScaled)(directions.data(), scales.data(), directions.size(), sums, size);
}

double fill_direction_beside_adding(const random::RunKey& key, const random::StreamAddress& address,
                                    std::span<float> out, const float* added, float scale,
                                    std::int32_t* sums) {
  return HWY_DYNAMIC_DISPATCH(DirectionBesideAdding)(key.schedule().data(),
                                                     random::counter_of_normal(address, 0, out.size()),
                                                     out.data(), out.size(), added, scale, sums);
}

void add_steps(const std::int32_t* steps, std::int64_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(AddSteps)(steps, sums, size);
}

void move_steps(std::int32_t* steps, std::int64_t* sums, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(MoveSteps)(steps, sums, size);
}

bool add_steps_within(std::span<const std::int32_t* const> steps, std::uint32_t bound, std::int32_t* sums,
                      std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(AddAllStepsWithin)(steps.data(), steps.size(), bound, sums, size);
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
