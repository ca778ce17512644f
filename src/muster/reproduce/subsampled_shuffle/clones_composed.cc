#include "muster/reproduce/subsampled_shuffle/clones_composed.h"

#include "muster/accounting/theorems/everyone/clones.h"

namespace muster::reproduce::subsampled_shuffle {
namespace {

// Returns the epsilon at which the clone pair's divergence falls to delta, rounded up.
double clone_epsilon(double reports, double epsilon0, double delta) {
  constexpr double kPrecision = 1e-6;  // relative
  double low = 0, high = epsilon0;     // at epsilon0 the divergence is 0
  while (high - low > kPrecision * high) {
    const double middle = low + (high - low) / 2;
    (accounting::clone_pair_delta(reports, epsilon0, middle).upper <= delta ? high : low) = middle;
  }
  return high;
}

}  // namespace

ClonesComposed::ClonesComposed(double clients, double subset, double epsilon0) {
  constexpr double kLargest = 1e-6, kLeast = 1e-14, kStep = 2;  // of the deltas that are tabulated
  for (double delta = kLargest; delta > kLeast; delta /= kStep) {
    round_.push_back(
        accounting::subsampled({clone_epsilon(subset, epsilon0, delta), delta}, subset / clients));
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
