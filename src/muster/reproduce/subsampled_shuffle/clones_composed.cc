#include "muster/reproduce/subsampled_shuffle/clones_composed.h"

#include "muster/papers/published/published_subset.h"

namespace muster::reproduce::subsampled_shuffle {
ClonesComposed::ClonesComposed(double clients, double subset, double epsilon0) {
  constexpr double kLargest = 1e-6, kLeast = 1e-14, kStep = 2;  // of the deltas that are tabulated
  for (double delta = kLargest; delta > kLeast; delta /= kStep) {
    round_.push_back(accounting::subsampled(
        {accounting::clones_epsilon_upper(subset, epsilon0, delta), delta}, subset / clients));
  }
}

std::optional<double> ClonesComposed::epsilon(std::uint64_t rounds, double delta) const {
  std::optional<double> least;
  for (const accounting::Guarantee& round : round_) {
    const std::optional<double> epsilon =
        accounting::advanced_composition_epsilon_upper(round, rounds, delta);
    if (epsilon && (!least || *epsilon < *least)) least = epsilon;
  }
  return least;
}

}  // namespace muster::reproduce::subsampled_shuffle
