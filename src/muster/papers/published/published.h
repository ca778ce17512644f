// Computes the papers' bounds for a shuffled check-in, and lists the papers' bounds for any participation,
// for comparison with the proven bounds (docs/theory/as-published.md).
//
// An as_published Bound says in `assumptions` what is wrong with it or not proven. A run is never charged by
// these bounds: `muster account --all` shows them beside the statement. Unless a Bound says otherwise, the
// neighbouring relation is replace-one and the shuffler is honest. Functions that take `epsilon0` are for any
// epsilon0-LDP randomizer. With Conversion::exact, an id ends in "-exact-conversion". Pure functions; they
// take under a second for 10^6 clients.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/papers/conversions/rdp_to_dp.h"

namespace muster::accounting {

// Returns a bound that is proven but loose, with the id "check-in-rdp". It is Theorem 1 of Girgis, Data,
// Diggavi (NeurIPS 2021, arXiv:2107.08763v1) for k reports and inclusion probability k/n, averaged over the
// public count k (check_in_rdp.h).
Bound check_in_rdp_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                         const Question& question, Conversion conversion);

// These two bounds, for n clients at check-in rate g, are as published. girgis_theorem1_bound is Theorem 1 of
// Girgis, Data, Diggavi (NeurIPS 2021), as if a fixed subset of round(n g) clients reported; id
// "girgis-2021-at-mean-count". liew_theorem2_bound is Theorem 2 of Liew, Hasegawa, Takahashi (2022,
// arXiv:2206.03151v1) with corrected constants; id "liew-2022-theorem-2".
Bound girgis_theorem1_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                            const Question& question, Conversion conversion);
Bound liew_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                          const Question& question, Conversion conversion);

// These two are as-published lower bounds of the Renyi divergence of binary randomized response at `order`.
// No lower bound on epsilon or delta follows from them, so neither `upper` nor `lower` is set, and
// `assumptions` state the value. The ids are "girgis-2021-theorem-2" and "liew-2022-theorem-3".
Bound girgis_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order);
Bound liew_theorem3_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order);

// Returns all as_published bounds above, the upper bounds with both conversions.
std::vector<Bound> published_bounds(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                                    const Question& question);

// Returns the papers' bounds that apply to a randomizer and a participation: those of published_bounds above
// and of published_check_in.h, published_subset.h, published_shuffle_gaussian.h and
// published_random_check_in.h. The list is empty if none applies, or if clients report at unequal rates.
// Where a formula needs both epsilon0 and delta0, a Gaussian message counts as (epsilon0, n^-1.5)-LDP, as in
// the papers. Most of the bounds are as_published; the proven ones are loose.
std::vector<Bound> published_bounds(const Mechanism& mechanism, const Participation& participation,
                                    std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
