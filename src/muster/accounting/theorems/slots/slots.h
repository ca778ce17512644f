// Random check-ins (Balle, Kairouz, McMahan, Thakkar, Thakurta 2020): one message a run at a random slot.
//
// A client checks in with probability p0, at a uniform one of its m slots; the server updates a public model
// slot by slot, each update a randomizer chosen after all earlier ones (docs/theory/slots.md).
//  - One client a slot, a dummy R(public record) where none checked in; fixed or sliding window:
//        delta(eps) <= E( (1-p0)(1-E) + (p0/m) sum_{i<=m} X*_i )_+  +  p0 f(infinity),
//    whatever the others do; when c_i others are known to check in at slot i, w_i (X*_i - (1-E)) stands for
//    X*_i - (1-E), w_i = 1 / (1 + c_i) the chance that the server picks the victim.
//  - Everybody at a slot is averaged, p0 < 1: the whole run costs one shuffled check-in of rate p0, no term
//    in m (unequal rates: unequal_rates.h). p0 = 1 is refused: docs/theory/adaptive-shuffle.md has that case.
// f is the profile over every randomizer the protocol may choose, the dummy record included. Proven, for the
// released sequence of models (view: server-trusted: the server itself sees who reports). Immutable values;
// call from any thread.
#pragma once

#include <vector>

#include "muster/accounting/theorems/exact/homogeneous.h"
#include "muster/accounting/theorems/swap/reporting_sum.h"
#include "muster/accounting/theorems/swap/unequal_rates.h"

namespace muster::accounting {

// One client a slot, nothing assumed of the others.
class SlotCurve {
 public:
  // m >= 1, 0 < p0 <= 1.
  SlotCurve(ReportingSum sum, double m, double p0);
  numerics::Enclosure delta(double epsilon) const { return sum_.delta(shape_, epsilon); }

 private:
  ReportingSum sum_;
  SumShape shape_;
};

// Fixed window, averaged over the check-ins of `others` honest clients, each of whom checks in, independently
// and secretly, with probability at least `least`, at a uniform one of the same m slots. Never above
// SlotCurve. c_i is replaced by independent Poisson counts of a slightly smaller mean; the chance that these
// exceed the true ones is charged (docs/theory/slots.md).
class CountedSlotCurve {
 public:
  CountedSlotCurve(ReportingSum sum, double m, double p0, double others, double least);
  numerics::Enclosure delta(double epsilon) const;

 private:
  struct Level {
    SumShape shape;      // with the law of 1 / (1 + Poisson) for weights
    double excess;       // charged at the plain bound
    double mean_square;  // of the weight
  };
  ReportingSum sum_;
  SumShape shape_;
  std::vector<Level> levels_;  // smaller and smaller excess
};

// Everybody at a slot is averaged: a shuffled check-in of the clients' rates, 0 < lo <= hi < 1, else
// Error(uncovered).
UnequalRatesCurve averaged_slots(ReportingSum sum, double n, double lo, double hi);

// The dataset whose other clients, and dummy, all hold the victim's alternative record, exactly: the
// homogeneous curve of m terms among m / (p0 w) clients, w = E[1 / (1+c)], c ~ Bin(others, rate/m) the mean
// chance of being picked. (Fixed window.)
HomogeneousShape slot_pair_shape(double m, double p0, double others, double rate);

}  // namespace muster::accounting
