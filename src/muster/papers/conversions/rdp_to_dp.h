// From a Renyi (RDP) guarantee to an (epsilon, delta) guarantee: upper bounds, in both directions.
//
//   canonne:  Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy" (NeurIPS 2020),
//             Proposition 12 (the papers' "Lemma 2", where "1 < delta < 0" must read 0 < delta < 1):
//                 eps = rho + (log(1/delta) + (l-1) log(1 - 1/l) - log l) / (l - 1).
//   exact:    Asoodeh, Liao, Calmon, Kosut, Sankar, "Three variants of differential privacy" (2021, arXiv
//             2001.05990), Theorem 3: no pair of laws with D_l <= rho does worse, so nothing better can be
//             said from one order. The smallest eps with
//                 eps + log( min_{r in (delta,1)} r^l (r-delta)^(1-l)
//                            + (1-r)^l (e^eps - r + delta)^(1-l) ) / (l-1)
//             at least rho: the left side is the least D_l of a pair whose hockey-stick divergence reaches
//             delta.
//
// The other way round, from (eps, delta > 0) to RDP, nothing is true:
// docs/theory/no-conversion-from-approximate-dp.md. From pure epsilon-DP: local_rdp.h. Orders l > 1, rho >=
// 0. Everything is rounded outward. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "muster/accounting/statement.h"

namespace muster::accounting {

enum class Conversion { canonne, exact };

// An upper bound in the quantity asked, and the order that gave it.
struct ConvertedUpper {
  double upper;
  double order;
};

// epsilon >= 0 such that every pair with D_order <= rho has hockey-stick divergence at most delta at epsilon.
double epsilon_upper_from_rdp(Conversion conversion, double order, double rho, double delta);

// delta in [0, 1] such that every pair with D_order <= rho has
// hockey-stick divergence at most delta at epsilon.
double delta_upper_from_rdp(Conversion conversion, double order, double rho, double epsilon);

// The least of the above over integer orders >= 2 for `rounds` rounds of a mechanism whose order-l divergence
// is at most rdp(l) a round (infinity allowed: where rdp is no longer computed, the search stops). Searches
// upward as far as orders help, then around the best; every order is valid, so the search cannot harm. The
// first steps of the search that pass `last_order` end it: a limit on time where an order costs as much as
// its size, not a choice of the user's. A closed form takes kEveryOrder.
inline constexpr std::uint64_t kAffordableOrder = 1'000'000;
inline constexpr std::uint64_t kEveryOrder = std::uint64_t{1} << 50;  // doubles still count in steps of one
ConvertedUpper convert_rdp(const std::function<double(std::uint64_t)>& rdp, std::uint64_t rounds,
                           const Question& question, Conversion conversion,
                           std::uint64_t last_order = kAffordableOrder);

// The same over a table: divergences[i] bounds the divergence of order i + 2. Every order is tried, by the
// exact conversion those near the best.
ConvertedUpper convert_rdp_table(std::span<const double> divergences, std::uint64_t rounds,
                                 const Question& question, Conversion conversion);

}  // namespace muster::accounting
