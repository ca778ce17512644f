// Bounds how unevenly a pool of clients hides one more message (part D of Theorem 16,
// docs/theory/star-with-a-pool.md).
//
// Lengths are in units of the noise deviation. The records lie in a ball of the given radius about o, in
// any dimension. Each of the K clients of the pool reports N(b, I) for its own record b. A message of
// any record is shuffled among those pool members that turn out to be clones. Clones are drawn from the
// centre's law, without the region T where some pool member's density is more than e^q times smaller.
// Given the pool's output, the weight of user j is proportional to the number of absent messages plus
// e^q times the sum of r_j over the present ones, where r_j = dR(x_j)/dR(o). The class bounds the ratio
// of the largest weight to the smallest over m users. The bound holds except with a failure probability,
// which is divided among several union bounds. Pure functions.
#pragma once

#include "muster/accounting/theorems/shared/lognormal_law.h"

namespace muster::accounting {

class PoolWeights {
 public:
  PoolWeights(double radius, double rate);

  // The bound on the ratio for `users` users that holds except with probability `failure`; infinity
  // where the pool is too small.
  double ratio(double pool, double users, double failure) const;

 private:
  double upper_deviation(double clones, double probability) const;
  double lower_deviation(double clones, double probability) const;

  double radius_;
  double rate_;
  // The law of r_j - 1 under the centre's law for |a_j| = radius, which is the worst in convex order.
  CenteredLognormal centre_;
};

}  // namespace muster::accounting
