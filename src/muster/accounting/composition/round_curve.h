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

// `per_deviation` nodes to one standard deviation of the loss (measured from where the curve falls to a
// twentieth of its value at 0, and how fast) over the first `visited` deviations, fewer and fewer beyond,
// until both directions are at most `negligible`, or for good where the bound never gets there. An empty
// `reverse` means the curve is symmetric. `nested`: the spacing is rounded down to a power of two, so that
// lattices of different curves share their points. Where nodes cost much, by counted work, there are fewer,
// so that a table costs about a second, or `share` of it. A value that is NaN counts as knowing nothing: 0
// and 1.
RoundCurve tabulate(const Curve& forward, const Curve& reverse, int per_deviation, double negligible,
                    double visited = 5, double knot = 0, bool nested = false, double share = 1);

}  // namespace muster::accounting
