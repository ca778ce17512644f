// Defines a finite set of types with which another client's record t is compared, from the victim's record x
// to her alternative x'. For any t in the ball, the expected excess of the client's term is at most a mixture
// of the values of two of the types. The bound for adaptive rounds of a noisy sum uses these types (Theorem
// 11, docs/theory/aggregated.md, "Many rounds").
//
// The records x, x' and t lie in a ball of diameter mu, C is the expected excess of gaussian_triangle.h, and
// d = (|x-t|^2 - |x'-t|^2)/mu^2. Type i stands for the right triangle over the diameter x x' with
// d = places()[i]; the outermost types are t = x and t = x'. A triangle whose d lies in a cell between places
// i and i + 1 is compared with these two types, with weights lambda and 1 - lambda. The weights belong to the
// cell and do not depend on the mu, E and c of values(). Exchanging x and x' mirrors places, cells and
// weights. Objects are immutable and may be used from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/theorems/swap/two_types_net.h"

namespace muster::accounting {

class TriangleTypes {
 public:
  // Makes the types for distances mu up to `max_mu`. If `rough`, there are fewer cells and the search is less
  // precise.
  TriangleTypes(double max_mu, bool rough);

  std::size_t size() const { return places_.size(); }
  const std::vector<double>& places() const { return places_; }

  // Returns the types' values v_i at E = 1 + excess >= 1 and c > 0. They are certified: for every triangle of
  // the ball whose d lies in a cell between places i and i + 1, C(c) <= lambda v_i + (1 - lambda) v_(i+1),
  // with the cell's lambda.
  std::vector<double> values(double mu, double excess, double c) const;

  // Holds some of the cells between place `first` and the next place. Where a mixture of the two types' own
  // expected excesses is below C(c), values() raises some types. `charged` says which types are raised: the
  // inner one of the two (the first or the second), both, or all types.
  struct Cells {
    enum class Charged { inner_first, inner_second, both, all };
    std::size_t first;
    Charged charged;
    TriangleCells cells;
  };
  const std::vector<Cells>& cells() const { return cells_; }

 private:
  std::vector<double> places_;  // values of d from -1 to 1, increasing, symmetric about 0
  std::vector<Cells> cells_;
  double ratio_, open_;  // the precision of the searches
};

}  // namespace muster::accounting
