// Composes rounds of which only (epsilon, delta) is known.
//
//   optimal_*        Kairouz, Oh, Viswanath, "The composition theorem for differential privacy" (ICML 2015),
//                    Theorem 3.3: T rounds, each (epsilon, delta)-DP, exactly. A flagged randomized response
//                    attains it: one that reveals the record with probability delta.
//   heterogeneous_*  their Theorem 3.5: rounds with different (epsilon, delta); the least of its three forms.
//   advanced_*       Dwork, Rothblum, Vadhan (FOCS 2010), as Dwork, Roth, "The algorithmic foundations of
//                    differential privacy" (2014), Theorem 3.20: "strong composition", the papers' baseline.
//   subsampled       Balle, Barthe, Gaboardi, "Privacy amplification by subsampling" (NeurIPS 2018),
//                    Theorem 9: a uniform subset.
//
// The proofs are in docs/theory/baselines.md. Rounds may be adaptive. Every returned value is an UPPER
// bound, rounded outward; it is nullopt (or a delta of 1) where the rounds' own delta is too large for
// the question. Pure functions; may be called from any thread. optimal_* costs O(T) for up to 3e7
// rounds; beyond that, a moment bound is used. heterogeneous_* and advanced_* are for comparison with the
// papers; no bound is made from them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "muster/accounting/statement.h"

namespace muster::accounting {

// A round is (epsilon, delta)-DP; both >= 0.
struct Guarantee {
  double epsilon, delta;
};

double optimal_composition_delta(const Guarantee& round, std::uint64_t rounds, double epsilon);
std::optional<double> optimal_composition_epsilon(const Guarantee& round, std::uint64_t rounds, double delta);

std::optional<double> heterogeneous_composition_epsilon(const std::vector<Guarantee>& rounds, double delta);

std::optional<double> advanced_composition_epsilon(const Guarantee& round, std::uint64_t rounds,
                                                   double delta);

// The guarantee of the mechanism when it runs on a secret uniform subset, a fraction `rate` of the records.
Guarantee subsampled(const Guarantee& mechanism, double rate);

// Answers the question for `rounds` rounds of a mechanism that is (epsilon_of(delta), delta)-DP for every
// delta, by optimal composition. Several values of the rounds' own delta are tried; each gives a valid bound.
// `epsilon_of` returns nullopt where it has no epsilon, and must not increase with delta.
std::optional<double> compose_optimally(const std::function<std::optional<double>(double delta)>& epsilon_of,
                                        std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
