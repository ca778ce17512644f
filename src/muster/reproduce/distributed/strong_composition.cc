#include "muster/reproduce/distributed/strong_composition.h"

#include <algorithm>
#include <cmath>

#include "muster/papers/optimal_composition.h"
#include "muster/papers/published/published_shuffle_gaussian.h"

namespace muster::reproduce {

std::optional<double> strong_composition_epsilon(
    const accounting::published_distributed::DistributedRound& round, double reports, std::uint64_t rounds,
    double delta) {
  const double mu = 1 / (round.sigma * std::sqrt(reports));
  std::optional<double> least;
  // delta0 is the delta of a round in which everybody reports. Subsampling multiplies it by the rate, and
  // over all rounds the products must add up to less than `delta`.
  const double most = delta / (static_cast<double>(rounds) * round.rate);
  for (double share = 0.5; share > 1e-6; share /= 1.25) {
    const double delta0 = std::min(0.5, most * share);
    const accounting::Guarantee all = accounting::published_shuffle_gaussian::gaussian_guarantee(mu, delta0);
    const std::optional<double> epsilon = accounting::advanced_composition_epsilon_upper(
        accounting::subsampled(all, round.rate), rounds, delta);
    if (epsilon && (!least || *epsilon < *least)) least = epsilon;
  }
  return least;
}

}  // namespace muster::reproduce
