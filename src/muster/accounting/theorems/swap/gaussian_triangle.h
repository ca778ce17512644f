// The expected excess E(g - c)_+ of another client's term g = (a - E b)/u, for three normal laws a, b, u
// of one covariance, and the triangles of a ball that bound it (docs/theory/gaussian-two-types.md).
//
// In noise deviations the three records x, x', t lie in a ball of diameter mu. Under w ~ u,
// g = e^{N1} - E e^{N2} with N1, N2 jointly normal, and the law of g depends on three distances
// alone, in units of mu^2:
//     D = |x - x'|^2,   d = |x - t|^2 - |x' - t|^2,   S = |2t - x - x'|^2.
// Lemma 1 of that page: E(g - c)_+ grows with D and with S; it grows with d where c > 0 and falls with
// d where c < 0. Lemma 2: every triangle of the ball lies, at every c, below one with D = 1 - eta, the
// same d and S = widest_sum(eta, |d|). Values are one-sided so that tails keep their digits: the expected
// excess E(g - c)_+ for c > 0, the expected deficit E(c - g)_+ for c <= 0. The two differ by 1 - E - c
// for every triangle. Pure functions; call from any thread.
#pragma once

#include <vector>

namespace muster::accounting {

// Squared distances in units of mu^2, with d^2 <= D S. The bounds use triangles
// with |d| <= D <= 1 <= S <= 4.
struct Triangle {
  double D, d, S;
};

// The largest S of a triangle of the ball with D = 1 - eta and the given |d| <= 1 - eta, rounded up:
// 1 + eta + 2 sqrt(eta (1 - d^2 / (1 - eta))), and 4 at eta = 1, where x = x'.
double widest_sum(double eta, double d);

class TriangleExcesses {
 public:
  // mu is in [1e-3, 2]; E >= 1 is given as excess = E - 1 in [0, 1e6].
  TriangleExcesses(double mu, double excess);

  // An upper bound of E(g - c)_+ for c > 0 and of E(c - g)_+ for c <= 0. It includes an absolute 1e-14
  // (1 + |c|) E for rounding, and what the chords of the factor common to a and b add (about c^2 / 1000
  // of the variance). Atoms of that factor that contribute at most `negligible` are bounded, not
  // computed. Finite, >= 0.
  double above(const Triangle& triangle, double c, double negligible = 1e-18) const;

  // A and B of the page: the same values where x and x' are the ends of a diameter and t is x or x'.
  // `lower` and `upper` are within a relative 1e-14 of each other.
  struct Ends {
    double lower, upper;
  };
  Ends record(double c) const;       // A: the other client holds the victim's record
  Ends alternative(double c) const;  // B: the other client holds her alternative

 private:
  struct Cut {
    double t;       // in deviations of the common factor's normal variable; decreasing
    double beyond;  // probability of a larger value
    double cell;    // probability of the cell between this cut and the previous one
  };
  double mu_, excess_;
  std::vector<Cut> cuts_;
};

}  // namespace muster::accounting
