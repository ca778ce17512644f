// A finite set of types of a third client's record; the expected excess of any record in the ball is at
// most a mixture of those of two types. Adaptive rounds of a noisy sum rest on it (Theorem 11,
// docs/theory/aggregated.md, "Many rounds").
//
// The records x, x' and t lie in a ball of diameter mu, C is the expected excess of gaussian_triangle.h,
// and d = (|x-t|^2 - |x'-t|^2)/mu^2. Type i stands for the right triangle over the diameter x x' with
// d = places()[i]; the outermost types are t = x and t = x'. A triangle whose d lies in a cell between
// places i and i + 1 is compared with these two types, with weights lambda and 1 - lambda. The weights
// belong to the cell and do not depend on mu, E or c; exchanging x and x' mirrors places, cells and
// weights. Pure functions; call from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/accounting/theorems/swap/two_types_net.h"

namespace muster::accounting {

class TriangleTypes {
 public:
  // For distances mu up to `max_mu`. `rough` takes fewer cells and a less precise search.
  TriangleTypes(double max_mu, bool rough);

  std::size_t size() const { return places_.size(); }
  const std::vector<double>& places() const { return places_; }

  // The values v_i at E = 1 + excess >= 1 and c > 0. They are certified: C(c) <= lambda
  // v_i + (1 - lambda) v_(i+1) for every triangle of the ball with d in a cell between the two.
  std::vector<double> values(double mu, double excess, double c) const;

  // Some of the cells between place `first` and the next. What their mixtures lack is added to one of the
  // two types, to both, or to every type.
  struct Cells {
    enum class Charged { inner_first, inner_second, both, all };
    std::size_t first;
    Charged charged;
    TriangleCells cells;
  };
  const std::vector<Cells>& cells() const { return cells_; }

 private:
  std::vector<double> places_;  // increasing, symmetric, -1 first
  std::vector<Cells> cells_;
  double ratio_, open_;
};

}  // namespace muster::accounting
