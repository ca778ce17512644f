// Extends one round's curve to T rounds: makes a discrete dominating (or dominated) pair from it and composes
// this pair T times.
//
// Losses lie on the lattice of the multiples i h of a spacing h. The curve is given at some lattice points
// eps = i h >= 0, in both directions: `forward` is delta(eps) of P against Q, `reverse` that of Q against P.
// The privacy profile at alpha = e^{ih} is
//     alpha >= 1: forward(ln alpha);     alpha < 1: 1 - alpha + alpha reverse(-ln alpha).
// - `dominating`: the curve's values are upper bounds. The true profile is a supremum of convex curves and
//   therefore convex, so it lies below the lower convex hull of these values over alpha. Connecting the dots
//   gives a discrete pair that dominates every round's true pair, so its T-fold composition bounds adaptive
//   rounds (Theorem 20, docs/theory/composition.md). If its masses sum to less than 1 by more than rounding
//   explains, the missing mass is put at infinite loss (convex_profile.h).
// - `dominated`: the curve's values enclose that of one true pair, or a convex minorant of it. Between nodes,
//   the profile is set to the least value that convexity allows. The result is a discrete pair dominated by
//   the true one, so its T-fold composition is a lower bound for the true pair repeated T times.
// - `estimated`: made like a dominated pair, from the curve of a bound with its estimates as lower ends. It
//   bounds nothing; its distance from the dominating pair shows how large the numerical error is.
// References: Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, "Connect the dots", PETS 2022
// (docs/theory/composition.md derives this construction); Zhu, Dong, Wang, "Optimal accounting of
// differential privacy via characteristic function", AISTATS 2022, Theorem 10 (dominating pairs compose
// adaptively). An object does not change after its construction, so threads may share it.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/composition/composed_delta.h"
#include "muster/composition/convex_profile.h"
#include "muster/composition/round_curve.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

class LossDistribution {
 public:
  static LossDistribution dominating(const BoundTable& curve);
  static LossDistribution dominating(const EnclosedTable& curve);
  // The losses of a dominated or estimated pair lie on a lattice at least `refined` >= 2 times as fine as the
  // curve's. A finer lattice makes the pair tighter, but few rounds then take more work, because their
  // transform decays slowly.
  static LossDistribution dominated(const PairTable& curve, int refined = 2);
  static LossDistribution dominated(const EnclosedTable& curve, int refined = 2);
  static LossDistribution estimated(const BoundTable& curve, int refined);

  // Encloses the hockey-stick divergence at epsilon (which may be negative) of this discrete pair composed
  // over `rounds` >= 1 rounds.
  numerics::Enclosure delta(std::uint64_t rounds, double epsilon, Ends ends = Ends::both) const;
  // An upper bound of that divergence, quick but sometimes much too large (composed_delta_roughly).
  double rough_delta(std::uint64_t rounds, double epsilon) const;

  // An upper bound of that divergence, which can be smaller than the upper end of delta() if `target` is the
  // delta for which `epsilon` was found (composed_delta_as_searched).
  double delta_as_searched(std::uint64_t rounds, double target, double epsilon) const;

  // An upper bound on the smallest epsilon >= 0 at which the composition's delta is at most `target`.
  // It is infinite if the probability of an infinite loss is larger than `target`.
  double epsilon_upper(std::uint64_t rounds, double target) const;
  // A lower bound on the same epsilon; 0 if nothing better is known.
  double epsilon_lower(std::uint64_t rounds, double target) const;

  // This pair as a part of a composition. The result points into this object, which must outlive it.
  RepeatedLoss repeated(std::uint64_t rounds) const;

  double mass_at_infinity() const { return infinity_; }
  const numerics::AtomicLaw& losses() const { return law_; }  // the losses without the shift
  // Added to every loss; at most 0, and 0 unless the pair is a dominated or estimated one.
  double shift() const { return shift_; }
  double spacing() const { return spacing_; }  // the spacing of the lattice on which the losses lie

 private:
  LossDistribution(double spacing, LossLaw law);

  double spacing_ = 0;
  numerics::AtomicLaw law_;  // nonzero losses under P
  double infinity_ = 0;      // P-mass at infinite loss
  double shift_ = 0;         // added to every loss, including zero
};

}  // namespace muster::accounting
