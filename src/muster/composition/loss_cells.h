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

// A law of which few points are kept: they increase, with the logarithms of the masses around them.
struct CoarseLaw {
  std::vector<double> points;
  std::vector<double> log_masses;
  std::vector<bool> alone;  // whether nearly all of a group's mass lies at that very point
};

// Puts a law of increasing points and positive masses into at most a hundred groups of neighbours.
CoarseLaw coarse_law_of(std::span<const double> points, std::span<const double> masses);
// The same with every atom a group of its own.
CoarseLaw ungrouped_law_of(std::span<const double> points, std::span<const double> masses);
// The coarse law of the sum of two independent losses: all sums of a point of `a` and one of `b`.
CoarseLaw sums_of(const CoarseLaw& a, const CoarseLaw& b);

// At most cells + 1 ends from `first` to `last`, increasing; a single one where these are equal. `tilts`
// are positive; there is at least one.
std::vector<double> ends_of_cells(const CoarseLaw& law, std::span<const double> tilts, double epsilon,
                                  double first, double last, std::size_t cells);

}  // namespace muster::accounting
