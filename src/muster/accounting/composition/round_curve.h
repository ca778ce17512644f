// One round's privacy curve, tabulated where composition needs it.
//
// Nodes are multiples of one lattice spacing h. A chord over a cell of width w adds about w^2 / 6 times the
// cell's probability to the variance of the loss, so for a given number of nodes the widths that add least
// grow as (density)^{-1/3} = e^{z^2/6}, z in deviations of the loss, once beyond the losses that the
// composition visits. How wide a cell may be is decided by what its chord adds, measured after both its
// ends are known: a cell whose chord may rise too far above the curve is halved, down to the lattice. So no
// guess of how a curve goes on is ever trusted, and a curve that is flat over any distance and then falls
// at once is resolved where it falls. A chord lies above a convex curve: fewer nodes cost tightness, never
// truth. Cells are wider where the tail is nearly negligible, and where the bound stalls (delta never rises
// with epsilon: the least upper end so far holds).
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

using Curve = std::function<numerics::Enclosure(double epsilon)>;  // delta at epsilon >= 0

struct RoundCurve {
  double spacing;                   // h > 0
  std::vector<std::int64_t> index;  // 0 = index[0] < index[1] < ...: epsilon = index * h
  std::vector<numerics::Enclosure> forward;
  std::vector<numerics::Enclosure> reverse;

  // The same pair seen from the other record.
  RoundCurve swapped() const { return {spacing, index, reverse, forward}; }
};

// How a curve is to be tabulated: `per_deviation` nodes to one standard deviation of the loss
// (measured from where the curve falls to a twentieth of its value at 0, and how fast) over the first
// `visited` deviations, fewer and fewer beyond, until both directions are at most `negligible`, or for
// good where the bound never gets there.
struct Nodes {
  int per_deviation;
  double negligible;
  double visited = 5;
  double knot = 0;      // an epsilon that must be a node where it is wider than the spacing; 0 = none
  bool nested = false;  // spacings are powers of two, so that lattices of different curves share their points
  // Where nodes cost much, by counted work, there are fewer, so that a table
  // costs about a second, or this share of it.
  double share = 1;
};

// The tables of one curve; what they have in common is measured once. An empty `reverse` means
// that the curve is symmetric. A value that is NaN counts as knowing nothing: 0 and 1. Thread
// rule: const methods may run concurrently.
class Tabulator {
 public:
  Tabulator(Curve forward, Curve reverse) : forward_(std::move(forward)), reverse_(std::move(reverse)) {}
  RoundCurve table(const Nodes& nodes) const;
  const Curve& forward() const { return forward_; }
  const Curve& reverse() const { return reverse_; }

 private:
  struct Scale {
    double deviation;
    bool large;           // losses so large that each counts by itself
    double work_of_node;  // numerics/work.h, as the next
    double work;          // of these measurements, without what the curve builds once
  };
  const Scale& scale() const;

  Curve forward_;
  Curve reverse_;
  mutable std::once_flag once_;
  mutable Scale scale_{};
};

inline RoundCurve tabulate(Curve forward, Curve reverse, const Nodes& nodes) {
  return Tabulator(std::move(forward), std::move(reverse)).table(nodes);
}

}  // namespace muster::accounting
