// Composes rounds that are known only by their (epsilon, delta) guarantees.
//
//   optimal_*        Kairouz, Oh, Viswanath, "The composition theorem for differential privacy" (ICML 2015),
//                    Theorem 3.3: the exact composition of T rounds that are each (epsilon, delta)-DP. It is
//                    attained by a randomized response that reveals the record with probability delta.
//   heterogeneous_*  their Theorem 3.5: rounds with different (epsilon, delta); the least of its three forms.
//   advanced_*       Dwork, Rothblum, Vadhan, "Boosting and differential privacy" (FOCS 2010), in the form of
//                    Dwork, Roth, "The algorithmic foundations of differential privacy" (2014), Theorem 3.20.
//                    Papers on shuffling call it "strong composition" and compare their bounds with it.
//   subsampled       Balle, Barthe, Gaboardi, "Privacy amplification by subsampling" (NeurIPS 2018),
//                    Theorem 9: a uniform subset.
//
// The proofs are in docs/theory/baselines.md. Rounds may be adaptive. Every returned value is an UPPER bound,
// rounded up. Where no guarantee is left, for example because the rounds' own deltas are too large, an
// epsilon is nullopt and a delta is 1. Pure functions; may be called from any thread. optimal_* costs O(T)
// for up to 3e7 rounds; beyond that, a moment bound is used. heterogeneous_* and advanced_* are for
// comparison with the papers; no bound is made from them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "muster/accounting/statement.h"

namespace muster::accounting {

// An (epsilon, delta) guarantee. Both are >= 0, and epsilon may be infinite.
struct Guarantee {
  double epsilon, delta;
};

double optimal_composition_delta_upper(const Guarantee& round, std::uint64_t rounds, double epsilon);
std::optional<double> optimal_composition_epsilon_upper(const Guarantee& round, std::uint64_t rounds,
                                                        double delta);

std::optional<double> heterogeneous_composition_epsilon_upper(const std::vector<Guarantee>& rounds,
                                                              double delta);

std::optional<double> advanced_composition_epsilon_upper(const Guarantee& round, std::uint64_t rounds,
                                                         double delta);

// Returns the guarantee of a mechanism that runs on a secret, uniformly chosen fraction `rate` of the
// records; 0 <= rate <= 1.
Guarantee subsampled(const Guarantee& mechanism, double rate);

// Answers the question by optimal composition, for `rounds` rounds of a mechanism that is
// (epsilon_of(delta), delta)-DP for every delta. Each delta tried for a round gives a valid bound; the
// smallest bound is returned. `epsilon_of` returns nullopt where it has no epsilon, and its values must not
// increase with delta.
std::optional<double> composed_optimally_upper(
    const std::function<std::optional<double>(double delta)>& epsilon_of, std::uint64_t rounds,
    const Question& question);

}  // namespace muster::accounting
