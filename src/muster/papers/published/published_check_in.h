// Evaluates formulas of "Shuffled check-in" that papers/renyi/check_in_rdp.h does not have, in order to
// reproduce the paper's figures. Most of them are wrong.
//
// Liew, Hasegawa, Takahashi, "Shuffled check-in: privacy amplification towards practical distributed
// learning" (2022, arXiv:2206.03151v1), and appendix B of a later manuscript (distributed check-in;
// its version is not known: docs/theory/references.md). Each of n clients reports with probability g;
// the randomizer is epsilon0-LDP or (epsilon0, delta0)-LDP. docs/theory/as-published-check-in.md says
// with numbers what is wrong with each formula, and so do the Bounds' `assumptions`.
//   Lemma 3            from (epsilon, delta) to a Renyi divergence. False.
//   Approaches 1, 2    shuffling by Feldman et al. (FOCS 2021), Theorem 3.8, mixed over the count by equation
//                      (6). In between, Approach 1 applies Lemma 3 and then subsampling in Renyi terms
//                      (subsampled_rdp.h); Approach 2 subsamples (epsilon, delta) and then applies Lemma 3.
//   Baseline           no amplification by shuffling: a subset as large as a high quantile of the count, then
//                      Lemma 3. The same round, composed optimally instead, is proven
//                      ("check-in-high-count").
//   Theorem 2          with the printed constants (papers/renyi/check_in_rdp.h has them corrected).
//   Theorem 5          of the later manuscript: only the average of the reports is seen, add/remove; and its
//                      moment, corrected.
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

// Lemma 3 as equation (4) prints it (a moment, which it calls a divergence), and as it must have been
// meant: epsilon + log(moment) / (order - 1). The latter is the least divergence of a pair that reaches
// delta at epsilon, a LOWER bound that the lemma takes for an upper one.
double lemma3_printed(double order, const Guarantee& guarantee);
double lemma3_meant(double order, const Guarantee& guarantee);

// Feldman, McMillan, Talwar (2021), Theorem 3.8: the closed form for k messages, whose own delta,
// `free_delta`, may be chosen. Outside its range epsilon0 <= log(k / (16 log(2/free_delta))) there is no
// amplification, as in footnote 3 of Liew et al.
Guarantee shuffled(double k, const Guarantee& local, double free_delta);

// Theorem 2 per round, with 2 epsilon0 and 8 epsilon0 as printed.
double theorem2_printed(double epsilon0, double clients, double rate, double slack, std::uint64_t order);

// One round of the baseline, at a value of the count that is exceeded with probability at most `miss`.
Guarantee high_count_round(double clients, double rate, const Guarantee& local, double miss);

// The later version's Lemmas 4 and 5, with the binomial weights that the printed statements omit. They are
// upper bounds of E f(K) - f(0) P(K = 0) for K ~ Bin(n, g) and a falling f >= 0; `slack` is their Delta.
double lemma4(const std::function<double(double)>& f, double clients, double rate, double slack);
double lemma5(const std::function<double(double)>& f, double clients, double rate, double slack);

// E_q'[(p'/q')^order], where p' is the law of the average of k reports without the victim's, and q' that of
// k + 1 reports with hers. Each report has noise of deviation s; the others are at 0 and the victim at 1. The
// first function is as printed, the second corrected (finite only for order < k + 1).
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

// All of these but Theorem 5, for a check-in of an (epsilon0, delta0)-LDP randomizer; Theorem 2 only if
// delta0 = 0.
std::vector<Bound> published_check_in_bounds(double clients, double rate, const Guarantee& local,
                                             std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
