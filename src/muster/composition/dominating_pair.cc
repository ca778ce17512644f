#include "muster/composition/dominating_pair.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "muster/composition/composed_epsilon.h"
#include "muster/composition/convex_profile.h"
#include "muster/composition/dominated_losses.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/roots/crossing.h"

namespace muster::accounting {
namespace {

// The lower convex hull of the curve's upper ends, over alpha.
template <typename Value>
std::vector<ProfilePoint> hull_of(const RoundCurve<Value>& curve) {
  std::vector<ProfilePoint> points;
  for (std::size_t i = curve.index.size(); i-- > 1;) {
    points.push_back({-curve.index[i], curve.reverse[i].upper});
  }
  points.push_back({0, numerics::larger(curve.forward[0].upper, curve.reverse[0].upper)});
  for (std::size_t i = 1; i < curve.index.size(); ++i) {
    points.push_back({curve.index[i], curve.forward[i].upper});
  }
  return lower_convex_hull(curve.spacing, points);
}

// The law of a dominating pair for this hull. Its masses are rounded up, so its profile is at least the hull
// at every node. It need not reach the curve's upper ends: the true profile is convex, so it lies below the
// hull as well.
LossLaw law_above(double spacing, const std::vector<ProfilePoint>& hull) {
  return losses_dominating(spacing, hull, hull);
}

// The values of a table of the kind that dominated() accepts. An estimate takes the place of a lower end, so
// the result encloses nothing.
EnclosedMinorant as_minorant(const numerics::UpperAndEstimate& value) {
  return {.lower = value.estimate, .minorant_upper = value.upper};
}
EnclosedMinorant as_minorant(const numerics::Enclosure& value) { return own_minorant(value); }

template <typename Value>
PairTable table_of_minorants(const RoundCurve<Value>& curve) {
  PairTable table{curve.spacing, curve.index, {}, {}};
  for (const Value& value : curve.forward) table.forward.push_back(as_minorant(value));
  for (const Value& value : curve.reverse) table.reverse.push_back(as_minorant(value));
  return table;
}

}  // namespace

LossDistribution::LossDistribution(double spacing, LossLaw law)
    : spacing_(spacing), law_(std::move(law.losses)), infinity_(law.infinity), shift_(law.shift) {}

LossDistribution LossDistribution::dominating(const BoundTable& curve) {
  return {curve.spacing, law_above(curve.spacing, hull_of(curve))};
}

LossDistribution LossDistribution::dominating(const EnclosedTable& curve) {
  return {curve.spacing, law_above(curve.spacing, hull_of(curve))};
}

LossDistribution LossDistribution::estimated(const BoundTable& curve, int refined) {
  return dominated(table_of_minorants(curve), refined);
}

LossDistribution LossDistribution::dominated(const EnclosedTable& curve, int refined) {
  return dominated(table_of_minorants(curve), refined);
}

LossDistribution LossDistribution::dominated(const PairTable& curve, int refined) {
  LossLaw law = dominated_losses(curve, refined);
  const double spacing = curve.spacing / refined / law.finer;
  return {spacing, std::move(law)};
}

RepeatedLoss LossDistribution::repeated(std::uint64_t rounds) const {
  return {&law_, infinity_, static_cast<double>(rounds), shift_};
}

numerics::Enclosure LossDistribution::delta(std::uint64_t rounds, double epsilon, Ends ends) const {
  return composed_delta(std::array{repeated(rounds)}, spacing_, epsilon, ends);
}

double LossDistribution::rough_delta(std::uint64_t rounds, double epsilon) const {
  return composed_delta_roughly(std::array{RepeatedLoss{&law_, infinity_, static_cast<double>(rounds)}},
                                spacing_, epsilon);
}

double LossDistribution::delta_as_searched(std::uint64_t rounds, double target, double epsilon) const {
  return composed_delta_as_searched(std::array{repeated(rounds)}, spacing_, target, epsilon);
}

double LossDistribution::epsilon_upper(std::uint64_t rounds, double target) const {
  return composed_epsilon_upper(std::array{repeated(rounds)}, spacing_, target);
}

double LossDistribution::epsilon_lower(std::uint64_t rounds, double target) const {
  return composed_epsilon_lower(std::array{repeated(rounds)}, spacing_, target);
}

}  // namespace muster::accounting
