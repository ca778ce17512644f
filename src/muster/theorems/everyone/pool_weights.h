// Bounds how unevenly a pool of clients hides one more message (part D of Theorem 16,
// docs/theory/star-with-a-pool.md).
//
// Lengths are in deviations of the noise, and R(x) = N(x, I). The records lie in a ball of the given radius
// about its centre o, in any dimension. The clients outside the pool are called the remaining ones. The
// message of one of them is shuffled among the messages of those pool members that turn out to be clones. A
// clone is absent, or its message has the centre's law R(o) outside a region T. In T some pool member's
// density is below e^-q times that of R(o). In either case, the clone's message does not depend on its
// record. The weight of the remaining client j is the likelihood of the pool's messages if the shuffled
// message is hers. It is proportional to the number of absent messages plus e^q times the sum of r_j over the
// messages that are present, where r_j = dR(x_j)/dR(o). The class bounds the ratio of the largest weight to
// the smallest over all remaining clients. The bound holds except with a failure probability, which is
// divided among several union bounds. Any q gives a valid bound; ratio() chooses one. Objects are immutable
// and may be used from any thread.
#pragma once

#include "muster/describe/laws/lognormal_law.h"

namespace muster::accounting {

class PoolWeights {
 public:
  // Requires radius > 0. Each client of the pool reports with probability `rate` in (0, 1].
  PoolWeights(double radius, double rate);

  // Returns the bound on the ratio for a pool of `pool` clients and `remaining` others. It holds except with
  // probability `failure`. It is infinity if no bound is found, for instance because the pool is too small.
  double ratio(double pool, double remaining, double failure) const;

 private:
  double upper_deviation(double clones, double probability) const;
  double lower_deviation(double clones, double probability) const;

  double radius_;
  double rate_;
  // The law of r_j - 1 under the centre's law, for a record x_j at distance `radius` from o. At this distance
  // the law is largest in convex order.
  CenteredLognormal centre_;
};

}  // namespace muster::accounting
