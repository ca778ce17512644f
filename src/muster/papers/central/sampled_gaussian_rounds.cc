#include "muster/papers/central/sampled_gaussian_rounds.h"

#include "muster/composition/composed_curve.h"
#include "muster/composition/dominating_pair.h"
#include "muster/composition/round_curve.h"
#include "muster/core/error.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;

// A round's table has this many nodes per standard deviation of the privacy loss. More nodes bring the two
// ends closer together and take longer. The bounds are valid for every choice.
constexpr int kNodes = 200;

Enclosure epsilon_of(const EnclosedTable& curve, std::uint64_t rounds, double delta) {
  return {LossDistribution::dominated(curve).epsilon_lower(rounds, delta),
          LossDistribution::dominating(curve).epsilon_upper(rounds, delta)};
}

Enclosure larger_of(const Enclosure& a, const Enclosure& b) {
  return {numerics::larger(a.lower, b.lower), numerics::larger(a.upper, b.upper)};
}

}  // namespace

SampledGaussianRounds::SampledGaussianRounds(double sigma, double rate, Neighbouring neighbouring)
    : round_(sigma, rate), replaces_(neighbouring == Neighbouring::replace_one) {
  if (neighbouring == Neighbouring::zero_out) {
    throw Error(ErrorCode::internal, "neighbouring", name_of(neighbouring), "replace-one | add-remove",
                "has no theorem for a trusted server that samples");
  }
}

Enclosure SampledGaussianRounds::epsilon(std::uint64_t rounds, double delta) const {
  const Resolution wanted = Resolutions<LossDistribution>::wanted(rounds, delta);
  const Nodes nodes{kNodes, wanted.tail, wanted.dense_up_to};
  if (replaces_) {
    const auto replaced = [this](double epsilon) { return round_.replaced(epsilon); };
    return epsilon_of(tabulate(replaced, {}, nodes), rounds, delta);
  }
  const EnclosedTable curve = tabulate([this](double epsilon) { return round_.added(epsilon); },
                                       [this](double epsilon) { return round_.removed(epsilon); }, nodes);
  return larger_of(epsilon_of(curve, rounds, delta), epsilon_of(curve.swapped(), rounds, delta));
}

}  // namespace muster::accounting
