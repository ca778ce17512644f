// The papers' bounds for a shuffled check-in, for comparison with the proven ones.
// docs/theory/as-published.md.
//
// Every returned Bound says what is wrong or missing in `assumptions`; training and services refuse
// as_published ones. Replace-one, honest shuffler, any epsilon0-LDP randomizer. Pure functions; under a
// second at n = 10^6.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/participation.h"
#include "muster/accounting/statement.h"
#include "muster/papers/conversions/rdp_to_dp.h"

namespace muster::accounting {

// Proven, loose: the exact mixture over the public count of Girgis et al. (2021), Theorem 1. Id
// "check-in-rdp".
Bound check_in_rdp_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                         const Question& question, Conversion conversion);

// As published: Girgis et al. (2021), Theorem 1, as if a fixed subset of round(n g) clients were drawn. Id
// "girgis-2021-theorem-1"; Liew et al. (2022), Theorem 2 with corrected constants. Id "liew-2022-theorem-2".
Bound girgis_theorem1_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                            const Question& question, Conversion conversion);
Bound liew_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                          const Question& question, Conversion conversion);

// As published, lower bounds of the Renyi divergence of binary randomized response: neither `upper` nor
// `lower` is set, since no lower bound on epsilon or delta follows; `assumptions` state the divergence. Ids
// "girgis-2021-theorem-2", "liew-2022-theorem-3".
Bound girgis_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order);
Bound liew_theorem3_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order);

// All as_published ones, both conversions of each upper bound.
std::vector<Bound> published_bounds(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                                    const Question& question);

// What the papers have for a randomizer under any participation, equal rates: all of published_bounds above
// and of published_check_in.h, published_subset.h, published_shuffle_gaussian.h, published_random_check_in.h
// that apply. A Gaussian message counts as (epsilon0, n^-1.5)-LDP where a formula needs both, as in the
// papers. Empty where they have nothing. Mostly as_published; the proven ones are loose.
std::vector<Bound> published_bounds(const Mechanism& mechanism, const Participation& participation,
                                    std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting
