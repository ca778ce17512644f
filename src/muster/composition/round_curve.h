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
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Encloses delta at epsilon >= 0, always by the same formula; never throws. An end that is NaN says nothing:
// a table replaces it by 0 or 1, and an answer that is NaN does not pass the accountant's gate.
using DeltaCurve = std::function<numerics::Enclosure(double epsilon)>;

struct RoundCurve {
  double spacing;                   // h > 0
  std::vector<std::int64_t> index;  // 0 = index[0] < index[1] < ...: epsilon = index * h
  std::vector<numerics::Enclosure> forward;
  std::vector<numerics::Enclosure> reverse;

  // The same pair seen from the other record.
  RoundCurve swapped() const { return {spacing, index, reverse, forward}; }
};

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
// curve is symmetric. A NaN of a curve is replaced by 0 in a lower end and by 1 in an upper one. Thread
// rule: const methods may run concurrently.
class Tabulator {
 public:
  Tabulator(DeltaCurve forward, DeltaCurve reverse)
      : forward_(std::move(forward)), reverse_(std::move(reverse)) {}
  RoundCurve table(const Nodes& nodes) const;
  const DeltaCurve& forward() const { return forward_; }
  const DeltaCurve& reverse() const { return reverse_; }

 private:
  struct Scale {
    double deviation;
    bool large;           // whether losses are so large that they are resolved one by one
    double work_of_node;  // the work of one node, in the unit of numerics/work.h
    double work;          // that of these measurements, without what the curve builds once
  };
  const Scale& scale() const;

  DeltaCurve forward_;
  DeltaCurve reverse_;
  mutable std::once_flag once_;
  mutable Scale scale_{};
};

inline RoundCurve tabulate(DeltaCurve forward, DeltaCurve reverse, const Nodes& nodes) {
  return Tabulator(std::move(forward), std::move(reverse)).table(nodes);
}

}  // namespace muster::accounting
