// Divides the range of a law of losses into cells, with narrow cells where the answer is most sensitive to
// their width. Cells are the intervals in which convolved_losses.h merges losses.
//
// For each tilt c, an atom at x has its mass times e^{-c (epsilon - x)_+} as its weight. The weight
// measures how much the atom can contribute to sums above epsilon. The cost of a cell is the increase of
// the weighted sum of e^{cx} over all atoms if the cell's mass is spread to its ends. The cell with the
// highest cost is divided until there are enough cells. Heavy atoms, which have more than half of the mass
// or more than 1/200 of the weight for some tilt, are ends of cells. See docs/theory/composition.md, "By
// convolution". Any choice of ends gives valid bounds; it only affects how tight they are. Pure functions;
// call from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace muster::accounting {

// A law whose atoms are put into groups, each of which is replaced by one point.
struct CoarseLaw {
  std::vector<double> points;      // one point for each group, increasing
  std::vector<double> log_masses;  // the logarithms of the groups' masses
  std::vector<bool> alone;         // whether a group's point is an atom with nearly all of the group's mass
};

// Puts the atoms of a law with increasing points and positive masses into at most a hundred groups of
// neighbours.
CoarseLaw coarse_law_of(std::span<const double> points, std::span<const double> masses);
// The law with each atom in a group by itself.
CoarseLaw ungrouped_law_of(std::span<const double> points, std::span<const double> masses);
// The coarse law of the sum of two independent losses: all sums of a point of `a` and one of `b`.
CoarseLaw sums_of(const CoarseLaw& a, const CoarseLaw& b);

// The ends of the cells from `first` to `last`, increasing. There are at most cells + 1 ends, unless
// there are more heavy atoms; there is one end if `first` equals `last`. `tilts` must be positive,
// and there must be at least one.
std::vector<double> ends_of_cells(const CoarseLaw& law, std::span<const double> tilts, double epsilon,
                                  double first, double last, std::size_t cells);

}  // namespace muster::accounting
