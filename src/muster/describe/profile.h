// The local privacy profile of a randomizer. The profile-only form of the swap theorem (Theorem 2,
// docs/theory/profile-only.md) needs nothing else about the randomizer.
//
// The profile of a randomizer R is f(alpha), alpha > 0, the supremum over ordered pairs of records (x, x') of
// the hockey-stick divergence HS_alpha(R(x) || R(x')). A Profile is the profile of a discrete pair of laws
// (P, Q), and an upper bound of f that is convex and piecewise linear in alpha. Its kinks are at increasing
// values l_i of ln alpha, which are symmetric about 0 and include 0. Kink i has P-mass p_i and Q-mass
// q_i = p_i e^{-l_i}. Beyond the last kink the profile is the constant p_inf, the P-mass at infinite loss. So
// its value at alpha = e^l is
//     p_inf + sum over l_i > l of p_i (1 - e^{l - l_i}).
// Chords between points of a convex f lie above f, so tabulating errs upward, and masses are rounded up. If
// the P-masses fall short of 1 by more than rounding explains, the rest is added to p_inf. Profiles are
// immutable, and threads may share them.
#pragma once

#include <functional>
#include <vector>

namespace muster::accounting {

class Profile {
 public:
  // In the profiles of the next four functions, losses above this count as infinite, because their alpha
  // would be near the end of a double's range. So their whole P-mass is charged.
  static constexpr double kMaxLoss = 600;

  // Any epsilon0-LDP randomizer: f = max(p - alpha q, 1 - alpha, 0), exactly, with q = 1 / (e^epsilon0 + 1)
  // and p = 1 - q.
  static Profile pure(double epsilon0);

  // k-ary randomized response: f = (e^epsilon0 - alpha) / (e^epsilon0 + k - 1) for 1 <= alpha <= e^epsilon0,
  // exactly. k >= 2.
  static Profile k_randomized_response(double epsilon0, double k);

  // Laplace noise of scale 1 / epsilon0 on the unit interval: f = 1 - e^{(ln alpha - epsilon0) / 2} for 1 <=
  // alpha <= e^epsilon0, on a grid of ln alpha. This is for records at distance one; nearer records have a
  // smaller epsilon0.
  static Profile laplace(double epsilon0);

  // N(x, s^2 I) in any dimension with |x - x'| <= mu s (gaussian_divergence.h), on a grid of ln alpha whose
  // spacing is mu / per_deviation, and wider in the tails. The grid ends where f falls below `tail`; larger
  // losses count as infinite.
  static Profile gaussian(double mu, double tail, int per_deviation = 100);

  // A value of f and a bound on its relative error.
  struct Value {
    long double value;
    long double error;
  };
  // Makes a profile from values of f, or of a convex upper bound of f, at increasing nodes of ln alpha, the
  // first of which is 0. Left of alpha = 1 the profile is the symmetric extension 1 - alpha + alpha
  // f(1/alpha). Throws Error(internal) for other nodes, and for values that increase, lie outside [0, 1], or
  // have a relative error of 1e-6 or more.
  static Profile symmetric(const std::vector<double>& log_alphas,
                           const std::function<Value(double log_alpha)>& f);

  // The value of this profile at alpha = e^log_alpha, rounded up; 1 if log_alpha is NaN.
  double at(long double log_alpha) const;
  // The Q-mass at losses above log_alpha, rounded up. This is minus the slope of this profile in alpha, just
  // to the right of e^log_alpha.
  double alternative_tail(double log_alpha) const;

  double mass_at_infinity() const { return mass_at_infinity_; }
  const std::vector<double>& log_alphas() const { return log_alphas_; }
  const std::vector<double>& p_masses() const { return p_masses_; }
  const std::vector<double>& q_masses() const { return q_masses_; }
  double largest_loss() const { return log_alphas_.back(); }

 private:
  Profile() = default;
  std::vector<double> log_alphas_;
  std::vector<double> p_masses_;
  std::vector<double> q_masses_;
  double mass_at_infinity_ = 0;
};

}  // namespace muster::accounting
