// Computes Renyi bounds of shuffled check-in: each of n clients reports with probability g, reports are
// shuffled, and the count is public.
//
// Source: Liew, Hasegawa, Takahashi, "Shuffled check-in: privacy amplification towards practical distributed
// learning" (2022, arXiv:2206.03151v1). Their Theorem 1 averages the moments of the subsampled shuffle over
// the public count K ~ Bin(n, g). This is exact:
//     E_Q[(P/Q)^l] = sum_k P(K = k) E_{Q_k}[(P_k/Q_k)^l].
// Given k reports, the victim is among them with probability k/n. The paper's equation (6) and Theorem 2 use
// g instead.
//   CheckInRdp             the correct mixture: Girgis, Data, Diggavi (NeurIPS 2021, arXiv:2107.08763v1),
//                          Theorem 1, for a subset of k at rate k/n, averaged over k in blocks with certified
//                          weights. It is proven.
//   check_in_rdp_printed   Theorem 2, with only its constants 2 eps0 and 8 eps0 corrected to 2 e^eps0 and
//                          8 e^eps0. At rate g it takes two counts: k = 1, weighted by Chernoff's bound of
//                          P(K <= (1 - slack) n g), and k = (1 - slack) n g + 1. The formula is still FALSE
//                          as a bound: at n = 2, g = .05, eps0 = 1 and order 20, binary response has the
//                          divergence .6517, and the formula gives .2617 at slack 1/2. The paper's Lemma 5
//                          (the bound falls with k) fails at rate k/n. The formula is kept to reproduce the
//                          paper's figures.
//   check_in_rdp_lower     Theorem 3, for binary randomized response, from the second moment only. It is a
//                          valid lower bound of D_l. The printed Jensen step fails at odd powers, but it is
//                          not needed: central moments of Bin(k, p) with p <= 1/2 are non-negative.
// The page is docs/theory/as-published-check-in.md. Orders are integers >= 2. Pure functions; they take under
// 10 ms per order.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/numerics/binomial_blocks.h"

namespace muster::accounting {

class CheckInRdp {
 public:
  CheckInRdp(double epsilon0, double clients, double rate);
  // Returns an upper bound of D_order per round, for every data set and every epsilon0-LDP randomizer.
  double upper(std::uint64_t order) const;

 private:
  double epsilon0_, clients_;
  std::vector<numerics::BinomialBlock> blocks_;
};

// 0 < slack < 1; the paper calls it Delta.
double check_in_rdp_printed(double epsilon0, double clients, double rate, double slack, std::uint64_t order);
double check_in_rdp_lower(double epsilon0, double clients, double rate, double slack, std::uint64_t order);

}  // namespace muster::accounting
