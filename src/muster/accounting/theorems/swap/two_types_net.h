// The certified correction beta: by how much a mixture of two types of other clients fails to cover a
// third (docs/theory/gaussian-two-types.md, part 3 of the proof, "A finite net").
//
// A client whose record makes a triangle with d in cell j is compared with the mixture of lambda_j parts
// of type A (a client that holds the victim's record) and 1 - lambda_j parts of type B (one that holds
// her alternative). beta(K) is at least 0 and at least the largest
//     E(g - c)_+ - lambda_j A(c) - (1 - lambda_j) B(c),      c = K - E,
// over all cells and all triangles of the ball. It is found by branch and bound over boxes (a run of
// cells and an interval of eta), each of which lies below one triangle by Lemmas 1 and 2. Pure functions;
// call from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/accounting/theorems/swap/gaussian_triangle.h"

namespace muster::accounting {

// Cells of d in [-1, 1] and their weights. Edges are symmetric about 0, and lambda(-d) = 1 - lambda(d).
struct TriangleCells {
  std::vector<double> edges;    // increasing, -1 first, 1 last
  std::vector<double> lambdas;  // one per cell, in [0, 1], decreasing
  static TriangleCells of(double mu, int count);
};

// The triangles of the cells first to last, inclusive, with min_eta <= eta <= max_eta.
struct TriangleBox {
  std::size_t first, last;
  double min_eta, max_eta;
};

// The triangle that lies above all those of the box, for c > 0 (`positive`) or c <= 0; none where
// the box is empty.
struct BoxCorner {
  bool empty;
  Triangle triangle;
};
BoxCorner corner_of(const TriangleCells& cells, const TriangleBox& box, bool positive);

struct Correction {
  double beta;      // certified, >= 0
  double reached;   // the largest value found at a box of no width; beta cannot be much less
  int evaluations;  // number of stop-loss transforms evaluated
};

// `excesses` is made for the wanted E, and c = K - E. Tests put a false `corner` in place of corner_of.
// With `effort` 1 beta is up to about 5 per cent too large where it matters, with 0.1 half a per cent.
using CornerOf = BoxCorner (*)(const TriangleCells& cells, const TriangleBox& box, bool positive);
Correction certified_correction(const TriangleExcesses& excesses, const TriangleCells& cells, double mu,
                                double c, CornerOf corner = corner_of, double effort = 1);

// The same for any two values in place of A(c) and B(c): the mixture is lambda_j `first` + (1 - lambda_j)
// `second`. The cells may cover only a part of [-1, 1]; triangles outside them are not considered.
// `charged` says whether the result is to be added to both values or to one of them alone.
struct MixedValues {
  enum class Charged { both, first, second };
  double first, second;
  Charged charged = Charged::both;
};
// The search stops once the largest bound left is at most `ratio` times the largest value reached, plus
// `absolute`. Atoms of the common factor worth at most `spared` are bounded, not computed.
struct LeftOpen {
  double ratio, absolute, spared = 0;
};
Correction certified_excess(const MixedValues& values, const TriangleExcesses& excesses,
                            const TriangleCells& cells, double mu, double c, const LeftOpen& open,
                            CornerOf corner = corner_of);

}  // namespace muster::accounting
