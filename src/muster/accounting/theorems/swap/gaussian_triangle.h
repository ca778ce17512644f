// What one other client's Gaussian message is worth to the victim: the stop-loss transform of (a - E b)/u for three
// normal laws a, b, u of one covariance, and the triangles of a ball under which all of them lie
// (docs/theory/gaussian-two-types.md).
//
// In noise deviations the three records x, x', t lie in a ball of diameter mu. Under w ~ u, g = (a - E b)/u =
// e^{N1} - E e^{N2} with N1, N2 jointly normal, and its law depends on three distances alone, in units of
// mu^2:
//     D = |x - x'|^2,   d = |x - t|^2 - |x' - t|^2,   S = |2t - x - x'|^2.
// Lemma 1: E(g - c)_+ grows with D and with S, with d where c > 0, and falls with d where c < 0. Lemma 2:
// every triangle of the ball lies, at every c, below one with D = 1 - eta, the same d and S = widest_sum(eta,
// |d|). Values are one-sided: calls E(g - c)_+ for c > 0, puts E(c - g)_+ for c <= 0, so that tails keep
// their digits; the two differ by 1 - E - c for every triangle. Pure functions; call from any thread.
#pragma once

#include <vector>

namespace muster::accounting {

// Squared distances in units of mu^2, d^2 <= D S; in those asked for here |d| <= D <= 1 <= S <= 4.
struct Triangle {
  double D, d, S;
};

// The largest S of a triangle of the ball with D = 1 - eta and the given |d| <= 1 - eta, from above: 1 + eta
// + 2 sqrt(eta (1 - d^2 / (1 - eta))), and 4 at eta = 1, where D = 0 says nothing more.
double widest_sum(double eta, double d);

class TriangleExcesses {
 public:
  // mu in [1e-3, 2], E >= 1 given as excess = E - 1 in [0, 1e6].
  TriangleExcesses(double mu, double excess);

  // E(g - c)_+ for c > 0, E(c - g)_+ for c <= 0, from above: an absolute 1e-14 (1 + |c|) E and the chords of
  // the factor common to a and b (about c^2 / 1000 of the variance) are included. Atoms of that factor worth
  // no more than `negligible` are charged at their largest worth. Finite, >= 0.
  double above(const Triangle& triangle, double c, double negligible = 1e-18) const;

  // The same for t = x and t = x' at opposite ends of a diameter, A and B of the page; from below and above,
  // within a relative 1e-14 of each other.
  struct Ends {
    double lower, upper;
  };
  Ends record(double c) const;       // A: the other client holds the victim's record
  Ends alternative(double c) const;  // B: it holds her alternative

 private:
  struct Cut {
    double t;       // deviations of the common factor's normal variable, falling
    double beyond;  // the chance of more
    double cell;    // the chance of what lies between this cut and the one before
  };
  double mu_, excess_;
  std::vector<Cut> cuts_;
};

}  // namespace muster::accounting
