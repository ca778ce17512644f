// Tabulates the privacy curve of one round, delta as a function of epsilon, at the epsilons that composition
// needs.
//
// Nodes are multiples of one lattice spacing h. A chord over a cell of width w adds about w^2 / 6 times the
// cell's probability to the variance of the loss. For a given number of nodes, the widths that add least
// therefore grow as (density)^{-1/3}, which is e^{z^2/6} for a normal loss at z standard deviations from its
// mean. Losses below Nodes::dense_up_to matter most to the composition, so cells are narrow there, and z is
// counted from Nodes::dense_up_to. These widths are a first guess. Once the curve is known at both ends of a
// cell, the cell is halved as long as its chord may lie too far above the curve, at most down to the lattice.
// So a curve that is flat over a long distance and then falls suddenly is resolved where it falls. A chord
// lies above a convex curve, so fewer nodes make the bound looser but never invalid. Cells are wider where
// the tail is nearly negligible, and where the computed bound does not fall: delta never rises with epsilon,
// so an upper end also holds at every larger epsilon.
//
// Three kinds of curves are tabulated in the same way. The values of a bound's curve have a proven upper end
// and an estimate. The values of the curve of a pair of data sets enclose a minorant (enclosed_minorant.h)
// or, where it is known well enough, the curve itself. In this file, an upper end is that of whatever is
// tabulated. Thread rule: functions and const methods may run concurrently, if the curves may be called
// concurrently.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "muster/composition/enclosed_minorant.h"
#include "muster/composition/remembered_curves.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

template <typename Value>
struct RoundCurve {
  double spacing;                   // h > 0
  std::vector<std::int64_t> index;  // 0 = index[0] < index[1] < ...: epsilon = index * h
  std::vector<Value> forward;
  std::vector<Value> reverse;

  // The curve of the same two laws in the other order.
  RoundCurve swapped() const { return {spacing, index, reverse, forward}; }
};
using BoundTable = RoundCurve<numerics::UpperAndEstimate>;
using PairTable = RoundCurve<EnclosedMinorant>;
using EnclosedTable = RoundCurve<numerics::Enclosure>;

// How to tabulate a curve: with `per_deviation` nodes per standard deviation of the loss over the first
// `dense_up_to` deviations, and fewer beyond. The deviation follows from the epsilon at which the curve is a
// twentieth of its value at 0 and, where losses are large, from how fast the curve falls. The table ends
// where both directions are at most `negligible`. If the curve does not fall so far, the table ends at a
// largest epsilon or number of nodes.
struct Nodes {
  int per_deviation;
  double negligible;
  double dense_up_to = 5;
  // An epsilon that must be a node if it is larger than the spacing; 0 if there is no such epsilon.
  double knot = 0;
  // Whether the spacing is rounded down to a power of two, so that the finer of two such lattices
  // includes the coarser.
  bool nested = false;
  // The fraction of a full table's work that this table may take. A full table takes about a second; a table
  // whose nodes take much work (numerics/work.h) has fewer of them.
  double share = 1;
  // Whether the lattice is finer where losses are large. The number of cells hardly depends on the lattice
  // there, but composition takes more work on a finer one.
  bool fine_if_large = false;
};

// Makes tables of one curve, and measures the scale of its loss only once. An empty `reverse` means that both
// directions have the same curve. In a table, an upper end that is NaN becomes 1, and any other end that is
// NaN becomes 0. Thread rule: const methods may run concurrently.
template <typename Value>
class Tabulator {
 public:
  Tabulator(DeltaCurve<Value> forward, DeltaCurve<Value> reverse)
      : curves_(std::move(forward), std::move(reverse)) {}
  RoundCurve<Value> table(const Nodes& nodes) const;
  const DeltaCurve<Value>& forward() const { return curves_.forward(); }
  const DeltaCurve<Value>& reverse() const { return curves_.reverse(); }

 private:
  struct Scale {
    double deviation;
    bool large;           // whether losses are so large that cells are also halved according to their mass
    double work_of_node;  // in the unit of numerics/work.h
    double work;          // about the work of measuring the scale, without work that the curve does only once
  };
  const Scale& scale() const;
  // Whether the upper end of either direction at this epsilon is larger than `delta`.
  bool is_above(double delta, double epsilon) const;

  RememberedCurves<Value> curves_;
  mutable std::once_flag once_;
  mutable Scale scale_{};
};

extern template class Tabulator<numerics::UpperAndEstimate>;
extern template class Tabulator<EnclosedMinorant>;
extern template class Tabulator<numerics::Enclosure>;

// The table of a bound's curve. A bound holds for both orders of every pair.
inline BoundTable tabulate(BoundCurve curve, const Nodes& nodes) {
  return Tabulator<numerics::UpperAndEstimate>(std::move(curve), {}).table(nodes);
}
// The tables of a pair's curves. An empty `reverse` means that both orders have the same curve.
inline PairTable tabulate(PairCurve forward, PairCurve reverse, const Nodes& nodes) {
  return Tabulator<EnclosedMinorant>(std::move(forward), std::move(reverse)).table(nodes);
}
inline EnclosedTable tabulate(EnclosedCurve forward, EnclosedCurve reverse, const Nodes& nodes) {
  return Tabulator<numerics::Enclosure>(std::move(forward), std::move(reverse)).table(nodes);
}

}  // namespace muster::accounting
