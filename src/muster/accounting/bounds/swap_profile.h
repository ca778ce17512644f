// The swap theorem for shuffled check-in in its profile-only form (docs/theory/swap-theorem.md,
// profile-only.md).
//
// Statement. n honest clients report independently with probability g < 1 through a shuffler; R has local
// profile f. For every pair of records of the victim, every dataset of the others and E = e^eps >= 1,
//     delta(eps) <= (1/n) E( sum_{i=1..n} X_i )_+  +  g^n f(E),        X_i = 1 - E w.p. 1-g, else X*,
// where X* is the law with call function  E(X*-c)_+ = f(E+c) for c >= 0,  (1+|c|) f(E/(1+|c|)) for c < 0.
// For a piecewise linear f with kinks alpha_i of Q-mass kappa_i the law X* is atomic: alpha_i - E with mass
// kappa_i where alpha_i > E; 1 - E/alpha_i with mass alpha_i kappa_i where alpha_i < E; the rest at 0. Mass
// of f at infinity is charged once: + g f(inf). Replace-one, proven, any dimension, one code path for every
// randomizer. Checked by exhaustive enumeration in swap_profile_test.cc.
#pragma once

#include "muster/accounting/accountant.h"
#include "muster/accounting/mechanisms/mechanism.h"
#include "muster/accounting/profile.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// delta at epsilon >= 0 for one round: `upper` is proven; `lower` encloses the same bound (not the true
// delta) from below, so upper - lower is numerical error alone. Throws Error(uncovered) at rate 1: nobody is
// left to swap with.
numerics::Enclosure swap_delta(const Profile& profile, const ShuffledCheckIn& protocol, double epsilon);

// Same for a mechanism; the Gaussian's profile is cut where the total of sum and mass at infinity is
// smallest.
class SwapCurve {
 public:
  // `deepest`: the Gaussian's smallest mass at infinity tried; the curve cannot fall below about rate times
  // that.
  SwapCurve(const Mechanism& mechanism, const ShuffledCheckIn& protocol, double deepest);
  numerics::Enclosure delta(double epsilon) const;

 private:
  ShuffledCheckIn protocol_;
  std::vector<Profile> profiles_;  // coarser and coarser cuts
};

}  // namespace muster::accounting
