// Bounds on E(S - x)_+ for a sum of independent copies of one law that cost a few operations a threshold:
// Jensen's from below; Chernoff's, Scarf's and put-call parity from above.
//
// Scarf's bound is (sqrt(v + d^2) - d) / 2, v the variance of the sum and d the threshold's distance from its
// mean (docs/theory/profile-only.md, "Rare large terms"). Moments carry their own round-off outward.
// Immutable but for add_deficits; const methods from any thread.
#pragma once

#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// log E e^{cY}, rounded up by what its sum may lose.
double log_mgf_above(const AtomicLaw& law, double c);

class ExcessBounds {
 public:
  // `c` > 0: where Chernoff's bound matters most.
  ExcessBounds(const AtomicLaw& law, double copies, double c);
  // Chernoff's bounds on the left, for put-call parity.
  void add_deficits(const AtomicLaw& law);

  // Of `law`, which is this one's law with probability 1 - chance, else `size`.
  ExcessBounds capped(const AtomicLaw& law, double copies, double chance, double size) const;

  double below(double x) const;
  double above(double x) const;

 private:
  struct Mgf {
    double c;
    double log_mgf;
  };
  struct Line {  // E(S - x)_+ <= e^{constant - slope x}
    double slope;
    double constant;
  };

  ExcessBounds(const AtomicLaw& law, double copies);
  Line line(double c, double log_mgf) const;
  // `distance`: of the threshold from the mean. Chernoff's bounds, and Scarf's from the variance.
  double bounded(const std::vector<Line>& lines, double x, double distance) const;

  double copies_;
  double mean_;
  double slack_;  // by which the mean may be wrong
  double variance_;
  std::vector<Mgf> mgfs_;
  std::vector<Line> lines_;
  std::vector<Line> deficit_lines_;
};

}  // namespace muster::numerics
