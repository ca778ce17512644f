#include "muster/randomizers/flip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "muster/core/error.h"

namespace muster::randomizers {

Flip flip_of(double epsilon0) {
  if (!(epsilon0 >= 1e-9 && epsilon0 <= 700)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "randomizer.epsilon0", fmt::format("{}", epsilon0),
                "1e-9 .. 700", "is outside the range of the sampler");
  }
  // The slack of 2^-50 is eight relative errors of 2^-53. The hyperbolic tangent is wrong by at most four of
  // them, and so is the quotient: by two of the exponential, one of the sum and one of the division. The
  // product with the slack adds one.
  constexpr double kRounding = 0x1p-50;
  std::uint64_t numerator;
  if (epsilon0 < 1) {
    // 1 - 2q = tanh(epsilon0 / 2), rounded down.
    const double bias = std::tanh(epsilon0 / 2) * (1 - kRounding);
    numerator = (std::uint64_t{1} << 63) - static_cast<std::uint64_t>(std::ldexp(bias, 63));
  } else {
    const double q = 1 / (std::exp(epsilon0) + 1) * (1 + kRounding);
    numerator = static_cast<std::uint64_t>(std::ceil(std::ldexp(q, 64)));
  }
  // 1 - 2q is bias_numerator / 2^64, where bias_numerator = 2^64 - 2 numerator is below 2^64 because
  // numerator >= 1.
  const std::uint64_t bias_numerator = 0 - 2 * numerator;
  return {random::Probability::of_numerator(numerator),
          1 / std::ldexp(static_cast<double>(bias_numerator), -64)};
}

random::Probability negation_of(double share) {
  return random::Probability::at_most(0.5 - std::min(std::abs(share), 1.0) / 2);
}

bool noisy_sign(random::BitSource& bits, double share, const Flip& flip) {
  const bool negated = random::bernoulli(bits, negation_of(share));
  const bool flipped = random::bernoulli(bits, flip.probability);
  return (share >= 0) != (negated != flipped);
}

}  // namespace muster::randomizers
