// E (1 - e^{epsilon - S})_+ of a sum of independent finite losses: one
// contour integral along its saddle point.
//
// The engine of composed_delta.h, which explains it. Infinite losses are taken as zero. The parts are
// referred to, not copied. Const methods may run concurrently.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "muster/accounting/composition/composed_delta.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/contour.h"

namespace muster::accounting {

using Parts = std::span<const RepeatedLoss>;

template <typename Term>
double sum_over(std::span<const RepeatedLoss> parts, Term&& term) {
  double total = 0;
  for (const RepeatedLoss& part : parts) {
    total += part.rounds * term(part);
  }
  return total;
}

inline double log_mgf(Parts parts, double c) {
  return sum_over(parts, [c](const RepeatedLoss& p) { return p.losses->log_mgf(c); });
}

// P(some loss is infinite).
inline double mass_at_infinity(Parts parts) {
  return -std::expm1(sum_over(parts, [](const RepeatedLoss& p) { return std::log1p(-p.infinity); }));
}

// What the computed log E e^{cY} of one loss may be off by. With x = cy, a term w (e^x - 1) is within four
// ulps of itself and, x being rounded, |x| e^x ulps more; eight running sums of A atoms add A / 16 ulps of
// the terms' moduli, which sum to at most E e^{cY} times p e^{-log E e^{cY}} + p', p and p' the masses off
// zero, plain and tilted. An exponent far from zero is taken relative to the largest, `far_tilt`, whose own
// rounding counts.
inline double log_mgf_error(const numerics::AtomicLaw& law, const numerics::Tilt& tilt, double c) {
  double mass = 0;
  for (double w : law.weights) {
    mass += w;
  }
  const double atoms = static_cast<double>(law.points.size());
  const double top = c * (c > 0 ? law.largest_point() : law.smallest_point());
  return 2.3e-16 * ((4 + atoms / 16) * (mass * std::exp(-tilt.log_mgf) + tilt.nonzero_mass) +
                    2 * std::abs(c) * tilt.absolute_mean + 2 * std::abs(tilt.log_mgf) +
                    (top > 290 ? atoms + 2 * top : 0));
}

// log of sup over u of (1 - e^{-u})_+ e^{-cu}, which is c^c / (1 + c)^{1 + c}; of
// (e^{-u} - 1)_+ e^{(1+c)u} too.
inline double log_steepest(double c) { return -c * std::log1p(1 / c) - std::log1p(c); }

// The value where no sum of finite losses passes epsilon by more than losses are rounded; none elsewhere.
std::optional<numerics::Enclosure> trivial_value(Parts parts, double spacing, double epsilon);

class Integral {
 public:
  Integral(Parts parts, double spacing, double epsilon);

  double c() const { return c_; }
  // (1 - e^{-u})_+ <= c^c / (1 + c)^{1 + c} e^{cu}; rounded up.
  double chernoff() const {
    const double ulps =
        2.3e-16 * (std::abs(log_total_) + 2 * c_ * std::abs(epsilon_) + 4 * std::abs(log_steepest(c_)) + 8);
    return std::exp(log_total_ - c_ * epsilon_ + log_steepest(c_) + log_total_error_ + ulps) +
           std::numeric_limits<double>::min();
  }

  // Atom by atom where that is cheaper, else by fast transforms of at most 2^most_cells cells; none where
  // neither can be afforded.
  std::optional<numerics::Enclosure> value(int most_cells, double most_work) const;

 private:
  // `log2_cells`: of the fast transforms, 0 for none.
  std::optional<numerics::Enclosure> summed(double cells, double most_work, int log2_cells) const;

  Parts parts_;
  double h_;
  double epsilon_;
  double l0_;
  double c_;
  double log_total_;
  double log_total_error_;
  numerics::contour::Period period_;
};

}  // namespace muster::accounting
