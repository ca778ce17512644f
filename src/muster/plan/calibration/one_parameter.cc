#include "muster/plan/calibration/one_parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/numerics/roots/boundary.h"
#include "muster/plan/calibration/parameter_cost.h"
#include "muster/plan/calibration/rough_epsilon.h"

namespace muster::protocols {
namespace {

using accounting::Statement;
using numerics::Lattice;

constexpr double kNone = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse_out_of_reach(const Parameter& parameter, const Target& target, double value,
                                      double reached) {
  const std::string nearest = std::isfinite(reached) ? rounded_up(reached) : "none at this delta";
  throw Error(
      ErrorCode::plan, Reason::out_of_range, "--epsilon", fmt::format("{}", target.epsilon),
      std::isfinite(reached) ? fmt::format("> {}", nearest) : "",
      fmt::format("is out of reach: even {} = {} costs epsilon {}", name_of(parameter.knob),
                  parameter.whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value), nearest));
}

struct Start {
  double value;
  double slope;         // |d log epsilon / d log value|
  double reach = 0.01;  // about how far log(value) may be from that of the answer
};

// Collects points of an increasing curve and estimates its slope.
class Slopes {
  static constexpr double kParabola = 0.5;

 public:
  void add(double x, double y) { points_.push_back({x, y}); }
  // Returns the slope of the line through the last two points. If the last three points are close together,
  // it returns the slope at x of the parabola through them instead, unless that is less than half or more
  // than twice the line's slope. Returns nullopt for fewer than two points, or for a slope outside 0.01 ..
  // 1e4.
  std::optional<double> at(double x) const {
    const std::size_t n = points_.size();
    if (n < 2) {
      return std::nullopt;
    }
    double slope = secant(n - 1);
    if (n > 2 && std::fabs(points_[n - 1].x - points_[n - 3].x) < kParabola) {
      const double bend = (slope - secant(n - 2)) / (points_[n - 1].x - points_[n - 3].x);
      const double bent = slope + bend * (2 * x - points_[n - 1].x - points_[n - 2].x);
      slope = bent > slope / 2 && bent < 2 * slope ? bent : slope;
    }
    return slope > 0.01 && slope < 1e4 ? std::optional(slope) : std::nullopt;
  }

 private:
  struct Point {
    double x, y;
  };
  double secant(std::size_t i) const {
    return (points_[i].y - points_[i - 1].y) / (points_[i].x - points_[i - 1].x);
  }
  std::vector<Point> points_;
};

// Improves `guess` by at most kSteps secant steps on the rough upper bound. Stops when a step changes the
// logarithm of the value by less than kNear.
Start better_start(ParameterCost& cost, const Plan& plan, const Parameter& parameter, const Target& target,
                   double guess, double one_end, double other_end) {
  constexpr int kSteps = 6;
  constexpr double kNear = 3e-3, kFurthest = 2;
  Start start{guess, rough_slope(plan.values(), parameter, target.delta, guess)};
  if (parameter.knob == Knob::rounds || target.view || one_end == other_end) {
    // The rough bound is no cheaper than the full one here, or there is only one value to try.
    return start;
  }
  const double direction = parameter.rises ? 1 : -1;
  Slopes slopes;
  for (int i = 0; i < kSteps; ++i) {
    const double y = std::log(cost.rough_upper(start.value) / target.epsilon);
    const double x = direction * std::log(start.value);
    if (!std::isfinite(y)) {
      break;
    }
    slopes.add(x, y);
    start.slope = slopes.at(x).value_or(start.slope);
    const double step = std::clamp(-y / start.slope, -kFurthest, kFurthest);
    double next = std::exp(direction * (x + step));
    next = std::clamp(parameter.whole ? std::round(next) : next, std::min(one_end, other_end),
                      std::max(one_end, other_end));
    if (next == start.value) {
      break;
    }
    start.value = next;
    if (i > 0 && std::fabs(step) < kNear) {
      start.slope = slopes.at(x + step).value_or(start.slope);
      start.reach = 1e-5;
      break;
    }
  }
  return start;
}

// Whether a value costs more than the target. If the rough upper bound is clearly above the target, that
// bound decides. The rough formula (rough_epsilon.h) cannot decide, because it ignores the local guarantee
// and heavy tails.
bool misses(ParameterCost& cost, const Target& target, double value) {
  constexpr double kClearly = 1.05;  // more than 1 plus the relative error of the rough upper bound
  return cost.rough_upper(value) > kClearly * target.epsilon || cost.upper(value) > target.epsilon;
}

}  // namespace

Calibration solve_for_parameter(const Plan& plan, const Parameter& parameter, const Target& target,
                                std::optional<double> better_guess) {
  ParameterCost cost(plan, parameter, target);
  const Lattice upward = parameter.whole ? numerics::whole_numbers() : numerics::six_digit_numbers();
  const Lattice lattice = parameter.rises ? upward : upward.mirror();
  const auto excess = [&](std::int64_t index) {
    return std::log(cost.upper(lattice.value(index)) / target.epsilon);
  };
  std::int64_t first = lattice.index(parameter.rises ? parameter.min : parameter.max);
  std::int64_t last = lattice.index(parameter.rises ? parameter.max : parameter.min);
  // A rate of 1, a minimum of 1 and the fewest clients that the plan allows are limits of the parameter
  // itself and not only of the search, so that no values beyond them exist.
  const bool own_end =
      parameter.knob == Knob::rate || parameter.knob == Knob::clients || parameter.knob == Knob::minimum;
  const std::int64_t end = own_end ? last + 1 : last;
  const double highest = lattice.value(last);
  if (parameter.knob == Knob::rate && misses(cost, target, highest)) {
    // Rate 1 misses the target, so only the rates below it are searched. Rate 1 was tried separately, because
    // it has theorems of its own and epsilon may jump there.
    --last;
  } else if (parameter.knob == Knob::rate) {
    first = last;
  }
  const double guess =
      better_guess ? *better_guess : rough_root(plan.values(), parameter, target.delta, target.epsilon);
  const double one_end = lattice.value(first), other_end = lattice.value(last);
  // A rough guess may be beyond what the plan allows, for example fewer clients than a round's subset.
  const Start start = better_start(
      cost, plan, parameter, target,
      std::clamp(guess, std::min(one_end, other_end), std::max(one_end, other_end)), one_end, other_end);
  const numerics::BoundarySearch search{lattice,
                                        first,
                                        last,
                                        std::clamp(lattice.index(start.value), first, last),
                                        start.slope,
                                        start.reach,
                                        !parameter.whole || parameter.knob == Knob::clients};
  std::optional<std::int64_t> index = search.last_within(excess);
  // The caller sees the statement, which lists more bounds than the search evaluates. So the statement
  // decides whether a value meets the target.
  for (std::int64_t step = 1; index && *index >= first; *index -= step, step *= 2) {
    const double value = lattice.value(*index);
    Statement statement = cost.statement(value);
    if (statement.best.upper.value_or(kNone) <= target.epsilon) {
      return {plan_at(plan, parameter, value), value, *index == end, std::nullopt, std::move(statement)};
    }
  }
  const double nearest = lattice.value(first);
  refuse_out_of_reach(parameter, target, nearest, cost.upper(nearest));
}

}  // namespace muster::protocols
