#include "muster/composition/convolved_near.h"

#include <cmath>
#include <cstddef>

#include "muster/composition/composed_delta.h"
#include "muster/composition/loss_integral.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/roots/crossing.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::smaller;

// The numbers of cells of the law that gives the answer and of the rough law that only places its cells.
// More cells are more accurate and take more work: a convolution of two laws of a thousand cells takes a
// few milliseconds. docs/theory/notes/composition.md says how far apart the two ends of epsilon then are.
constexpr std::size_t kCells = 1000;
constexpr std::size_t kRoughCells = 250;
constexpr int kTilts = 8;         // the number of saddle points that place the rough law's cells
constexpr double kInwards = 0.6;  // the ratio of the epsilons of successive saddle points
constexpr double kMinDelta = 1e-300;

double mean_of(Parts parts) {
  return sum_over(parts, [](const RepeatedLoss& p) { return p.losses->mean(); });
}
double deviation_of(Parts parts) {
  return std::sqrt(sum_over(parts, [](const RepeatedLoss& p) { return p.losses->variance(); }));
}

// The saddle points for `epsilon` and for kTilts - 1 smaller epsilons, each 0.6 times the one before.
ConvolvedLosses::Evaluation saddle_points(Parts parts, double spacing, double epsilon) {
  ConvolvedLosses::Evaluation evaluation{epsilon, {}};
  double at = epsilon;
  for (int i = 0; i < kTilts; ++i, at *= kInwards) {
    const double c = trivial_value(parts, spacing, at) ? 1 / spacing : Integral(parts, spacing, at).c();
    evaluation.tilts.push_back(c > 0 && std::isfinite(c) ? c : 1);
  }
  return evaluation;
}

// The hints for placing cells for a question at `epsilon`, from a rough law of the sum. The tilts are the
// rate at which ln delta falls at `epsilon`, the tilt under which sums near the mean have as much weight as
// sums above epsilon, multiples of these two and their geometric mean.
ConvolvedLosses::Evaluation evaluation_near(Parts parts, const ConvolvedLosses& rough, double epsilon) {
  const double way = larger(epsilon - mean_of(parts), deviation_of(parts) / 2);
  const double step = way / 30;
  const double near = rough.delta(epsilon), far = rough.delta(epsilon + step);
  const double bulk = larger(1.0, -std::log(larger(near, kMinDelta))) / way;
  if (!(bulk > 0 && std::isfinite(bulk))) {
    return {epsilon, {1}};
  }
  const double slope = far > 0 && far < near ? std::log(near / far) / step : bulk;
  const double c = numerics::within(slope, bulk / 16, 4 * bulk);
  return {epsilon, {c, c / 4, 2 * c, std::sqrt(c * bulk), bulk, 2 * bulk}};
}

}  // namespace

double expected_epsilon(Parts parts, double spacing, double target) {
  const double deviations = std::sqrt(2 * std::log(1 / smaller(target, 0.1)));
  return larger(spacing, mean_of(parts) + deviation_of(parts) * deviations);
}

double chernoff_epsilon(Parts parts, double spacing, double target) {
  return numerics::crossing_from_above(
      [&](double e) {
        const auto trivial = trivial_value(parts, spacing, e);
        return trivial ? trivial->upper : Integral(parts, spacing, e).chernoff();
      },
      target, kMaxSearchedEpsilon, expected_epsilon(parts, spacing, target));
}

ConvolvedLosses convolved_near(Parts parts, double spacing, double target, ConvolvedLosses::Side side) {
  const double far = smaller(chernoff_epsilon(parts, spacing, target), kMaxSearchedEpsilon);
  const ConvolvedLosses rough(parts, saddle_points(parts, spacing, far), kRoughCells,
                              ConvolvedLosses::Side::below);
  const double epsilon =
      numerics::crossing_from_below([&](double e) { return rough.delta(e); }, target, kMaxSearchedEpsilon,
                                    expected_epsilon(parts, spacing, target));
  return ConvolvedLosses(parts, evaluation_near(parts, rough, epsilon), kCells, side);
}

numerics::Enclosure convolved_at(Parts parts, double spacing, double epsilon, Ends ends) {
  const ConvolvedLosses rough(parts, saddle_points(parts, spacing, epsilon + deviation_of(parts)),
                              kRoughCells, ConvolvedLosses::Side::below);
  const ConvolvedLosses::Evaluation evaluation = evaluation_near(parts, rough, epsilon);
  const auto delta = [&](ConvolvedLosses::Side side) {
    return ConvolvedLosses(parts, evaluation, kCells, side).delta(epsilon);
  };
  return {ends == Ends::upper ? 0 : delta(ConvolvedLosses::Side::below),
          ends == Ends::lower ? 1 : delta(ConvolvedLosses::Side::above)};
}

}  // namespace muster::accounting
