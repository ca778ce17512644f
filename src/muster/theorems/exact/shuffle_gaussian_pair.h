// Encloses the exact curve of the shuffled Gaussian's homogeneous pair: everybody reports, and all other
// clients hold the victim's alternative record (Theorem 23, docs/theory/shuffle-gaussian.md).
//
// n clients each add spherical Gaussian noise of deviation s to their record. The victim's two records are
// Delta apart, and all other clients hold the second of these records. With M the average of n independent
// lognormal likelihood ratios of log-deviation mu = Delta / s and mean 1, and E = e^eps,
//     forward  delta(eps) = mean of ( M - E )_+,        reverse  delta(eps) = mean of ( 1 - E M )_+ .
// The curves are proven lower bounds on the divergence of the shuffled Gaussian, where Delta is the
// diameter of the records (2C at clip norm C). As upper bounds they are conditional on the assumption that
// this pair, with Delta the diameter, is the worst one. This assumption is not proven, and with Delta = C,
// as in Theorem 1 of Liew, Takahashi, "Shuffle Gaussian mechanism for differential privacy" (2022,
// arXiv 2206.09569), it is false. Random allocation has exactly the same pair (papers/random_allocation.h).
// Objects look immutable to their users and may be used from any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/composition/enclosed_minorant.h"
#include "muster/describe/laws/lognormal_law.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Encloses the exact curves at epsilon >= 0. Const methods may be called from any thread. Where the sum of
// the ratios is close to normal (many clients, mu at most 1), a point costs a contour integral. Where the
// lognormal's tail dominates, two laws of the whole sum are built on first use, and a point costs one pass
// over their atoms.
class ShuffleGaussianPair {
 public:
  // Encloses the curves of every distance that is rounded to mu. Requires clients >= 1 and mu > 0. For more
  // than one client and mu above 8, the upper ends are those of the Gaussian without any shuffling. The lower
  // ends are then the contribution of a single ratio to the forward curve, and 0 for the reverse curve.
  ShuffleGaussianPair(std::uint64_t clients, double mu);

  // The end of the enclosure that the caller needs. The other end may then be 0 or 1, which saves half of the
  // time.
  enum class End { both, lower, upper };

  numerics::Enclosure forward(double epsilon, End end = End::both) const;
  numerics::Enclosure reverse(double epsilon, End end = End::both) const;

  // Encloses a function that is convex in E and nowhere above the forward curve, as a dominated pair needs.
  // It is the curve itself or, for mu above 8, the contribution of a single ratio.
  EnclosedMinorant forward_minorant(double epsilon) const;

  // Returns the forward curve to within a factor of a few, in about a microsecond. The value serves to
  // start a search and is not a bound.
  double rough(double epsilon) const;

 private:
  struct WholeSum;  // two laws, made by doubling, above and below the law of the sum

  numerics::Enclosure forward_by_contour(double epsilon, double tail, End end) const;
  numerics::Enclosure reverse_by_contour(double epsilon, double tail, End end) const;

  bool computed() const { return n_ <= 1 || sum_ || above_; }
  numerics::Enclosure one_ratio_alone(double epsilon) const;  // encloses the contribution of a single ratio

  double n_;
  double mu_;
  // The ratio's law for the lower and upper ends of contour integrals; null if none is used.
  std::shared_ptr<const CenteredLognormal> below_, above_;
  std::shared_ptr<WholeSum> sum_;  // the laws of the whole sum; null if doubling is not used
};

}  // namespace muster::accounting
