#include "muster/composition/different_rounds.h"

#include <algorithm>
#include <limits>

#include "muster/composition/composed_epsilon.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
void DifferentRounds::add(const LossDistribution& pair, std::uint64_t rounds) {
  if (rounds == 0) {
    return;
  }
  const auto same =
      std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.pair == &pair; });
  if (same != parts_.end()) {
    same->rounds += rounds;
  } else {
    parts_.push_back({&pair, rounds});
  }
}

DifferentRounds::Losses DifferentRounds::losses() const {
  Losses losses{{}, std::numeric_limits<double>::infinity()};
  for (const Part& part : parts_) {
    losses.spacing = numerics::smaller(losses.spacing, part.pair->spacing());
    losses.parts.push_back(part.pair->repeated(part.rounds));
  }
  return losses;
}

numerics::Enclosure DifferentRounds::delta(double epsilon, Ends ends) const {
  const Losses all = losses();
  return parts_.empty() ? numerics::Enclosure{0, 0} : composed_delta(all.parts, all.spacing, epsilon, ends);
}

double DifferentRounds::delta_as_searched(double target, double epsilon) const {
  const Losses all = losses();
  return parts_.empty() ? 0 : composed_delta_as_searched(all.parts, all.spacing, target, epsilon);
}

double DifferentRounds::epsilon_upper(double target) const {
  const Losses all = losses();
  return parts_.empty() ? 0 : composed_epsilon_upper(all.parts, all.spacing, target);
}

double DifferentRounds::epsilon_lower(double target) const {
  const Losses all = losses();
  return parts_.empty() ? 0 : composed_epsilon_lower(all.parts, all.spacing, target);
}

}  // namespace muster::accounting
