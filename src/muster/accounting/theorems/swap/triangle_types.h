// Places of a third client's record on a circle, and what they are worth, such that every other place in the
// ball is worth no more than a mixture of two of them: the types behind adaptive rounds of a noisy sum
// (docs/theory/aggregated.md, "Many rounds").
//
// x, x' and t lie in a ball of diameter mu, C is the stop-loss transform of gaussian_triangle.h, and d = (|x-t|^2 -
// |x'-t|^2)/mu^2. Type i stands for the right triangle over the diameter x x' with d = places()[i]: the
// outermost are t = x and t = x'. A triangle whose d lies in a cell between places i and i + 1 has the
// weights lambda and 1 - lambda of them; both belong to the cell, exchanging x and x' exchanges them with the
// places, and they do not depend on mu, E or c. Pure functions; call from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/accounting/theorems/swap/two_types_net.h"

namespace muster::accounting {

class TriangleTypes {
 public:
  // For distances up to `most_mu`. `rough`: fewer cells, and a search that leaves more open.
  TriangleTypes(double most_mu, bool rough);

  std::size_t size() const { return places_.size(); }
  const std::vector<double>& places() const { return places_; }

  // v_i at E = 1 + excess >= 1 and c > 0, certified: C(c) <= lambda v_i + (1 - lambda) v_(i+1) for every
  // triangle of the ball with d in a cell between the two.
  std::vector<double> values(double mu, double excess, double c) const;

  // Some cells between places `first` and the next. What they find lacking is charged to one of the two, to
  // both, or to every type.
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
