// Finds where a decreasing, positive function of epsilon >= 0 falls to a target, for example
// delta(epsilon) to the delta asked for.
//
// The logarithm of such a function is usually close to a parabola, so a safeguarded secant method on
// logarithms needs fewer than ten evaluations. A result strictly between 0 and `limit` is within a relative
// `width` of the crossing, which is 1e-9 unless the caller accepts more. The function was evaluated at the
// result, and its value there is at most the target (crossing_from_above) or at least the target
// (crossing_from_below), even if the function is only roughly decreasing. A computed upper bound may even
// rise where it consists of nothing but allowances for rounding. Where crossing_from_above meets such a
// rise, it also searches to the left of it. The functions call `value` on the caller's thread only, so they
// are thread-safe if it is.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "muster/numerics/ordered.h"

namespace muster::numerics {

// The relative width to which a crossing is found unless the caller accepts more.
inline constexpr double kCrossingWidth = 1e-9;

namespace crossing_detail {

struct Point {
  double x, value;
};

struct Bracket {
  double low;   // `holds` (see Search) is false here, unless low = high = 0
  double high;  // `holds` is true here; infinity if it is false at `limit`
};

// Brackets the crossing, and narrows the bracket. `holds(value)` says whether a value belongs to the far side
// of the crossing, where epsilon is larger; it is false at low_ and true at high_.
template <typename F, typename Holds>
class Search {
 public:
  Search(F& value, Holds& holds, double target, double limit, double width)
      : value_(value), holds_(holds), log_target_(std::log(target)), limit_(limit), width_(width) {}

  // The point with the least value at which `holds` was false, if the function was noticeably larger at a
  // point to its right.
  const std::optional<Point>& before_rise() const { return before_rise_; }

  // `rescue`: whether to look for a lower end around `start` if `holds` is already true at 0.
  Bracket run(double start, bool rescue) {
    if (!(start > 0 && start < limit_)) start = 1;  // replaces a guess that is not usable
    if (!lower_end(start, rescue)) return {0, 0};
    high_ = low_ > 0 ? smaller(1.25 * low_, limit_) : start;
    if (const double v = value_(high_); holds_(v)) {
      towards_zero(v, start);
    } else if (!towards_limit(v)) {
      return {high_, std::numeric_limits<double>::infinity()};
    }
    narrow();
    return {low_, high_};
  }

 private:
  // Makes x the lower end of the bracket. Lower ends only move to the right.
  void set_low(double x, double value) {
    low_ = x;
    at_low_ = logarithm(value);
    if (!(value >= least_low_.value)) {
      least_low_ = {x, value};
    } else if (value > (1 + kNoticeable) * least_low_.value) {
      before_rise_ = least_low_;
    }
  }
  double logarithm(double v) const { return std::log(larger(v, 1e-320)) - log_target_; }

  // Finds low_. Returns false if `holds` is true at all points tried.
  bool lower_end(double start, bool rescue) {
    double v = value_(0.0);
    // A function that is a lower bound of delta(epsilon) may be useless at 0, though delta is largest there,
    // and yet exceed the target farther out.
    for (const double factor : {1.0, 0.5, 0.25, 0.1, 2.0}) {
      if (!rescue || !holds_(v) || start * factor > limit_) break;
      low_ = start * factor;
      v = value_(low_);
    }
    if (holds_(v)) return false;
    set_low(low_, v);
    return true;
  }

  // Halves high_, where the value is v, until `holds` is false, unless a lower end above 0 is known.
  void towards_zero(double v, double start) {
    while (high_ > kNearZero * start && low_ == 0) {
      const double next = high_ / 2;
      const double w = value_(next);
      if (!holds_(w)) {
        set_low(next, w);
        break;
      }
      high_ = next;
      v = w;
    }
    at_high_ = logarithm(v);
  }

  // Raises high_, where the value is v, until `holds` is true. Returns false if `holds` is false even at the
  // limit.
  bool towards_limit(double v) {
    for (double factor = 1.5; !holds_(v); factor *= 1.3) {
      set_low(high_, v);
      if (high_ >= limit_) return false;
      high_ = smaller(high_ * factor, limit_);
      v = value_(high_);
    }
    at_high_ = logarithm(v);
    return true;
  }

  // The method of Anderson and Bjoerck, a variant of regula falsi: if one end of the bracket stays for two
  // steps in a row, its ordinate (at_low_ or at_high_) is reduced. After three steps in a row that did not
  // halve the bracket, the next step bisects it. (N. Anderson, A. Bjoerck, A new high order method of regula
  // falsi type for computing a root of an equation, BIT 13, 1973.)
  void narrow() {
    int same_side = 0;  // how many times in a row the upper end moved; negative if the lower end did
    int slow = 0;       // how many steps in a row have not halved the bracket
    for (int i = 0; i < 200 && high_ - low_ > width_ * high_; ++i) {
      const double fraction = at_low_ / (at_low_ - at_high_);
      double x = low_ + (high_ - low_) * (std::isfinite(fraction) ? fraction : 0.5);
      // The step aims past the crossing by this margin, so that the other end of the bracket moves too.
      const double margin = larger(beyond() * high_, 1e-4 * (high_ - low_));
      if (slow >= 3 || at_high_ < -700) {
        x = 0.5 * (low_ + high_);
        same_side = 0;
      } else {
        x += same_side > 0 ? -margin : margin;
      }
      x = within(x, low_ + least_step() * high_, high_ - least_step() * high_);
      const double width = high_ - low_;
      const double v = value_(x);
      if (holds_(v)) {
        const double before = at_high_;
        high_ = x;
        at_high_ = logarithm(v);
        if (same_side > 0) at_low_ *= kept(at_high_, before);
        same_side = larger(same_side, 0) + 1;
      } else {
        const double before = at_low_;
        set_low(x, v);
        if (same_side < 0) at_high_ *= kept(at_low_, before);
        same_side = smaller(same_side, 0) - 1;
      }
      slow = high_ - low_ > 0.5 * width ? slow + 1 : 0;
    }
  }

  // The least distance of a step from the bracket's ends, and the least margin by which a step aims past the
  // crossing, both relative to the crossing.
  double least_step() const { return width_ / 10; }
  double beyond() const { return width_ / 5; }

  // The factor by which Anderson and Bjoerck reduce the ordinate of the end that stays, where the step has
  // changed the other end's ordinate from `before` to `now`. It is a half where their formula gives no number
  // between 0 and 1.
  static double kept(double now, double before) {
    const double share = 1 - now / before;
    return share > 0 && share < 1 ? share : 0.5;
  }

  F& value_;
  Holds& holds_;
  double log_target_, limit_;
  double width_;  // the relative width of a bracket that is narrow enough
  double low_ = 0, high_ = 0;
  double at_low_ = 0, at_high_ = 0;  // ln(value / target) at low_ and high_
  // A crossing below this share of the first guess is taken as 0.
  static constexpr double kNearZero = 1e-12;
  // A smaller relative rise may come from the function's own rounding.
  static constexpr double kNoticeable = 1e-5;
  Point least_low_{0, std::numeric_limits<double>::infinity()};
  std::optional<Point> before_rise_;
};

// Returns the least point up to low.x where the value is at most low.value, if the value there is also at
// most the target and the point is below `found`; otherwise returns `found`. Hardly any function rises, so
// this code is not inlined into the search.
template <typename F>
[[gnu::noinline]] double left_of_rise(F& value, const Point& low, double target, double found, double width) {
  const auto as_low = [&](double v) { return v <= low.value; };
  const double left = Search(value, as_low, low.value, low.x, width).run(low.x / 2, false).high;
  return value(left) <= target ? smaller(left, found) : found;
}

}  // namespace crossing_detail

// A point x >= 0 with value(x) <= target, the least one to a relative `width`; infinity if value(limit) is
// larger than the target. `start` is about where the crossing is expected; a bad guess, even NaN, only
// costs evaluations.
template <typename F>
double crossing_from_above(F&& value, double target, double limit, double start = 1e-2,
                           double width = kCrossingWidth) {
  const auto holds = [&](double v) { return v <= target; };
  crossing_detail::Search search(value, holds, target, limit, width);
  const double found = search.run(start, false).high;
  return search.before_rise()
             ? crossing_detail::left_of_rise(value, *search.before_rise(), target, found, width)
             : found;
}

// A point x >= 0 with value(x) >= target. If the function decreases, x is the largest such point up to
// `limit`, to a relative `width`. The result is 0 if the values at 0 and around `start` are all below the
// target.
template <typename F>
double crossing_from_below(F&& value, double target, double limit, double start = 1e-2,
                           double width = kCrossingWidth) {
  const auto holds = [&](double v) { return !(v >= target); };
  return crossing_detail::Search(value, holds, target, limit, width).run(start, true).low;
}

}  // namespace muster::numerics
