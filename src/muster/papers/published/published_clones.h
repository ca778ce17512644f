// Computes the bounds of "Hiding Among the Clones" that `muster account --all` lists for a plain shuffle
// (docs/theory/clones.md).
//
// Source: Feldman, McMillan, Talwar, "Hiding Among the Clones: A Simple and Nearly Optimal Analysis of
// Privacy Amplification by Shuffling" (FOCS 2021). Everybody reports, and a randomizer may depend on the
// earlier answers. The neighbouring relation is replace-one, and the shuffler is honest. Rounds are composed
// by optimal_composition.h. An (epsilon0, delta0)-LDP randomizer is given by epsilon0 as a function of
// delta0; several values of delta0 are tried. Nothing throws; a Bound without `upper` says why in
// `assumptions`. The functions are pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/accounting/statement.h"

namespace muster::accounting {

// Returns Theorem 3.1, the closed form for epsilon0-LDP randomizers, as published. The id is
// "feldman-2021-theorem-3-1".
Bound clone_closed_form_bound(double clients, double epsilon0, std::uint64_t rounds,
                              const Question& question);

// Gives an epsilon0 for which the randomizer is (epsilon0, delta0)-LDP.
using LocalGuarantee = std::function<double(double delta0)>;

// Returns Theorem 3.8, the closed form for (epsilon0, delta0)-LDP, as published. The id is
// "feldman-2021-theorem-3-8".
Bound clone_approximate_bound(double clients, const LocalGuarantee& epsilon0, std::uint64_t rounds,
                              const Question& question);

// Returns a proven bound: the divergence of the clone pair for (epsilon0, delta0)-LDP. The id is
// "clone-pair-approximate".
Bound clone_pair_approximate_bound(double clients, const LocalGuarantee& epsilon0, std::uint64_t rounds,
                                   const Question& question);

// Return the bounds above that apply to an epsilon0-LDP randomizer, and to Gaussian messages of records that
// are mu deviations apart.
std::vector<Bound> clone_bounds_pure(double clients, double epsilon0, std::uint64_t rounds,
                                     const Question& question);
std::vector<Bound> clone_bounds_gaussian(double clients, double mu, std::uint64_t rounds,
                                         const Question& question);

}  // namespace muster::accounting
