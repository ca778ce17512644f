// Places a given number of cells for a law of losses (convolved_losses.h) where they are needed most.
//
// For each tilt c that the question suggests, an atom at x has the weight mass times
// e^{-c (epsilon - x)_+}: the most that it can contribute to sums that pass epsilon. The cost of a cell of
// width w, whose mass is spread to its ends, is what that adds to the sum of e^{cx}; the cell that costs
// most is divided, until there are enough. Heavy atoms, and an atom that is nearly certain, are ends of
// cells. See docs/theory/composition.md, "By convolution". Any ends are valid: they decide only how tight
// the answer is. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace muster::accounting {

// The outline of a law: points in increasing order, with the logarithms of their masses.
struct Sketch {
  std::vector<double> points;
  std::vector<double> log_masses;
  std::vector<bool> alone;  // whether nearly all of a group's mass lies at that very point
};

// Puts a law of increasing points and positive masses into at most a hundred groups of neighbours.
Sketch sketch_of(std::span<const double> points, std::span<const double> masses);
// The same with every atom a group of its own.
Sketch whole_sketch_of(std::span<const double> points, std::span<const double> masses);
// The sketch of the sum of two independent losses: all sums of a point of `a` and one of `b`.
Sketch sums_of(const Sketch& a, const Sketch& b);

// At most cells + 1 ends from `first` to `last`, increasing; a single one where these are equal. `tilts`
// are positive; there is at least one.
std::vector<double> ends_of_cells(const Sketch& sketch, std::span<const double> tilts, double epsilon,
                                  double first, double last, std::size_t cells);

}  // namespace muster::accounting
