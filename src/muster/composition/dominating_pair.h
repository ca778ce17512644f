// Carries one round's curve to T rounds: a discrete dominating (or dominated) pair and its
// T-fold composition.
//
// Losses lie on the lattice i h. A curve is given at some of them, in both directions: forward delta(eps)
// of P against Q, reverse of Q against P, at eps = i h >= 0. Its privacy profile over alpha = e^{ih} is
//     alpha >= 1: forward(ln alpha);     alpha < 1: 1 - alpha + alpha reverse(-ln alpha).
// - `dominating`: the curve's values are upper bounds. Their lower convex hull over alpha still lies above
//   the truth, which is convex, as a supremum of convex curves. Connecting the dots gives a discrete pair
//   that dominates every round's true pair, so its T-fold composition bounds adaptive rounds (Theorem 20,
//   docs/theory/composition.md). If its masses fall short of 1 by more than rounding explains, the rest
//   becomes mass at infinite loss (convex_profile.h).
// - `dominated`: the curve's values enclose the curve of one true pair. Between nodes the least value that
//   convexity allows is taken. The result is a discrete pair dominated by the true one, so its T-fold
//   composition is a lower bound for the true pair repeated T times.
// - `estimated`: made as a dominated pair is, from a bound's curve with its estimates as lower ends. It
//   bounds nothing; its distance from the dominating pair shows how large the numerical error is.
// References: Doroshenko et al. 2022 (connect the dots); Zhu, Dong, Wang 2022 (dominating pairs compose
// adaptively). Immutable after construction; share freely.
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
  static LossDistribution dominating(const PairTable& curve);
  // The losses of the lower pair lie on a lattice at least `refined` >= 2 times as fine as the curve's. A
  // finer lattice makes the pair tighter, but costly for few rounds, whose transform decays slowly.
  static LossDistribution dominated(const PairTable& curve, int refined = 2);
  static LossDistribution estimated(const BoundTable& curve, int refined);

  // Encloses the hockey-stick divergence at epsilon, of any sign, of this discrete pair's composition over
  // `rounds` >= 1 rounds.
  numerics::Enclosure delta(std::uint64_t rounds, double epsilon, Ends ends = Ends::both) const;
  // An upper bound of that divergence, quick and sometimes much too large: composed_delta_roughly.
  double rough_delta(std::uint64_t rounds, double epsilon) const;

  // The smallest epsilon >= 0 whose delta's upper end is at most `target`; infinity if the mass at infinite
  // loss alone is larger than `target`.
  double epsilon_upper(std::uint64_t rounds, double target) const;
  // The largest epsilon >= 0 whose delta's lower end is at least `target`; 0 if there is none.
  double epsilon_lower(std::uint64_t rounds, double target) const;

  // This pair as a part of a composition; the result refers to this object.
  RepeatedLoss repeated(std::uint64_t rounds) const;

  double mass_at_infinity() const { return infinity_; }
  const numerics::AtomicLaw& losses() const { return law_; }  // before the shift is added
  // Added to every loss; at most 0, and 0 unless the pair is a dominated one.
  double shift() const { return shift_; }
  double spacing() const { return spacing_; }  // of the lattice on which the losses lie

 private:
  LossDistribution(double spacing, LossLaw law);

  double spacing_ = 0;
  numerics::AtomicLaw law_;  // nonzero losses under P
  double infinity_ = 0;      // P-mass at infinite loss
  double shift_ = 0;         // added to every loss, zero among them
};

}  // namespace muster::accounting
