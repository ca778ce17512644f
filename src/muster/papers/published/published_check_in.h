// Evaluates formulas of "Shuffled check-in" that papers/renyi/check_in_rdp.h does not have, in order to
// reproduce the paper's figures. Most of these formulas are wrong.
//
// Sources: Liew, Hasegawa, Takahashi, "Shuffled check-in: privacy amplification towards practical distributed
// learning" (2022, arXiv:2206.03151v1), and appendix B of a later manuscript (distributed check-in; its
// version is not known: docs/theory/references.md). Each of n clients reports with probability g; the
// randomizer is epsilon0-LDP or (epsilon0, delta0)-LDP. docs/theory/as-published-check-in.md and the
// `assumptions` of the Bounds say with numbers what is wrong with each formula.
//   Lemma 3            from (epsilon, delta) to a Renyi divergence. False.
//   Approaches 1, 2    shuffling by Feldman et al. (FOCS 2021), Theorem 3.8, mixed over the count by equation
//                      (6). Between the two steps, Approach 1 applies Lemma 3 and then subsamples the Renyi
//                      divergence (subsampled_rdp.h). Approach 2 subsamples (epsilon, delta) and then applies
//                      Lemma 3.
//   Baseline           no amplification by shuffling: subsampling at a high quantile of the count, then
//                      Lemma 3. With optimal composition instead of Lemma 3 the bound is proven
//                      ("check-in-high-count").
//   Theorem 2          with the printed constants (papers/renyi/check_in_rdp.h has them corrected).
//   Theorem 5          of the later manuscript: the adversary sees only the average of the reports, and the
//                      neighbouring relation is add/remove. Its moment is also given in corrected form.
// Nothing throws; a Bound without `upper` says why in `assumptions`. Pure functions; the approaches take up
// to a second. No bound is made from lemma3_printed, lemma4, lemma5 and removal_moment: they are for
// comparison with the paper.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/papers/conversions/rdp_to_dp.h"
#include "muster/papers/optimal_composition.h"

namespace muster::accounting {

namespace published_check_in {

// lemma3_printed is Lemma 3 as equation (4) prints it: a moment, which the paper calls a divergence.
// lemma3_meant is what must have been meant: epsilon + log(moment) / (order - 1), the least Renyi divergence
// of a pair whose hockey-stick divergence at epsilon is delta. It is a LOWER bound, which the lemma takes for
// an upper bound.
double lemma3_printed(double order, const Guarantee& guarantee);
double lemma3_meant(double order, const Guarantee& guarantee);

// Returns the guarantee of k shuffled messages by the closed form of Feldman, McMillan, Talwar (2021),
// Theorem 3.8. The theorem has a delta of its own that may be chosen, `free_delta`. Outside the theorem's
// range epsilon0 <= log(k / (16 log(2/free_delta))) the result is `local`, without amplification, as in
// footnote 3 of Liew et al.
Guarantee shuffled(double k, const Guarantee& local, double free_delta);

// Returns the divergence of one round by Theorem 2, with 2 epsilon0 and 8 epsilon0 as printed. `slack` in
// (0, 1) is the paper's Delta.
double theorem2_printed(double epsilon0, double clients, double rate, double slack, std::uint64_t order);

// Returns the guarantee of one round of the baseline: subsampling at the quantile of the count that is
// exceeded with probability at most `miss`. The value of `miss` is added to delta.
Guarantee high_count_round(double clients, double rate, const Guarantee& local, double miss);

// Return the right sides of Lemmas 4 and 5 of the later manuscript. With the binomial weights that the
// printed statements omit, they are upper bounds of E f(K) - f(0) P(K = 0) for K ~ Bin(n, g) and a decreasing
// f >= 0; `slack` is Delta.
double lemma4(const std::function<double(double)>& f, double clients, double rate, double slack);
double lemma5(const std::function<double(double)>& f, double clients, double rate, double slack);

// Return E_q'[(p'/q')^order], where p' is the law of the average of k reports without the victim's, and q'
// that of k + 1 reports with hers. Each report has noise of deviation s; the others are at 0 and the victim
// at 1. removal_moment_printed is as printed. removal_moment is corrected, and infinite for order >= k + 1.
double removal_moment_printed(double k, double s, double order);
double removal_moment(double k, double s, double order);
// Returns the right side of Theorem 5 (its lines 12 and 13), with the sign and the moments as printed.
double theorem5_printed(double clients, double rate, double s, std::uint64_t order);

}  // namespace published_check_in

// The id is "liew-2022-theorem-2-printed".
Bound liew_theorem2_printed_bound(double clients, double rate, double epsilon0, std::uint64_t rounds,
                                  const Question& question, Conversion conversion);
// The ids are "liew-2022-approach-1", "liew-2022-approach-2" and "liew-2022-baseline".
Bound liew_approach1_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                           const Question& question);
Bound liew_approach2_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                           const Question& question);
Bound liew_baseline_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                          const Question& question);
// This bound is proven. Its id is "check-in-high-count".
Bound high_count_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                       const Question& question);
// This Bound never has an `upper`. Its id is "liew-2022-theorem-5".
Bound liew_theorem5_bound(double clients, double rate, double sigma, std::uint64_t rounds,
                          const Question& question);

// Returns all bounds above but Theorem 5, for a check-in of an (epsilon0, delta0)-LDP randomizer. Theorem 2
// is included only if delta0 = 0.
std::vector<Bound> published_check_in_bounds(double clients, double rate, const Guarantee& local,
                                             std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
