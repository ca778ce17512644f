// Provides what the papers' Renyi bounds share: the conversion of a per-round divergence into an epsilon or a
// delta, and sums over the number of reports.
//
//   answer_by_renyi      adds the Renyi divergences of the rounds (Mironov, CSF 2017) and converts the sum by
//                        rdp_to_dp.h.
//   girgis_ccs_2021_upper
//                        an upper bound of D_order, rounded up, for any epsilon0-LDP randomizer if everybody
//                        reports: Girgis, Data, Diggavi, Suresh, Kairouz, "On the Renyi differential privacy
//                        of the shuffle model" (CCS 2021). The derivation is in docs/theory/baselines.md.
//   count_cells          cuts Bin(n, g) into cells (k, weight), for formulas that sum over the number k of
//                        reports. The weights sum to 1 within 1e-6. Each cell is represented by its middle,
//                        so sums over cells are approximate, not certified.
//
// Orders are integers >= 2. The functions are pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/papers/conversions/rdp_to_dp.h"

namespace muster::accounting {

using Divergence = std::function<double(std::uint64_t order)>;  // D_order per round; may be infinite

// Returns a Bound whose `upper` is set if it is finite. Its `assumptions` state the order, or why there is no
// `upper`. Its id and citation are empty.
Bound answer_by_renyi(const Divergence& rdp, std::uint64_t rounds, const Question& question,
                      Conversion conversion);

// Makes such a Bound from the result of a conversion.
Bound bound_of(const ConvertedUpper& best);

// Return the endings that name the conversion in an id ("-exact-conversion" or "") and in a citation.
const char* id_suffix(Conversion conversion);
const char* citation_suffix(Conversion conversion);

double girgis_ccs_2021_upper(double epsilon0, double clients, std::uint64_t order);

struct CountCell {
  double k, weight;  // k is the middle of the cell, rounded down
};
// Near the mean, cells are about `fineness` standard deviations wide. With fineness 0, each is a single k.
std::vector<CountCell> count_cells(double n, double rate, double fineness);

}  // namespace muster::accounting
