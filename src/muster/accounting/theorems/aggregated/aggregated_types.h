// The types that cover a round of which only the noisy sum is seen, Gaussian messages, in any dimension
// (docs/theory/aggregated.md, "Many rounds"; composition/round_types.h says what covering means).
//
// Given k reports a round is a mixture of pairs made of three normal laws: about the victim's record x, her
// alternative x' and another client's t. Where t is decides which type it is (triangle_types.h); how many
// report does not, and is averaged over. Const methods may run concurrently.
#pragma once

#include <optional>
#include <utility>

#include "muster/accounting/composition/round_types.h"
#include "muster/accounting/theorems/aggregated/aggregated.h"

namespace muster::accounting {

class AggregatedTypes {
 public:
  // Where nearly all of the rounds' distances mu_k must lie: below, one dominating pair is within a few parts
  // in a thousand; above, the search is slow.
  static constexpr double kLeastMu = 0.01, kMostMu = 1.05;

  // The curve of records in a ball of the diameter it was made with.
  explicit AggregatedTypes(AggregatedGaussianCurve curve) : curve_(std::move(curve)) {}

  // Whether there are types at all.
  bool covers() const;
  // Losses up to where the worst curve falls to `tail`; the rest is charged as infinite loss. `rough`: a
  // fraction of the work, and about two per cent of the composed epsilon dearer. None out of range.
  std::optional<RoundTypes> at(double tail, bool rough = false) const;

 private:
  AggregatedGaussianCurve curve_;
};

}  // namespace muster::accounting
