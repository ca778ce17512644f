// Runs the forward and the backward pass of one example through Architecture::cnn. All data fit into one
// core's second-level cache.
//
// The instruction set (Highway's target) is chosen at run time. On one machine, equal inputs give equal bits
// in every call and thread. Targets with fused multiply-add (AVX2, AVX-512, NEON) agree bit for bit. Targets
// without it round each product and differ from them in the last digits. The functions depend on their
// arguments only, so calls that write to different buffers may run concurrently.
#pragma once

#include "muster/learning/gradients/fused/cnn_shape.h"

namespace muster::learning::fused {

// Fills buffers.logits and, except for logits_slope and conv2_turned, everything that backward reads.
// `parameters` has kParameters floats, and `pixels` has 784.
void forward(const float* parameters, const float* pixels, Buffers& buffers);

// Fills buffers.conv2_turned with the transposed weights of the second convolution.
void turn_weights(const float* parameters, Buffers& buffers);

// Overwrites `gradient` (kParameters floats). Call it after forward and turn_weights on the same
// parameters and buffers, with buffers.logits_slope set.
void backward(const float* parameters, Buffers& buffers, float* gradient);

// Adds to each entry of `sum` (kParameters floats) the entry that backward would write, and then multiplies
// it by `scale`; the addition and the multiplication round separately. Call it after the calls that backward
// needs. No entry is written to memory before it is added, so that a further record of a client takes hardly
// more time than a call of backward.
void add_backward(const float* parameters, Buffers& buffers, float scale, float* sum);

}  // namespace muster::learning::fused
