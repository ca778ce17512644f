// Bounds the expected excess of another client's term g = (a - E b)/u over a threshold c, for Gaussian
// messages (docs/theory/gaussian-two-types.md).
//
// E is e^eps, and a, b and u are spherical normal laws about the victim's records x and x' and the other
// client's record t. In units of the noise's standard deviation, the three records lie in a ball of diameter
// mu. At a message drawn from u, g = e^{N1} - E e^{N2} with N1, N2 jointly normal. The law of g depends only
// on mu, E and three squared distances in units of mu^2:
//     D = |x - x'|^2,   d = |x - t|^2 - |x' - t|^2,   S = |2t - x - x'|^2.
// By Lemma 1 of the page, the mean of (g - c)_+ increases in D and in S; it increases in d if c > 0 and
// decreases in d if c < 0. By Lemma 2, at every c, the mean for any triangle of records in the ball
// is at most that for some triangle with the same d, D = 1 - eta and S = widest_sum(eta, |d|). The
// functions below return the expected excess, the mean of (g - c)_+, for c > 0, but the expected deficit,
// the mean of (c - g)_+, for c <= 0, so that small values keep their digits. Excess minus deficit is
// 1 - E - c for every triangle. Functions are pure and objects immutable, so any thread may use them.
#pragma once

#include <vector>

namespace muster::accounting {

// Holds the squared distances in units of mu^2, with d^2 <= D S. The bounds use triangles with
// |d| <= D <= 1 <= S <= 4.
struct Triangle {
  double D, d, S;
};

// Returns the largest S of a triangle of the ball with D = 1 - eta and the given |d| <= 1 - eta,
// rounded up. It is 1 + eta + 2 sqrt(eta (1 - d^2 / (1 - eta))), or 4 at eta = 1, where x = x'.
double widest_sum(double eta, double d);

class TriangleExcesses {
 public:
  // mu is in [1e-3, 2]; E >= 1 is given as excess = E - 1 in [0, 1e6].
  TriangleExcesses(double mu, double excess);

  // Returns an upper bound of the mean of (g - c)_+ for c > 0 and of (c - g)_+ for c <= 0. It is finite and
  // not negative, and includes 1e-14 (1 + |c|) E for rounding. Atoms replace the lognormal factor that a/u
  // and b/u have in common. This raises the bound by about as much as if the variance of g were larger by
  // c^2 / 1000. An atom that cannot contribute more than `negligible` is not evaluated, but charged the most
  // that it can contribute.
  double above(const Triangle& triangle, double c, double negligible = 1e-18) const;

  // record() and alternative() enclose A(c) and B(c) of the page, which are the values that above() bounds if
  // x and x' are the ends of a diameter and t is at x (A) or at x' (B). `lower` and `upper` are within a
  // relative 1e-14 of each other where ln E and |ln(1 - c)| are at most a few times mu, and within 1e-10
  // otherwise.
  struct Ends {
    double lower, upper;
  };
  Ends record(double c) const;       // A: the other client holds the victim's record
  Ends alternative(double c) const;  // B: the other client holds her alternative

 private:
  struct Cut {
    double t;       // a value of the standard normal variable in the common factor; decreasing
    double beyond;  // probability that the variable is larger than t
    double cell;    // probability of the cell between this cut and the previous one
  };
  double mu_, excess_;
  std::vector<Cut> cuts_;
};

}  // namespace muster::accounting
