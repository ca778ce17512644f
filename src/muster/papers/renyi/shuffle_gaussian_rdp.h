// Renyi bounds for Gaussian messages: the shuffled crowd (conditional) and the secret subset alone (proven).
//
// n clients, noise of deviation s a coordinate, any two records within distance Delta; mu = Delta / s. In
// clips: Delta = 2 C, s = sigma C, mu = 2 / sigma. Replace-one.
//   shuffle-gaussian-rdp
//       D_l of the homogeneous pair (homogeneous_rdp.h). Conditional: nobody has shown that it is the worst
//       pair. Liew and Takahashi (2022), Theorem 1, have it at Delta = C, where it is false. Subsets and
//       check-ins exactly, not by their equations 16 to 18.
//   shuffle-gaussian-rdp-subsampled
//       their equations 16 and 17 put right: rate k/n given k reports, k = 0 counted. Conditional in the same
//       way, and looser than the exact pair.
//   subset-local-rdp
//       Theorem 9 of Wang et al. (2019) over the messages' own divergence: what the secret subset hides
//       without any help of the crowd. Proven, every randomizer with a Renyi curve, any dimension; needs a
//       subset or a check-in.
// Each with the conversion in its id, "-exact-conversion" or none. docs/theory/shuffle-gaussian-rdp.md,
// docs/theory/subsampled-rdp.md. Pure functions; up to a second where high orders matter.
#pragma once

#include <cstdint>

#include "muster/accounting/statement.h"
#include "muster/papers/conversions/rdp_to_dp.h"
#include "muster/papers/renyi/subsampled_rdp.h"

namespace muster::accounting {

// Who reports: `subset` of the clients, secretly and uniformly (subset = clients: all of them), or each with
// probability `rate` (then subset = 0).
struct RenyiCrowd {
  double clients;
  double subset;
  double rate;
  static RenyiCrowd all(double clients) { return {clients, clients, 1}; }
  static RenyiCrowd fixed_subset(double clients, double subset) { return {clients, subset, 1}; }
  static RenyiCrowd check_in(double clients, double rate) { return {clients, 0, rate}; }
};

Bound shuffle_gaussian_rdp_bound(const RenyiCrowd& crowd, double mu, std::uint64_t rounds,
                                 const Question& question, Conversion conversion);
Bound shuffle_gaussian_rdp_subsampled_bound(const RenyiCrowd& crowd, double mu, std::uint64_t rounds,
                                            const Question& question, Conversion conversion);

// `message` is the local randomizer's curve, local_rdp.h; `largest_loss` its epsilon0, or infinity.
Bound subset_local_rdp_bound(const RenyiCrowd& crowd, const RenyiCurve& message, double largest_loss,
                             std::uint64_t rounds, const Question& question, Conversion conversion);

}  // namespace muster::accounting
