// Computes moments mu_j of the likelihood ratio r = a/b of one report, for the power series of
// homogeneous_rdp.h; a and b are the report's laws with the victim's first and second record.
//
// All other clients hold the second record, so no other ratio is needed. A client reports with probability
// `rate`, and her ratio is 1 if she does not: mu_j = 1 - rate + rate E_b[r^j]. The differences mu_j - 1 and
// mu_j - mu_{j-1} are non-negative, by Jensen's inequality and by Lyapunov's with E_b[r] = 1. The class
// computes their logarithms without subtracting nearly equal numbers. With e0 = epsilon0:
//   Gaussian, deviation s, distance Delta, t = Delta / s:   E_b[r^j] = e^{t^2 j (j-1) / 2}
//   binary randomized response:                             E_b[r^j] = (e^{e0 j} + e^{e0 (1-j)}) / (e^{e0}+1)
//   k-ary randomized response:    as binary response, with `rate` multiplied by (e^{e0}+1) / (e^{e0}+k-1)
// Objects are immutable, and threads may share them.
#pragma once

#include <cstdint>

namespace muster::accounting {

class RatioMoments {
 public:
  // t = distance / deviation, in (0, 1e6]; 0 < rate <= 1 here and below.
  static RatioMoments gaussian(double t, double rate = 1);
  static RatioMoments binary_response(double epsilon0, double rate = 1);
  static RatioMoments k_randomized_response(double epsilon0, double k, double rate = 1);

  double log_excess(std::uint64_t order) const;  // log(mu_order - 1); -infinity for order < 2
  double log_step(std::uint64_t order) const;    // log(mu_order - mu_{order-1}); -infinity for order < 2
  double log_moment(std::uint64_t order) const;  // log mu_order
  // Returns an upper bound of |log mu_order| that is superadditive in the order. The absolute errors of the
  // three functions above are at most (16 + 8 reach(order)) u with u = 2^-53.
  double reach(std::uint64_t order) const;

 private:
  enum class Kind { gaussian, binary };
  RatioMoments(Kind kind, double parameter, double log_rate);
  Kind kind_;
  double parameter_, log_rate_;
};

}  // namespace muster::accounting
