// Computes exact curves of one data set, in which all other clients hold the victim's alternative record
// (Theorem 22, docs/theory/homogeneous.md). They are lower bounds on the true delta of the mechanism.
//
// Let r = dR(x)/dR(x') at a message of R(x'). A client's ratio r' is r if she reports and 1 if she does not.
// Either each of the n clients reports independently with probability g, or exactly k of them report. With M
// the average of the n ratios r' and E = e^eps, the data set has exactly
//     forward  delta(eps) = mean of ( M - E )_+        (victim x against x'),
//     reverse  delta(eps) = mean of ( 1 - E M )_+      (x' against x; x against x' if the others hold x).
// With g = 1, this is the plain shuffle. Each mechanism of class C (in_class_c()) has the curves of binary
// randomized response at two opposite records. A channel has those of one pair of its records, with outputs
// of nearly equal ratios merged. If only epsilon0 is known, the curves are those of binary randomized
// response, which is one epsilon0-LDP randomizer. Continuous laws of r are merged to the means of cells,
// which by Jensen's inequality gives lower bounds.
//
// The forward curve is also at least the contribution of a single large ratio. This contribution is used
// where losses are too large for sums of doubles. Let k be the number of clients that may report (n if each
// reports with probability g) and t = n (E - 1) + k >= k. The events "this client's r exceeds t and no other
// r' exceeds k" are disjoint, so
//     delta(eps) >= (k g / n) HS_t(R(x) || R(x')) P(r' <= k)^{k-1}      (g = 1 if exactly k report),
// where HS_t is the hockey-stick divergence at t. This bound is convex in E, like the curve itself. The
// curves are proven as lower bounds only. Objects are immutable and may be used from any thread.
#pragma once

#include <memory>
#include <vector>

#include "muster/composition/enclosed_minorant.h"
#include "muster/describe/laws/lognormal_law.h"
#include "muster/describe/mechanism.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/theorems/round_shape.h"

namespace muster::accounting {

class HomogeneousCurve {
 public:
  HomogeneousCurve(const Mechanism& mechanism, const RoundShape& shape);

  // Both enclose a minorant, convex in e^epsilon, of the exact delta of one round at epsilon >= 0. For a
  // discrete r it is the exact delta itself. For a continuous r it is that of the pair with merged cells or,
  // if that is more, the contribution of a single ratio. Where losses are too large for sums of doubles,
  // forward() encloses the contribution of a single ratio alone, or 0 for a channel, and the lower end of
  // reverse() is 0.
  EnclosedMinorant forward(double epsilon) const;
  EnclosedMinorant reverse(double epsilon) const;

 private:
  // A value of ln r and its probability under R(x'), in extended precision.
  struct Ratio {
    long double log;
    long double mass;
  };
  numerics::Enclosure forward_of_lognormal(double epsilon) const;
  numerics::Enclosure reverse_of_lognormal(double epsilon) const;
  numerics::AtomicLaw lognormal_term(double sign) const;  // the law of sign * (r' - 1), for sign = 1 or -1
  numerics::Enclosure of_merged_pair(const numerics::Enclosure& excess, double scale) const;
  numerics::Enclosure one_ratio_alone(double epsilon) const;

  Mechanism mechanism_;
  RoundShape shape_;
  // The atoms of r if its law is discrete; empty otherwise.
  std::vector<Ratio> ratios_;
  std::shared_ptr<const CenteredLognormal> lognormal_;  // the law of r for a Gaussian; null otherwise
  double nobody_else_;                                  // lower bound of P(r' <= k)^{k-1}
};

}  // namespace muster::accounting
