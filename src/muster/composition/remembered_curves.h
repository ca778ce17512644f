// A round's privacy curves, delta as a function of epsilon, and a memory of the values that tables took from
// them.
//
// Tables of one curve that differ in their tail or in their number of nodes have lattices with most points in
// common. A table that is made again for another question therefore takes only the work of its new nodes.
// Thread rule: const methods may run concurrently, if the curves may be called concurrently.
#pragma once

#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "muster/composition/enclosed_minorant.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// A function that gives delta at an epsilon >= 0. It must be deterministic and must not throw. An
// end may be NaN, which bounds nothing: a table replaces it by 0 or 1, and an answer that is NaN
// does not pass the accountant's gate.
template <typename Value>
using DeltaCurve = std::function<Value(double epsilon)>;

// `upper` bounds the delta of every pair of neighbouring data sets. Its distance from `estimate` is the
// bound's numerical error.
using BoundCurve = DeltaCurve<numerics::UpperAndEstimate>;
// Encloses a minorant, convex in e^epsilon, of the delta of one ordered pair of data sets.
using PairCurve = DeltaCurve<EnclosedMinorant>;
// Encloses the delta of one ordered pair of data sets itself.
using EnclosedCurve = DeltaCurve<numerics::Enclosure>;

// The curves of both directions. An empty `reverse` means that both directions have the same curve.
template <typename Value>
class RememberedCurves {
 public:
  RememberedCurves(DeltaCurve<Value> forward, DeltaCurve<Value> reverse)
      : forward_(std::move(forward)), reverse_(std::move(reverse)) {}

  struct Values {
    Value forward, reverse;
    // The work (numerics/work.h) that these values took when they were computed, if they are remembered;
    // 0 if they have just been computed.
    double work_before;
  };
  Values at(double epsilon) const;

  const DeltaCurve<Value>& forward() const { return forward_; }
  const DeltaCurve<Value>& reverse() const { return reverse_; }

 private:
  DeltaCurve<Value> forward_;
  DeltaCurve<Value> reverse_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<double, Values> known_;
};

extern template class RememberedCurves<numerics::UpperAndEstimate>;
extern template class RememberedCurves<EnclosedMinorant>;
extern template class RememberedCurves<numerics::Enclosure>;

}  // namespace muster::accounting
