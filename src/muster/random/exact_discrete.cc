#include "muster/random/exact_discrete.h"

#include <bit>
#include <string>

#include "muster/core/error.h"

namespace muster::random {
namespace {

constexpr std::uint64_t kMaxScale = std::uint64_t{1} << 40;

// Returns the number of ones among n fair bits.
std::uint64_t heads(BitSource& bits, std::uint64_t n) {
  std::uint64_t count = 0;
  for (; n >= 64; n -= 64) count += static_cast<std::uint64_t>(std::popcount(bits.next_u64()));
  if (n > 0) count += static_cast<std::uint64_t>(std::popcount(bits.next_u64() >> (64 - n)));
  return count;
}

}  // namespace

bool bernoulli_exp(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator) {
  if (denominator < 1 || denominator > kMaxScale || numerator > denominator) {
    throw Error(ErrorCode::internal, "exponent",
                std::to_string(numerator) + "/" + std::to_string(denominator), "0 .. 1, below 2^40",
                "not an exponent");
  }
  // With x = numerator / denominator, coin k is true with probability x/k. The first false coin has an odd
  // number with probability 1 - x + x^2/2 - ... = e^-x. The product denominator * k does not overflow up to
  // k = 2^23, and k exceeds 2^23 with probability at most 1 / (2^23)!.
  std::uint64_t k = 1;
  while (uniform_below(bits, denominator * k) < numerator) ++k;
  return k % 2 == 1;
}

std::uint64_t geometric(BitSource& bits, std::uint64_t scale) {
  if (scale < 1 || scale > kMaxScale) {
    throw Error(ErrorCode::internal, "scale", std::to_string(scale), "1 .. 2^40", "cannot sample");
  }
  std::uint64_t rest;  // G modulo scale, accepted with probability e^(-rest/scale)
  do {
    rest = uniform_below(bits, scale);
  } while (!bernoulli_exp(bits, rest, scale));
  std::uint64_t whole = 0;
  while (bernoulli_exp(bits, 1, 1)) ++whole;
  return rest + scale * whole;
}

std::uint64_t binomial(BitSource& bits, std::uint64_t n, const Probability& p) {
  if (p.is_one()) return n;
  // A coin is true if its uniform number is below p. The two are compared bit by bit, and a coin is undecided
  // while all bits so far are equal. If the coin's next bit is smaller than that of p, the coin is true; if
  // larger, it is false. `rest` holds the bits of p that are still to be compared. Once they are all 0, the
  // undecided coins are false.
  std::uint64_t undecided = n, successes = 0;
  for (std::uint64_t rest = p.numerator(); rest != 0 && undecided > 0; rest <<= 1) {
    const std::uint64_t ones = heads(bits, undecided);
    if (rest >> 63 == 1) {
      successes += undecided - ones;
      undecided = ones;
    } else {
      undecided -= ones;
    }
  }
  return successes;
}

}  // namespace muster::random
