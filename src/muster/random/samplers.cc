#include "muster/random/samplers.h"

#include <cmath>
#include <string>

#include "muster/core/error.h"

namespace muster::random {

Probability Probability::at_most(double p) {
  if (!(p >= 0 && p <= 1)) {
    throw Error(ErrorCode::internal, "probability", std::to_string(p), "in [0, 1]", "not a probability");
  }
  Probability result;
  result.always_ = p == 1;
  // Scaling by a power of two is exact, and the conversion drops the fraction.
  if (!result.always_) result.numerator_ = static_cast<std::uint64_t>(std::ldexp(p, 64));
  return result;
}

Probability Probability::of_numerator(std::uint64_t numerator) {
  Probability result;
  result.numerator_ = numerator;
  return result;
}

double Probability::value() const { return always_ ? 1.0 : std::ldexp(static_cast<double>(numerator_), -64); }

bool bernoulli(BitSource& bits, const Probability& p) { return p.accepts(bits.next_u64()); }

std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound) {
  if (bound == 0) throw Error(ErrorCode::internal, "bound", "0", ">= 1", "an empty range");
  // This is Algorithm 5 of Lemire, "Fast random integer generation in an interval" (2019). The high half of
  // word * bound is uniform once products whose low half is below 2^64 mod bound are rejected.
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(bits.next_u64()) * bound;
  auto low = static_cast<std::uint64_t>(product);
  if (low < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;  // 2^64 mod bound
    while (low < threshold) {
      product = static_cast<Wide>(bits.next_u64()) * bound;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace muster::random
