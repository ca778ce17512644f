// Finds where a decreasing, positive function of epsilon >= 0 falls to a target, for example
// delta(epsilon) to the delta asked for.
//
// The logarithm of the function is close to a parabola, so a safeguarded secant method on logarithms
// needs fewer than ten evaluations. Both functions return a point at which the function was evaluated:
// crossing_from_above one whose value is at most the target, crossing_from_below one whose value is at
// least the target, each within a relative 1e-9 of the crossing. The value is on the right side even if
// the function is only roughly decreasing.
#pragma once

#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"

namespace muster::numerics {

namespace crossing_detail {

struct Bracket {
  double low;   // `holds` is false here, unless low = high = 0
  double high;  // `holds` is true here; infinity where it is false at `limit`
};

// Brackets the crossing. `holds(value)` is whether the value is on the far side of the crossing; it is
// false at `low` and true at `high`. `rescue`: whether to look for a lower end around `start` if `holds`
// is already true at 0.
template <typename F, typename Holds>
Bracket bracket(F&& value, double target, double limit, double start, Holds&& holds, bool rescue) {
  const double log_target = std::log(target);
  const auto logarithm = [&](double v) { return std::log(larger(v, 1e-320)) - log_target; };
  double low = 0;
  double at_low = value(0.0);
  if (!(start > 0 && start < limit)) start = 1;  // the guess is unusable
  double high = start;
  // A lower bound may be trivial at 0, where the value is near its largest, and yet exceed the
  // target further out.
  for (const double factor : {1.0, 0.5, 0.25, 0.1, 2.0}) {
    if (!rescue || !holds(at_low) || high * factor > limit) break;
    low = high * factor;
    at_low = value(low);
  }
  if (holds(at_low)) {
    return {0, 0};
  }
  at_low = logarithm(at_low);
  if (low > 0) high = smaller(1.25 * low, limit);
  // Search from the start outwards until both sides are reached.
  double v = value(high);
  if (holds(v)) {
    while (high > 1e-12 * start && low == 0) {
      const double next = high / 2;
      const double w = value(next);
      if (!holds(w)) {
        low = next;
        at_low = logarithm(w);
        break;
      }
      high = next;
      v = w;
    }
  } else {
    for (double factor = 1.5; !holds(v); factor *= 1.3) {
      low = high;
      at_low = logarithm(v);
      if (high >= limit) {
        return {high, std::numeric_limits<double>::infinity()};
      }
      high = smaller(high * factor, limit);
      v = value(high);
    }
  }
  double at_high = logarithm(v);
  int same_side = 0;
  for (int i = 0; i < 200 && high - low > 1e-9 * high; ++i) {
    const double fraction = at_low / (at_low - at_high);
    double x = low + (high - low) * (std::isfinite(fraction) ? fraction : 0.5);
    // The step aims past the crossing by this margin, so that the other end of the bracket moves too.
    const double margin = larger(2e-10 * high, 1e-4 * (high - low));
    if (same_side >= 3 || same_side <= -3 || at_high < -700) {
      x = 0.5 * (low + high);
      same_side = 0;
    } else {
      x += same_side > 0 ? -margin : margin;
    }
    x = within(x, low + 1e-10 * high, high - 1e-10 * high);
    v = value(x);
    if (holds(v)) {
      high = x;
      at_high = logarithm(v);
      if (same_side > 0) {
        at_low /= 2;  // the Illinois variant of regula falsi
      }
      same_side = larger(same_side, 0) + 1;
    } else {
      low = x;
      at_low = logarithm(v);
      if (same_side < 0) {
        at_high /= 2;
      }
      same_side = smaller(same_side, 0) - 1;
    }
  }
  return {low, high};
}

}  // namespace crossing_detail

// A point x >= 0 with value(x) <= target, the least one to a relative 1e-9; infinity where value(limit)
// is larger than the target. `start` is about where the crossing is expected; a bad guess, even NaN, only
// costs evaluations.
template <typename F>
double crossing_from_above(F&& value, double target, double limit, double start = 1e-2) {
  return crossing_detail::bracket(
             value, target, limit, start, [&](double v) { return v <= target; }, false)
      .high;
}

// A point x >= 0 with value(x) >= target, the largest one to a relative 1e-9 where the value falls; 0
// where the value is smaller than the target at 0 and around the start.
template <typename F>
double crossing_from_below(F&& value, double target, double limit, double start = 1e-2) {
  return crossing_detail::bracket(
             value, target, limit, start, [&](double v) { return !(v >= target); }, true)
      .low;
}

}  // namespace muster::numerics
