#include "muster/papers/random_allocation.h"

#include "muster/numerics/ordered.h"
#include "muster/numerics/roots/crossing.h"

namespace muster::accounting {
namespace {

using End = ShuffleGaussianPair::End;

constexpr double kMaxEpsilon = 700;  // above this epsilon, e^epsilon overflows

}  // namespace

numerics::Enclosure RandomAllocation::delta(double epsilon) const {
  const numerics::Enclosure forward = pair_.forward(epsilon);
  const numerics::Enclosure reverse = pair_.reverse(epsilon);
  return {numerics::larger(forward.lower, reverse.lower), numerics::larger(forward.upper, reverse.upper)};
}

numerics::Enclosure RandomAllocation::epsilon(double delta) const {
  // The root search starts near a rough guess, so that no time is spent in far tails.
  const auto rough = [this](double e) { return pair_.rough(e); };
  const double start =
      numerics::within(1.15 * numerics::crossing_from_above(rough, delta, kMaxEpsilon), 1e-6, 600.0);
  const auto least = [&](auto&& curve) {
    return numerics::crossing_from_above(curve, delta, kMaxEpsilon, start);
  };
  const auto most = [&](auto&& curve) {
    return numerics::crossing_from_below(curve, delta, kMaxEpsilon, start);
  };
  // The root of the forward curve is found first. The root of the reverse curve is found only if it is
  // larger.
  double upper = least([&](double x) { return pair_.forward(x, End::upper).upper; });
  if (pair_.reverse(upper, End::upper).upper > delta) {
    upper = least([&](double x) { return pair_.reverse(x, End::upper).upper; });
  }
  double lower = most([&](double x) { return pair_.forward(x, End::lower).lower; });
  if (pair_.reverse(lower, End::lower).lower > delta) {
    lower = most([&](double x) { return pair_.reverse(x, End::lower).lower; });
  }
  return {lower, upper};
}

}  // namespace muster::accounting
