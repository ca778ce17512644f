// Provides the steps that the papers' Renyi bounds share: from a divergence per round to an answer, and
// sums over a public count.
//
//   answer_by_renyi      Renyi divergences added over the rounds (Mironov 2017, arXiv 1702.07476), converted
//                        by rdp_to_dp.h.
//   girgis_ccs_2021      Girgis, Data, Diggavi, Suresh, Kairouz, "On the Renyi differential privacy of the
//                        shuffle model" (CCS 2021, arXiv 2105.05180): everybody reports, any epsilon0-LDP
//                        randomizer. Derived in docs/theory/baselines.md; an upper bound, rounded up.
//   count_cells          Bin(n, g) as cells (k, weight), for formulas that sum over the public count. The
//                        weights are the probabilities with a relative error of 1e-6, not a certified bound.
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

// A Bound with `upper`, and with its order in `assumptions`, or with the reason why there is none. Id
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
// Cells are about `fineness` deviations wide and represented by their middle; 0 gives single values.
std::vector<CountCell> count_cells(double n, double rate, double fineness);

}  // namespace muster::accounting
