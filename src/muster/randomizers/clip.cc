#include "muster/randomizers/clip.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/random/fixed_dot.h"

namespace muster::randomizers {

void check_shape(double clip, std::size_t dimension) {
  if (!(clip >= kSmallestClip && clip <= kLargestClip)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "randomizer.clip", fmt::format("{}", clip),
                "1e-20 .. 1e20", "is no norm to clip to");
  }
  if (dimension < 1 || dimension >= std::size_t{1} << 31) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "dimension", std::to_string(dimension),
                "1 .. 2^31 - 1", "is no dimension to randomize");
  }
}

bool is_finite(std::span<const float> vector) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  std::uint32_t bad = 0;
  for (const float value : vector) bad |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent;
  return bad == 0;
}

void check_finite(std::span<const float> gradient) {
  if (is_finite(gradient)) return;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (!std::isfinite(gradient[i])) {
      throw Error(ErrorCode::data, "gradient[" + std::to_string(i) + "]", std::to_string(gradient[i]),
                  "finite numbers", "is not finite");
    }
  }
}

double checked_norm(std::span<const float> gradient) {
  const double fast = random::fixed_order_dot(gradient, gradient);
  // If the sum of squares is below 1e-20, the squares may have lost digits in single precision; otherwise
  // underflow costs less than 1e-15 of the sum.
  if (fast >= 1e-20 && std::isfinite(fast)) return std::sqrt(fast);
  check_finite(gradient);
  double exact = 0;
  for (const float x : gradient) exact += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(exact);
}

double clip_factor(double norm, double clip) {
  constexpr double kOfNorm = 0x1p-19;  // covers the errors of the norm and of the products (clip.h)
  const double limit = clip * (1 - kOfNorm);
  return norm <= limit ? 1.0 : limit / norm;
}

float round_down(double x) {
  const auto rounded = static_cast<float>(x);
  return static_cast<double>(rounded) <= x ? rounded : std::nextafter(rounded, 0.0f);
}

float round_up(double x) {
  const auto rounded = static_cast<float>(x);
  return static_cast<double>(rounded) >= x ? rounded
                                           : std::nextafter(rounded, std::numeric_limits<float>::infinity());
}

}  // namespace muster::randomizers
