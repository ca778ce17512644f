// Renyi divergence of the homogeneous pair: all other clients hold the victim's second record; n clients, k
// of whose reports carry a likelihood ratio. Orders 2, 3, ..., enclosed.
//
// With Q the law without the change, P/Q = S = (n - k + r_1 + ... + r_k) / n, r_i independent, E r_i = 1:
//   plain shuffle        k = n, r one report's ratio (Liew, Takahashi 2022, Theorem 1, for the Gaussian)
//   fixed subset         k of n clients report, secretly
//   shuffled check-in    k = n, r = 1 unless the client reports
// and with F(x) = sum_j mu_j x^j / j!
//     D_l = log E[S^l] / (l-1),   E[S^l] = l! n^-l [x^l] e^{(n-k) x} F(x)^k.
// What is computed is the excess E_l = E[S^l] - 1, so that tiny divergences keep all their digits:
//     l E_l = sum_{j=1..l} C(l,j) n^-j mu_j { [(k+1) j - l + (n-k) j mu_{j-1}/mu_j] E_{l-j}
//                                             + k j (1 - mu_{j-1}/mu_j) }
// (J.C.P. Miller's recurrence with e^{nx} taken out): every term is positive while l <= k + 1. Beyond, the
// series of F^k - e^{kx} is built by doubling, Z_{2m} = (2 e^{mx} + Z_m) Z_m, positive terms again. Nothing
// is ever subtracted; relative errors add up to less than 1e-9 at order 10^4 and are in the enclosure.
//
// D_l(P||Q) of ONE dataset: a lower bound of the mechanism's Renyi guarantee, always. As an upper bound it is
// a conjecture (Gaussian: Delta = diameter) or false (Delta = 1): docs/theory/shuffle-gaussian-rdp.md.
//
// The table grows when asked for a higher order, so use each object from one thread.
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
  // `one_report` already mixed with the check-in rate.
  static HomogeneousRdp check_in(double clients, RatioMoments one_report);

  // D_order(P||Q). Past the highest order below, or past the exponent range, [0, infinity]: "not computed".
  // The first call at an order costs O(order^2) once for all orders below.
  numerics::Enclosure divergence(std::uint64_t order);

  // E[S^order] - 1 as mantissa and exponent, with its relative error.
  struct Excess {
    numerics::Scaled value;
    double relative_error;
  };
  Excess excess(std::uint64_t order);

  // What a table may cost (half a second; two seconds), not what a
  // caller may ask: past it nothing is claimed.
  static constexpr std::uint64_t kHighestOrder = 32768;
  static constexpr std::uint64_t kHighestDoubledOrder = 16384;  // where the order exceeds k + 1

 private:
  HomogeneousRdp(double clients, double terms, RatioMoments moments);
  bool in_range(std::uint64_t order) const;
  void extend_coefficients(std::uint64_t order);
  void recur(std::uint64_t order);
  void double_up(std::uint64_t order);

  double clients_, terms_;
  RatioMoments moments_;
  // Coefficients of the recurrence, index j: mu_j / (j! n^j), its bracket without l, and k j (1 -
  // mu_{j-1}/mu_j).
  numerics::ScaledSeries weight_;
  std::vector<double> bracket_, source_;
  numerics::Scaled inverse_power_, inverse_factorial_;  // 1 / (j! n^j), 1 / j! at the next j
  // Index i: E_i / i! and 1 / i! side by side, then E_i itself.
  numerics::PairSeries pairs_;
  numerics::ScaledSeries excess_;
  std::vector<numerics::Scaled> doubled_;  // E_i for all i up to the order it was built for; empty before
};

}  // namespace muster::accounting
