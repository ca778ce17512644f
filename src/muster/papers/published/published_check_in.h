// Evaluates formulas of "Shuffled check-in" that papers/renyi/check_in_rdp.h does not have, in order to
// reproduce the paper's figures. Most of them are wrong.
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
//   Theorem 5          of the later manuscript: the adversary sees only the average of the reports;
//                      neighbouring relation add/remove. The moment in it is also given corrected.
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

// Lemma 3 as equation (4) prints it (a moment, which it calls a divergence), and as it must have been meant:
// epsilon + log(moment) / (order - 1). The second value is the least Renyi divergence of a pair whose
// hockey-stick divergence at epsilon is delta. It is a LOWER bound, which the lemma takes for an upper bound.
double lemma3_printed(double order, const Guarantee& guarantee);
double lemma3_meant(double order, const Guarantee& guarantee);

// Feldman, McMillan, Talwar (2021), Theorem 3.8: the closed form for k messages. The theorem has a delta of
// its own that may be chosen, `free_delta`. Outside its range epsilon0 <= log(k / (16 log(2/free_delta))) the
// result is `local`, without amplification, as in footnote 3 of Liew et al.
Guarantee shuffled(double k, const Guarantee& local, double free_delta);

// The divergence of one round by Theorem 2, with 2 epsilon0 and 8 epsilon0 as printed. `slack` in (0, 1) is
// the paper's Delta.
double theorem2_printed(double epsilon0, double clients, double rate, double slack, std::uint64_t order);

// The guarantee of one round of the baseline, for a count that is exceeded with probability at most `miss`.
Guarantee high_count_round(double clients, double rate, const Guarantee& local, double miss);

// Lemmas 4 and 5 of the later manuscript, with the binomial weights that the printed statements omit. They
// are upper bounds of E f(K) - f(0) P(K = 0) for K ~ Bin(n, g) and a decreasing f >= 0; `slack` is Delta.
double lemma4(const std::function<double(double)>& f, double clients, double rate, double slack);
double lemma5(const std::function<double(double)>& f, double clients, double rate, double slack);

// E_q'[(p'/q')^order], where p' is the law of the average of k reports without the victim's, and q' that of
// k + 1 reports with hers. Each report has noise of deviation s; the others are at 0 and the victim at 1. The
// first function is as printed. The second is corrected, and infinite for order >= k + 1.
double removal_moment_printed(double k, double s, double order);
double removal_moment(double k, double s, double order);
// The right side of Theorem 5 (its lines 12 and 13), with the sign and the moments as printed.
double theorem5_printed(double clients, double rate, double s, std::uint64_t order);

}  // namespace published_check_in

// Id "liew-2022-theorem-2-printed".
Bound liew_theorem2_printed_bound(double clients, double rate, double epsilon0, std::uint64_t rounds,
                                  const Question& question, Conversion conversion);
// Ids "liew-2022-approach-1", "liew-2022-approach-2", "liew-2022-baseline".
Bound liew_approach1_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                           const Question& question);
Bound liew_approach2_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                           const Question& question);
Bound liew_baseline_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                          const Question& question);
// Proven. Id "check-in-high-count".
Bound high_count_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                       const Question& question);
// Id "liew-2022-theorem-5". It never has an `upper`.
Bound liew_theorem5_bound(double clients, double rate, double sigma, std::uint64_t rounds,
                          const Question& question);

// All bounds above but Theorem 5, for a check-in of an (epsilon0, delta0)-LDP randomizer. Theorem 2 is
// included only if delta0 = 0.
std::vector<Bound> published_check_in_bounds(double clients, double rate, const Guarantee& local,
                                             std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
