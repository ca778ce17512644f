// A dominating pair as a table of losses and masses, for programs that compose privacy losses themselves.
//
// A table is the law, under P, of the loss ln dP/dQ of a discrete pair (P, Q): finite losses on the lattice
// of the multiples of a spacing, and a mass at infinite loss. Its profile is
//     D(eps) = infinity + sum over losses l > eps of mass(l) (1 - e^{eps - l}).
// The tables that these functions return are made for both orders of every pair of neighbours at once: the
// hockey-stick divergence at any alpha > 0, of P against Q and of Q against P, is at most the table's
// (Theorem 20, docs/theory/composition.md). Every rounding is outward, so the masses of a table may sum to a
// little more than 1. Pure functions; call from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/composition/dominating_pair.h"

namespace muster::accounting {

struct LossTable {
  double spacing = 0;
  std::vector<std::int64_t> losses;  // increasing, in units of the spacing; zero is among them
  std::vector<double> masses;        // P-masses of these losses, >= 0
  double infinity = 0;               // P-mass at infinite loss
};

// The table of a pair that LossDistribution::dominating made, on its own lattice.
LossTable table_of(const LossDistribution& pair);

// An upper bound of the table's profile at `epsilon` >= 0.
double divergence_upper(const LossTable& table, double epsilon);

// A table on the lattice of another spacing that dominates `table`. The finer the lattice, the less it adds.
LossTable on_lattice(const LossTable& table, double spacing);

// The table of a bound's curve: `upper` bounds delta at epsilon >= 0, for both orders of every pair. The
// curve is asked at `nodes` multiples of the spacing or fewer, up to `last` >= 1 times the spacing; larger
// losses become infinite.
LossTable table_of_curve(const std::function<double(double epsilon)>& upper, double spacing,
                         std::int64_t last, std::int64_t nodes);

}  // namespace muster::accounting
