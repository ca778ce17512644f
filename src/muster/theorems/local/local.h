// Bounds the privacy loss when the shuffler colludes with the server: there is no amplification, and T
// rounds are composed exactly (Theorem 21, docs/theory/local.md).
//
// In every round the adversary sees whether the victim took part and, if so, her own message. Her
// coin, by which she takes part with probability `rate`, does not depend on her record. The number of
// participations k ~ Bin(T, rate) is public, so the hockey-stick divergence is the average over k,
//     delta(eps) = E_k[ delta_k(eps) ],
// where delta_k is the optimal k-fold composition. For an epsilon0-LDP message it is given by Kairouz, Oh,
// Viswanath, "The composition theorem for differential privacy" (ICML 2015), Theorem 3.3. For the Gaussian,
// with mu the distance of the two records in deviations of the noise, it is that of a Gaussian pair at
// distance mu sqrt(k): Dong, Roth, Su, "Gaussian differential privacy" (JRSS-B 2022, arXiv 1905.02383),
// Corollary 3.3. Both are attained, so this is also the exact cost of the same messages without
// amplification. For a randomizer that is given by its profile f, rate * f is the curve of one round, and its
// dominating pair composes (composition/composed_curve.h); where losses are bounded, the smaller of this and
// the bound for an epsilon0-LDP message holds. docs/theory/local.md has the proof and the error budget.
//
// The neighbouring relation is replace-one. Every returned value is an UPPER bound, rounded outward.
// The functions are pure and may be called from any thread. For an epsilon0-LDP message the computing
// time is O(rounds) up to 3e7 rounds (0.1 s at 1e7); beyond that, a moment bound is used.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/composition/composed_curve.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/question.h"

namespace muster::accounting {

// The cost of one mechanism at one rate, for any number of rounds. The tables that a profile needs are built
// when they are first needed, and kept; copies share them. Const methods may run concurrently.
class LocalCost {
 public:
  LocalCost(Mechanism mechanism, Rate rate);
  // Returns the upper bound that the question asks for. It is 0 for 0 rounds, and infinity if no finite bound
  // is found.
  double upper(std::uint64_t rounds, const Question& question) const;

 private:
  Mechanism mechanism_;
  Rate rate_;
  std::shared_ptr<const ComposedCurve> composed_;  // null unless the mechanism is given by its profile
};

// Each of the next three functions answers one question. For several questions about a profile, LocalCost
// takes less time.
//
// Returns delta(epsilon) after `rounds` rounds, for epsilon >= 0. It is 0 only where the privacy loss cannot
// exceed epsilon. Throws Error(usage) for an epsilon out of range.
double local_delta_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double epsilon);

// Returns the smallest epsilon with delta(epsilon) <= delta, where 0 < delta < 1, or 0 for 0 rounds. Throws
// Error(plan) for a delta out of range.
double local_epsilon_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double delta);

// Returns the upper bound that the question asks for: delta at an epsilon, or epsilon at a delta.
double local_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, const Question& question);

namespace local_detail {

// These functions are for one epsilon0-LDP message per round, sent with probability `rate`. The first two
// compose exactly, except for very many rounds, where they return the moment (Renyi) bound of the last two.
double pure_delta_upper(double epsilon0, double rate, std::uint64_t rounds, double epsilon);
double pure_epsilon_upper(double epsilon0, double rate, std::uint64_t rounds, double delta);
double pure_delta_upper_by_moments(double epsilon0, double rate, std::uint64_t rounds, double epsilon);
double pure_epsilon_upper_by_moments(double epsilon0, double rate, std::uint64_t rounds, double delta);

// These functions are for one Gaussian message per round, sent with probability `rate`. mu is the distance of
// the records in deviations of the noise.
double gaussian_delta_upper(double mu, double rate, std::uint64_t rounds, double epsilon);
double gaussian_epsilon_upper(double mu, double rate, std::uint64_t rounds, double delta);

}  // namespace local_detail
}  // namespace muster::accounting
