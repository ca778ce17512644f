// Evaluates the bounds of "Renyi differential privacy of the subsampled shuffle model in distributed
// learning".
//
// Source: Girgis, Data, Diggavi (NeurIPS 2021, arXiv:2107.08763v1). k of n clients are chosen uniformly and
// secretly (k = n: everybody reports), their reports are shuffled, and the randomizer is any epsilon0-LDP
// one. The paper's Figure 2 has four curves:
//   (i)   Theorem 1 (papers/renyi/subsampled_shuffle_rdp.h). Proven.
//   (ii)  Theorem 2, a lower bound of the divergence. The paper converts it to epsilon as if it were an upper
//         bound, so the curve is no bound at all.
//   (iii) Girgis et al. (CCS 2021) for the shuffle, Wang et al. (2019, arXiv:1808.00087v2), Theorem 9, for
//         the subset. Proven. The figure uses only the branch 2 e^eps(2) of Theorem 9's minimum.
//   (iv)  Feldman, McMillan, Talwar (FOCS 2021), Theorem 3.1 in closed form, with amplification by the subset
//         and strong composition. Here rounds are composed optimally instead. With the clone pair evaluated
//         numerically (theorems/everyone/clones.h), as in the paper's Figure 3, the bound is proven and far
//         smaller.
// The page is docs/theory/as-published.md. Nothing throws. Pure functions; they take under a second.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/papers/conversions/rdp_to_dp.h"

namespace muster::accounting {

// These two bounds are proven. The ids are "girgis-2021-theorem-1", and "girgis-ccs-2021" (k = n) or
// "girgis-ccs-2021-wang" (k < n); they end in "-exact-conversion" for Conversion::exact.
Bound subset_theorem1_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                            const Question& question, Conversion conversion);
Bound subset_ccs_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                       const Question& question, Conversion conversion);

// Returns an epsilon at which the clone pair's divergence for `reports` shuffled reports is at most delta.
// The bound is proven, and exceeds the least one that the search can prove by at most a relative 1e-7.
// Requires 0 <= delta <= 1.
double clones_epsilon_upper(double reports, double epsilon0, double delta);

// This bound is proven. Its id is "feldman-2021-numerical-composition".
Bound subset_numerical_composition_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                                         const Question& question);

// These bounds are as published. The ids are "girgis-2021-figure-2-lower", "girgis-2021-figure-2-wang" and
// "feldman-2021-strong-composition".
Bound subset_plotted_lower_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                                 const Question& question);
Bound subset_plotted_wang_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                                const Question& question);
Bound subset_strong_composition_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                                      const Question& question);

// Returns all bounds above; 1 <= subset <= clients.
std::vector<Bound> published_subset_bounds(double clients, double subset, double epsilon0,
                                           std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
