// Gives the bounds by hiding among the clones that `--all` adds to the statement of a plain shuffle
// (docs/theory/clones.md).
//
// Source: Feldman, McMillan, Talwar, "Hiding Among the Clones: A Simple and Nearly Optimal Analysis of
// Privacy Amplification by Shuffling" (FOCS 2021). Everybody reports, and a
// randomizer may depend on the answers before it. Neighbouring relation: replace-one; the shuffler is
// honest. Rounds are composed optimally from (epsilon, delta) alone. An (epsilon0, delta0)-LDP
// randomizer is given by epsilon0 as a function of delta0, of which some values are tried. Nothing
// throws; a Bound without `upper` says why in `assumptions`. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/accounting/statement.h"

namespace muster::accounting {

// As published: Theorem 3.1, the closed form for epsilon0-LDP randomizers. Id "feldman-2021-theorem-3-1".
Bound clone_closed_form_bound(double clients, double epsilon0, std::uint64_t rounds,
                              const Question& question);

// Gives the epsilon0 at a delta0.
using LocalGuarantee = std::function<double(double delta0)>;

// As published: Theorem 3.8, the version for (epsilon0, delta0). Id "feldman-2021-theorem-3-8".
Bound clone_approximate_bound(double clients, const LocalGuarantee& epsilon0, std::uint64_t rounds,
                              const Question& question);

// Proven: the clone pair itself for (epsilon0, delta0). Id "clone-pair-approximate".
Bound clone_pair_approximate_bound(double clients, const LocalGuarantee& epsilon0, std::uint64_t rounds,
                                   const Question& question);

// Those that apply: the first for a pure epsilon0, the others for a Gaussian message whose two records are mu
// deviations apart.
std::vector<Bound> clone_bounds_pure(double clients, double epsilon0, std::uint64_t rounds,
                                     const Question& question);
std::vector<Bound> clone_bounds_gaussian(double clients, double mu, std::uint64_t rounds,
                                         const Question& question);

}  // namespace muster::accounting
