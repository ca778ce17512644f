// From one round's curve to T rounds: a discrete dominating (or dominated) pair and its T-fold composition.
//
// Losses live on the lattice i h. Given a curve at some of them, in both directions (forward delta(eps) for P
// against Q, reverse for Q against P, eps = i h >= 0), the privacy profile over alpha = e^{ih} is
//     alpha >= 1: forward(ln alpha);     alpha < 1: 1 - alpha + alpha reverse(-ln alpha).
//  - `dominating`: curve values are upper bounds; their LOWER CONVEX HULL over alpha (a maximum of true
//    curves is convex, so the hull still lies above the truth), then connect the dots: a discrete pair that
//    dominates every round's true pair, so its T-fold composition bounds adaptive rounds (Theorem 20 of
//    docs/theory/composition.md). Its masses are proven to add up (convex_profile.h).
//  - `dominated`: curve values enclose ONE true pair's curve; between nodes it takes the least that convexity
//    allows: a discrete pair dominated by the true one, so its T-fold composition is a lower bound for that
//    pair repeated T times.
// References: Doroshenko et al. 2022 (connect the dots); Zhu, Dong, Wang 2022 (dominating pairs compose
// adaptively). Immutable after construction; share freely.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/composition/composed_delta.h"
#include "muster/accounting/composition/convex_profile.h"
#include "muster/accounting/composition/round_curve.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

class LossDistribution {
 public:
  static LossDistribution dominating(const RoundCurve& curve);
  // `refined` lattice points to a cell, >= 2, where the lower pair may have a kink: more are tighter, and
  // costly for few rounds, whose transform decays slowly.
  static LossDistribution dominated(const RoundCurve& curve, int refined = 2);

  // Enclosure of this discrete pair's T-fold hockey-stick divergence at epsilon (any sign), T >= 1.
  numerics::Enclosure delta(std::uint64_t rounds, double epsilon, Ends ends = Ends::both) const;
  double rough_delta(std::uint64_t rounds, double epsilon) const;  // from above: composed_delta_roughly

  // Smallest epsilon >= 0 whose delta upper end is at most `target`; infinity when
  // the mass at infinity alone passes it.
  double epsilon_upper(std::uint64_t rounds, double target) const;
  // Largest epsilon >= 0 whose delta lower end is at least `target`; 0 when there is none.
  double epsilon_lower(std::uint64_t rounds, double target) const;

  // As a part of a composition; refers to this object.
  RepeatedLoss repeated(std::uint64_t rounds) const;

  double mass_at_infinity() const { return infinity_; }
  const numerics::AtomicLaw& losses() const { return law_; }  // less the shift
  double shift() const { return shift_; }      // <= 0: of a dominated pair, whose losses are the less by it
  double spacing() const { return spacing_; }  // of the lattice the losses lie on

 private:
  LossDistribution(double spacing, LossLaw law);

  double spacing_ = 0;
  numerics::AtomicLaw law_;  // nonzero losses under P
  double infinity_ = 0;      // P-mass at infinite loss
  double shift_ = 0;         // of every loss, zero among them
};

}  // namespace muster::accounting
