// The privacy curve of one round, tabulated at the epsilons where composition needs it.
//
// Nodes are multiples of one lattice spacing h. A chord over a cell of width w adds about w^2 / 6 times the
// cell's probability to the variance of the loss. For a given number of nodes, the widths that add least
// therefore grow as (density)^{-1/3} = e^{z^2/6}, where z counts standard deviations of the loss beyond
// Nodes::visited, up to which losses matter most to the composition. These widths are a first guess only:
// once the curve is known at both ends of a cell, the cell is halved, down to the lattice, while its chord
// may rise too far above the curve. So the table never relies on a guess of how a curve goes on, and a curve
// that is flat over any distance and then falls at once is resolved where it falls. A chord lies above a
// convex curve: fewer nodes make the bound looser and never invalid. Cells are wider where the tail is nearly
// negligible, and where the computed bound does not fall (delta never rises with epsilon, so an upper end
// also holds at every larger epsilon).
//
// Two kinds of curves are tabulated in the same way: those of bounds, whose values have a proven upper end
// and an estimate, and those of pairs of data sets, whose values are enclosures.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// A value of delta at epsilon >= 0, always by the same formula; never throws. An end that is NaN says
// nothing: a table replaces it by 0 or 1, and an answer that is NaN does not pass the accountant's gate.
template <typename Value>
using DeltaCurve = std::function<Value(double epsilon)>;

// `upper` bounds the delta of every pair of neighbours; the gap to `estimate` is the bound's numerical error.
using BoundCurve = DeltaCurve<numerics::UpperAndEstimate>;
// Encloses the delta of one pair of data sets in one order.
using PairCurve = DeltaCurve<numerics::Enclosure>;

template <typename Value>
struct RoundCurve {
  double spacing;                   // h > 0
  std::vector<std::int64_t> index;  // 0 = index[0] < index[1] < ...: epsilon = index * h
  std::vector<Value> forward;
  std::vector<Value> reverse;

  // The same pair seen from the other record.
  RoundCurve swapped() const { return {spacing, index, reverse, forward}; }
};
using BoundTable = RoundCurve<numerics::UpperAndEstimate>;
using PairTable = RoundCurve<numerics::Enclosure>;

// How a curve is to be tabulated: with `per_deviation` nodes per standard deviation of the loss over the
// first `visited` deviations, and fewer beyond. The deviation is measured by where the curve falls to a
// twentieth of its value at 0 and, where losses are large, by how fast it falls. The table ends where both
// directions are at most `negligible`, or at a largest epsilon or number of nodes if the curve never falls so
// far.
struct Nodes {
  int per_deviation;
  double negligible;
  double visited = 5;
  // An epsilon that must be a node if it is larger than the spacing; 0 for none.
  double knot = 0;
  // Whether spacings are powers of two, so that of the lattices of two curves the finer one includes the
  // other.
  bool nested = false;
  // Where nodes take much work (numerics/work.h) there are fewer of them, so that a table takes about a
  // second, or this share of it.
  double share = 1;
};

// Makes tables of one curve; what all of them need is measured once. An empty `reverse` means that the
// curve is symmetric. A NaN of a curve is replaced by 1 in an upper end and by 0 in the other one. Thread
// rule: const methods may run concurrently.
template <typename Value>
class Tabulator {
 public:
  Tabulator(DeltaCurve<Value> forward, DeltaCurve<Value> reverse)
      : forward_(std::move(forward)), reverse_(std::move(reverse)) {}
  RoundCurve<Value> table(const Nodes& nodes) const;
  const DeltaCurve<Value>& forward() const { return forward_; }
  const DeltaCurve<Value>& reverse() const { return reverse_; }

 private:
  struct Scale {
    double deviation;
    bool large;           // whether losses are so large that they are resolved one by one
    double work_of_node;  // the work of one node, in the unit of numerics/work.h
    double work;          // that of these measurements, without what the curve builds once
  };
  const Scale& scale() const;

  DeltaCurve<Value> forward_;
  DeltaCurve<Value> reverse_;
  mutable std::once_flag once_;
  mutable Scale scale_{};
};

extern template class Tabulator<numerics::UpperAndEstimate>;
extern template class Tabulator<numerics::Enclosure>;

// The table of a bound's curve, which holds for both orders of every pair.
inline BoundTable tabulate(BoundCurve curve, const Nodes& nodes) {
  return Tabulator<numerics::UpperAndEstimate>(std::move(curve), {}).table(nodes);
}
// The table of a pair's curves. An empty `reverse` means that both orders have the same curve.
inline PairTable tabulate(PairCurve forward, PairCurve reverse, const Nodes& nodes) {
  return Tabulator<numerics::Enclosure>(std::move(forward), std::move(reverse)).table(nodes);
}

}  // namespace muster::accounting
