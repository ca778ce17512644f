// Makes the types that cover a round of which only the noisy sum of Gaussian messages is seen, in any
// dimension (Theorem 11, docs/theory/aggregated.md, "Many rounds"). composition/round_types.h says what
// types are and what covering means.
//
// Given k reports, a round is a mixture of pairs made of three normal laws, centred at the victim's record x,
// her alternative x' and another client's record t. Only the position of t decides the type
// (triangle_types.h); the number of reports is averaged over. Const methods may run concurrently.
#pragma once

#include <optional>
#include <utility>

#include "muster/composition/round_types.h"
#include "muster/theorems/aggregated/aggregated.h"

namespace muster::accounting {

class AggregatedTypes {
 public:
  // Types are made only if the largest mu_k (aggregated.h), leaving aside improbable numbers k of reports,
  // lies in this range. Below it, one dominating pair is within a few parts in a thousand of the truth; above
  // it, the search for types is slow.
  static constexpr double kMinMu = 0.01, kMaxMu = 1.05;

  // `curve` must be made for the mu that is the diameter of a ball that holds all records, in deviations of
  // one message's noise.
  explicit AggregatedTypes(AggregatedGaussianCurve curve) : curve_(std::move(curve)) {}

  // Returns whether types exist for this round.
  bool covers() const;
  // Makes the types, with losses up to the epsilon at which the worst curve falls to `tail`; larger losses
  // are charged as infinite. `rough` takes a fraction of the work and makes the composed epsilon about two
  // per cent larger. Returns nullopt if covers() is false or the types cannot be tabulated.
  std::optional<RoundTypes> at(double tail, bool rough = false) const;

 private:
  AggregatedGaussianCurve curve_;
};

}  // namespace muster::accounting
