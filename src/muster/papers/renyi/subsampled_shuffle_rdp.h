// Computes Renyi bounds of the subsampled shuffle: k of n clients are chosen uniformly and secretly, and
// their reports are shuffled.
//
// Source: Girgis, Data, Diggavi, "Renyi differential privacy of the subsampled shuffle model in
// distributed learning" (NeurIPS 2021, arXiv:2107.08763v1). For integer orders l >= 2, with g = k/n, c
// = e^eps0 - e^-eps0 and kbar = floor((k-1) / (2 e^eps0)) + 1:
//   Theorem 1 (upper)  (l-1) D_l <= log( 1 + 4 C(l,2) g^2 (e^eps0-1)^2 / (kbar e^eps0)
//                          + sum_{j=3..l} C(l,j) g^j j Gamma(j/2) (2 c^2 / kbar)^(j/2)
//                          + ((1 + g c)^l - 1 - l g c) e^(-(k-1) / (8 e^eps0)) ).
//   Theorem 2 (lower)  (l-1) D_l >= log E[ (1 + (g c / k) (m - k / (e^eps0+1)))^l ],
//                      m ~ Bin(k, 1/(e^eps0+1)): the exact moment of binary randomized response where all
//                      other clients hold the victim's second record.
// Two constants of Theorem 1 are 2 e^eps0 and 8 e^eps0; a follow-up paper misprints them as 2 eps0 and
// 8 eps0. Theorem 1 holds for any epsilon0-LDP randomizer, discrete or not; docs/theory/as-published.md
// checks its proof step by step. At the papers' own parameters its bound is 35 to 220 times the true D_l.
// Upper values are rounded up and lower ones down, for k up to 10^8. The functions are pure.
#pragma once

#include <cstdint>

namespace muster::accounting {

// Return the bounds of D_order per round; epsilon0 > 0 and 1 <= subset <= clients.
double subsampled_shuffle_rdp_upper(double epsilon0, double clients, double subset, std::uint64_t order);
double subsampled_shuffle_rdp_lower(double epsilon0, double clients, double subset, std::uint64_t order);

namespace rdp_detail {

// The first three return upper bounds of the logarithms of the terms of Theorem 1. The bounds are -infinity
// where a term is 0, and they increase in every argument but kbar, in which they decrease.
double log_second_term(std::uint64_t order, double rate, double epsilon0, double kbar);
double log_series(std::uint64_t order, double x);        // of sum_{j=3..l} C(l,j) j Gamma(j/2) x^j
double log_power_excess(std::uint64_t order, double z);  // of (1+z)^l - 1 - l z
double log_sum(double log_a, double log_b);              // log(a + b), rounded up
double divergence_from_log_excess(std::uint64_t order,
                                  double log_excess);  // log(1 + e^log_excess) / (order - 1), rounded up

// Returns an upper bound of the logarithm of Theorem 1's sum without its leading 1, with e^-exponent as the
// last factor.
double log_excess(std::uint64_t order, double rate, double epsilon0, double kbar, double exponent);

}  // namespace rdp_detail
}  // namespace muster::accounting
