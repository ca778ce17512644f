// Places cells for a law of losses where they are needed most. Cells are the intervals whose losses
// convolved_losses.h puts together.
//
// For each tilt c that the question suggests, an atom at x has the weight mass times e^{-c (epsilon - x)_+}:
// the most that it can contribute to sums that pass epsilon. The cost of a cell is by how much the sum of
// e^{cx} over all atoms, with these weights, grows if the cell's mass is spread to its ends. The cell that
// costs most is divided, until there are enough. Heavy atoms, and an atom with more than half of the mass,
// are ends of cells. See docs/theory/composition.md, "By convolution". Any ends are valid: they decide only
// how tight the answer is. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace muster::accounting {

// A law whose atoms are put into groups, each replaced by one point: the points, increasing, and the
// logarithms of the groups' masses.
struct CoarseLaw {
  std::vector<double> points;
  std::vector<double> log_masses;
  std::vector<bool> alone;  // whether nearly all of a group's mass lies at its very point
};

// Puts a law of increasing points and positive masses into at most a hundred groups of neighbours.
CoarseLaw coarse_law_of(std::span<const double> points, std::span<const double> masses);
// The same with every atom a group of its own.
CoarseLaw ungrouped_law_of(std::span<const double> points, std::span<const double> masses);
// The coarse law of the sum of two independent losses: all sums of a point of `a` and one of `b`.
CoarseLaw sums_of(const CoarseLaw& a, const CoarseLaw& b);

// Ends of cells from `first` to `last`, increasing: at most cells + 1, unless there are more heavy atoms than
// that. A single one where `first` and `last` are equal. `tilts` are positive; there is at least one.
std::vector<double> ends_of_cells(const CoarseLaw& law, std::span<const double> tilts, double epsilon,
                                  double first, double last, std::size_t cells);

}  // namespace muster::accounting
