// Holds what several cover.cc files share: texts of assumptions, checks of whether a mechanism's sums can
// be computed, and functions that turn a curve into the form that RoundBound holds. All functions are pure.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/numerics/enclosure.h"
#include "muster/theorems/round_bound.h"

namespace muster::accounting {

// Sums are computed only up to this epsilon0, because their terms are as large as e^epsilon0.
inline constexpr double kMaxEpsilon0 = 100;

inline constexpr const char* kSecretCoins = "coins are secret, independent of the data and of each other";
inline constexpr const char* kOneRoundAtATime =
    "one round at a time: not inside a slot protocol, where later rounds see earlier ones";
inline constexpr const char* kNoAmplification =
    "no amplification: holds even if the shuffler colludes with the aggregator";
inline constexpr const char* kLowerAlone = "a lower bound: upper is none";

// Returns the value of RoundBound::knot for an epsilon0-LDP mechanism. It is half of the change in the
// logarithm of the mean likelihood ratio of n messages if one of them has the ratio e^epsilon0 instead
// of 1. The bounds are means of sums whose terms have few values, so their curves have kinks. For epsilon
// near 0, the kinks lie near multiples of the knot.
inline double knot_of(double epsilon0, double n) { return std::log1p(std::expm1(epsilon0) / n) / 2; }

inline double count_of(ClientCount clients) { return static_cast<double>(clients.value()); }

// Returns whether sums are computed for the mechanism, which is not so if epsilon0 > kMaxEpsilon0.
bool summable(const Mechanism& mechanism);
// Returns whether the theorems for class C apply and their sums can be computed.
bool summable_in_class_c(const Mechanism& mechanism);

// These return the radius and the diameter of a ball that holds all records, in deviations of the noise.
// Clipped records lie within 1/sigma of the origin. By Jung's theorem, records pairwise within mu also lie
// in a ball of radius mu / sqrt 2. The smaller ball is used.
double ball_radius(const GaussianLocal& mechanism);
double ball_diameter(const GaussianLocal& mechanism);

// Returns `assumptions`, followed by those that every bound makes about the mechanism's sampler.
std::vector<std::string> with_mechanism(const Mechanism& mechanism, std::vector<std::string> assumptions);

// Turns the value of a theorem's formula into a value of a RoundBound's curve. The lower end of an
// enclosure is a lower bound of the formula, but not of the true divergence, so it is used as an estimate.
inline numerics::UpperAndEstimate of_bound(const numerics::Enclosure& value) {
  return {.upper = value.upper, .estimate = value.lower};
}
inline numerics::UpperAndEstimate of_bound(const numerics::UpperAndEstimate& value) { return value; }

// Wraps a curve object as the function that a RoundBound holds.
template <typename Curve>
BoundCurve curve_of(Curve curve) {
  const auto shared = std::make_shared<const Curve>(std::move(curve));
  return [shared](double epsilon) { return of_bound(shared->delta(epsilon)); };
}

}  // namespace muster::accounting
