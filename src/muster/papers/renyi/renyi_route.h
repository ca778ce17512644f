// Pieces shared by the papers' Renyi routes: a divergence a round -> an answer, a public count.
//
//   answer_by_renyi      Renyi divergences added over the rounds (Mironov 2017), converted by rdp_to_dp.h.
//   girgis_ccs_2021      Girgis, Data, Diggavi, Suresh, Kairouz, "On the Renyi differential privacy of the
//                        shuffle model" (CCS 2021): everybody reports, any epsilon0-LDP randomizer. Derived
//                        in docs/theory/baselines.md; an upper bound, rounded up.
//   count_cells          Bin(n, g) as cells (k, weight), for formulas that sum over the public count: weights
//                        are the probabilities to 1e-6 relative, not a certified bound.
//
// Integer orders >= 2. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/papers/conversions/rdp_to_dp.h"

namespace muster::accounting {

using Divergence = std::function<double(std::uint64_t order)>;  // D_order a round; infinity allowed

// A Bound with `upper` and its order in `assumptions`, or the reason why
// there is none; id and citation empty.
Bound answer_by_renyi(const Divergence& rdp, std::uint64_t rounds, const Question& question,
                      Conversion conversion);

// What a conversion found, as answer_by_renyi says it.
Bound bound_of(const ConvertedUpper& best);

// "-exact-conversion" or "", and what to say of the conversion after the theorem.
const char* id_suffix(Conversion conversion);
const char* citation_suffix(Conversion conversion);

double girgis_ccs_2021(double epsilon0, double clients, std::uint64_t order);

struct CountCell {
  double k, weight;
};
// Cells about `fineness` deviations wide, each at its middle; 0 gives single values.
std::vector<CountCell> count_cells(double n, double rate, double fineness);

}  // namespace muster::accounting
