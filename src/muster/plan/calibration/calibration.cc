#include "muster/plan/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <memory>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/numerics/roots/boundary.h"
#include "muster/plan/calibration/rough_epsilon.h"
#include "muster/plan/calibration/round_variance.h"
#include "muster/plan/keys.h"
#include "muster/plan/nearest.h"

namespace muster::protocols {
namespace {

using accounting::Accountant;
using accounting::Question;
using accounting::Statement;
using numerics::Lattice;

constexpr double kNone = std::numeric_limits<double>::infinity();

// One plan parameter in which epsilon is monotone, and the range that is searched.
struct Dial {
  Knob knob;
  std::string_view key;
  bool rises;  // epsilon rises with the parameter, so the answer is the largest value
  bool whole;  // an integer; otherwise a number of six significant digits
  double min;
  double max;
};

// The parameter of a knob. Values below `min` or above `max` are never tried.
Dial dial_of(Knob knob) {
  constexpr double kMaxClients = 1e12;
  switch (knob) {
    case Knob::epsilon0:
      return {knob, "randomizer.epsilon0", true, false, 1e-6, 100};
    case Knob::sigma:
      return {knob, "randomizer.sigma", false, false, 0.01, 1e8};
    case Knob::rate:
      return {knob, "participation.rate", true, false, 1e-9, 1};
    case Knob::rounds:
      return {knob, "rounds.count", true, true, 1, 1e9};
    case Knob::clients:
      return {knob, "population.clients", false, true, 1, kMaxClients};
    case Knob::minimum:
      return {knob, "participation.minimum", false, true, 1, kMaxClients};
    case Knob::accuracy:
      break;
  }
  throw Error(ErrorCode::internal, "--for", name_of(knob), "", "not one parameter");
}

// As above, in the range that the plan leaves: no round asks for more reports than there are clients.
Dial dial_of(Knob knob, const Plan& plan) {
  Dial dial = dial_of(knob);
  if (knob == Knob::clients) {
    dial.min = static_cast<double>(std::max({plan.subset(), plan.minimum(), std::uint64_t{1}}));
  } else if (knob == Knob::minimum) {
    dial.max = static_cast<double>(plan.clients());
  }
  return dial;
}

// The plan with this value of the parameter: the shortest text of a number is read as the same number.
Plan with(const Plan& plan, const Dial& dial, double value) {
  return plan.with(
      dial.key, dial.whole ? fmt::format("{}", static_cast<std::uint64_t>(value)) : fmt::format("{}", value));
}

// For the rough formula, which takes values out of range, too.
void set(PlanValues& values, Knob knob, double value) {
  switch (knob) {
    case Knob::epsilon0:
      values.epsilon0 = value;
      return;
    case Knob::sigma:
      values.sigma = value;
      return;
    case Knob::rate:
      values.rate = value;
      return;
    case Knob::rounds:
      values.rounds = static_cast<std::uint64_t>(value);
      return;
    case Knob::clients:
      values.clients = static_cast<std::uint64_t>(value);
      return;
    case Knob::minimum:
      values.minimum = static_cast<std::uint64_t>(value);
      return;
    case Knob::accuracy:
      return;
  }
}

Question question_of(const Target& target) { return {Question::Kind::epsilon_at_delta, target.delta}; }

// Answers the proven upper epsilon of plans that differ in one parameter. If only the number of rounds
// changes, the same accountant answers again.
class Asking {
 public:
  Asking(const Plan& plan, const Dial& dial, const Target& target)
      : plan_(plan), dial_(dial), target_(target) {}

  double upper(double value) {
    const Accountant& accountant = at(value);
    const Question question = question_of(target_);
    return target_.view ? accountant.account(rounds(value), question, target_.view).best.upper.value_or(kNone)
                        : accountant.upper(rounds(value), question).value_or(kNone);
  }
  // An epsilon a little above upper()'s, at less cost.
  double rough_upper(double value) {
    return target_.view ? upper(value)
                        : at(value).rough_upper(rounds(value), question_of(target_)).value_or(kNone);
  }
  Statement statement(double value) {
    return at(value).account(rounds(value), question_of(target_), target_.view);
  }

 private:
  std::uint64_t rounds(double value) const {
    return dial_.knob == Knob::rounds ? static_cast<std::uint64_t>(value) : plan_.rounds();
  }
  // Returns the accountant for this value. The last three are kept, because the answer is
  // usually one of them.
  const Accountant& at(double value) {
    const auto same = [&](const Kept& kept) { return dial_.knob == Knob::rounds || kept.value == value; };
    auto found = std::ranges::find_if(kept_, same);
    if (found == kept_.end()) {
      constexpr std::size_t kKept = 3;
      if (kept_.size() == kKept) {
        kept_.pop_front();
      }
      const Plan plan = with(plan_, dial_, value);
      kept_.push_back({value, std::make_unique<Accountant>(plan.mechanism(), plan.participation())});
      found = std::prev(kept_.end());
    }
    return *found->accountant;
  }

  struct Kept {
    double value;
    std::unique_ptr<Accountant> accountant;
  };
  Plan plan_;
  Dial dial_;
  Target target_;
  std::list<Kept> kept_;
};

// The parameter value at which the rough formula gives `rough_target`.
double rough_root(PlanValues values, const Dial& dial, double delta, double rough_target) {
  double low = std::log(dial.min), high = std::log(dial.max);
  for (int i = 0; i < 40; ++i) {
    const double middle = low + (high - low) / 2;
    set(values, dial.knob, std::max(std::exp(middle), dial.whole ? 1.0 : 0.0));
    const bool within = rough_epsilon(values, delta) <= rough_target;
    (within == dial.rises ? low : high) = middle;
  }
  return std::exp(low);
}

// The derivative |d log epsilon / d log value|, by the rough formula.
double rough_slope(PlanValues values, const Dial& dial, double delta, double value) {
  constexpr double kApart = 1.2;
  set(values, dial.knob, value);
  const double here = rough_epsilon(values, delta);
  set(values, dial.knob, dial.whole ? std::floor(value * kApart + 1) : value * kApart);
  const double slope = std::fabs(std::log(rough_epsilon(values, delta) / here)) / std::log(kApart);
  return std::clamp(slope, 0.1, 10.0);
}

[[noreturn]] void refuse_out_of_reach(const Dial& dial, const Target& target, double value, double reached) {
  const std::string nearest = std::isfinite(reached) ? rounded_up(reached) : "none at this delta";
  throw Error(ErrorCode::plan, "--epsilon", fmt::format("{}", target.epsilon),
              std::isfinite(reached) ? fmt::format("> {}", nearest) : "",
              fmt::format("is out of reach: even {} = {} costs epsilon {}", name_of(dial.knob),
                          dial.whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value), nearest));
}

struct Start {
  double value;
  double slope;         // d log epsilon / d |log value|
  double reach = 0.01;  // how far the value may be off, in |log value|
};

// Points of an increasing curve. at() gives its slope where the next point will be, once there
// are two points.
class Slopes {
  static constexpr double kParabola = 0.5;

 public:
  void add(double x, double y) { points_.push_back({x, y}); }
  // The slope at x of the parabola through the last three points if they are close together, else of the
  // line through the last two. None if the slope is not usable.
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

// Improves the rough formula's guess by at most six secant steps on the rough upper bound, until the last
// step is below 0.003 in the logarithm of the value.
Start better_start(Asking& asking, const Plan& plan, const Dial& dial, const Target& target, double guess,
                   double one_end, double other_end) {
  constexpr int kSteps = 6;
  constexpr double kNear = 3e-3, kFurthest = 2;
  Start start{guess, rough_slope(plan.values(), dial, target.delta, guess)};
  if (dial.knob == Knob::rounds || target.view || one_end == other_end) {
    // The full bound costs no more here.
    return start;
  }
  const double direction = dial.rises ? 1 : -1;
  Slopes slopes;
  for (int i = 0; i < kSteps; ++i) {
    const double y = std::log(asking.rough_upper(start.value) / target.epsilon);
    const double x = direction * std::log(start.value);
    if (!std::isfinite(y)) {
      break;
    }
    slopes.add(x, y);
    start.slope = slopes.at(x).value_or(start.slope);
    const double step = std::clamp(-y / start.slope, -kFurthest, kFurthest);
    double next = std::exp(direction * (x + step));
    next = std::clamp(dial.whole ? std::round(next) : next, std::min(one_end, other_end),
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

// Whether one value costs more than the target. The coarse table decides where it is clearly above. (The
// closed formula cannot decide this: it accounts neither for the local guarantee nor for heavy tails.)
bool misses(Asking& asking, const Target& target, double value) {
  constexpr double kClearly = 1.05;  // more than the error of the coarse table
  return asking.rough_upper(value) > kClearly * target.epsilon || asking.upper(value) > target.epsilon;
}

// `better_guess` is where the search starts; if it is not given, the rough formula provides the start.
Calibration solve(const Plan& plan, const Dial& dial, const Target& target,
                  std::optional<double> better_guess = std::nullopt) {
  Asking asking(plan, dial, target);
  const Lattice upward = dial.whole ? numerics::whole_numbers() : numerics::six_digit_numbers();
  const Lattice lattice = dial.rises ? upward : upward.mirror();
  const auto excess = [&](std::int64_t index) {
    return std::log(asking.upper(lattice.value(index)) / target.epsilon);
  };
  std::int64_t first = lattice.index(dial.rises ? dial.min : dial.max);
  std::int64_t last = lattice.index(dial.rises ? dial.max : dial.min);
  // A rate of 1, one client and a minimum of 1 are limits of the parameter itself, not only of the search.
  const bool own_end = dial.knob == Knob::rate || dial.knob == Knob::clients || dial.knob == Knob::minimum;
  const std::int64_t end = own_end ? last + 1 : last;
  const double highest = lattice.value(last);
  if (dial.knob == Knob::rate && misses(asking, target, highest)) {
    // Rate 1 has theorems of its own, so epsilon may jump between rate 1 and the rates below it.
    --last;
  } else if (dial.knob == Knob::rate) {
    first = last;
  }
  const double guess =
      better_guess ? *better_guess : rough_root(plan.values(), dial, target.delta, target.epsilon);
  const Start start =
      better_start(asking, plan, dial, target, guess, lattice.value(first), lattice.value(last));
  const numerics::BoundarySearch search{lattice,
                                        first,
                                        last,
                                        std::clamp(lattice.index(start.value), first, last),
                                        start.slope,
                                        start.reach,
                                        !dial.whole || dial.knob == Knob::clients};
  std::optional<std::int64_t> index = search.last_within(excess);
  // The statement lists more bounds than the search evaluates, and it is what the caller sees, so it decides.
  for (std::int64_t step = 1; index && *index >= first; *index -= step, step *= 2) {
    const double value = lattice.value(*index);
    Statement statement = asking.statement(value);
    if (statement.best.upper.value_or(kNone) <= target.epsilon) {
      return {with(plan, dial, value), value, *index == end, std::nullopt, std::move(statement)};
    }
  }
  const double nearest = lattice.value(first);
  refuse_out_of_reach(dial, target, nearest, asking.upper(nearest));
}

// The variance that remains at one rate if the noise meets the target there. It asks the accountant once
// or twice and does not bracket the answer: precise enough to compare rates, not to be stated.
class AtRate {
 public:
  AtRate(const Plan& plan, const Target& target)
      : plan_(plan),
        target_(target),
        dial_(dial_of(plan.randomizer() == RandomizerKind::gaussian ? Knob::sigma : Knob::epsilon0)) {}

  const Dial& dial() const { return dial_; }

  double variance(double rate) {
    Asking asking(with(plan_, dial_of(Knob::rate), rate), dial_, target_);
    PlanValues values = plan_.values();
    values.rate = rate;
    for (int i = 0; i < 2; ++i) {
      const double value = rough_root(values, dial_, target_.delta, target_.epsilon * correction_);
      const double upper = asking.rough_upper(value);
      if (!std::isfinite(upper)) {
        return kNone;
      }
      // The rough formula has nearly the same relative error here as at the neighbouring values.
      set(values, dial_.knob, value);
      correction_ = rough_epsilon(values, target_.delta) / std::max(upper, 1e-9 * target_.epsilon);
      if (constexpr double kNear = 0.05; std::fabs(upper / target_.epsilon - 1) < kNear) {
        break;
      }
    }
    noise_ = rough_root(values, dial_, target_.delta, target_.epsilon * correction_);
    set(values, dial_.knob, noise_);
    return round_variance(values);
  }
  double noise() const { return noise_; }  // at the rate of the last call

 private:
  Plan plan_;
  Target target_;
  Dial dial_;
  double correction_ = 1;
  double noise_ = 1;
};

struct RateFound {
  double log_odds;
  double variance;
  double noise;
  double rate() const { return 1 / (1 + std::exp(-log_odds)); }  // 1 at infinity
};

RateFound ask(AtRate& at, double log_odds) {
  RateFound found{log_odds, 0, 0};
  found.variance = at.variance(found.rate());
  found.noise = at.noise();
  return found;
}

// Golden-section search between two rates. They are given as log odds, which resolves rates near 0 and
// near 1. The variance is flat around its minimum, so the search ends when the two inner points differ by
// less than a thousandth.
RateFound best_between(AtRate& at, double low, double high) {
  constexpr double kGolden = 0.6180339887498949, kFlat = 1e-3, kClose = 0.05;
  RateFound left = ask(at, high - kGolden * (high - low)), right = ask(at, low + kGolden * (high - low));
  while (high - low > kClose) {
    const double smaller = std::min(left.variance, right.variance);
    if (std::fabs(left.variance - right.variance) < kFlat * smaller) {
      break;
    }
    if (left.variance < right.variance) {
      high = right.log_odds;
      right = left;
      left = ask(at, high - kGolden * (high - low));
    } else {
      low = left.log_odds;
      left = right;
      right = ask(at, low + kGolden * (high - low));
    }
  }
  return left.variance < right.variance ? left : right;
}

RateFound best_rate(AtRate& at, double clients) {
  // The search ends at the rate at which about fifty clients abstain, because the check-in theorems hide
  // a report among those that abstain.
  const double abstaining = std::min(50.0, clients / 10) / clients;
  const double high = std::log((1 - abstaining) / abstaining);
  constexpr double kLow = -1, kLowest = -9;  // rates of about 0.27 and 1.2e-4
  RateFound best = best_between(at, kLow, high);
  if (best.log_odds < kLow + 1) {
    best = best_between(at, kLowest, best.log_odds + 1);
  }
  const RateFound everybody = ask(at, std::numeric_limits<double>::infinity());
  return everybody.variance < best.variance ? everybody : best;
}

Calibration most_accurate(const Plan& plan, const Target& target) {
  PlanValues unsolved = plan.values();
  unsolved.rate = 0.5;
  (plan.randomizer() == RandomizerKind::gaussian ? unsolved.sigma : unsolved.epsilon0) = 1;
  // This call refuses plans for which no variance is defined.
  static_cast<void>(round_variance(unsolved));
  AtRate at(plan, target);
  const RateFound best = best_rate(at, static_cast<double>(plan.clients()));
  const Lattice lattice = numerics::six_digit_numbers();
  const Plan at_best = with(plan, dial_of(Knob::rate), lattice.value(lattice.index(best.rate())));
  Calibration found = solve(at_best, at.dial(), target, best.noise);
  found.variance = round_variance(found.plan.values());
  return found;
}

}  // namespace

const char* name_of(Knob knob) {
  switch (knob) {
    case Knob::epsilon0:
      return "epsilon0";
    case Knob::sigma:
      return "sigma";
    case Knob::rate:
      return "rate";
    case Knob::rounds:
      return "rounds";
    case Knob::clients:
      return "clients";
    case Knob::minimum:
      return "minimum";
    case Knob::accuracy:
      return "accuracy";
  }
  return "";
}

constexpr std::array kKnobs = {Knob::epsilon0, Knob::sigma,   Knob::rate,    Knob::rounds,
                               Knob::clients,  Knob::minimum, Knob::accuracy};

std::string knob_names() {
  std::string names;
  for (const Knob knob : kKnobs) {
    names += fmt::format("{}{}", names.empty() ? "" : " | ", name_of(knob));
  }
  return names;
}

Knob knob_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Knob knob : kKnobs) {
    if (name == name_of(knob)) {
      return knob;
    }
    names.emplace_back(name_of(knob));
  }
  const std::string close = nearest(name, names);
  throw Error(ErrorCode::plan, "--for", name, knob_names(),
              close.empty() ? "is nothing to solve for"
                            : fmt::format("is nothing to solve for; did you mean {}?", close));
}

std::vector<std::string_view> keys_solved_by(Knob knob) {
  if (knob == Knob::accuracy) {
    return {"randomizer.epsilon0", "randomizer.sigma", "participation.rate"};
  }
  return {dial_of(knob).key};
}

Calibration calibrate(const Plan& plan, Knob knob, const Target& target) {
  for (const std::string_view key : keys_solved_by(knob)) {
    const KeySpec& spec = spec_of(key);
    if (knob != Knob::accuracy && !spec.applies_to(name_of(plan.protocol()), name_of(plan.randomizer()))) {
      throw Error(ErrorCode::plan, "--for", name_of(knob), spec.only_with(),
                  fmt::format("cannot be solved for: {} does not apply to protocol {} with randomizer {}",
                              key, name_of(plan.protocol()), name_of(plan.randomizer())));
    }
  }
  if (!(target.epsilon > 0 && std::isfinite(target.epsilon))) {
    throw Error(ErrorCode::plan, "--epsilon", fmt::format("{}", target.epsilon), "number > 0",
                "is not a target");
  }
  return knob == Knob::accuracy ? most_accurate(plan, target) : solve(plan, dial_of(knob, plan), target);
}

}  // namespace muster::protocols
