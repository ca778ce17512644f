// By how much two types of other clients fail to cover a third: the certified correction beta of
// docs/theory/gaussian-two-types.md, section "The net".
//
// A client whose record makes a triangle with d in cell j is compared with lambda_j parts of type A (it holds
// the victim's record) and 1 - lambda_j of type B (her alternative). beta(K) is at least the largest
//     E(g - c)_+ - lambda_j A(c) - (1 - lambda_j) B(c),      c = K - E,
// over all cells and all triangles of the ball, and 0. Branch and bound over boxes (a run of cells, an
// interval of eta): each lies below one triangle, by Lemmas 1 and 2. Pure functions; call from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/accounting/theorems/swap/gaussian_triangle.h"

namespace muster::accounting {

// Cells of d in [-1, 1] and their weights: edges symmetric about 0, lambda(-d) = 1 - lambda(d).
struct TriangleCells {
  std::vector<double> edges;    // increasing, -1 first, 1 last
  std::vector<double> lambdas;  // one a cell, in [0, 1], falling
  static TriangleCells of(double mu, int count);
};

// Triangles of a run of cells [first, last] with least_eta <= eta <= most_eta.
struct TriangleBox {
  std::size_t first, last;
  double least_eta, most_eta;
};

// The triangle above all of the box's on the side of c; none where the box is empty.
struct BoxCorner {
  bool empty;
  Triangle triangle;
};
BoxCorner corner_of(const TriangleCells& cells, const TriangleBox& box, bool positive);

struct Correction {
  double beta;      // certified, >= 0
  double reached;   // beta cannot be less than about this: the largest value at a box of no width
  int evaluations;  // of stop-loss transforms
};

// `calls` at the wanted E, c = K - E; `corner`: corner_of but for tests, which put false ones in its place;
// `effort`: 1 leaves beta about 5 per cent open where it counts, 0.1 half a per cent.
using CornerOf = BoxCorner (*)(const TriangleCells& cells, const TriangleBox& box, bool positive);
Correction certified_correction(const TriangleExcesses& excesses, const TriangleCells& cells, double mu,
                                double c, CornerOf corner = corner_of, double effort = 1);

// The same for any two values in place of A(c) and B(c): lambda_j times `first`, 1 - lambda_j times `second`.
// The cells may be some of [-1, 1] alone; triangles outside them are not looked at. `charged`: what is found
// is to be added to both values, or to one of them alone.
struct MixedValues {
  enum class Charged { both, first, second };
  double first, second;
  Charged charged = Charged::both;
};
// The search stops once what is left is at most `ratio` times what is reached, and `absolute` more. `spared`:
// atoms of the common factor worth no more are charged whole, unseen.
struct LeftOpen {
  double ratio, absolute, spared = 0;
};
Correction certified_excess(const MixedValues& values, const TriangleExcesses& excesses,
                            const TriangleCells& cells, double mu, double c, const LeftOpen& open,
                            CornerOf corner = corner_of);

}  // namespace muster::accounting
