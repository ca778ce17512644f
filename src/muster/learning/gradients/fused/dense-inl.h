// Computes dense layers: the forward values, the rank-1 gradient of the weights, and the gradient of the
// input.
//
// Sums have a fixed order that does not depend on the vector width. The forward pass keeps eight interleaved
// partial sums over the inputs and adds them in pairs. The gradient of an input is the inner product of its
// row of weights with out_slope. Its terms are added up in 16 virtual lanes, which are folded to 8 and then
// to 4 by adding halves; the last four lanes are added in pairs. The functions touch only the arrays that
// they are given and may be called from any thread.

#if defined(MUSTER_LEARNING_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_LEARNING_DENSE_INL_H_
#undef MUSTER_LEARNING_DENSE_INL_H_
#else
#define MUSTER_LEARNING_DENSE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>

#include "muster/learning/gradients/fused/convolution-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::learning::fused {
namespace HWY_NAMESPACE {

// Sets total[v] to the sum over k of in[k] * weights[k][c], without the biases, for the kLanes outputs c that
// begin at channel + v * kLanes. Lanes beyond the layer's outputs are meaningless: their weights are read
// from the parameters that follow the row.
template <class L, std::size_t kVectors>
HWY_INLINE void DenseSums(const float* HWY_RESTRICT in, const float* HWY_RESTRICT parameters,
                          std::size_t channel, V* HWY_RESTRICT total) {
  const F d;
  constexpr std::size_t kParts = 8;
  static_assert(L::kInputs % kParts == 0);
  V sums[kParts][kVectors];
  HWY_UNROLL(8)
  for (std::size_t part = 0; part < kParts; ++part) {
    HWY_UNROLL(2)
    for (std::size_t v = 0; v < kVectors; ++v) sums[part][v] = hn::Zero(d);
  }
  const float* weights = parameters + L::kWeightsAt + channel;
  for (std::size_t k = 0; k < L::kInputs; k += kParts) {
    HWY_UNROLL(8)
    for (std::size_t part = 0; part < kParts; ++part) {
      const V x = hn::Set(d, in[k + part]);
      HWY_UNROLL(2)
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[part][v] =
            hn::MulAdd(x, hn::LoadU(d, weights + (k + part) * L::kOutputs + v * kLanes), sums[part][v]);
      }
    }
  }
  HWY_UNROLL(2)
  for (std::size_t v = 0; v < kVectors; ++v) {
    total[v] = hn::Add(hn::Add(hn::Add(sums[0][v], sums[1][v]), hn::Add(sums[2][v], sums[3][v])),
                       hn::Add(hn::Add(sums[4][v], sums[5][v]), hn::Add(sums[6][v], sums[7][v])));
  }
}

HWY_INLINE void HiddenLayer(const float* HWY_RESTRICT in, const float* HWY_RESTRICT parameters,
                            float* HWY_RESTRICT hidden) {
  const F d;
  constexpr std::size_t kVectors = kManyRegisters ? 2 : 1;
  for (std::size_t channel = 0; channel < Dense1::kOutputs; channel += kVectors * kLanes) {
    V sums[kVectors];
    DenseSums<Dense1, kVectors>(in, parameters, channel, sums);
    HWY_UNROLL(2)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = channel + v * kLanes;
      const V value = hn::Add(sums[v], hn::LoadU(d, parameters + Dense1::kBiasesAt + at));
      hn::Store(hn::Max(value, hn::Zero(d)), d, hidden + at);
    }
  }
}

HWY_INLINE void Logits(const float* HWY_RESTRICT hidden, const float* HWY_RESTRICT parameters,
                       float* HWY_RESTRICT logits) {
  const F d;
  for (std::size_t channel = 0; channel < kLogitRoom; channel += kLanes) {
    V sum[1];
    DenseSums<Dense2, 1>(hidden, parameters, channel, sum);
    hn::Store(sum[0], d, logits + channel);
  }
  for (std::size_t c = 0; c < kClasses; ++c) logits[c] += parameters[Dense2::kBiasesAt + c];
}

#if HWY_TARGET != HWY_SCALAR
using F4 = hn::FixedTag<float, 4>;

// Folds 16 virtual lanes x to four: lane l becomes (x[l] + x[l+8]) + (x[l+4] + x[l+12]).
HWY_INLINE hn::Vec<F4> Fold(const V* lanes16) {
#if HWY_MAX_BYTES >= 64
  const hn::FixedTag<float, 8> d8;
  const F d;
  const auto half = hn::Add(hn::LowerHalf(d8, lanes16[0]), hn::UpperHalf(d8, lanes16[0]));
  (void)d;
  return hn::Add(hn::LowerHalf(F4(), half), hn::UpperHalf(F4(), half));
#elif HWY_MAX_BYTES == 32
  const auto half = hn::Add(lanes16[0], lanes16[1]);
  return hn::Add(hn::LowerHalf(F4(), half), hn::UpperHalf(F4(), half));
#else
  return hn::Add(hn::Add(lanes16[0], lanes16[2]), hn::Add(lanes16[1], lanes16[3]));
#endif
}
#endif

// Computes the products of one row of weights with out_slope, in 16 virtual lanes. Lane l gets the product of
// output l or, if kRoom is 32, the sum of the products of outputs l and l + 16.
template <class L, std::size_t kRoom>
HWY_INLINE void RowProducts(const float* HWY_RESTRICT row, const float* HWY_RESTRICT out_slope, V* lanes16) {
  const F d;
  constexpr std::size_t kVectors = 16 / kLanes;
  HWY_UNROLL(16)
  for (std::size_t v = 0; v < kVectors; ++v) {
    lanes16[v] = hn::Mul(hn::LoadU(d, row + v * kLanes), hn::Load(d, out_slope + v * kLanes));
    if constexpr (kRoom == 32) {
      lanes16[v] = hn::MulAdd(hn::LoadU(d, row + 16 + v * kLanes), hn::Load(d, out_slope + 16 + v * kLanes),
                              lanes16[v]);
    }
  }
}

// Gives `sink` one row of the gradient of the weights, which is the input of that row times out_slope. A row
// that is written has kRoom entries. A row that is added has only as many entries as the layer has outputs,
// because adding even a zero could change the entry after the row: -0 + 0 is 0.
template <class L, std::size_t kRoom, class Sink>
HWY_INLINE void RowGradient(float in, const float* HWY_RESTRICT out_slope, float* HWY_RESTRICT row,
                            Sink sink) {
  const F d;
  const V value = hn::Set(d, in);
  constexpr std::size_t kVectors = (Sink::kAdds ? L::kOutputs : kRoom) / kLanes;
  HWY_UNROLL(32)
  for (std::size_t v = 0; v < kVectors; ++v) {
    sink.Put(hn::Mul(value, hn::Load(d, out_slope + v * kLanes)), row + v * kLanes);
  }
  if constexpr (Sink::kAdds && L::kOutputs % kLanes != 0) {
    sink.PutFirst(L::kOutputs % kLanes, hn::Mul(value, hn::Load(d, out_slope + kVectors * kLanes)),
                  row + kVectors * kLanes);
  }
}

// Computes the gradients of a dense layer: d loss / d weights is the outer product of `in` and out_slope,
// d loss / d biases is out_slope, and in_slope is the matrix of weights times out_slope. The first two go to
// `gradient` through `sink`. The matrices of a large layer exceed the first-level cache, so the rows to be
// written are prefetched.
//
// Beyond the layer's outputs, out_slope is zero up to entry kRoom. So the parameters that are read after the
// end of a row are multiplied by zero and need only be finite. The zeros that are written after the end of a
// row are overwritten by the next row and, after the last row, by the biases.
template <class L, std::size_t kRoom, class Sink>
HWY_INLINE void DenseBackward(const float* HWY_RESTRICT parameters, const float* HWY_RESTRICT in,
                              const float* HWY_RESTRICT out_slope, float* HWY_RESTRICT gradient,
                              float* HWY_RESTRICT in_slope, Sink sink) {
  static_assert(L::kInputs % 4 == 0 && kRoom - L::kOutputs <= L::kOutputs);
  const float* weights = parameters + L::kWeightsAt;
  float* rows_out = gradient + L::kWeightsAt;
  constexpr std::size_t kVectors = 16 / kLanes;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < L::kInputs; ++k) {
    V x[kVectors];
    RowProducts<L, kRoom>(weights + k * L::kOutputs, out_slope, x);
    RowGradient<L, kRoom>(in[k], out_slope, rows_out + k * L::kOutputs, sink);
    V folded[4];
    for (std::size_t l = 0; l < 4; ++l) folded[l] = (x[l] + x[l + 8]) + (x[l + 4] + x[l + 12]);
    hn::Store((folded[0] + folded[1]) + (folded[2] + folded[3]), F(), in_slope + k);
  }
#else
  constexpr std::size_t kAhead = 8;  // rows between the row being written and the one prefetched
  // For a smaller layer, the prefetch could pass the end of `gradient`.
  constexpr bool kLarge = L::kInputs >= 8 * kAhead;
  static_assert(!kLarge || L::kWeightsAt + (L::kInputs + kAhead) * L::kOutputs <= kParameters);
  const F4 d4;
  const hn::Repartition<double, F4> d2;
  for (std::size_t k = 0; k < L::kInputs; k += 4) {
    hn::Vec<F4> rows[4];
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < 4; ++r) {
      V lanes16[kVectors];
      RowProducts<L, kRoom>(weights + (k + r) * L::kOutputs, out_slope, lanes16);
      rows[r] = Fold(lanes16);
      float* row = rows_out + (k + r) * L::kOutputs;
      if constexpr (kLarge) {
        for (std::size_t line = 0; line < L::kOutputs; line += 16) {
          hwy::Prefetch(row + kAhead * L::kOutputs + line);
        }
      }
      RowGradient<L, kRoom>(in[k + r], out_slope, row, sink);
    }
    const auto low01 = hn::BitCast(d2, hn::InterleaveLower(d4, rows[0], rows[1]));
    const auto low23 = hn::BitCast(d2, hn::InterleaveLower(d4, rows[2], rows[3]));
    const auto high01 = hn::BitCast(d2, hn::InterleaveUpper(d4, rows[0], rows[1]));
    const auto high23 = hn::BitCast(d2, hn::InterleaveUpper(d4, rows[2], rows[3]));
    const auto lane0 = hn::BitCast(d4, hn::InterleaveLower(d2, low01, low23));
    const auto lane1 = hn::BitCast(d4, hn::InterleaveUpper(d2, low01, low23));
    const auto lane2 = hn::BitCast(d4, hn::InterleaveLower(d2, high01, high23));
    const auto lane3 = hn::BitCast(d4, hn::InterleaveUpper(d2, high01, high23));
    hn::Store(hn::Add(hn::Add(lane0, lane1), hn::Add(lane2, lane3)), d4, in_slope + k);
  }
#endif
  for (std::size_t c = 0; c < L::kOutputs; ++c) sink.PutOne(out_slope[c], gradient + L::kBiasesAt + c);
}

// Sets slope[i] to zero wherever value[i] is not positive.
template <std::size_t kSize>
HWY_INLINE void MaskByRelu(const float* HWY_RESTRICT value, float* HWY_RESTRICT slope) {
  const F d;
  for (std::size_t i = 0; i < kSize; i += kLanes) {
    const auto active = hn::Gt(hn::Load(d, value + i), hn::Zero(d));
    hn::Store(hn::IfThenElseZero(active, hn::Load(d, slope + i)), d, slope + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::learning::fused
HWY_AFTER_NAMESPACE();

#endif  // toggle
