// Bounds the Renyi divergence of a mechanism that runs on a uniform secret subset of its records, from
// that of the mechanism itself.
//
// Source: Wang, Balle, Kasiviswanathan, "Subsampled Renyi differential privacy and analytical moments
// accountant" (AISTATS 2019, arXiv:1808.00087v2), Theorem 9, for replace-one and k of n records
// without replacement; g = k/n. If the mechanism is (j, eps(j))-RDP for j = 2 .. l and its privacy loss is at
// most eps(inf), the subsampled one is (l, eps'(l))-RDP with
//     (l-1) eps'(l) <= log( 1 + g^2 C(l,2) min{ 4 (e^{eps(2)} - 1), e^{eps(2)} min{2, (e^{eps(inf)} - 1)^2} }
//                             + sum_{j=3..l} g^j C(l,j) e^{(j-1) eps(j)} min{2, (e^{eps(inf)} - 1)^j} ).
// (Liew and Takahashi 2022, arXiv 2206.09569, appendix A.1, print the last factor as (e^{eps(inf)-1})^j:
// a misprint.)
//   SubsampledRdp   the theorem.
//   CheckInMixture  every client takes part with probability `rate` instead, and the count K is public:
//                   E_Q[(P/Q)^l] <= sum_k P(K = k) M_k with M_0 = 1. Here log M_k is the theorem's right side
//                   for the mechanism on k records and g = k/n (NOT `rate`). The sum runs over blocks of k
//                   with certified weights. A block uses its last k for g and its first k for the mechanism,
//                   whose divergence must not increase with k.
// Both bounds are proven if the given divergences are upper bounds. Orders are integers >= 2. Above order
// 2048 the divergence without subsampling is returned, to save time. Values are rounded up. Tables grow with
// the order, so use an object from one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace muster::accounting {

// Gives an upper bound of the divergence at each order; may be infinite.
using RenyiCurve = std::function<double(std::uint64_t order)>;

class SubsampledRdp {
 public:
  // 0 < rate <= 1; `largest_loss` is eps(infinity), which may be infinite.
  SubsampledRdp(double rate, RenyiCurve mechanism,
                double largest_loss = std::numeric_limits<double>::infinity());

  double upper(std::uint64_t order) const;
  // Returns the theorem's value at any order, even if it exceeds the mechanism's own divergence.
  double theorem(std::uint64_t order) const;
  // Returns log(e^{(order-1) upper} - 1): the logarithm of the theorem's sum without its leading 1, or the
  // value for the mechanism's own divergence if that is smaller. By joint quasi-convexity, the subsampled
  // mechanism never has a larger divergence than the mechanism itself.
  double log_excess(std::uint64_t order) const;
  double mechanism(std::uint64_t order) const { return mechanism_(order); }

 private:
  double theorem_log_excess(std::uint64_t order) const;

  double rate_;
  RenyiCurve mechanism_;
  double largest_loss_;
  mutable std::vector<double> log_terms_;  // at index j, the log of the theorem's term without g^j C(l,j)
  mutable std::vector<double> log_factorial_;
};

class CheckInMixture {
 public:
  // `mechanism(k)` is the Renyi curve on k records. It is called once for each of about a hundred blocks.
  CheckInMixture(double clients, double rate, const std::function<RenyiCurve(double records)>& mechanism,
                 double largest_loss = std::numeric_limits<double>::infinity());

  double upper(std::uint64_t order) const;

 private:
  struct Block {
    double log_weight;
    SubsampledRdp rdp;
  };
  std::vector<Block> blocks_;
};

}  // namespace muster::accounting
