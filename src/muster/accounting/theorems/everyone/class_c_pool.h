// Class C when (almost) everybody reports: the pool of displaceable messages (docs/theory/class-c-pool.md).
//
// With nobody absent the victim cannot hide in an absent client's place. In class C (class_c.h) every
// client's message, or silence, comes with probability kappa = 1 - g (p - q) from one common law nu, whatever
// the record; the victim takes the place of a uniformly chosen such client. Statement, for every rate 0 < g
// <= 1:
//     delta(eps) <= max over i of  kappa E( sum_j h(H_-j) G_j )_+  +  (1 - kappa)^m g (p - E q)_+,
// m = n - 1, H_-j the number of others but j whose message lies in its own half-set, h(H) = E 1/(m - H +
// Bin(H, q/p)). Evaluated through one product law by bounding h on a window of H (`upper` includes what that
// and the window's complement cost: O(1/n) of the value), or, where smaller, through the generic law of
// any epsilon0-LDP randomizer. Replace-one, proven, any dimension; not for adaptive rounds inside a slot
// protocol. Immutable; call from any thread.
#pragma once

#include "muster/accounting/describe/profile.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class ClassCPoolCurve {
 public:
  // n >= 1 honest clients, rate in (0, 1].
  ClassCPoolCurve(double epsilon0, double n, double rate);

  // `lower` encloses the same window's formula at the ends of i.
  numerics::Enclosure delta(double epsilon) const;

 private:
  numerics::Enclosure generic(double epsilon) const;

  double epsilon0_, n_, rate_;
  Profile profile_;
};

// The pool's bound alone, on a window made for a value of about `guess`; infinity where it says nothing.
// 0 <= epsilon < epsilon0.
numerics::Enclosure class_c_pool(double epsilon0, double n, double rate, double epsilon, double guess);

// E 1/(m - Y), Y ~ Bin(H, 1 - r): enclosed. 0 <= H < m, 0 <= r <= 1; all may be as large as 1e12.
numerics::Enclosure displaceable_share(double m, double h, double r);

}  // namespace muster::accounting
