// Dense layers: forward values, the rank-1 gradient of the weights, and the gradient of the input.
//
// Sums use a fixed order that no vector width changes. Forward: eight interleaved partial sums over the
// inputs, added in pairs. Input gradient: a row's products in 16 virtual lanes, folded 16 -> 8 -> 4 by
// halves, then the four in pairs.

#if defined(MUSTER_LEARNING_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_LEARNING_DENSE_INL_H_
#undef MUSTER_LEARNING_DENSE_INL_H_
#else
#define MUSTER_LEARNING_DENSE_INL_H_
#endif

#include <hwy/highway.h>

#include "muster/learning/gradients/fused/convolution-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::learning::fused {
namespace HWY_NAMESPACE {

// sum over k of in[k] * weights[k][channel...], without bias. Lanes past the layer's outputs mean nothing;
// they are read from the parameters that follow, which exist.
template <class L>
HWY_INLINE V DenseSums(const float* HWY_RESTRICT in, const float* HWY_RESTRICT parameters,
                       std::size_t channel) {
  const F d;
  constexpr std::size_t kParts = 8;
  static_assert(L::kInputs % kParts == 0);
  V sums[kParts];
  HWY_UNROLL(8)
  for (std::size_t part = 0; part < kParts; ++part) sums[part] = hn::Zero(d);
  const float* weights = parameters + L::kWeightsAt + channel;
  for (std::size_t k = 0; k < L::kInputs; k += kParts) {
    HWY_UNROLL(8)
    for (std::size_t part = 0; part < kParts; ++part) {
      sums[part] =
          hn::MulAdd(hn::Set(d, in[k + part]), hn::LoadU(d, weights + (k + part) * L::kOutputs), sums[part]);
    }
  }
  return hn::Add(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])),
                 hn::Add(hn::Add(sums[4], sums[5]), hn::Add(sums[6], sums[7])));
}

HWY_INLINE void HiddenLayer(const float* HWY_RESTRICT in, const float* HWY_RESTRICT parameters,
                            float* HWY_RESTRICT hidden) {
  const F d;
  for (std::size_t channel = 0; channel < Dense1::kOutputs; channel += kLanes) {
    const V bias = hn::LoadU(d, parameters + Dense1::kBiasesAt + channel);
    const V value = hn::Add(DenseSums<Dense1>(in, parameters, channel), bias);
    hn::Store(hn::Max(value, hn::Zero(d)), d, hidden + channel);
  }
}

HWY_INLINE void Logits(const float* HWY_RESTRICT hidden, const float* HWY_RESTRICT parameters,
                       float* HWY_RESTRICT logits) {
  const F d;
  for (std::size_t channel = 0; channel < kLogitRoom; channel += kLanes) {
    hn::Store(DenseSums<Dense2>(hidden, parameters, channel), d, logits + channel);
  }
  for (std::size_t c = 0; c < kClasses; ++c) logits[c] += parameters[Dense2::kBiasesAt + c];
}

// d loss / d weights = in (outer product) out_slope, and d loss / d biases = out_slope. Rows shorter than
// kRoom are written with zeros beyond their end, which the row after then overwrites: rows go up, the biases
// come last.
template <class L, std::size_t kRoom>
HWY_INLINE void DenseGradient(const float* HWY_RESTRICT in, const float* HWY_RESTRICT out_slope,
                              float* HWY_RESTRICT gradient) {
  const F d;
  static_assert(kRoom - L::kOutputs <= L::kOutputs);
  constexpr std::size_t kVectors = kRoom / kLanes;
  float* weights = gradient + L::kWeightsAt;
  for (std::size_t k = 0; k < L::kInputs; ++k) {
    const V value = hn::Set(d, in[k]);
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(hn::Mul(value, hn::Load(d, out_slope + v * kLanes)), d,
                 weights + k * L::kOutputs + v * kLanes);
    }
  }
  for (std::size_t c = 0; c < L::kOutputs; ++c) gradient[L::kBiasesAt + c] = out_slope[c];
}

#if HWY_TARGET != HWY_SCALAR
using F4 = hn::FixedTag<float, 4>;

// The four folded lanes of 16 virtual ones: lane l is (x[l] + x[l+8]) + (x[l+4] + x[l+12]).
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

// The products of one row of weights with the slopes, in 16 virtual lanes: lane l adds outputs l and l + 16.
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

// in_slope = weights out_slope. Where out_slope has room beyond the outputs it is zero there, so what is read
// beyond a row's end (the parameters that follow) counts nothing as long as it is finite.
template <class L, std::size_t kRoom>
HWY_INLINE void DenseInputGradient(const float* HWY_RESTRICT parameters, const float* HWY_RESTRICT out_slope,
                                   float* HWY_RESTRICT in_slope) {
  const float* weights = parameters + L::kWeightsAt;
  constexpr std::size_t kVectors = 16 / kLanes;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < L::kInputs; ++k) {
    V x[kVectors];
    RowProducts<L, kRoom>(weights + k * L::kOutputs, out_slope, x);
    V folded[4];
    for (std::size_t l = 0; l < 4; ++l) folded[l] = (x[l] + x[l + 8]) + (x[l + 4] + x[l + 12]);
    hn::Store((folded[0] + folded[1]) + (folded[2] + folded[3]), F(), in_slope + k);
  }
#else
  static_assert(L::kInputs % 4 == 0);
  const F4 d4;
  const hn::Repartition<double, F4> d2;
  for (std::size_t k = 0; k < L::kInputs; k += 4) {
    hn::Vec<F4> rows[4];
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < 4; ++r) {
      V lanes16[kVectors];
      RowProducts<L, kRoom>(weights + (k + r) * L::kOutputs, out_slope, lanes16);
      rows[r] = Fold(lanes16);
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
}

// slope = value > 0 ? slope : 0.
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
