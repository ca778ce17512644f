#include "muster/randomizers/grid_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "muster/random/exact_normals.h"
#include "muster/random/normals.h"

#define HWY_WANT_AVX3_DL 1  // the same targets as in random/
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/randomizers/grid_kernels.cc"
#include <hwy/foreach_target.h>
// This header must follow foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/direction-inl.h"
#include "muster/random/normals-inl.h"

#ifndef MUSTER_RANDOMIZERS_GRID_KERNELS_ONCE
#define MUSTER_RANDOMIZERS_GRID_KERNELS_ONCE
namespace muster::randomizers {
namespace {

constexpr std::size_t kRow = 64;  // normals in a row, made from 32 pairs of words

// Constants of the rounding in the vector loops, which is in fixed point with `places` fraction bits. Let x
// be a coordinate with its noise, in steps. Then gradient * factor + normal * deviation + half is 2^places
// (x + 1/2) plus a margin. The integer part of this fixed-point number is x rounded to an integer. If none
// of its bits in clear_bits is set, x is within the margin of a midpoint between two steps. Single precision
// cannot round such an x reliably, so exact arithmetic does.
struct RoundingPlan {
  float factor, deviation, half;
  std::uint32_t places;
  std::int32_t clear_bits;
};

// The normals of row number `row`. `marks` has one bit for each coordinate, set if its rounding is not
// certain.
struct UnclearRow {
  alignas(64) float normals[kRow];
  std::uint64_t row, marks;
};

}  // namespace
}  // namespace muster::randomizers
#endif

HWY_BEFORE_NAMESPACE();
namespace muster::randomizers {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using D32 = hn::RebindToSigned<DF>;

// Pads the last elements of an array with zeros, because the vector loops below process whole vectors only.
template <class T>
struct Padded {
  alignas(64) T values[32] = {};
  Padded(const T* from, std::size_t size) { std::copy_n(from, size, values); }
};

// Rounds to the nearest integer, ties to even. The magnitude must be below 2^31, so the range checks of
// NearestInt are not needed.
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

constexpr std::size_t kWhole = 32;  // elements in a whole block; a multiple of the lanes of two vectors

void AddScaled(const float* direction, float scale, std::int64_t* sums, std::size_t size) {
  const std::size_t whole = size / kWhole * kWhole, rest = size - whole;
  AddScaledVectors(direction, scale, sums, whole);
  if (rest == 0) return;
  const Padded<float> d(direction + whole, rest);
  Padded<std::int64_t> s(sums + whole, rest);
  AddScaledVectors(d.values, scale, s.values, kWhole);
  std::copy_n(s.values, rest, sums + whole);
}

// Adds kCount messages to the 32-bit sums at once. The sums are in the second-level cache, which is read
// fastest with two vectors per iteration.
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
  std::size_t m = 0;
  for (; m + 8 <= count; m += 8) AddScaledNarrow<8>(directions + m, scales + m, sums, size);
  for (; m + 4 <= count; m += 4) AddScaledNarrow<4>(directions + m, scales + m, sums, size);
  for (; m < count; ++m) AddScaledNarrow<1>(directions + m, scales + m, sums, size);
}

// Does the work of AddScaledNarrow one row at a time; MakeDirection calls it between its rows of normals.
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

// Adds the steps x of kCount messages to the sums. Returns the largest x + bound modulo 2^32, which exceeds
// 2 * bound if and only if some |x| exceeds `bound`.
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

// Does the same as ToSteps, but for any x.
// If |x| >= 2^31 or x is NaN, the lowest 31 bits of the result are 0.
HWY_INLINE hn::Vec<D32> ToStepsOrZeros(hn::Vec<DF> x) {
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  return hn::Vec<D32>{_mm_cvtps_epi32(x.raw)};
#elif HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX2
  return ToSteps(x);
#else
  const auto small = hn::Lt(hn::Abs(x), hn::Set(DF(), 0x1p31f));
  return hn::IfThenElseZero(hn::RebindMask(D32(), small), ToSteps(hn::IfThenElseZero(small, x)));
#endif
}

// Returns one bit per number, which is 1 if the number has none of the bits that are set in `clear`.
HWY_INLINE std::uint64_t ZerosAmong(hn::Vec<D32> numbers, hn::Vec<D32> clear) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return _mm512_testn_epi32_mask(numbers.raw, clear.raw);
#else
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(D32(), hn::Eq(hn::And(numbers, clear), hn::Zero(D32())), bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
#endif
}

// Rounds gradient * factor + z * deviation for rows of normals z, in fixed point scaled by 2^places; the
// upper bits are the steps. A row with a value near a midpoint between two steps is recorded for exact
// arithmetic.
class NoisyRows {
 public:
  NoisyRows(const float* gradient, const RoundingPlan& plan, std::int32_t* steps, UnclearRow* unclear)
      : gradient_(gradient), steps_(steps), plan_(plan), unclear_(unclear) {}

  HWY_INLINE void operator()(std::size_t row, const hn::Vec<DF>* z) {
    Round(row, gradient_ + row * kRow, z, steps_ + row * kRow);
  }
  HWY_INLINE void Rest(std::size_t row, const float* z, std::size_t count) {
    alignas(64) float padded[kRow] = {};
    alignas(64) std::int32_t rounded[kRow];
    std::copy_n(gradient_ + row * kRow, count, padded);
    hn::Vec<DF> normals[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) normals[v] = hn::Load(DF(), z + v * kLanes);
    Round(row, padded, normals, rounded);
    std::copy_n(rounded, count, steps_ + row * kRow);
  }
  std::size_t unclear_rows() const { return rows_; }

 private:
  static constexpr std::size_t kLanes = hn::MaxLanes(DF());
  static constexpr std::size_t kVectors = random::HWY_NAMESPACE::kRowVectors;

  HWY_INLINE void Round(std::size_t row, const float* from, const hn::Vec<DF>* z, std::int32_t* to) {
    const DF d;
    const D32 di;
    const auto factor = hn::Set(d, plan_.factor), deviation = hn::Set(d, plan_.deviation);
    const auto half = hn::Set(d, plan_.half);
    const auto clear = hn::Set(di, plan_.clear_bits);
    // There is no branch here, because the processor could not predict it. Every row is recorded, and the
    // next row overwrites it unless some of its marks are set.
    UnclearRow& here = unclear_[rows_];
    std::uint64_t marks = 0;
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto product = hn::MulAdd(hn::LoadU(d, from + v * kLanes), factor, half);
      const auto fixed = ToStepsOrZeros(hn::MulAdd(z[v], deviation, product));
      hn::StoreU(hn::ShiftRightSame(fixed, static_cast<int>(plan_.places)), di, to + v * kLanes);
      marks |= ZerosAmong(fixed, clear) << (v * kLanes);
      hn::Store(z[v], d, here.normals + v * kLanes);
    }
    here.row = row;
    here.marks = marks;
    rows_ += marks != 0;
  }

  const float* HWY_RESTRICT gradient_;
  std::int32_t* HWY_RESTRICT steps_;
  const RoundingPlan plan_;
  UnclearRow* HWY_RESTRICT unclear_;
  std::size_t rows_ = 0;
};

std::size_t AddStreamNoise(const std::uint8_t* key, random::Counter counter, const float* gradient,
                           const RoundingPlan& plan, std::int32_t* steps, std::size_t size,
                           UnclearRow* unclear) {
  NoisyRows noisy(gradient, plan, steps, unclear);
  random::HWY_NAMESPACE::NormalRows<random::HWY_NAMESPACE::Reading::certified>(key, counter, size, noisy);
  return noisy.unclear_rows();
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

namespace {

RoundingPlan rounding_plan(float factor, double largest_product, double deviation, unsigned bits) {
  // `error` bounds the error of the vector loops, in steps, before they round to an integer. It has three
  // parts: the error of the normal; the rounding of the deviation to a float and of its product with the
  // normal; and the rounding of the product with the gradient and of the two sums.
  constexpr double kLargest = static_cast<double>(random::kLargestRadius);
  const double error = deviation * (random::kNormalError + kLargest * 0x1p-23) +
                       (3 * largest_product + deviation * kLargest + 2) * 0x1p-24;
  RoundingPlan plan{};
  plan.places = 31 - bits;
  const auto scaled = [&](double x) { return std::ldexp(x, static_cast<int>(plan.places)); };
  // The loops add 1/2 and then drop the fraction bits. After this addition, the midpoints between two steps
  // are the multiples of 2^places in fixed point. The rounding of values up to `margin` away from such a
  // multiple is not certain.
  std::int32_t margin = 2;
  constexpr double kOfError = 0x1p-10;  // far more than the roundings of `error` itself
  while (margin < scaled(error) * (1 + kOfError) + 1) margin *= 2;
  plan.clear_bits = (std::int32_t{1} << plan.places) - 2 * margin;
  plan.factor = static_cast<float>(scaled(static_cast<double>(factor)));
  plan.deviation = static_cast<float>(scaled(deviation));
  plan.half = static_cast<float>(scaled(0.5) + margin);
  return plan;
}

}  // namespace

std::size_t add_stream_noise(std::span<const float> gradient, float factor, double largest_product,
                             const random::RunKey& key, const random::StreamAddress& address,
                             double deviation, unsigned bits, std::int32_t* steps) {
  const RoundingPlan plan = rounding_plan(factor, largest_product, deviation, bits);
  const std::int64_t bound = (std::int64_t{1} << (bits - 1)) - 1;
  constexpr std::size_t kRows = 256;  // rows of normals in a pass
  UnclearRow unclear[kRows + 1];
  std::size_t left = 0;
  for (std::size_t from = 0; from < gradient.size(); from += kRow * kRows) {
    const std::size_t size = std::min(gradient.size() - from, kRow * kRows);
    const std::size_t rows = HWY_DYNAMIC_DISPATCH(AddStreamNoise)(
        key.schedule().data(), random::counter_of_normal(address, from, size), gradient.data() + from, plan,
        steps + from, size, unclear);
    for (const UnclearRow& row : std::span(unclear).first(rows)) {
      for (std::uint64_t marks = row.marks; marks != 0; marks &= marks - 1) {
        const auto at = static_cast<std::size_t>(std::countr_zero(marks));
        const std::size_t i = from + row.row * kRow + at;
        if (i >= from + size) break;
        const double product = static_cast<double>(gradient[i]) * static_cast<double>(factor);
        // The other normal of the pair is 16 positions away.
        const auto whole =
            random::rounded_if_middling(row.normals[at], row.normals[at ^ 16], product, deviation);
        left += !whole;
        steps[i] = static_cast<std::int32_t>(std::clamp(
            whole ? *whole : random::rounded_normal(key, address, i, product, deviation), -bound, bound));
      }
    }
  }
  return left;
}

}  // namespace muster::randomizers
#endif  // HWY_ONCE
