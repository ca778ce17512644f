// Uniform numbers for tests. The only state is that of the source, so the source's thread rule applies.
#pragma once

namespace muster::testing {

// Uniform on the multiples of 2^-53 in [0, 1), from one word of a source of random bits.
template <typename Source>
double unit_uniform(Source& bits) {
  return static_cast<double>(bits.next_u64() >> 11) * 0x1p-53;
}

}  // namespace muster::testing
