// What holds when the shuffler colludes with the server: no amplification at all, T rounds composed exactly.
//
// The adversary sees in every round whether the victim took part (her coin does not depend on her record)
// and, if so, her own message. With k ~ Bin(T, rate) participations, public, the hockey-stick divergence is
//     delta(eps) = E_k[ delta_k(eps) ],
// delta_k the optimal k-fold composition: Kairouz, Oh, Viswanath, "The composition theorem for differential
// privacy" (ICML 2015), Theorem 3.3, for an epsilon0-LDP message; Dong, Roth, Su, "Gaussian differential
// privacy" (JRSS-B 2022), Corollary 3.3, mu sqrt(k), for the Gaussian. Both are attained, so this is also the
// same release without amplification. docs/theory/local.md has the proof and the error budget.
//
// Replace-one; every returned value is an UPPER bound, rounded outward. Pure functions; call from any thread.
// O(rounds) up to 3e7 rounds for a pure mechanism (0.1 s at 1e7), a moment bound beyond.
#pragma once

#include <cstdint>

#include "muster/accounting/describe/mechanism.h"
#include "muster/core/types.h"

namespace muster::accounting {

// delta(epsilon) after `rounds` rounds; epsilon >= 0. 0 only where the loss cannot exceed epsilon.
double local_delta_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double epsilon);

// The smallest epsilon with delta(epsilon) <= delta, 0 < delta < 1; 0 for 0 rounds.
double local_epsilon_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double delta);

namespace local_detail {

// One epsilon0-LDP message at `rate`: exact composition, and the moment
// (Renyi) bound used for very many rounds.
double pure_delta(double epsilon0, double rate, std::uint64_t rounds, double epsilon);
double pure_epsilon(double epsilon0, double rate, std::uint64_t rounds, double delta);
double pure_delta_by_moments(double epsilon0, double rate, std::uint64_t rounds, double epsilon);
double pure_epsilon_by_moments(double epsilon0, double rate, std::uint64_t rounds, double delta);

// One Gaussian message at `rate`, mu = distance over deviation.
double gaussian_delta(double mu, double rate, std::uint64_t rounds, double epsilon);
double gaussian_epsilon(double mu, double rate, std::uint64_t rounds, double delta);

}  // namespace local_detail
}  // namespace muster::accounting
