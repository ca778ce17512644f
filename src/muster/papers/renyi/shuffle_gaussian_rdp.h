// Computes bounds by Renyi divergences: for Gaussian messages that are shuffled (conditional), and for any
// messages with amplification by the secret subset only (proven).
//
// Each of n clients adds noise of deviation s to every coordinate. Any two records are within distance Delta,
// and mu = Delta / s. For records clipped to norm C, Delta = 2 C, s = sigma C and mu = 2 / sigma. The
// neighbouring relation is replace-one.
//   shuffle-gaussian-rdp
//       D_l of the homogeneous pair (homogeneous_rdp.h). It is conditional, because this pair is not proven
//       to be the worst.
//       Liew and Takahashi (2022, arXiv 2206.09569), Theorem 1, state this bound at Delta = C, where it is
//       false. For subsets and check-ins the pair's divergence is computed exactly, not by their equations 16
//       to 18.
//   shuffle-gaussian-rdp-subsampled
//       Equations 16 and 17 of Liew and Takahashi, corrected: the rate is k/n given k reports, and k = 0 is
//       included. The bound is conditional for the same reason, and looser than shuffle-gaussian-rdp.
//   subset-local-rdp
//       Theorem 9 of Wang, Balle, Kasiviswanathan (AISTATS 2019, arXiv:1808.00087v2), applied to the
//       divergence of one message. The other messages do not help to hide it. The bound is proven for every
//       randomizer with a Renyi curve, in any dimension. It needs a subset or a check-in.
// Each id ends in "-exact-conversion" where that conversion is used. The pages are
// docs/theory/shuffle-gaussian-rdp.md and docs/theory/subsampled-rdp.md. Pure functions; they take up to
// a second where high orders matter.
#pragma once

#include <cstdint>

#include "muster/accounting/statement.h"
#include "muster/papers/conversions/rdp_to_dp.h"
#include "muster/papers/renyi/subsampled_rdp.h"

namespace muster::accounting {

// Says who reports: `subset` of the clients, drawn secretly and uniformly (subset = clients: all of them), or
// each client with probability `rate` (then subset = 0).
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
// This bound is larger than the one above. It is for comparison with equations (16) and (17) of the paper.
Bound shuffle_gaussian_rdp_subsampled_bound(const RenyiCrowd& crowd, double mu, std::uint64_t rounds,
                                            const Question& question, Conversion conversion);

// `message` is the local randomizer's Renyi curve (local_rdp.h), and `largest_loss` its epsilon0, or
// infinity.
Bound subset_local_rdp_bound(const RenyiCrowd& crowd, const RenyiCurve& message, double largest_loss,
                             std::uint64_t rounds, const Question& question, Conversion conversion);

}  // namespace muster::accounting
