// The local privacy profile of a randomizer, which is all that the profile-only form of the swap theorem
// (Theorem 2, docs/theory/profile-only.md) needs to know of it.
//
// f(alpha) = sup over ordered pairs of records of HS_alpha(R(x) || R(x')), alpha > 0, is kept as the
// profile of a discrete pair (P, Q): a convex, piecewise linear upper bound of f with kinks at increasing
// values l_i of ln alpha, symmetric about 0, which is one of them. Kink i has P-mass p_i and Q-mass
// q_i = p_i e^{-l_i}. Beyond the last kink f is the constant p_inf, the P-mass at infinite loss:
//     f(e^l) = p_inf + sum over l_i > l of p_i (1 - e^{l - l_i}).
// Chords between the nodes of a convex f lie above it, so tabulating errs upward, and so do all masses. P
// is a probability law: what the kinks and p_inf lack of 1 is added to p_inf. Immutable; share freely.
#pragma once

#include <functional>
#include <vector>

namespace muster::accounting {

class Profile {
 public:
  // In all of these, losses beyond 600 are put at infinity, where their whole P-mass is charged.
  //
  // Any epsilon0-LDP randomizer: f = max(p - alpha q, 1 - alpha, 0), exactly.
  static Profile pure(double epsilon0);

  // k-ary randomized response: f = (e^epsilon0 - alpha) / (e^epsilon0 + k - 1) for 1 <= alpha <= e^epsilon0,
  // exactly. k >= 2.
  static Profile k_randomized_response(double epsilon0, double k);

  // Laplace noise of scale 1 / epsilon0 on the unit interval: f = 1 - e^{(ln alpha - epsilon0) / 2} for
  // 1 <= alpha <= e^epsilon0, on a grid of ln alpha. This is for records at distance one; nearer ones have
  // a smaller epsilon0.
  static Profile laplace(double epsilon0);

  // N(x, s^2 I) in any dimension with |x - x'| <= mu s (gaussian_divergence.h), on a grid of ln alpha whose
  // spacing is mu / per_deviation, and wider in the tails. The grid ends where f falls below `tail`; what
  // lies beyond is put at infinity.
  static Profile gaussian(double mu, double tail, int per_deviation = 100);

  // A value of f to a relative `error`.
  struct Value {
    long double value;
    long double error;
  };
  // Made from values of f, or of a convex upper bound of it, at ln alpha = 0 and the increasing nodes
  // given; the part below 0 is the symmetric extension 1 - alpha + alpha f(1/alpha). Throws Error(internal)
  // for values that are not finite, that increase, or that lie outside [0, 1].
  static Profile symmetric(const std::vector<double>& log_alphas,
                           const std::function<Value(double log_alpha)>& f);

  // f(e^l) on the chord, rounded up.
  double at(long double log_alpha) const;
  // An upper bound of Q(ln of the likelihood ratio > l), which is how steeply f falls at l
  // per unit of alpha.
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
