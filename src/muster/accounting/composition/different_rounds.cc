#include "muster/accounting/composition/different_rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/accounting/composition/composed_delta.h"
#include "muster/numerics/crossing.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr double kLargestEpsilon = 1e20;

}  // namespace

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

numerics::Enclosure DifferentRounds::delta(double epsilon) const {
  if (parts_.empty()) {
    return {0, 0};
  }
  double spacing = std::numeric_limits<double>::infinity();
  std::vector<RepeatedLoss> losses;
  for (const Part& part : parts_) {
    spacing = numerics::smaller(spacing, part.pair->spacing());
    losses.push_back({&part.pair->losses(), part.pair->mass_at_infinity(), static_cast<double>(part.rounds)});
  }
  return composed_delta(losses, spacing, epsilon);
}

double DifferentRounds::expected_epsilon(double target) const {
  double mean = 0;
  double variance = 0;
  for (const Part& part : parts_) {
    const double n = static_cast<double>(part.rounds);
    mean += n * part.pair->losses().mean();
    variance += n * part.pair->losses().variance();
  }
  return numerics::larger(1e-12,
                          mean + std::sqrt(2 * variance * std::log(1 / numerics::smaller(target, 0.1))));
}

double DifferentRounds::epsilon_upper(double target) const {
  if (parts_.empty()) {
    return 0;
  }
  double kept = 0;
  for (const Part& part : parts_) {
    kept += static_cast<double>(part.rounds) * std::log1p(-part.pair->mass_at_infinity());
  }
  if (-std::expm1(kept) > target) {
    return std::numeric_limits<double>::infinity();
  }
  return numerics::crossing_from_above([&](double epsilon) { return delta(epsilon).upper; }, target,
                                       kLargestEpsilon, expected_epsilon(target));
}

double DifferentRounds::epsilon_lower(double target) const {
  if (parts_.empty()) {
    return 0;
  }
  return numerics::crossing_from_below([&](double epsilon) { return delta(epsilon).lower; }, target,
                                       kLargestEpsilon, expected_epsilon(target));
}

}  // namespace muster::accounting
