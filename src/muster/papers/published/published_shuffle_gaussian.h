// Evaluates the formulas of "Shuffle Gaussian mechanism for differential privacy" at their printed
// sensitivity.
//
// Source: Liew, Takahashi (2022, arXiv 2206.09569). Each of n clients sends x + N(0, sigma^2 I), and the
// messages are shuffled. The paper takes sensitivity 1, although two records of norm at most 1 can be 2
// apart, and considers only one pair of data sets. For both reasons its formulas are no upper bounds for all
// neighbouring data sets: docs/theory/as-published-shuffle-gaussian.md has the counterexamples.
//   theorem 1     everybody reports: D_l of the data sets (0, .., 0) and (1, 0, .., 0) (homogeneous_rdp.h)
//   corollary 1   l / (2 sigma^2)
//   theorem 2     equation (16): a fixed subset, Wang et al. (2019, arXiv:1808.00087v2), Theorem 9
//   equation 17   shuffled check-in, in which each client reports with probability g: a sum over the count k
//                 of reports; k = 0 is left out, and g is used instead of k/n
//   theorem 3     equation (18): the sum over the count, bounded by a Chernoff bound
// The divergence is computed up to order 2048 for Theorem 1, 256 for equations 16 and 18, and 64 for equation
// 17; at higher orders it is infinity. Nothing throws. Pure functions; they take under a second.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/papers/optimal_composition.h"
#include "muster/papers/renyi/renyi_route.h"

namespace muster::accounting {

namespace published_shuffle_gaussian {

// Return D_order of one round by the formulas listed above; `t` = sensitivity / sigma, and `slack` is Delta
// in equation (18). Each returned function caches the orders that it has computed, so use it from one thread.
Divergence theorem1(double clients, double t);
double corollary1(double t, std::uint64_t order);
Divergence theorem2(double subset, double rate, double t);
Divergence equation17(double clients, double rate, double t);
Divergence theorem3(double clients, double rate, double t, double slack);

// Return the (epsilon, delta0) of one Gaussian message at mu = distance / sigma. gaussian_guarantee has the
// exact epsilon. classical_gaussian_guarantee has mu sqrt(2 log(1.25 / delta0)), which the papers use to
// choose the noise.
Guarantee gaussian_guarantee(double mu, double delta0);
Guarantee classical_gaussian_guarantee(double mu, double delta0);
// Returns the exact guarantee at delta0 = n^-1.5, which the paper "Shuffled check-in" fixes, for n clients.
// One client would get delta0 = 1, which every randomizer satisfies with epsilon 0, so delta0 is at most 1/2.
Guarantee message_guarantee(double mu, double clients);

// Returns an entry of the "Clones" row of the paper's Table 1: T times the least epsilon of Feldman,
// McMillan, Talwar (FOCS 2021), Theorem 3.8, at delta / T, where T is `rounds`. Messages are (epsilon0,
// delta0)-LDP by the classical formula, and the theorem's free delta equals delta0. No bound is made from
// this value.
double table1_clones(double clients, double mu, std::uint64_t rounds, double delta);

}  // namespace published_shuffle_gaussian

// Theorem 1 uses orders from 2 to `last_order` (30 in the paper's Table 1; 0 means no limit). The ids are
// "liew-takahashi-2022-" with "theorem-1", "corollary-1", "theorem-2", "equation-17" or "theorem-3".
Bound shuffle_gaussian_theorem1_bound(double clients, double t, std::uint64_t rounds,
                                      const Question& question, Conversion conversion,
                                      std::uint64_t last_order);
Bound shuffle_gaussian_corollary1_bound(double t, std::uint64_t rounds, const Question& question);
Bound shuffle_gaussian_theorem2_bound(double clients, double subset, double t, std::uint64_t rounds,
                                      const Question& question);
Bound shuffle_gaussian_equation17_bound(double clients, double rate, double t, std::uint64_t rounds,
                                        const Question& question);
Bound shuffle_gaussian_theorem3_bound(double clients, double rate, double t, std::uint64_t rounds,
                                      const Question& question);

// Return the papers' bounds for Gaussian messages whose noise deviation is sigma times the clip norm. The
// sensitivity of "Shuffle Gaussian mechanism" is one clip norm: t = 1 / sigma.
std::vector<Bound> published_gaussian_shuffle_bounds(double clients, double sigma, std::uint64_t rounds,
                                                     const Question& question);
std::vector<Bound> published_gaussian_subset_bounds(double clients, double subset, double sigma,
                                                    std::uint64_t rounds, const Question& question);
std::vector<Bound> published_gaussian_check_in_bounds(double clients, double rate, double sigma,
                                                      std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
