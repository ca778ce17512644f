// Computes convolutions with vectors over output channels: the forward values, and the gradients of weights
// and biases.
//
// Each lane of an accumulator is one output value, summed over taps, or one weight's gradient, summed over
// positions. The terms are added in index order, with one multiply-add per term. So the result has the same
// bits on every target with fused multiply-add; the vector width only changes how many values are kept in
// registers. A complete gradient of a parameter is written to `gradient` or added to what is there, as the
// argument `sink` says. The functions touch only the arrays that they are given and may be called from any
// thread.

#if defined(MUSTER_LEARNING_CONVOLUTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_LEARNING_CONVOLUTION_INL_H_
#undef MUSTER_LEARNING_CONVOLUTION_INL_H_
#else
#define MUSTER_LEARNING_CONVOLUTION_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "muster/learning/gradients/fused/cnn_shape.h"

HWY_BEFORE_NAMESPACE();
namespace muster::learning::fused {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using V = hn::Vec<F>;
inline constexpr std::size_t kLanes = hn::MaxLanes(F());
inline constexpr bool kManyRegisters = kLanes == 16;  // AVX-512 has 32 vector registers, most targets 16

// Writes gradient entries that are complete.
struct Overwrite {
  static constexpr bool kAdds = false;
  HWY_INLINE void Put(V entries, float* HWY_RESTRICT to) const { hn::StoreU(entries, F(), to); }
  HWY_INLINE void PutOne(float entry, float* to) const { *to = entry; }
};

// Adds gradient entries that are complete to those of a sum, and multiplies the new sum by `scale`, which is
// in memory because the inner loops need all registers.
struct AddAndScale {
  static constexpr bool kAdds = true;
  HWY_INLINE void Put(V entries, float* HWY_RESTRICT to) const {
    const F d;
    hn::StoreU(hn::Mul(hn::Add(hn::LoadU(d, to), entries), hn::Set(d, *scale)), d, to);
  }
  // Changes only the first `count` entries, but reads and writes kLanes entries.
  HWY_INLINE void PutFirst(std::size_t count, V entries, float* HWY_RESTRICT to) const {
    const F d;
    const V before = hn::LoadU(d, to);
    const V after = hn::Mul(hn::Add(before, entries), hn::Set(d, *scale));
    hn::StoreU(hn::IfThenElse(hn::FirstN(d, count), after, before), d, to);
  }
  HWY_INLINE void PutOne(float entry, float* to) const { *to = (*to + entry) * *scale; }

  const float* scale;
};

// Computes out[p][c] for the kTile positions p from kFirst on, and for the channels c of kVectors vectors
// from `channel` on.
template <class C, std::size_t kFirst, std::size_t kTile, std::size_t kVectors>
HWY_INLINE void ConvolveTile(const float* HWY_RESTRICT in, const float* HWY_RESTRICT parameters,
                             std::size_t channel, float* HWY_RESTRICT out) {
  const F d;
  V sums[kTile][kVectors];
  HWY_UNROLL(32)
  for (std::size_t v = 0; v < kVectors; ++v) {
    const V bias = hn::LoadU(d, parameters + C::kBiasesAt + channel + v * kLanes);
    HWY_UNROLL(32)
    for (std::size_t p = 0; p < kTile; ++p) sums[p][v] = bias;
  }
  const float* weights = parameters + C::kWeightsAt + channel;
  for (std::size_t ky = 0; ky < C::kKernel; ++ky) {
    const float* row = in + ky * C::kInWidth * C::kInChannels;
    HWY_UNROLL(1)
    for (std::size_t tap = 0; tap < C::kRowTaps; ++tap, weights += C::kOutChannels) {
      V weight[kVectors];
      HWY_UNROLL(32)
      for (std::size_t v = 0; v < kVectors; ++v) weight[v] = hn::LoadU(d, weights + v * kLanes);
      HWY_UNROLL(32)
      for (std::size_t p = 0; p < kTile; ++p) {
        const V x = hn::Set(d, row[C::window(kFirst + p) + tap]);
        HWY_UNROLL(32)
        for (std::size_t v = 0; v < kVectors; ++v) sums[p][v] = hn::MulAdd(x, weight[v], sums[p][v]);
      }
    }
  }
  HWY_UNROLL(32)
  for (std::size_t p = 0; p < kTile; ++p) {
    HWY_UNROLL(32)
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sums[p][v], d, out + (kFirst + p) * C::kOutChannels + channel + v * kLanes);
    }
  }
}

// Computes the first convolution, one output row of 13 positions at a time.
HWY_INLINE void ConvolveFirst(const float* HWY_RESTRICT image, const float* HWY_RESTRICT parameters,
                              float* HWY_RESTRICT out) {
  using C = Conv1;
  for (std::size_t y = 0; y < C::kOutWidth; ++y) {
    for (std::size_t channel = 0; channel < C::kOutChannels; channel += kLanes) {
      ConvolveTile<C, 0, C::kOutWidth, 1>(image + C::window(y * C::kOutWidth), parameters, channel,
                                          out + y * C::kOutWidth * C::kOutChannels);
    }
  }
}

HWY_INLINE void ConvolveSecond(const float* HWY_RESTRICT in, const float* HWY_RESTRICT parameters,
                               float* HWY_RESTRICT out) {
  constexpr std::size_t kVectors = kManyRegisters ? 2 : 1;
  for (std::size_t channel = 0; channel < Conv2::kOutChannels; channel += kVectors * kLanes) {
    ConvolveTile<Conv2, 0, 13, kVectors>(in, parameters, channel, out);
    ConvolveTile<Conv2, 13, 12, kVectors>(in, parameters, channel, out);
  }
}

// Computes the gradient of the weights of kRows x kTaps taps from (ky, tap) on, for kVectors vectors of
// output channels from `channel` on. The gradient of a weight is the sum over positions of the input times
// out_slope.
template <class C, std::size_t kRows, std::size_t kTaps, std::size_t kVectors, class Sink>
HWY_INLINE void WeightGradientTile(const float* HWY_RESTRICT in, const float* HWY_RESTRICT out_slope,
                                   std::size_t ky, std::size_t tap, std::size_t channel,
                                   float* HWY_RESTRICT gradient, Sink sink) {
  const F d;
  V sums[kRows][kTaps][kVectors];
  HWY_UNROLL(32)
  for (std::size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(32)
    for (std::size_t t = 0; t < kTaps; ++t) {
      HWY_UNROLL(32)
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][t][v] = hn::Zero(d);
    }
  }
  constexpr std::size_t kInRow = C::kInWidth * C::kInChannels;
  const float* slopes = out_slope + channel;
  for (std::size_t y = 0; y < C::kOutWidth; ++y) {
    const float* window = in + (y * C::kStride + ky) * kInRow + tap;
    HWY_UNROLL(1)
    for (std::size_t x = 0; x < C::kOutWidth; ++x) {
      V slope[kVectors];
      HWY_UNROLL(32)
      for (std::size_t v = 0; v < kVectors; ++v) slope[v] = hn::Load(d, slopes + v * kLanes);
      HWY_UNROLL(32)
      for (std::size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(32)
        for (std::size_t t = 0; t < kTaps; ++t) {
          const V value = hn::Set(d, window[r * kInRow + t]);
          HWY_UNROLL(32)
          for (std::size_t v = 0; v < kVectors; ++v) {
            sums[r][t][v] = hn::MulAdd(value, slope[v], sums[r][t][v]);
          }
        }
      }
      window += C::kStride * C::kInChannels;
      slopes += C::kOutChannels;
    }
  }
  HWY_UNROLL(32)
  for (std::size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(32)
    for (std::size_t t = 0; t < kTaps; ++t) {
      HWY_UNROLL(32)
      for (std::size_t v = 0; v < kVectors; ++v) {
        sink.Put(sums[r][t][v], gradient + C::kWeightsAt +
                                    ((ky + r) * C::kRowTaps + tap + t) * C::kOutChannels + channel +
                                    v * kLanes);
      }
    }
  }
}

// Computes the gradient of the biases, which is out_slope summed over positions. Four interleaved partial
// sums are added in pairs.
template <class C, class Sink>
HWY_INLINE void BiasGradient(const float* HWY_RESTRICT out_slope, float* HWY_RESTRICT gradient, Sink sink) {
  const F d;
  for (std::size_t channel = 0; channel < C::kOutChannels; channel += kLanes) {
    V sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    static_assert(C::kPositions % 4 == 1);
    for (std::size_t p = 0; p + 4 <= C::kPositions; p += 4) {
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < 4; ++i) {
        sums[i] = hn::Add(sums[i], hn::Load(d, out_slope + (p + i) * C::kOutChannels + channel));
      }
    }
    sums[0] = hn::Add(sums[0], hn::Load(d, out_slope + (C::kPositions - 1) * C::kOutChannels + channel));
    sink.Put(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])),
             gradient + C::kBiasesAt + channel);
  }
}

template <class C, std::size_t kRows, std::size_t kTaps, std::size_t kVectors, class Sink>
HWY_INLINE void ConvolutionGradient(const float* HWY_RESTRICT in, const float* HWY_RESTRICT out_slope,
                                    float* HWY_RESTRICT gradient, Sink sink) {
  static_assert(C::kKernel % kRows == 0 && C::kRowTaps % kTaps == 0);
  static_assert(C::kOutChannels % (kVectors * kLanes) == 0);
  for (std::size_t channel = 0; channel < C::kOutChannels; channel += kVectors * kLanes) {
    for (std::size_t ky = 0; ky < C::kKernel; ky += kRows) {
      for (std::size_t tap = 0; tap < C::kRowTaps; tap += kTaps) {
        WeightGradientTile<C, kRows, kTaps, kVectors>(in, out_slope, ky, tap, channel, gradient, sink);
      }
    }
  }
  BiasGradient<C>(out_slope, gradient, sink);
}

template <class Sink>
HWY_INLINE void ConvolutionGradientFirst(const float* HWY_RESTRICT image, const float* HWY_RESTRICT out_slope,
                                         float* HWY_RESTRICT gradient, Sink sink) {
  ConvolutionGradient<Conv1, kManyRegisters ? 2 : 1, 8, 1>(image, out_slope, gradient, sink);
}

template <class Sink>
HWY_INLINE void ConvolutionGradientSecond(const float* HWY_RESTRICT in, const float* HWY_RESTRICT out_slope,
                                          float* HWY_RESTRICT gradient, Sink sink) {
  ConvolutionGradient<Conv2, 1, 8, kManyRegisters ? 2 : 1>(in, out_slope, gradient, sink);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::learning::fused
HWY_AFTER_NAMESPACE();

#endif  // toggle
