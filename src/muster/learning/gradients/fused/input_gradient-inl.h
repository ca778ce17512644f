// Computes the gradient of the loss with respect to the second convolution's input, with vectors over input
// channels.
//
// With stride 2 and a 4x4 kernel, input (2a+py, 2b+px) contributes to output (a-i, b-j) through tap (py+2i,
// px+2j), for i and j in {0, 1}. These are four interleaved 2x2 correlations, one for each parity (py, px),
// that read the slopes of the same outputs. Row a of all four results is kept in registers; with few
// registers, only the two correlations with the same py are computed together. Outputs that do not exist are
// skipped, not multiplied as zeros. The terms of each value are added in the order of i, then of the output
// channels, then of j, so the bits are the same on every target with fused multiply-add. The functions touch
// only the arrays that they are given and may be called from any thread.

#if defined(MUSTER_LEARNING_INPUT_GRADIENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_LEARNING_INPUT_GRADIENT_INL_H_
#undef MUSTER_LEARNING_INPUT_GRADIENT_INL_H_
#else
#define MUSTER_LEARNING_INPUT_GRADIENT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "muster/learning/gradients/fused/convolution-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::learning::fused {
namespace HWY_NAMESPACE {

inline constexpr std::size_t kIn2 = Conv2::kInChannels;
inline constexpr std::size_t kOut2 = Conv2::kOutChannels;
static_assert(Conv2::kKernel == 4 && Conv2::kStride == 2 && Conv2::kInWidth == 2 * (Conv2::kOutWidth + 1));

// Transposes [ky][kx][in][out] to [ky][kx][out][in]. In `quad`, block b (four lanes) of vector r holds four
// outputs of input r + 4b. Transposing block b of the four vectors, for every b, gives one vector of
// consecutive inputs for each of the four outputs.
HWY_INLINE void TurnWeights(const float* HWY_RESTRICT parameters, float* HWY_RESTRICT turned) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t tap = 0; tap < Conv2::kKernel * Conv2::kKernel; ++tap) {
    const float* from = parameters + Conv2::kWeightsAt + tap * kIn2 * kOut2;
    float* to = turned + tap * kIn2 * kOut2;
    for (std::size_t i = 0; i < kIn2; ++i) {
      for (std::size_t o = 0; o < kOut2; ++o) to[o * kIn2 + i] = from[i * kOut2 + o];
    }
  }
#else
  const F d;
  const hn::RebindToUnsigned<F> du;
  const hn::Repartition<double, F> d2;
  constexpr std::size_t kBlocks = kLanes / 4;
  const auto lane = hn::Iota(du, 0);
  hn::Mask<F> past[kBlocks];  // past[b] selects the lanes of block b and beyond
  HWY_UNROLL(4)
  for (std::size_t b = 0; b < kBlocks; ++b) {
    past[b] = hn::RebindMask(
        d, hn::Gt(hn::Add(lane, hn::Set(du, 1)), hn::Set(du, 4 * static_cast<std::uint32_t>(b))));
  }
  for (std::size_t tap = 0; tap < Conv2::kKernel * Conv2::kKernel; ++tap) {
    const float* from = parameters + Conv2::kWeightsAt + tap * kIn2 * kOut2;
    float* to = turned + tap * kIn2 * kOut2;
    for (std::size_t i = 0; i < kIn2; i += kLanes) {
      HWY_UNROLL(1)
      for (std::size_t o = 0; o < kOut2; o += 4) {
        const float* at = from + i * kOut2 + o;
        V quad[4];
        HWY_UNROLL(4)
        for (std::size_t r = 0; r < 4; ++r) {
          quad[r] = hn::LoadDup128(d, at + r * kOut2);
          HWY_UNROLL(4)
          for (std::size_t b = 1; b < kBlocks; ++b) {
            quad[r] = hn::IfThenElse(past[b], hn::LoadDup128(d, at + (r + 4 * b) * kOut2), quad[r]);
          }
        }
        const auto low01 = hn::BitCast(d2, hn::InterleaveLower(d, quad[0], quad[1]));
        const auto low23 = hn::BitCast(d2, hn::InterleaveLower(d, quad[2], quad[3]));
        const auto high01 = hn::BitCast(d2, hn::InterleaveUpper(d, quad[0], quad[1]));
        const auto high23 = hn::BitCast(d2, hn::InterleaveUpper(d, quad[2], quad[3]));
        float* out = to + o * kIn2 + i;
        hn::Store(hn::BitCast(d, hn::InterleaveLower(d2, low01, low23)), d, out);
        hn::Store(hn::BitCast(d, hn::InterleaveUpper(d2, low01, low23)), d, out + kIn2);
        hn::Store(hn::BitCast(d, hn::InterleaveLower(d2, high01, high23)), d, out + 2 * kIn2);
        hn::Store(hn::BitCast(d, hn::InterleaveUpper(d2, high01, high23)), d, out + 3 * kIn2);
      }
    }
  }
#endif
}

// Computes the gradient of input rows 2a + py, ..., 2a + py + kParities - 1 for the kLanes input channels
// from `channel` on.
template <std::size_t kParities>
HWY_INLINE void InputGradientRows(const float* HWY_RESTRICT turned, const float* HWY_RESTRICT out_slope,
                                  std::size_t a, std::size_t py, std::size_t channel,
                                  float* HWY_RESTRICT in_slope) {
  const F d;
  constexpr std::size_t kWidth = Conv2::kOutWidth;
  constexpr std::size_t kTap = kIn2 * kOut2;
  V sums[kParities][2][kWidth + 1];
  HWY_UNROLL(2)
  for (std::size_t y = 0; y < kParities; ++y) {
    HWY_UNROLL(2)
    for (std::size_t px = 0; px < 2; ++px) {
      HWY_UNROLL(8)
      for (std::size_t b = 0; b <= kWidth; ++b) sums[y][px][b] = hn::Zero(d);
    }
  }
  for (std::size_t i = a == kWidth ? 1 : 0; i <= (a == 0 ? 0 : 1); ++i) {
    const float* slopes = out_slope + (a - i) * kWidth * kOut2;
    const float* weights = turned + (py + 2 * i) * 4 * kTap + channel;
    HWY_UNROLL(1)
    for (std::size_t o = 0; o < kOut2; ++o, weights += kIn2) {
      HWY_UNROLL(2)
      for (std::size_t j = 0; j < 2; ++j) {
        V weight[kParities][2];
        HWY_UNROLL(2)
        for (std::size_t y = 0; y < kParities; ++y) {
          HWY_UNROLL(2)
          for (std::size_t px = 0; px < 2; ++px) {
            weight[y][px] = hn::LoadU(d, weights + (y * 4 + px + 2 * j) * kTap);
          }
        }
        HWY_UNROLL(8)
        for (std::size_t k = 0; k < kWidth; ++k) {
          const V slope = hn::Set(d, slopes[k * kOut2 + o]);
          HWY_UNROLL(2)
          for (std::size_t y = 0; y < kParities; ++y) {
            HWY_UNROLL(2)
            for (std::size_t px = 0; px < 2; ++px) {
              sums[y][px][j + k] = hn::MulAdd(slope, weight[y][px], sums[y][px][j + k]);
            }
          }
        }
      }
    }
  }
  HWY_UNROLL(2)
  for (std::size_t y = 0; y < kParities; ++y) {
    HWY_UNROLL(8)
    for (std::size_t b = 0; b <= kWidth; ++b) {
      HWY_UNROLL(2)
      for (std::size_t px = 0; px < 2; ++px) {
        hn::Store(sums[y][px][b], d,
                  in_slope + ((2 * a + py + y) * Conv2::kInWidth + 2 * b + px) * kIn2 + channel);
      }
    }
  }
}

HWY_INLINE void InputGradientSecond(const float* HWY_RESTRICT turned, const float* HWY_RESTRICT out_slope,
                                    float* HWY_RESTRICT in_slope) {
  constexpr std::size_t kParities = kManyRegisters ? 2 : 1;
  for (std::size_t a = 0; a <= Conv2::kOutWidth; ++a) {
    for (std::size_t py = 0; py < 2; py += kParities) {
      for (std::size_t channel = 0; channel < kIn2; channel += kLanes) {
        InputGradientRows<kParities>(turned, out_slope, a, py, channel, in_slope);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::learning::fused
HWY_AFTER_NAMESPACE();

#endif  // toggle
