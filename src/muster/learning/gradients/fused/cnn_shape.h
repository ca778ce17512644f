// Defines Architecture::cnn as compile-time constants, and the buffers that one example needs, for the
// kernels.
//
// The second convolution, 4x4 with stride 2, reads only rows and columns 0..11 of the 13x13 pooled map before
// it. So the last row and column of that map, and of the 14x14 convolution before it, have no influence and
// zero gradient. The kernels compute only 12x12 entries of the map and 13x13 of the convolution. Offsets into
// the flat parameter vector are those of models/architecture.h (a test compares them). Layouts are
// [y][x][channel]. Buffers belong to one thread.
#pragma once

#include <cstddef>

#include "muster/learning/dataset.h"

namespace muster::learning::fused {

// A convolution without padding, with stride 2. The image is padded beforehand, and unused outputs are left
// out.
template <std::size_t kInWidthV, std::size_t kInChannelsV, std::size_t kOutWidthV, std::size_t kOutChannelsV,
          std::size_t kKernelV, std::size_t kWeightsAtV>
struct Convolution {
  static constexpr std::size_t kStride = 2;
  static constexpr std::size_t kInWidth = kInWidthV;
  static constexpr std::size_t kInChannels = kInChannelsV;
  static constexpr std::size_t kOutWidth = kOutWidthV;
  static constexpr std::size_t kOutChannels = kOutChannelsV;
  static constexpr std::size_t kKernel = kKernelV;
  static constexpr std::size_t kPositions = kOutWidth * kOutWidth;
  // The number of taps (pairs of kernel position and input channel) in one kernel row. They are contiguous
  // in the input and in the weights.
  static constexpr std::size_t kRowTaps = kKernel * kInChannels;
  static constexpr std::size_t kWeightsAt = kWeightsAtV;
  static constexpr std::size_t kBiasesAt = kWeightsAt + kKernel * kRowTaps * kOutChannels;
  static constexpr std::size_t kEnd = kBiasesAt + kOutChannels;
  // The offset in the input at which the window of output position p begins.
  static constexpr std::size_t window(std::size_t p) {
    return (p / kOutWidth * kStride * kInWidth + p % kOutWidth * kStride) * kInChannels;
  }
};

template <std::size_t kInputsV, std::size_t kOutputsV, std::size_t kWeightsAtV>
struct Dense {
  static constexpr std::size_t kInputs = kInputsV;
  static constexpr std::size_t kOutputs = kOutputsV;
  static constexpr std::size_t kWeightsAt = kWeightsAtV;
  static constexpr std::size_t kBiasesAt = kWeightsAt + kInputs * kOutputs;
  static constexpr std::size_t kEnd = kBiasesAt + kOutputs;
};

inline constexpr std::size_t kPad = 3;
inline constexpr std::size_t kPaddedSide = 32;  // 3 + 28 + 1, because the last of 13 windows ends at 2*12 + 8

using Conv1 = Convolution<kPaddedSide, 1, 13, 16, 8, 0>;
using Conv2 = Convolution<12, 16, 5, 32, 4, Conv1::kEnd>;
using Dense1 = Dense<4 * 4 * 32, 32, Conv2::kEnd>;
using Dense2 = Dense<32, kClasses, Dense1::kEnd>;
inline constexpr std::size_t kParameters = Dense2::kEnd;
inline constexpr std::size_t kLogitRoom = 16;  // the ten logits and six unused lanes

struct Buffers {
  alignas(64) float image[kPaddedSide * kPaddedSide] = {};  // the border stays zero
  // The values are those before ReLU for the convolutions, and after ReLU for the pooled maps and the hidden
  // layer.
  alignas(64) float conv1[Conv1::kPositions * 16];
  alignas(64) float pool1[12 * 12 * 16];
  alignas(64) float conv2[Conv2::kPositions * 32];
  alignas(64) float pool2[Dense1::kInputs];
  alignas(64) float hidden[Dense1::kOutputs];
  alignas(64) float logits[kLogitRoom];
  // A slope is d loss / d value, for each value of the same name. Entries 10..15 of logits_slope are zero.
  alignas(64) float logits_slope[kLogitRoom] = {};
  alignas(64) float hidden_slope[Dense1::kOutputs];
  alignas(64) float pool2_slope[Dense1::kInputs];
  alignas(64) float conv2_slope[Conv2::kPositions * 32];
  alignas(64) float pool1_slope[12 * 12 * 16];
  alignas(64) float conv1_slope[Conv1::kPositions * 16];
  // The weights of conv2 as [ky][kx][out channel][in channel].
  alignas(64) float conv2_turned[4 * 4 * 32 * 16];
  float scale;  // the factor of the sum in add_backward()
};

}  // namespace muster::learning::fused
