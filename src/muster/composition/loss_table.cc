#include "muster/composition/loss_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "muster/composition/round_curve.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using Extended = long double;

// A bound on the rounding error of the difference of two products, each of a double and a whole number,
// relative to the larger product.
constexpr Extended kDifference = 0x1p-61L;

// D(epsilon), rounded up: every term is positive, and each difference of losses is taken a little too large.
double profile(const LossTable& table, Extended epsilon) {
  const Extended spacing = table.spacing;
  Extended sum = 0;
  for (std::size_t i = table.losses.size(); i-- > 0;) {
    const Extended loss = spacing * static_cast<Extended>(table.losses[i]);
    const Extended above = loss - epsilon + kDifference * std::fabs(loss);
    if (!(above > 0)) break;
    sum += static_cast<Extended>(table.masses[i]) * -std::expm1(-above);
  }
  const auto finite =
      static_cast<double>(sum * (1 + static_cast<Extended>(numerics::kEightHundredRoundings)));
  return numerics::as_upper_bound((finite + table.infinity) * (1 + numerics::kThreeRoundings));
}

// The table of the dominating pair that is made from a curve's upper bounds at these multiples of the
// spacing, of which the first is 0.
LossTable connected(double spacing, std::vector<std::int64_t> index, const std::vector<double>& uppers) {
  BoundTable curve{.spacing = spacing, .index = std::move(index), .forward = {}, .reverse = {}};
  for (const double upper : uppers) curve.forward.push_back({.upper = upper, .estimate = upper});
  curve.reverse = curve.forward;
  return table_of(LossDistribution::dominating(curve));
}

}  // namespace

LossTable table_of(const LossDistribution& pair) {
  const numerics::AtomicLaw& law = pair.losses();
  LossTable table{.spacing = pair.spacing(), .losses = {}, .masses = {}, .infinity = pair.mass_at_infinity()};
  const double rest = law.mass_at_zero().upper - table.infinity;
  const double at_zero = rest > 0 ? numerics::round_up(rest) : 0;
  bool has_zero = false;
  const auto add_zero = [&] {
    if (has_zero) return;
    table.losses.push_back(0);
    table.masses.push_back(at_zero);
    has_zero = true;
  };
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    const auto loss = static_cast<std::int64_t>(std::llround(law.points[i] / table.spacing));
    if (loss > 0) add_zero();
    table.losses.push_back(loss);
    table.masses.push_back(law.weights[i]);
  }
  add_zero();
  return table;
}

double divergence_upper(const LossTable& table, double epsilon) { return profile(table, epsilon); }

// Between two neighbouring losses of the table, its profile is linear in alpha. So chords between the lattice
// points next to each loss add nothing where no loss lies under them.
LossTable on_lattice(const LossTable& table, double spacing) {
  std::vector<std::int64_t> index{0};
  for (const std::int64_t loss : table.losses) {
    if (loss <= 0) continue;
    const Extended at = static_cast<Extended>(table.spacing) * static_cast<Extended>(loss) / spacing;
    index.push_back(static_cast<std::int64_t>(std::floor(at)));
    index.push_back(static_cast<std::int64_t>(std::ceil(at)));
  }
  std::ranges::sort(index);
  index.erase(std::unique(index.begin(), index.end()), index.end());
  std::vector<double> uppers;
  for (const std::int64_t each : index) {
    uppers.push_back(profile(table, static_cast<Extended>(spacing) * static_cast<Extended>(each)));
  }
  return connected(spacing, std::move(index), uppers);
}

LossTable table_of_curve(const std::function<double(double epsilon)>& upper, double spacing,
                         std::int64_t last, std::int64_t nodes) {
  const std::int64_t step = numerics::larger<std::int64_t>(1, (last + nodes - 1) / nodes);
  std::vector<std::int64_t> index;
  std::vector<double> uppers;
  double before = 1;
  for (std::int64_t each = 0; index.empty() || index.back() < last; each += step) {
    // The curve falls, so its value a little to the left of a node is an upper bound at the node.
    const double epsilon = spacing * static_cast<double>(each) * (1 - numerics::kThreeRoundings);
    before = numerics::smaller(before, numerics::as_upper_bound(upper(epsilon)));
    index.push_back(each);
    uppers.push_back(before);
  }
  return connected(spacing, std::move(index), uppers);
}

}  // namespace muster::accounting
