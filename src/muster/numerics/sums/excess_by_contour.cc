#include "muster/numerics/sums/excess_by_contour.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/characteristic_product.h"
#include "muster/numerics/sums/contour.h"
#include "muster/numerics/sums/excess_bounds.h"
#include "muster/numerics/sums/smoothed_excess.h"

namespace muster::numerics {
namespace {

// The precision and the limits of an integration. Every choice gives a valid enclosure and trades its width
// for work.
struct Effort {
  // The finest smoothing that is tried, as its deviation s in units of 1/c. It widens the enclosure by about
  // (s c)^2 / 2 of the value.
  double finest;
  double coarser;  // the ratio of the deviations of successive smoothings
  // The largest work of one smoothing, in frequencies. A frequency that is computed directly, not by
  // rotations, counts as 3. The last smoothing may take kPatience times as much work.
  double budget;
  // Chernoff's bound is returned where its logarithm is below this, because no delta that small is asked for.
  double vanishing;
};
// The effort for laws of up to 8 atoms, which the rotating kernel pads to 8. 4e4 frequencies take about ten
// milliseconds.
constexpr Effort kFewAtoms{3e-3, 2, 4e4, -600};
// With more atoms a frequency costs more. So the finest smoothing may widen the enclosure by 2.5e-5 of the
// value instead of 5e-6, fewer smoothings are tried, and a value below e^-230 = 1e-100 is not computed.
constexpr Effort many_atoms(std::size_t atoms) { return {7e-3, 4, 2e6 / static_cast<double>(atoms), -230}; }

// Where Chernoff's bound is below e^kFarTail = 1e-42, the finest smoothing is kCoarserInFarTail times as
// coarse. An error of a few parts in ten thousand in so small a delta changes the epsilon by some millionths.
constexpr double kFarTail = -97, kCoarserInFarTail = 4;

// The last smoothing is the first whose s c is above this. The next smoothing would widen the enclosure by
// about 30 per cent of the value or more.
constexpr double kCoarsest = 0.3;
// The last smoothing may take this many budgets, because if it fails only Chernoff's bound is left, which is
// about ten times the value.
constexpr double kPatience = 16;
// A smoothing is not tried if it is estimated to take more than this many times the affordable work. The
// estimate comes from the share of the frequencies that a finer smoothing reached before its budget ended,
// and is accurate to a few per cent: in 6,000 sums, no smoothing succeeded whose estimate was more than
// 1.001 times the affordable work.
constexpr double kHopeless = 1.05;
// Terms below e^-24 = 4e-11 of the largest one are bounded, not computed: even 1e5 of them add less than the
// finest smoothing does.
constexpr double kNegligible = 24;
// Frequencies beyond 6/s, whose terms smoothing multiplies by at most e^-18 = 2e-8, are bounded,
// not computed.
constexpr double kSmoothingCut = 6;

// The trapezoidal sum with smoothing of standard deviation s. It is invalid (SmoothedSum::visited) if it
// needs more work than `budget` (Effort::budget).
contour::SmoothedSum trapezoid(const TiltedLaw& tilt, double n, double k, double c, double period, double s,
                               double budget) {
  const contour::Frequencies frequencies(period, s, kSmoothingCut);
  contour::Product product(s, kNegligible, contour::Skip::by_one_factor);
  product.add(tilt, n, frequencies.step);
  return contour::smoothed_sum(product, contour::RoundOff(tilt, n, c, k), k, c, frequencies, kNegligible,
                               budget);
}

}  // namespace

double excess_saddle(const AtomicLaw& law, double n, double k) {
  return contour::saddle_point(law, n, k, [](double c) { return 2 / c; });
}

Enclosure excess_by_contour(const AtomicLaw& law, double n, double k, double width) {
  const double c = excess_saddle(law, n, k);
  const TiltedLaw tilt(law, c);
  const Effort effort = tilt.atoms() <= 8 ? kFewAtoms : many_atoms(tilt.atoms());
  const double log_scale = n * tilt.log_mgf() - c * k;
  const double log_value = log_scale - 2 * std::log(c) -
                           0.5 * std::log(2 * std::numbers::pi * (n * tilt.variance() + 2 / (c * c)));
  // The aliases are bounded by Chernoff's inequality x_+ <= e^{lambda x} / (e lambda).
  const contour::Period period = contour::choose_period(c, log_value, [&](double lambda) {
    return n * law.log_mgf(lambda) - lambda * k - 1 - std::log(lambda);
  });
  const double log_chernoff = log_scale - 1 - std::log(c);
  const auto chernoff = [&] { return Enclosure{0, chernoff_bound(n * log_mgf_above(law, c), c, k)}; };
  // Where the generating function cancels, the contour integral has lost its digits (contour::RoundOff).
  if (log_chernoff < effort.vanishing || !contour::is_in_range(c) ||
      !std::isfinite(contour::RoundOff(tilt, n, c, k).at(0))) {
    return chernoff();
  }
  double expected = 0;  // the smoothing's work in budgets, estimated from the last attempt; 0 at first
  // Find the finest smoothing whose frequencies fit the budget.
  const double finest =
      larger(effort.finest * (log_chernoff < kFarTail ? kCoarserInFarTail : 1), std::sqrt(2 * width));
  for (double fraction = finest;; fraction *= effort.coarser, expected /= effort.coarser) {
    const double s = fraction / c;
    const bool coarsest = fraction > kCoarsest;
    const double affordable = coarsest ? kPatience : 1;
    const bool hopeless = expected > kHopeless * affordable;
    const contour::SmoothedSum sum =
        hopeless ? contour::SmoothedSum{0, 0, 0, 0}
                 : trapezoid(tilt, n, k, c, period.length, s, affordable * effort.budget);
    if (sum.visited >= 1) {
      return contour::without_smoothing(sum, log_scale, c, s, period);
    }
    if (coarsest) {  // no smoothing that was tried is affordable
      return chernoff();
    }
    expected = hopeless ? expected : 1 / sum.visited;
  }
}

}  // namespace muster::numerics
