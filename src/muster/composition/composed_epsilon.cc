#include "muster/composition/composed_epsilon.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "muster/composition/coarser_lattice.h"
#include "muster/composition/convolved_near.h"
#include "muster/composition/loss_integral.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/roots/crossing.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::Side;

// Limits on the work of one integral in a quick search, which needs about ten integrals.
constexpr Effort kQuick{1.5e7, 16};
// A coarser lattice is first chosen for Chernoff's bound on epsilon. If the epsilon found on this lattice
// is below this fraction of Chernoff's bound, a lattice is chosen again, for the epsilon found.
constexpr double kFarBelow = 0.25;
// A search whose first stages have failed starts at this fraction of Chernoff's bound on epsilon if the bound
// is more than kFarAbove times the epsilon that mean and deviation suggest.
constexpr double kBelowChernoff = 0.5;
constexpr double kFarAbove = 4;
// When a lattice is chosen again (see kFarBelow), moving the losses onto it may change epsilon, to first
// order, by at most one of these fractions. The fractions are tried in turn until the integrals on the
// lattice give an answer. In measurements with rare large losses, the first limit made epsilon larger by 3e-4
// or less in all, and kHarmlessChange by 2e-3.
constexpr std::array kCloserChanges{1e-5, kHarmlessChange, 4 * kHarmlessChange};

// The relative width to which a search by integrals finds epsilon. Each integral over several laws takes the
// work of one integral for each of them, so their searches end earlier.
double width_of_search(Parts parts) { return parts.size() > 1 ? 1e-6 : numerics::kCrossingWidth; }

// Limits on the work of one integral when a quick search has failed. Sums over several laws may take little
// more work, and their transforms hardly more cells, than those of a single law.
Effort most_effort(Parts parts) {
  const Effort one;
  const double laws = static_cast<double>(parts.size());
  return {numerics::larger(kQuick.work, one.work / laws),
          numerics::larger(kQuick.cells, one.cells - static_cast<int>(std::log2(laws)))};
}

// A lower bound of P(S > 1) by Cantelli's inequality, for the sum S of all rounds' losses; 0 if
// the mean of S is at most 1. Delta at 0 is at least (1 - 1/e) times this probability.
double surely_positive(Parts parts) {
  const double mean = sum_over(parts, [](const RepeatedLoss& p) { return p.losses->mean(); }) - 1;
  const double variance = sum_over(parts, [](const RepeatedLoss& p) { return p.losses->variance(); });
  return mean > 0 ? mean * mean / (mean * mean + variance) : 0;
}

// Where a search for epsilon starts, and whether delta at 0 counts as above the target without being
// computed.
struct Start {
  double epsilon;
  bool passes_zero;
};
Start start_near_mean(Parts parts, double spacing, double target) {
  constexpr double kPlenty = 10;
  return {expected_epsilon(parts, spacing, target), surely_positive(parts) > kPlenty * target};
}
// The integrals far below epsilon take the most work, so if large losses decide, the search starts near
// Chernoff's bound, and leaves out 0.
Start start_near_chernoff(Parts parts, double spacing, double target, double chernoff) {
  const Start near_mean = start_near_mean(parts, spacing, target);
  const bool far = chernoff > kFarAbove * near_mean.epsilon && chernoff < kMaxSearchedEpsilon;
  return far ? Start{kBelowChernoff * chernoff, true} : near_mean;
}

// Evaluates delta by the integral in a search for the epsilon at which delta crosses a target. The integral
// takes the most work at small epsilons, where the saddle point is near 0 and the period is long. A failure
// there does not affect an answer at a much larger epsilon. So the search treats an epsilon at which the
// integral fails as below the answer, until the integral has failed too often.
class Integrals {
 public:
  Integrals(Parts parts, double spacing, bool passes_zero, Effort most)
      : parts_(parts), spacing_(spacing), most_(most), passes_zero_(passes_zero) {}
  // Returns an enclosure of delta. If the integral fails, or if `epsilon` is 0 and passes_zero is set, it
  // returns {1, 1}, which moves the search to larger epsilons.
  numerics::Enclosure at(double epsilon) {
    if (epsilon == 0 && passes_zero_) return {1, 1};
    if (failures_ < kMaxFailures) {
      if (const auto value = composed_delta_by_integral(parts_, spacing_, epsilon, most_)) return *value;
      if (epsilon > 0) ++failures_;
    }
    unknown_ = numerics::larger(unknown_, epsilon);
    return {1, 1};
  }
  // False if the search's answer `found` may depend on an epsilon at which the integral failed.
  bool decided(double found) const {
    return failures_ < kMaxFailures && (failures_ == 0 || unknown_ < found * (1 - kClose));
  }

 private:
  static constexpr int kMaxFailures = 3;
  // An integral that failed within this relative distance below the answer may have hidden a better one. It
  // is larger than the widths of the searches.
  static constexpr double kClose = 1e-5;
  Parts parts_;
  double spacing_;
  Effort most_;
  bool passes_zero_;  // Start::passes_zero
  int failures_ = 0;
  double unknown_ = 0;  // the largest epsilon at which the integral failed
};

// The bound on epsilon by integrals of limited work; nullopt if they fail.
std::optional<double> by_integrals(Parts parts, double spacing, double target, Side side, Effort most,
                                   const Start& start) {
  Integrals integrals(parts, spacing, start.passes_zero, most);
  const double width = width_of_search(parts);
  const double found =
      side == Side::above
          ? numerics::crossing_from_above([&](double epsilon) { return integrals.at(epsilon).upper; }, target,
                                          kMaxSearchedEpsilon, start.epsilon, width)
          : numerics::crossing_from_below([&](double epsilon) { return integrals.at(epsilon).lower; }, target,
                                          kMaxSearchedEpsilon, start.epsilon, width);
  return integrals.decided(found) ? std::optional(found) : std::nullopt;
}

// The bound `found` on epsilon from a lattice of spacing `spacing_of_found`, or a better one from a finer
// lattice that is chosen for this epsilon.
//
// The first coarser lattice has to be chosen before epsilon is known, so it is chosen for Chernoff's bound
// on epsilon. If large losses are rare, Chernoff's bound can be a hundred times as large as epsilon, and
// its saddle point is that of the large losses. That lattice is then far too coarse for epsilon. Bounds are
// valid on every lattice, so the better one is returned.
double on_lattice_for(double found, double spacing_of_found, Parts parts, double spacing, double target,
                      Side side) {
  for (const double change : kCloserChanges) {
    const auto again = coarser_losses(parts, spacing, found, side, change);
    if (!again) continue;
    if (!(again->spacing < spacing_of_found)) break;
    const std::vector<RepeatedLoss> moved = again->parts(parts);
    const Start start{found, start_near_mean(moved, again->spacing, target).passes_zero};
    if (const auto closer = by_integrals(moved, again->spacing, target, side, most_effort(parts), start)) {
      return side == Side::above ? numerics::smaller(found, *closer) : numerics::larger(found, *closer);
    }
  }
  return found;
}

// The bound on epsilon by integrals: with little work on the given and on a coarser lattice, then with more
// work on both; nullopt if all fail.
std::optional<double> by_some_integrals(Parts parts, double spacing, double target, Side side) {
  const auto near_mean = [&](Parts of, double lattice) { return start_near_mean(of, lattice, target); };
  if (const auto found = by_integrals(parts, spacing, target, side, kQuick, near_mean(parts, spacing))) {
    return found;
  }
  const double chernoff = chernoff_epsilon(parts, spacing, target);
  const auto coarse = coarser_losses(parts, spacing, chernoff, side);
  const std::vector<RepeatedLoss> moved = coarse ? coarse->parts(parts) : std::vector<RepeatedLoss>{};
  if (coarse) {
    const Start start = near_mean(moved, coarse->spacing);
    if (const auto found = by_integrals(moved, coarse->spacing, target, side, kQuick, start)) {
      return *found < kFarBelow * chernoff
                 ? on_lattice_for(*found, coarse->spacing, parts, spacing, target, side)
                 : *found;
    }
  }
  const auto near_chernoff = [&](Parts of, double lattice) {
    return start_near_chernoff(of, lattice, target, chernoff);
  };
  if (const auto found =
          by_integrals(parts, spacing, target, side, most_effort(parts), near_chernoff(parts, spacing))) {
    return found;
  }
  if (!coarse) return std::nullopt;
  return by_integrals(moved, coarse->spacing, target, side, most_effort(parts),
                      near_chernoff(moved, coarse->spacing));
}

double upper_without_shifts(Parts parts, double spacing, double target) {
  const double at_infinity = mass_at_infinity(parts);
  if (at_infinity > target) {
    return std::numeric_limits<double>::infinity();
  }
  if (const auto found = by_some_integrals(parts, spacing, target, Side::above)) return *found;
  const ConvolvedLosses losses = convolved_near(parts, spacing, target, ConvolvedLosses::Side::above);
  const double convolved = numerics::crossing_from_above(
      [&](double epsilon) { return with_infinite_losses(losses.delta(epsilon), at_infinity); }, target,
      kMaxSearchedEpsilon, expected_epsilon(parts, spacing, target));
  const double left = (target - at_infinity * (1 + numerics::kEightThousandRoundings)) *
                      (1 - numerics::kEightThousandRoundings);
  return left > 0 ? numerics::smaller(convolved, chernoff_epsilon(parts, spacing, left)) : convolved;
}

// Whether delta at epsilon = 0 is at most `target` because the total variation distance of the composition is
// at most the sum of the rounds' distances. Rounding errors are ignored, because the only use is that the
// lower bound 0, which is always valid, is returned without a search.
bool surely_within(Parts parts, double target) {
  return sum_over(parts, [](const RepeatedLoss& p) {
           double distance = p.infinity;
           for (std::size_t i = 0; i < p.losses->points.size(); ++i) {
             distance -= p.losses->weights[i] * std::expm1(-numerics::larger(0.0, p.losses->points[i]));
           }
           return distance;
         }) <= target;
}

double lower_without_shifts(Parts parts, double spacing, double target) {
  if (surely_within(parts, target)) return 0;
  if (const auto found = by_some_integrals(parts, spacing, target, Side::below)) return *found;
  const ConvolvedLosses losses = convolved_near(parts, spacing, target, ConvolvedLosses::Side::below);
  return numerics::crossing_from_below([&](double epsilon) { return losses.delta(epsilon); }, target,
                                       kMaxSearchedEpsilon, expected_epsilon(parts, spacing, target));
}

}  // namespace

double composed_epsilon_upper(Parts parts, double spacing, double target) {
  const double found = upper_without_shifts(parts, spacing, target);
  const TotalShift shift = total_shift(parts, found);
  return shift.value == 0 ? found : numerics::larger(0.0, found + shift.value + shift.rounding);
}

double composed_delta_as_searched(Parts parts, double spacing, double target, double epsilon) {
  const double at_infinity = mass_at_infinity(parts);
  const TotalShift shift = total_shift(parts, epsilon);
  const double at = epsilon - shift.value - shift.rounding;
  if (const auto coarse =
          coarser_losses(parts, spacing, chernoff_epsilon(parts, spacing, target), Side::above)) {
    const auto value = composed_delta_by_integral(coarse->parts(parts), coarse->spacing, at);
    if (value && value->upper <= target) return value->upper;
  }
  const ConvolvedLosses losses = convolved_near(parts, spacing, target, ConvolvedLosses::Side::above);
  return numerics::larger(with_infinite_losses(losses.delta(at), at_infinity),
                          numerics::larger(0.0, -std::expm1(at)));
}

double composed_epsilon_lower(Parts parts, double spacing, double target) {
  const double found = lower_without_shifts(parts, spacing, target);
  const TotalShift shift = total_shift(parts, found);
  return numerics::larger(0.0, found + (found > 0 ? shift.value : 0) - shift.rounding);
}

}  // namespace muster::accounting
