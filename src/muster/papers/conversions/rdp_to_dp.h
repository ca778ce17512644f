// Converts a Renyi (RDP) guarantee into an (epsilon, delta) guarantee: upper bounds on epsilon at a
// given delta, or on delta at a given epsilon.
//
// There are two conversions of a guarantee D_l <= rho, where D_l is the Renyi divergence of order l > 1:
//   canonne:  Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy" (NeurIPS 2020),
//             Proposition 12 of arXiv:2004.00010v4 ("Lemma 2" of the papers on shuffling, where
//             "1 < delta < 0" must read 0 < delta < 1):
//                 eps = rho + (log(1/delta) + (l-1) log(1 - 1/l) - log l) / (l - 1).
//   exact:    Asoodeh, Liao, Calmon, Kosut, Sankar, "Three variants of differential privacy" (IEEE
//             JSAIT 2(1), 2021), Theorem 3: the smallest eps with
//                 eps + log( min_{r in (delta,1)} r^l (r-delta)^(1-l)
//                            + (1-r)^l (e^eps - r + delta)^(1-l) ) / (l-1)
//             at least rho. This expression is the least D_l of any pair whose hockey-stick divergence at eps
//             is delta. So a pair with D_l <= rho has hockey-stick divergence at most delta, and no smaller
//             eps follows from one order.
//
// There is no conversion from (eps, delta > 0) to RDP: see
// docs/theory/no-conversion-from-approximate-dp.md. The conversion from pure epsilon-DP is in local_rdp.h.
// All results are upper bounds, rounded up. The functions are pure.
#pragma once

#include <cstdint>
#include <functional>

#include "muster/accounting/statement.h"

namespace muster::accounting {

enum class Conversion { canonne, exact };

// Holds an upper bound on what the question asks for, and the order that gave it.
struct ConvertedUpper {
  double upper;
  double order;
};

// Returns an epsilon >= 0 at which every pair with D_order <= rho has hockey-stick divergence at most delta.
double epsilon_upper_from_rdp(Conversion conversion, double order, double rho, double delta);

// Returns a delta in [0, 1] such that every pair with D_order <= rho has hockey-stick divergence at most
// delta at epsilon.
double delta_upper_from_rdp(Conversion conversion, double order, double rho, double epsilon);

// Limits the orders in convert_rdp, and so its time where the cost of rdp(l) grows like l.
inline constexpr std::uint64_t kAffordableOrder = 1'000'000;
// Returns the least bound found over integer orders >= 2 for `rounds` rounds of a mechanism whose order-l
// divergence is at most rdp(l) per round. The search steps upward, at most to `last_order`, as long as higher
// orders help. It then refines around the best order, if need be slightly beyond `last_order`. The function
// rdp may return infinity where it is not computed; the steps upward stop there. Every order gives a valid
// bound, so the search cannot make the result wrong.
ConvertedUpper convert_rdp(const std::function<double(std::uint64_t)>& rdp, std::uint64_t rounds,
                           const Question& question, Conversion conversion,
                           std::uint64_t last_order = kAffordableOrder);

}  // namespace muster::accounting
