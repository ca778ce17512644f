// One round's privacy curve, tabulated where composition needs it.
//
// Nodes are multiples of one lattice spacing h: dense (a step of h) over the bulk, then with a stride that
// grows in proportion to the distance, until the curve is negligible. A chord between nodes lies above a
// convex curve, so fewer nodes cost tightness, never truth.
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
// twentieth of its value at 0), until both directions are below `negligible`. An empty `reverse` means the
// curve is symmetric.
RoundCurve tabulate(const Curve& forward, const Curve& reverse, int per_deviation, double negligible);

}  // namespace muster::accounting
