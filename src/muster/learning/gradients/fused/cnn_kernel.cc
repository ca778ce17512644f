#include "muster/learning/gradients/fused/cnn_kernel.h"

#include <cstring>

// The kernels keep vectors in arrays, which is not possible for vector types without a fixed size, so the
// targets with such types are disabled. A sanitizer build defines this macro itself, to disable further
// targets on x86.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/learning/gradients/fused/cnn_kernel.cc"
#include <hwy/foreach_target.h>
// This header must follow foreach_target.h.
#include <hwy/highway.h>

#include "muster/learning/gradients/fused/convolution-inl.h"
#include "muster/learning/gradients/fused/dense-inl.h"
#include "muster/learning/gradients/fused/input_gradient-inl.h"
#include "muster/learning/gradients/fused/pool-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::learning::fused {
namespace HWY_NAMESPACE {

void Forward(const float* parameters, const float* pixels, Buffers& b) {
  for (std::size_t y = 0; y < kImageSide; ++y) {
    std::memcpy(b.image + (y + kPad) * kPaddedSide + kPad, pixels + y * kImageSide,
                kImageSide * sizeof(float));
  }
  ConvolveFirst(b.image, parameters, b.conv1);
  ReluPool<Conv1::kOutWidth, Conv1::kOutChannels>(b.conv1, b.pool1);
  ConvolveSecond(b.pool1, parameters, b.conv2);
  ReluPool<Conv2::kOutWidth, Conv2::kOutChannels>(b.conv2, b.pool2);
  HiddenLayer(b.pool2, parameters, b.hidden);
  Logits(b.hidden, parameters, b.logits);
}

void Turn(const float* parameters, Buffers& b) { TurnWeights(parameters, b.conv2_turned); }

template <class Sink>
HWY_INLINE void PassBackward(const float* parameters, Buffers& b, float* gradient, Sink sink) {
  DenseBackward<Dense2, kLogitRoom>(parameters, b.hidden, b.logits_slope, gradient, b.hidden_slope, sink);
  MaskByRelu<Dense1::kOutputs>(b.hidden, b.hidden_slope);
  DenseBackward<Dense1, Dense1::kOutputs>(parameters, b.pool2, b.hidden_slope, gradient, b.pool2_slope, sink);
  ReluPoolGradient<Conv2::kOutWidth, Conv2::kOutChannels>(b.conv2, b.pool2, b.pool2_slope, b.conv2_slope);
  ConvolutionGradientSecond(b.pool1, b.conv2_slope, gradient, sink);
  InputGradientSecond(b.conv2_turned, b.conv2_slope, b.pool1_slope);
  ReluPoolGradient<Conv1::kOutWidth, Conv1::kOutChannels>(b.conv1, b.pool1, b.pool1_slope, b.conv1_slope);
  ConvolutionGradientFirst(b.image, b.conv1_slope, gradient, sink);
}

void Backward(const float* parameters, Buffers& b, float* gradient) {
  PassBackward(parameters, b, gradient, Overwrite());
}

void AddBackward(const float* parameters, Buffers& b, float* sum) {
  PassBackward(parameters, b, sum, AddAndScale{&b.scale});
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::learning::fused
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::learning::fused {

HWY_EXPORT(Forward);
HWY_EXPORT(Turn);
HWY_EXPORT(Backward);
HWY_EXPORT(AddBackward);

void forward(const float* parameters, const float* pixels, Buffers& buffers) {
  HWY_DYNAMIC_DISPATCH(Forward)(parameters, pixels, buffers);
}

void turn_weights(const float* parameters, Buffers& buffers) {
  HWY_DYNAMIC_DISPATCH(Turn)(parameters, buffers);
}

void backward(const float* parameters, Buffers& buffers, float* gradient) {
  HWY_DYNAMIC_DISPATCH(Backward)(parameters, buffers, gradient);
}

void add_backward(const float* parameters, Buffers& buffers, float scale, float* sum) {
  buffers.scale = scale;
  HWY_DYNAMIC_DISPATCH(AddBackward)(parameters, buffers, sum);
}

}  // namespace muster::learning::fused
#endif  // HWY_ONCE
