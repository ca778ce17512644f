// The local privacy profile: all that the swap theorem's profile-only form needs to know of a randomizer.
//
// f(alpha) = sup over ordered pairs of records of HS_alpha(R(x) || R(x')), alpha > 0. It is kept as a convex,
// piecewise linear UPPER bound with kinks at nodes alpha_0 < ... < alpha_K that contain 1:
//   - left of alpha_0 its slope is -1; right of alpha_K it is the constant f(alpha_K) = mass_at_infinity;
//   - kink i has Q-mass kappa_i (the change of slope) and P-mass alpha_i kappa_i: the profile is that of a
//   discrete pair.
// Chords between the nodes of a convex f lie above it, so tabulating errs upward. Reference:
// docs/theory/profile-only.md. Immutable; share freely.
#pragma once

#include <functional>
#include <vector>

namespace muster::accounting {

class Profile {
 public:
  // Any epsilon0-LDP randomizer: f = max(p - alpha q, 1 - alpha, 0), exactly.
  static Profile pure(double epsilon0);

  // k-ary randomized response: f = (e^epsilon0 - alpha) / (e^epsilon0 + k - 1) for 1 <= alpha <= e^epsilon0,
  // exactly. k >= 2.
  static Profile k_randomized_response(double epsilon0, double k);

  // Laplace noise of scale 1 / epsilon0 on the unit interval: f = 1 - e^{(ln alpha - epsilon0) / 2} for 1 <=
  // alpha <= e^epsilon0 (records at distance one; nearer ones are a smaller epsilon0), on a grid of ln alpha.
  static Profile laplace(double epsilon0);

  // N(x, s^2 I) in any dimension with |x - x'| <= mu s: f = Phi(-ln(alpha)/mu + mu/2) - alpha
  // Phi(-ln(alpha)/mu - mu/2), on a grid of ln(alpha), mu/100 apart and wider in the tails, cut where f falls
  // below `tail` (which then sits at infinity).
  static Profile gaussian(double mu, double tail);

  // From a convex upper bound of f for alpha >= 1, tabulated at alpha = 1 and the increasing nodes given; the
  // part below 1 is its symmetric extension 1 - alpha + alpha f(1/alpha).
  static Profile symmetric(const std::vector<double>& alphas,
                           const std::function<long double(long double)>& f);

  // f(alpha), outward: the chord.
  double at(double alpha) const;

  double mass_at_infinity() const { return mass_at_infinity_; }
  // f(alpha_0) - (1 - alpha_0): by how much the total P-mass of the kinks and of infinity passes 1.
  double excess_at_bottom() const { return excess_at_bottom_; }
  const std::vector<double>& alphas() const { return alphas_; }
  const std::vector<double>& q_masses() const { return q_masses_; }

 private:
  Profile() = default;
  std::vector<double> alphas_;
  std::vector<double> q_masses_;  // kappa_i, accurate to a few ulps each
  double mass_at_infinity_ = 0;
  double excess_at_bottom_ = 0;
};

// The exact Gaussian profile, rounded up by a relative 1e-13: one point, no table.
double gaussian_profile(double mu, double alpha);

}  // namespace muster::accounting
