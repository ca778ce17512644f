// Uniform random numbers for tests. The function keeps no state, so the source's own thread rule applies.
#pragma once

namespace muster::testing {

// Returns a uniform multiple of 2^-53 in [0, 1), made from one 64-bit word of a source of random bits.
template <typename Source>
double unit_uniform(Source& bits) {
  return static_cast<double>(bits.next_u64() >> 11) * 0x1p-53;
}

}  // namespace muster::testing
