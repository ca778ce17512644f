// One example through the papers' CNN, forward and backward, everything in one core's second-level cache.
//
// The instruction set is chosen at run time. Bits: equal inputs give equal bits on every call and thread;
// targets with fused multiply-add (AVX2, AVX-512, NEON) agree with each other bit for bit, targets without it
// round each product and differ from them in the last digits. Thread rule: pure functions of the arguments.
#pragma once

#include "muster/learning/gradients/fused/cnn_shape.h"

namespace muster::learning::fused {

// Fills buffers.logits and everything the backward pass reads. parameters: kParameters floats; pixels: 784.
void forward(const float* parameters, const float* pixels, Buffers& buffers);

// Fills buffers.conv2_turned.
void turn_weights(const float* parameters, Buffers& buffers);

// After forward and turn_weights on the same parameters, with buffers.logits_slope set: overwrites `gradient`
// (kParameters floats).
void backward(const float* parameters, Buffers& buffers, float* gradient);

}  // namespace muster::learning::fused
