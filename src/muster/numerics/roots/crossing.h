// Where a decreasing, positive function of epsilon >= 0 passes a target: the root every accountant asks for.
//
// The logarithm of the function is close to a parabola, so a safeguarded secant on logarithms needs under ten
// evaluations. Both answers are points at which the function was evaluated: `from_above` returns one whose
// value is at most the target, `from_below` one whose value is at least the target, each within a relative
// 1e-9 of the crossing. They stay on their side for a function that is only roughly decreasing.
#pragma once

#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"

namespace muster::numerics {

namespace crossing_detail {

struct Bracket {
  double low;   // value > target (or low = 0, untested side)
  double high;  // value <= target
};

// `holds(value)`: whether the value is on the far side of the crossing.
template <typename F, typename Holds>
Bracket bracket(F&& value, double target, double limit, double start, Holds&& holds, bool rescue) {
  const double log_target = std::log(target);
  const auto logarithm = [&](double v) { return std::log(larger(v, 1e-320)) - log_target; };
  double low = 0;
  double at_low = value(0.0);
  if (!(start > 0 && start < limit)) start = 1;  // a guess that is none
  double high = start;
  // A lower end may know nothing at 0, where the value is near its largest, and yet something further out.
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
  // From the start, outwards until both sides are reached.
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
    const double margin = larger(2e-10 * high, 1e-4 * (high - low));  // land on either side of the crossing
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
        at_low /= 2;  // Illinois
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

// `start`: about where the crossing is expected; a bad guess, NaN included, costs evaluations alone.
//
// A point x >= 0 with value(x) <= target, the least one to a relative 1e-9;
// infinity where value(limit) is larger.
template <typename F>
double crossing_from_above(F&& value, double target, double limit, double start = 1e-2) {
  return crossing_detail::bracket(
             value, target, limit, start, [&](double v) { return v <= target; }, false)
      .high;
}

// A point x >= 0 with value(x) >= target, the largest one to a relative 1e-9 where the value falls; 0 where
// it is smaller at 0 and around the start.
template <typename F>
double crossing_from_below(F&& value, double target, double limit, double start = 1e-2) {
  return crossing_detail::bracket(
             value, target, limit, start, [&](double v) { return !(v >= target); }, true)
      .low;
}

}  // namespace muster::numerics
