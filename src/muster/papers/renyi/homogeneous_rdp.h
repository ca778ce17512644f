// Encloses the Renyi divergence of the homogeneous pair at integer orders >= 2. In this pair, all clients but
// the victim hold her second record.
//
// P and Q are the laws with the victim's first and second record. P/Q = S = (n - k + r_1 + ... + r_k) / n,
// where the likelihood ratios r_i of k clients are independent and E r_i = 1 under Q:
//   plain shuffle        k = n, r one report's ratio (for the Gaussian: Liew, Takahashi 2022,
//                        arXiv 2206.09569, Theorem 1)
//   fixed subset         k of n clients report, secretly
//   shuffled check-in    k = n, r = 1 unless the client reports
// With F(x) = sum_j mu_j x^j / j!, where mu_j = E r^j,
//     D_l = log E[S^l] / (l-1),   E[S^l] = l! n^-l [x^l] e^{(n-k) x} F(x)^k.
// The excess E_l = E[S^l] - 1 is computed instead of E[S^l], so that tiny divergences keep all digits. (E
// with an index is an excess, and without one it is the expectation under Q.)
//     l E_l = sum_{j=1..l} C(l,j) n^-j mu_j { [(k+1) j - l + (n-k) j mu_{j-1}/mu_j] E_{l-j}
//                                             + k j (1 - mu_{j-1}/mu_j) }
// This is J.C.P. Miller's recurrence for the excess over e^{nx}. No term is negative for l <= k + 1. For
// larger l, the series Z_k with Z_m = F^m - e^{mx} is built by doubling, Z_{2m} = (2 e^{mx} + Z_m) Z_m, again
// from non-negative terms. So nothing cancels. The enclosure includes the rounding errors, which are below a
// relative 3e-9 at order 10^4 for a Gaussian with t = 0.1 (ratio_moments.h).
//
// As the divergence of ONE pair of data sets, D_l(P||Q) is always a lower bound of the mechanism's Renyi
// guarantee. For Gaussian messages it is conjectured to be an upper bound as well, if the distance of the
// victim's two records is the diameter of the set of records. For records of norm at most 1 that diameter is
// 2, and the divergence at distance 1 is no upper bound: docs/theory/shuffle-gaussian-rdp.md.
//
// The tables grow when a higher order is requested, so use each object from one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/scaled_series.h"
#include "muster/papers/renyi/ratio_moments.h"

namespace muster::accounting {

class HomogeneousRdp {
 public:
  static HomogeneousRdp plain(double clients, RatioMoments one_report);
  static HomogeneousRdp subset(double clients, double subset, RatioMoments one_report);
  // `one_report` must be made with the check-in rate.
  static HomogeneousRdp check_in(double clients, RatioMoments one_report);

  // Encloses D_order(P||Q). The result is [0, infinity] ("not computed") below order 2, above the highest
  // orders given below, and where numbers leave the range of exponents. The first call at an order costs
  // O(order^2) and computes all lower orders, too.
  numerics::Enclosure divergence(std::uint64_t order);

  // Holds E[S^order] - 1 as mantissa and exponent, and a bound on its relative error.
  struct Excess {
    numerics::Scaled value;
    double relative_error;
  };
  Excess excess(std::uint64_t order);

  // The highest orders that are computed, by the recurrence and by doubling. The tables up to these orders
  // take half a second and two seconds.
  static constexpr std::uint64_t kHighestOrder = 32768;
  static constexpr std::uint64_t kHighestDoubledOrder = 16384;  // used if the order exceeds k + 1

 private:
  HomogeneousRdp(double clients, double terms, RatioMoments moments);
  bool in_range(std::uint64_t order) const;
  void extend_coefficients(std::uint64_t order);
  void recur(std::uint64_t order);
  void double_up(std::uint64_t order);

  double clients_, terms_;
  RatioMoments moments_;
  // Coefficients of the recurrence at index j: weight_ has mu_j / (j! n^j), bracket_ the bracket [..] without
  // its -l, and source_ has k j (1 - mu_{j-1}/mu_j).
  numerics::ScaledSeries weight_;
  std::vector<double> bracket_, source_;
  numerics::Scaled inverse_power_, inverse_factorial_;  // 1 / (j! n^j) and 1 / j!, at the next j
  // At index i, pairs_ has E_i / i! and 1 / i!, and excess_ has E_i.
  numerics::PairSeries pairs_;
  numerics::ScaledSeries excess_;
  std::vector<numerics::Scaled> doubled_;  // E_i, computed by doubling; empty until needed
};

}  // namespace muster::accounting
