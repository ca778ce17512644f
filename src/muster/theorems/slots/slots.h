// Bounds random check-ins, in which a client sends one message per run, at a random slot (Theorems 8 and 9,
// docs/theory/slots.md). The protocols are those of Balle, Kairouz, McMahan, Thakkar, Thakurta, "Privacy
// amplification via random check-ins" (NeurIPS 2020), Algorithms 1 and 2 and Section 4.2.
//
// A client checks in with probability p0, at one of its m slots, chosen uniformly. The server updates a
// public model slot by slot, and the randomizer of each update may be chosen after all earlier updates.
//  - One client per slot answers, in a fixed or sliding window. If nobody checked in at a slot, a dummy with
//    a public record answers. With E = e^eps,
//        delta(eps) <= mean of ( (1-p0)(1-E) + (p0/m) sum_{i<=m} X*_i )_+  +  p0 f(infinity),
//    whatever the others do, with independent X*_i of the law X* of docs/theory/profile-only.md. If c_i
//    others are known to check in at slot i, w_i (X*_i - (1-E)) replaces X*_i - (1-E), where
//    w_i = 1 / (1 + c_i) is the probability that the server picks the victim if she is there.
//  - The messages of everybody at a slot are averaged. If p0 < 1, the whole run costs as much as one shuffled
//    check-in of rate p0, whatever m is. For unequal rates, see unequal_rates.h. The case p0 = 1 is
//    refused; see docs/theory/adaptive-shuffle.md.
// f bounds the local profile of every randomizer that the protocol may choose, over all records and that of
// the dummy. The bounds are proven for the released sequence of models; the server is trusted, because it
// sees who reports. Objects are immutable and may be used from any thread.
#pragma once

#include <vector>

#include "muster/theorems/round_shape.h"
#include "muster/theorems/swap/reporting_sum.h"
#include "muster/theorems/swap/unequal_rates.h"

namespace muster::accounting {

// Returns the bound for one client per slot, with no assumption about the others. Requires m >= 1 and
// 0 < p0 <= 1.
SumCurve slot_curve(ReportingSum sum, double m, double p0);

// Bounds one client per slot in a fixed window, averaged over the check-ins of `others` honest clients. Each
// of them checks in independently and secretly, with probability at least `min_rate`, at one of the same m
// slots, chosen uniformly. The bound is never above that of slot_curve(). The numbers c_i of others at slot i
// are replaced by independent Poisson numbers of a smaller mean. A coupling makes the Poisson numbers exceed
// the true ones only if their total exceeds `others`, and the probability of this event is charged
// (docs/theory/slots.md).
class CountedSlotCurve {
 public:
  CountedSlotCurve(ReportingSum sum, double m, double p0, double others, double min_rate);
  numerics::UpperAndEstimate delta(double epsilon) const;

 private:
  // One choice of the Poisson numbers' mean.
  struct Level {
    SumShape shape;      // the weights of its terms have the law of 1 / (1 + a Poisson number)
    double excess;       // probability charged at the bound of slot_curve()
    double mean_square;  // mean of weight^2
  };
  ReportingSum sum_;
  SumShape shape_;
  std::vector<Level> levels_;  // in decreasing order of excess
};

// Returns the bound for averaged slots, which is that of a shuffled check-in with rates in [lo, hi]. Throws
// Error(uncovered) unless 0 < lo <= hi < 1.
UnequalRatesCurve averaged_slots(ReportingSum sum, double n, double lo, double hi);

// Returns a shape for homogeneous.h, with m terms among m / (p0 w) clients. With it, HomogeneousCurve is the
// exact curve, for a fixed window, of the data set in which all other clients and the dummy hold the victim's
// alternative record. The others check in at `rate`. The factor w is the mean of 1 / (1+c) for
// c ~ Bin(others, rate/m), the victim's probability of being picked at her slot. The product p0 w is rounded
// down, so the curve is at most the exact one.
RoundShape slot_pair_shape(double m, double p0, double others, double rate);

}  // namespace muster::accounting
