// Computes the certified correction beta, which bounds by how much the expected excess of another client's
// term exceeds that of a mixture of two types (docs/theory/gaussian-two-types.md, part 3 of the proof, "A
// finite net").
//
// Notation is that of gaussian_triangle.h. A client whose record makes a triangle with d in cell j is
// compared with the mixture of lambda_j parts of type A (a client that holds the victim's record) and
// 1 - lambda_j parts of type B (one that holds her alternative). beta(K) is at least 0 and at least the
// largest value of
//     mean of (g - c)_+  -  lambda_j A(c)  -  (1 - lambda_j) B(c),      c = K - E,
// over all cells j and all triangles of the ball with d in cell j. beta(K) is found by branch and bound over
// boxes (a range of cells and an interval of eta = 1 - D). By Lemmas 1 and 2 the expected excess of every
// triangle of a box is at most that of one triangle, the box's corner. The functions are pure and may be
// called from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/theorems/swap/gaussian_triangle.h"

namespace muster::accounting {

// Divides the range [-1, 1] of d into cells with weights. Edges are symmetric about 0, and
// lambda(-d) = 1 - lambda(d).
struct TriangleCells {
  std::vector<double> edges;    // the cells' ends in d, increasing from -1 to 1
  std::vector<double> lambdas;  // the weights of type A, one per cell, in [0, 1], decreasing
  static TriangleCells of(double mu, int count);  // `count` is even
};

// Stands for the triangles of Lemma 2 with d in the cells first to last, inclusive, and
// min_eta <= eta <= max_eta.
struct TriangleBox {
  std::size_t first, last;
  double min_eta, max_eta;
};

// Holds a triangle whose expected excess is at least that of all triangles of the box, for c > 0 (`positive`)
// or for c <= 0. `empty` says that the box has no triangles.
struct BoxCorner {
  bool empty;
  Triangle triangle;
};
BoxCorner corner_of(const TriangleCells& cells, const TriangleBox& box, bool positive);

struct Correction {
  double beta;      // the correction, a certified upper bound >= 0
  double reached;   // the largest value found for one cell and a single eta; beta cannot be much less
  int evaluations;  // number of corners evaluated
};

// The type of corner_of() and of the functions that tests put in its place.
using CornerOf = BoxCorner (*)(const TriangleCells& cells, const TriangleBox& box, bool positive);
// Returns beta(K) for c = K - E and the mu and E for which `excesses` was made. Only tests pass another
// `corner` than corner_of. With `tolerance` 1 beta is up to about 5 per cent too large where it matters; with
// `tolerance` 0.1 it is up to about half a per cent too large.
Correction certified_correction(const TriangleExcesses& excesses, const TriangleCells& cells, double mu,
                                double c, CornerOf corner = corner_of, double tolerance = 1);

// Holds the two values that certified_excess() uses instead of A(c) and B(c), mixed with weights lambda_j
// (`first`) and 1 - lambda_j (`second`). `charged` says whether the result is to be added to both values or
// only to one of them. If it is to be added to only one of them, the result is divided by the weight of this
// value.
struct MixedValues {
  enum class Charged { both, first, second };
  double first, second;
  Charged charged = Charged::both;
};
// Sets the precision of a search, which stops once the largest bound left is at most `ratio` times
// Correction::reached, plus `absolute`. TriangleExcesses::above is called with a `negligible` of at least
// `spared`.
struct LeftOpen {
  double ratio, absolute, spared = 0;
};
// Returns the correction for the two values of a MixedValues. The cells may cover only a part of [-1, 1];
// triangles outside them are not considered.
Correction certified_excess(const MixedValues& values, const TriangleExcesses& excesses,
                            const TriangleCells& cells, double mu, double c, const LeftOpen& open,
                            CornerOf corner = corner_of);

}  // namespace muster::accounting
