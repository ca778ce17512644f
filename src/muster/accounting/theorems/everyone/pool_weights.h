// How evenly a pool hides one more message: part D of docs/theory/star-with-a-pool.md.
//
// Lengths in units of the noise deviation; records in a ball of the given radius about o, any dimension. K
// clients of the pool report N(b, I); a message of any record is shuffled among those of them that turned out
// clones, drawn from the centre's law cut where some pool member would be e^q times less likely. Given the
// pool's output the weight of user j is proportional to  absent + e^q * sum over the messages of r_j,  r_j =
// dR(x_j)/dR(o). The ratio of the largest to the smallest over m users holds but for a failure, split over
// union bounds. Pure functions.
#pragma once

#include "muster/accounting/theorems/shared/lognormal_law.h"

namespace muster::accounting {

class PoolWeights {
 public:
  PoolWeights(double radius, double rate);

  // The ratio that holds for `users` users but for probability `failure`;
  // infinity where the pool is too small.
  double ratio(double pool, double users, double failure) const;

 private:
  double upper_deviation(double clones, double probability) const;
  double lower_deviation(double clones, double probability) const;

  double radius_;
  double rate_;
  CenteredLognormal centre_;  // r_j - 1 under the centre's law, |a_j| = radius: the worst in convex order
};

}  // namespace muster::accounting
