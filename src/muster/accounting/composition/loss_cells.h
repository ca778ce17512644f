// Where the cells of a law of losses go, when it may have only so many.
//
// An atom at x counts as its mass times e^{-c (epsilon - x)_+}, for each tilt c that a question suggests: it
// can decide no more than that the sum passes epsilon. What a cell of width w adds by spreading its mass to
// its ends is measured by what that does to the sum of e^{cx}; the cell that adds most is divided, until
// there are enough. Heavy atoms, and what is nearly certain, are ends of cells. docs/theory/composition.md,
// "By convolution". Any ends are valid: this decides tightness alone. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace muster::accounting {

// About where a law is: points in increasing order with the logarithms of their masses.
struct Sketch {
  std::vector<double> points;
  std::vector<double> log_masses;
  std::vector<bool> alone;  // nearly all of the mass is at that very point
};

// A law of increasing points and positive masses, in a hundred groups of neighbours at most.
Sketch sketch_of(std::span<const double> points, std::span<const double> masses);
// Every atom by itself.
Sketch whole_sketch_of(std::span<const double> points, std::span<const double> masses);
// All sums of two laws' points.
Sketch sums_of(const Sketch& a, const Sketch& b);

// At most cells + 1 ends from `first` to `last`, increasing; one where they are
// the same. `tilts`: positive, not empty.
std::vector<double> ends_of_cells(const Sketch& sketch, std::span<const double> tilts, double epsilon,
                                  double first, double last, std::size_t cells);

}  // namespace muster::accounting
