// Computes the papers' bounds for a shuffled check-in, and lists the papers' bounds for any participation.
// They are for comparison with the proven bounds (docs/theory/as-published.md).
//
// An as_published Bound says in `assumptions` what is wrong with it or not proven. A run is never charged by
// these bounds: `muster account --all` shows them beside the statement. Unless a Bound says otherwise, the
// neighbouring relation is replace-one and the shuffler is honest. Functions that take `epsilon0` are for any
// epsilon0-LDP randomizer. With Conversion::exact, an id ends in "-exact-conversion". Pure functions; they
// take under a second at n = 10^6.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/papers/conversions/rdp_to_dp.h"

namespace muster::accounting {

// Proven, but loose: Girgis et al. (2021), Theorem 1, mixed over the public count with the inclusion
// probability k/n (check_in_rdp.h). Id "check-in-rdp".
Bound check_in_rdp_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                         const Question& question, Conversion conversion);

// As published, for n clients at rate g. The first is Girgis et al. (2021), Theorem 1, as if a fixed subset
// of round(n g) clients reported; id "girgis-2021-at-mean-count". The second is Liew et al. (2022), Theorem
// 2, with corrected constants; id "liew-2022-theorem-2".
Bound girgis_theorem1_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                            const Question& question, Conversion conversion);
Bound liew_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                          const Question& question, Conversion conversion);

// As published: lower bounds of the Renyi divergence of binary randomized response at `order`. No lower bound
// on epsilon or delta follows from them, so neither `upper` nor `lower` is set, and `assumptions` state the
// value. Ids "girgis-2021-theorem-2" and "liew-2022-theorem-3".
Bound girgis_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order);
Bound liew_theorem3_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order);

// All as_published bounds above; the upper bounds are listed with both conversions.
std::vector<Bound> published_bounds(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                                    const Question& question);

// The papers' bounds that apply to a randomizer and a participation with equal rates. They are those of
// published_bounds above and of published_check_in.h, published_subset.h, published_shuffle_gaussian.h and
// published_random_check_in.h. Empty where there are none. Where a formula needs both epsilon0 and delta0, a
// Gaussian message counts as (epsilon0, n^-1.5)-LDP, as in the papers. Most are as_published; the proven ones
// are loose.
std::vector<Bound> published_bounds(const Mechanism& mechanism, const Participation& participation,
                                    std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
