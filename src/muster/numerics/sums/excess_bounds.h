// Bounds on E(S - x)_+ for a sum S of independent copies of one law, at a few operations per threshold x. The
// lower bound is Jensen's, (E S - x)_+. The upper bound is the least of Chernoff's bound, Scarf's bound and,
// for x below the mean, the same two bounds on the expected deficit E(x - S)_+, by the identity
// E(S - x)_+ = E(x - S)_+ + E S - x.
//
// Scarf's bound is (sqrt(v + d^2) - d) / 2, where v is the variance of S and d = x - E S
// (docs/theory/profile-only.md, "Rare large terms"). The moments include a margin for their round-off.
// Only add_deficits() changes an object; const methods may be called from any thread.
#pragma once

#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// An upper bound of log E e^{cY}: the computed value plus the most that rounding may have taken from it.
double log_mgf_above(const AtomicLaw& law, double c);

// Chernoff's bound E e^{c (S - k)} / (e c) on E(S - k)_+ for c > 0, rounded up, where `log_mgf` is at least
// log E e^{cS}. The result is positive, or NaN if an argument is NaN. Its exponent is a difference that may
// cancel, so a bound on the exponent's rounding error is added.
double chernoff_bound(double log_mgf, double c, double k);

class ExcessBounds {
 public:
  // `c` > 0 is the tilt at which Chernoff's bound matters most, such as the saddle point.
  ExcessBounds(const AtomicLaw& law, double copies, double c);
  // Adds Chernoff's bounds on the expected deficit, which improve `above` for thresholds below the mean.
  void add_deficits(const AtomicLaw& law);

  // The bounds for `copies` terms of `law`, which must be the mixture of this object's law, with probability
  // 1 - chance, and of the value `size`, with probability `chance`.
  ExcessBounds capped(const AtomicLaw& law, double copies, double chance, double size) const;

  // `below` is at most E(S - x)_+ and `above` is at least that, up to five roundings (slack.h) of the result,
  // for which the caller must allow. They include two roundings by which x itself may be wrong.
  double below(double x) const;
  double above(double x) const;

 private:
  struct Mgf {
    double c;
    double log_mgf;
  };
  struct Line {  // stands for the bound E(S - x)_+ <= e^{constant - slope x}
    double slope;
    double constant;
  };

  ExcessBounds(const AtomicLaw& law, double copies);
  Line line(double c, double log_mgf) const;
  // The least of Chernoff's bounds and Scarf's bound at x; `distance` is x minus the mean. For the expected
  // deficit, x and `distance` have the opposite sign.
  double bounded(const std::vector<Line>& lines, double x, double distance) const;

  double copies_;
  double mean_;
  double slack_;  // a bound on the absolute error of mean_
  double variance_;
  std::vector<Mgf> mgfs_;
  std::vector<Line> lines_;
  std::vector<Line> deficit_lines_;
};

}  // namespace muster::numerics
