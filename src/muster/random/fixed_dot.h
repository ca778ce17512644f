// Inner products in an order that does not depend on the vector width.
//
// Blocks of 1024 elements; inside a block 64 single-precision running sums (element k to sum k mod 64), added
// up in double as a tree of halves, then the blocks in order. So the value is the same on every target with
// fused multiply-add. Relative error of dot(x, x): below 2.1e-6. Thread-safe.
#pragma once

#include <cstddef>
#include <span>

namespace muster::random {

inline constexpr std::size_t kDotBlock = 1024;

// sum x[k] y[k]; sizes must agree, else Error(internal).
double fixed_order_dot(std::span<const float> x, std::span<const float> y);

}  // namespace muster::random
