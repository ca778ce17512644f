// Computes the papers' bounds for a shuffled check-in, and lists those of any participation, for comparison
// with the proven ones (docs/theory/as-published.md).
//
// An as_published Bound says in `assumptions` what is wrong with it or missing. A run is never charged by
// these bounds: `muster account --all` shows them beside the statement. Neighbouring relation: replace-one;
// the shuffler is honest. `epsilon0` is that of any epsilon0-LDP randomizer. Pure functions; they take under
// a second at n = 10^6.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/papers/conversions/rdp_to_dp.h"

namespace muster::accounting {

// Proven, but loose: Girgis et al. (2021), Theorem 1, mixed exactly over the public
// count. Id "check-in-rdp".
Bound check_in_rdp_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                         const Question& question, Conversion conversion);

// As published, for n clients at rate g. The first is Girgis et al. (2021), Theorem 1, as if a fixed subset
// of round(n g) clients were drawn; id "girgis-2021-at-mean-count". The second is Liew et al. (2022), Theorem
// 2, with corrected constants; id "liew-2022-theorem-2".
Bound girgis_theorem1_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                            const Question& question, Conversion conversion);
Bound liew_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                          const Question& question, Conversion conversion);

// As published: lower bounds of the Renyi divergence of binary randomized response. No lower bound on
// epsilon or delta follows from them, so neither `upper` nor `lower` is set and `assumptions` state the
// divergence. Ids "girgis-2021-theorem-2" and "liew-2022-theorem-3".
Bound girgis_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order);
Bound liew_theorem3_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order);

// All the as_published ones above, with both conversions for each upper bound.
std::vector<Bound> published_bounds(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                                    const Question& question);

// The papers' bounds for a randomizer under any participation with equal rates: those of
// published_bounds above and of published_check_in.h, published_subset.h, published_shuffle_gaussian.h
// and published_random_check_in.h that apply; empty where there are none. Where a formula needs both
// epsilon0 and delta0, a Gaussian message counts as (epsilon0, n^-1.5)-LDP, as in the papers. Most are
// as_published; the proven ones are loose.
std::vector<Bound> published_bounds(const Mechanism& mechanism, const Participation& participation,
                                    std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
