// Provides the steps that the papers' Renyi bounds share: from a divergence per round to an answer, and sums
// over the number of reports, which the adversary knows.
//
//   answer_by_renyi      Renyi divergences added over the rounds (Mironov, CSF 2017), converted by
//                        rdp_to_dp.h.
//   girgis_ccs_2021      Girgis, Data, Diggavi, Suresh, Kairouz, "On the Renyi differential privacy of the
//                        shuffle model" (CCS 2021): everybody reports, any epsilon0-LDP
//                        randomizer. Derived in docs/theory/baselines.md; an upper bound, rounded up.
//   count_cells          Bin(n, g) as cells (k, weight), for formulas that sum over the number k of reports.
//                        The weights sum to 1 within 1e-6. As a cell stands for its middle, sums over cells
//                        are approximate, not certified.
//
// Integer orders >= 2. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/papers/conversions/rdp_to_dp.h"

namespace muster::accounting {

using Divergence = std::function<double(std::uint64_t order)>;  // D_order per round; infinity allowed

// A Bound with `upper`, if that is finite. Its `assumptions` state the order, or why there is no `upper`. Id
// and citation are empty.
Bound answer_by_renyi(const Divergence& rdp, std::uint64_t rounds, const Question& question,
                      Conversion conversion);

// The same Bound from a conversion's result.
Bound bound_of(const ConvertedUpper& best);

// What the conversion adds to an id ("-exact-conversion" or nothing) and to a citation, after the theorem.
const char* id_suffix(Conversion conversion);
const char* citation_suffix(Conversion conversion);

double girgis_ccs_2021(double epsilon0, double clients, std::uint64_t order);

struct CountCell {
  double k, weight;
};
// Near the mean, cells are about `fineness` deviations wide (0: single values). Each stands for its middle.
std::vector<CountCell> count_cells(double n, double rate, double fineness);

}  // namespace muster::accounting
