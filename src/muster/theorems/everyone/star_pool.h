// Bounds the Gaussian where everybody reports, by a star with a pool of anonymous messages (Theorem 16,
// docs/theory/star-with-a-pool.md). In a star, every client is compared with the centre of the records and
// not with every other client.
//
// Lengths are in standard deviations of the noise. A message of record x has the law R(x) = N(x, I). The
// records of n clients lie in a ball and pairwise within mu, in any dimension. Each client reports with
// probability g (g = 1 is allowed), and the reports are shuffled. K of the others form a pool. The victim's
// message replaces the message of a random one of the remaining m = n - 1 - K clients. The replaced message
// hides among the messages of the pool's clones, which have the law of the ball's centre (pool_weights.h).
// Given the pool's messages, the likelihoods of the m places differ at most by a factor `ratio`, except
// with probability `failure`. Let E = e^eps, let f be the Gaussian's privacy profile, and let X* be the law
// that docs/theory/profile-only.md makes of f at E. Then
//     delta(eps) <= max over v of (1/m) * mean of ( sum_{i<=m} v_i X'_i )_+  +  failure g f(E),
// where v runs over the vectors of mean 1 whose largest entry is at most `ratio` times the smallest, and the
// X'_i are independent: of law X* with probability g, and 1 - E otherwise. Finitely many vectors, each with
// two different entries, cover the maximum. The bound is proven for replace-one neighbours, in both orders,
// an honest shuffler and every data set. The theorem needs hundreds of clones, so it has no bound for mu well
// above 1 unless n is very large. Const methods may run concurrently.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

struct PoolDesign {
  double pool;  // K, the number of clients in the pool
  // The probability that the likelihoods of two of the m places differ by more than the factor `ratio`.
  double failure;
  double ratio;  // bound on the ratio of the largest of these likelihoods to the smallest
};

// Every choice of K and failure gives a valid bound. For each failure probability 1e-2, 1e-3, ..., 1e-32 the
// best K is searched for, and each point of the curve uses the design whose bound is estimated to be
// smallest there. Objects are immutable and may be used from any thread.
class StarPool {
 public:
  // Requires clients >= 2, mu > 0, 0 < rate <= 1, and that a ball of radius `radius` >= mu / 2 holds all
  // records. The radius is mu / 2 if mu is the diameter of the ball to which records are clipped. Returns
  // nullopt if no pool holds enough clones, for fewer than 20 clients, and for mu or `radius` above 8.
  static std::optional<StarPool> over(std::uint64_t clients, double mu, double rate, double radius);
  static std::optional<StarPool> over(std::uint64_t clients, double mu, double rate) {
    return over(clients, mu, rate, mu / 2);
  }

  // Returns the bound at epsilon >= 0. `upper` never exceeds the divergence without shuffling, and
  // upper - estimate is only numerical error. Above an epsilon of 300, the sum is not computed: `upper` is
  // the divergence without shuffling, and `estimate` is 0.
  numerics::UpperAndEstimate delta(double epsilon) const;

  // Returns the design that delta(epsilon) uses.
  PoolDesign design(double epsilon) const;

 private:
  StarPool(double clients, double mu, double rate, std::vector<PoolDesign> designs);

  double n_;
  double mu_;
  double rate_;
  std::vector<PoolDesign> designs_;
  std::vector<Profile> profiles_;  // profiles of the Gaussian, with smaller and smaller tails cut off
};

}  // namespace muster::accounting
