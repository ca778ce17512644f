#include "muster/theorems/aggregated/aggregated_types.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/theorems/swap/triangle_types.h"
#include "muster/theorems/swap/two_types_laws.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using Run = AggregatedGaussianCurve::Run;

// The numbers of reports are grouped into ranges. There are fewer ranges if mu is above these limits, because
// there are more types then and the search is slower. Rough types have kRoughRuns ranges at any mu.
constexpr double kSmallMu = 0.25, kLargeMu = 0.85;
constexpr std::size_t kRunsOfSmall = 10, kRuns = 7, kRunsOfLarge = 4, kRoughRuns = 2;
constexpr double kPerDeviation = 10, kRoughNodes = 7;  // nodes per deviation of the loss
// Up to this many deviations, every lattice point is a node.
constexpr double kDense = 2.5;
constexpr double kGrowth = 1.15;  // ratio of successive steps further out
// Where ln(E + c) > kFarFrom * mu, all types are charged the worst pair; worst_value() defines E and c.
constexpr double kFarFrom = 4;
constexpr double kFarthest = 700;  // the largest loss of a type
constexpr std::size_t kMaxNodes = 2000;
// Wherever one of these factors is used, it covers at most five roundings: those of ln(1 + odds * gain) and
// its sum with the loss, those of expm1, or that of a product.
constexpr double kDown = 1 - numerics::kEightRoundings, kUp = 1 + numerics::kEightRoundings;
constexpr double kSummed = 1e-12;  // relative rounding error of a sum over the ranges
constexpr double kMoved = 1e-12;   // relative change of a mass from the rounding of its point

std::size_t runs_at(double mu) {
  return mu <= kSmallMu ? kRunsOfSmall : mu <= kLargeMu ? kRuns : kRunsOfLarge;
}

// Returns lattice points from 0 to one at which the curve is at most `tail`, or nullopt if there would be
// too many or they would reach too large a loss.
std::optional<std::vector<std::int64_t>> nodes_of(const AggregatedGaussianCurve& curve, double spacing,
                                                  double dense, double tail) {
  std::vector<std::int64_t> nodes{0};
  double step = 1;
  while (nodes.size() == 1 || curve.delta(spacing * static_cast<double>(nodes.back())).upper > tail) {
    if (static_cast<double>(nodes.back()) >= dense) step *= kGrowth;
    nodes.push_back(nodes.back() + static_cast<std::int64_t>(step));
    if (nodes.size() > kMaxNodes || spacing * static_cast<double>(nodes.back()) > kFarthest) {
      return std::nullopt;
    }
  }
  return nodes;
}

// Returns the contribution of a range if it is charged the worst pair of data sets, which no type exceeds:
// weight * f_mu(E + c) with E = e^loss and c = (E - 1) odds.
double worst_value(const Run& run, double loss) {
  const double gain = -std::expm1(-loss) * kDown;
  const double l = (loss + std::log1p(run.odds * gain)) * kDown;
  const ArgumentRoundings rounded{.mu = AggregatedGaussianCurve::kRoundingsOfMu};
  return run.weight * gaussian_divergence(run.mu, l, rounded).upper * kUp;
}

// Makes one type's law from its own curve and the curve of its mirror image, both at alpha >= 1. The first
// gives the expected excesses of the likelihood ratio minus 1 under Q, and the second its expected deficits.
std::optional<RoundType> type_of(const std::vector<std::int64_t>& nodes, double spacing,
                                 const std::vector<double>& own, const std::vector<double>& mirror) {
  std::vector<std::int64_t> losses;
  std::vector<double> points;
  SidedValues values;
  const auto add = [&](std::int64_t loss, long double value) {
    losses.push_back(loss);
    points.push_back(std::expm1(spacing * static_cast<double>(loss)));
    values.push_back(value);
  };
  for (std::size_t l = nodes.size(); l-- > 1;) {
    const long double alpha =
        std::exp(-static_cast<long double>(spacing) * static_cast<long double>(nodes[l]));
    add(-nodes[l], mirror[l] * alpha * kUp);
  }
  for (std::size_t l = 0; l < nodes.size(); ++l) add(nodes[l], own[l]);
  values = convex_majorant(points, std::move(values));
  const long double cut = values.back();
  const std::optional<std::vector<double>> masses = masses_above(points, values, cut);
  if (!masses) return std::nullopt;
  RoundType type;
  type.infinity = static_cast<double>(cut * kUp);
  const std::size_t zero = nodes.size() - 1;
  double others = 0;
  for (const double mass : *masses) others += mass;
  for (std::size_t l = 0; l < points.size(); ++l) {
    const double mass = l == zero ? larger(0.0, 1 - others) : (*masses)[l] * (1 + points[l]);
    type.losses.push_back(losses[l]);
    type.masses.push_back(mass * (1 + kMoved));
  }
  return type;
}

}  // namespace

bool AggregatedTypes::covers() const {
  const AggregatedGaussianCurve::Runs runs = curve_.runs(1);
  return !runs.bulk.empty() && std::ranges::all_of(runs.bulk, [](const Run& run) {
    return run.mu >= kMinMu && run.mu <= kMaxMu && run.odds > 0;
  });
}

std::optional<RoundTypes> AggregatedTypes::at(double tail, bool rough) const {
  if (!covers()) return std::nullopt;
  const double max_mu = curve_.runs(1).bulk.front().mu;
  const AggregatedGaussianCurve::Runs runs = curve_.runs(rough ? kRoughRuns : runs_at(max_mu));
  // If the privacy loss is nearly normal with a small standard deviation s, delta at epsilon 0 is about
  // s / sqrt(2 pi).
  const double deviation = 2.5 * curve_.delta(0).upper;
  RoundTypes found;
  found.spacing = deviation / (rough ? kRoughNodes : kPerDeviation);
  if (!(found.spacing > 1e-200)) return std::nullopt;
  const auto nodes = nodes_of(curve_, found.spacing, kDense * deviation / found.spacing, tail);
  if (!nodes) return std::nullopt;
  const TriangleTypes types(max_mu, rough);
  std::vector<std::vector<double>> values(types.size());
  for (const std::int64_t node : *nodes) {
    const double loss = found.spacing * static_cast<double>(node), excess = std::expm1(loss) * kDown;
    double worst = 0;  // the part of the ranges for which every type is charged the worst pair
    for (const Run& run : runs.rest) worst += worst_value(run, loss);
    std::vector<double> sums(types.size(), 0.0);
    for (const Run& run : runs.bulk) {
      const double c = excess * run.odds * kDown;
      if (!(c > 0) || std::log1p(excess + c) > kFarFrom * run.mu) {
        worst += worst_value(run, loss);
        continue;
      }
      const std::vector<double> at = types.values(run.mu * kUp, excess, c);
      for (std::size_t i = 0; i < at.size(); ++i) sums[i] += run.weight * at[i];
    }
    for (std::size_t i = 0; i < sums.size(); ++i) values[i].push_back((sums[i] + worst) * (1 + kSummed));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::optional<RoundType> type = type_of(*nodes, found.spacing, values[i], values[values.size() - 1 - i]);
    if (!type) return std::nullopt;
    type->rarely_worst = values.size() > 3 && i > 0 && i + 1 < values.size();
    found.types.push_back(std::move(*type));
  }
  return found;
}

}  // namespace muster::accounting
