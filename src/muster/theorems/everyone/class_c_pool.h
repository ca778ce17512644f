// Bounds the divergence for class C where everybody or almost everybody reports, by a pool of messages whose
// place the victim's message can take (Theorem 17, docs/theory/class-c-pool.md).
//
// If nobody is absent, the victim cannot be mistaken for an absent client, but she can take the place of one
// whose message says nothing about its sender. In class C, the densities of messages lie between 2q and 2p
// times one law (swap/class_c.h), where q = 1/(e^epsilon0 + 1) and p = 1 - q. So every client may be thought
// to send, with a probability kappa that is the same for all, a message of a law nu that does not depend on
// the record. For example, in binary randomized response where everybody reports, a client sends a uniform
// bit with probability kappa = 2q, and otherwise its own bit. In general, let every client report with
// probability g, 0 < g <= 1. Then kappa = 1 - g (p - q), and silence counts as a message of law nu.
//
// The victim takes the place of a client chosen uniformly among the m = n - 1 others whose message came from
// nu. How likely client j is to be chosen depends on the half-sets: a client's half-set contains the messages
// whose density is larger for its record (its own bit, in the example). A message outside its sender's
// half-set certainly came from nu, and one inside with probability q/p. Let H_-j be the number of others
// except j who send a message in their own half-set. If the message of client j came from nu, j is chosen
// with the mean probability h(H_-j), where h(H) is the mean of 1/(m - H + Bin(H, q/p)). With E = e^eps,
//     delta(eps) <= max over i of  kappa * mean of ( sum_j h(H_-j) G_j )_+  +  (1 - kappa)^m g (p - E q)_+.
// Here i of the m others are of type 0 and m - i of type 1. G_j is 1 - E if client j is silent, and otherwise
// the term (a - E b)/u of its type in class_c.h. The last summand charges the event that no message of the
// others came from nu.
//
// Let H be the number of all m others who send a message in their own half-set. So that the terms become
// independent, h is replaced by upper bounds that hold on a window of H. `upper` exceeds the formula because
// of this replacement and because of the charge for H outside the window; both together are O(1/n) of the
// value. Where the generic bound for any epsilon0-LDP randomizer is smaller, it is used instead. The bound is
// proven for replace-one neighbours and an honest shuffler, in any dimension, but not for adaptive rounds
// inside a slot protocol. Objects are immutable and may be used from any thread.
#pragma once

#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class ClassCPoolCurve {
 public:
  // Requires n >= 1 honest clients, epsilon0 > 0 and a rate in (0, 1].
  ClassCPoolCurve(double epsilon0, double n, double rate);

  // Returns the bound at epsilon >= 0. `upper` is proven and at most the rate times the local delta.
  // upper - estimate covers the numerical error, the charges that are added to the mean in the bound, and
  // the excess of the certified maximum over i. `estimate` is 0 where `upper` is the rate times the local
  // delta. It is no lower bound on the divergence of a data set.
  numerics::UpperAndEstimate delta(double epsilon) const;

 private:
  numerics::UpperAndEstimate generic(double epsilon) const;

  double epsilon0_, n_, rate_;
  Profile profile_;
};

// Computes only the pool's bound, with a window that suits a delta of about `guess`. `upper` is infinity if
// there is no such window. Requires 0 <= epsilon < epsilon0.
numerics::UpperAndEstimate class_c_pool(double epsilon0, double n, double rate, double epsilon, double guess);

// Encloses the mean of 1/(m - Y), Y ~ Bin(h, 1 - r), which is h(H) above for H = h and q/p = r. Requires
// 0 <= h < m and 0 <= r <= 1; m and h may be as large as 1e12.
numerics::Enclosure displaceable_share(double m, double h, double r);

}  // namespace muster::accounting
