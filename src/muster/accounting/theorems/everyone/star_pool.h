// The Gaussian where everybody reports: a star with a pool of anonymous messages
// (docs/theory/star-with-a-pool.md).
//
// n clients send R(x) = N(x, I) in units of the noise deviation, records in a ball and pairwise within mu,
// any dimension; each reports with probability g (g = 1 allowed) and reports are shuffled. K of the others
// form a pool. The victim's message takes the place of a random one of the remaining m = n - 1 - K, whose own
// message hides in the pool among its clones of the centre's law; but for a failure of probability `failure`
// the chances of all m places differ by at most a factor `ratio`. With E = e^eps, f the Gaussian's profile
// and X* its law at E,
//     delta(eps) <= max over v of (1/m) E( sum_{i<=m} v_i X'_i )_+  +  failure g f(E),
// v over weights of mean 1 whose largest is at most `ratio` times the smallest; X' = X* w.p. g, else 1 - E.
// The maximum is covered by finitely many vectors of two levels. Replace-one, PROVEN, both orders, every data
// set. It needs hundreds of clones: nothing for mu well above 1 unless n is very large.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/describe/profile.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

struct PoolDesign {
  double pool;     // K
  double failure;  // probability that the ratio does not hold
  double ratio;    // largest weight over the smallest
};

// Every choice of K and failure is valid: designs are scanned for each of a ladder of failures, and a curve
// point takes the one that looks smallest. Immutable; call from any thread.
class StarPool {
 public:
  // None where no pool holds enough clones: say why_not(mu) then. clients >= 2, mu > 0, 0 < rate <= 1.
  // `radius` of a ball that holds all records; mu / 2 when mu is the diameter of the clip ball itself.
  static std::optional<StarPool> over(std::uint64_t clients, double mu, double rate, double radius);
  static std::optional<StarPool> over(std::uint64_t clients, double mu, double rate) {
    return over(clients, mu, rate, mu / 2);
  }
  static std::string why_not(double mu);

  // epsilon >= 0. `upper` is the bound, never above the local one; upper - lower is numerical error alone.
  numerics::Enclosure delta(double epsilon) const;

  // The design that delta(epsilon) uses.
  PoolDesign design(double epsilon) const;

 private:
  StarPool(double clients, double mu, double rate, std::vector<PoolDesign> designs);

  double n_;
  double mu_;
  double rate_;
  std::vector<PoolDesign> designs_;
  std::vector<Profile> profiles_;  // deeper and deeper cuts
};

// The ratio that holds but for `failure` in a pool of the given size; infinity
// where none is known. Exposed for tests.
double pool_weight_ratio(double clients, double pool, double radius, double rate, double failure);

}  // namespace muster::accounting
