// Encloses the expectation E (1 - e^{epsilon - S})_+ for a sum S of independent losses by one contour
// integral through the saddle point of its integrand.
//
// The method is explained in composed_delta.h and docs/theory/composition.md, "By one contour sum". Infinite
// losses are taken as zero. The parts are not copied and must outlive the integral. Const methods may run
// concurrently.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "muster/composition/composed_delta.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/contour.h"

namespace muster::accounting {

using Parts = std::span<const RepeatedLoss>;

// The sum of term(part) over all rounds.
template <typename Term>
double sum_over(std::span<const RepeatedLoss> parts, Term&& term) {
  double total = 0;
  for (const RepeatedLoss& part : parts) {
    total += part.rounds * term(part);
  }
  return total;
}

// ln E e^{cS} for the sum S of all losses.
inline double log_mgf(Parts parts, double c) {
  return sum_over(parts, [c](const RepeatedLoss& p) { return p.losses->log_mgf(c); });
}

// The probability that some round's loss is infinite.
inline double mass_at_infinity(Parts parts) {
  return -std::expm1(sum_over(parts, [](const RepeatedLoss& p) { return std::log1p(-p.infinity); }));
}

// Bounds the rounding error of the computed ln E e^{cY} of one loss Y, for any number A of atoms. An ulp is
// two roundings (numerics/slack.h). With x = cy, M = E e^{cY}, and p and p' the masses away from zero of the
// law and of the tilted law, the bound consists of these parts.
// - The term w (e^x - 1) of an atom takes seven roundings: e^x - 1 is within three ulps, and the product
//   takes one. The sum adds the terms in eight lanes and as a binary tree (numerics/sums/atom_kernels.cc). It
//   takes at most A - 1 roundings, and at most 8 for A <= 16 and 5 + log2 A for more atoms. Together that is
//   at most the first factor below, in ulps, of the sum of the terms' moduli, which is at most p + M p'.
// - The rounding of x changes a term by w |x| e^x roundings, and with exponents of 300 and more, where the
//   largest exponent T is subtracted first, by twice as many: one ulp of M |c| E' |Y|, where E' is the mean
//   under the tilted law. Two are charged.
// - The logarithm takes an ulp of its result. With exponents of 300 and more, M e^-T is summed instead, in
//   extended precision. Its terms, which are not lessened by 1, and its conversion to double take four
//   roundings, the sum takes A / 2048 of p + M p', the difference x - T takes one of T, and the logarithm and
//   its sum with T take two of T and three of ln M. The two ulps of ln M, and the last summand below, cover
//   these.
// Errors are added up as if they were small. For an upper bound of ln M, this is enough however large they
// are, because ln(1 + e) <= e. A lower bound matters only to enclosures that are kept, whose width is at most
// a fiftieth of the upper end; there the 3 % between kUlpAbove and an ulp cover the square of e.
inline double log_mgf_error(const numerics::AtomicLaw& law, const numerics::Tilt& tilt, double c) {
  double mass = 0;
  for (double w : law.weights) {
    mass += w;
  }
  const double atoms = static_cast<double>(law.points.size());
  const double top = c * (c > 0 ? law.largest_point() : law.smallest_point());
  const double ulps = numerics::larger(4 + atoms / 4, numerics::smaller(3 + atoms / 2, 7.5));
  // The summands are for the terms and their sum, the exponents, the logarithm, and exponents of 300 and
  // more.
  return numerics::kUlpAbove *
         (ulps * (mass * std::exp(-tilt.log_mgf) + tilt.nonzero_mass) + 2 * std::abs(c) * tilt.absolute_mean +
          2 * std::abs(tilt.log_mgf) + (top > 290 ? atoms + 2 * top : 0));
}

// Bounds the rounding error of log_mgf(parts, c). If there are m > 1 parts, the products with their numbers
// of rounds and the sum take m more roundings of the sum of the terms' moduli. If there is a single part, its
// product counts as one of the operations of whatever uses the result.
inline double log_mgf_error(Parts parts, double c) {
  const double additions = parts.size() > 1 ? static_cast<double>(parts.size()) : 0;
  return sum_over(parts, [&](const RepeatedLoss& p) {
    const numerics::Tilt tilt = numerics::tilt_of(*p.losses, c);
    // A term takes one rounding for its product and one for each of the m - 1 additions.
    return log_mgf_error(*p.losses, tilt, c) + numerics::kUnitRoundoff * additions * std::abs(tilt.log_mgf);
  });
}

// ln(c^c / (1 + c)^{1 + c}), c > 0. The argument of the logarithm is the supremum of (1 - e^{-u})_+ e^{-cu}
// over u, and also that of (e^{-u} - 1)_+ e^{(1+c)u}.
inline double log_steepest(double c) { return -c * std::log1p(1 / c) - std::log1p(c); }

// An enclosure of the expectation if all losses are zero or infinite, or if no sum of finite losses is larger
// than epsilon by more than rounding errors; nullopt otherwise.
std::optional<numerics::Enclosure> trivial_value(Parts parts, double spacing, double epsilon);

class Integral {
 public:
  Integral(Parts parts, double spacing, double epsilon);

  // The saddle point.
  double c() const { return c_; }
  // Chernoff's bound at the saddle point, which follows from (1 - e^{-u})_+ <= c^c / (1 + c)^{1 + c} e^{cu}.
  // The result is rounded up. In the exponent, the first two terms, ln E e^{cS} and c epsilon, are products
  // and take one rounding each. The third, log_steepest(), takes five, and each of the four additions takes
  // one of its own result. Together these are at most five roundings of each of the first two terms and eight
  // of the third. `ulps` allows for six and eight of them, and for 16 of the exponential.
  double chernoff() const {
    const double ulps = numerics::kUlpAbove * (3 * (std::abs(log_total_) + c_ * std::abs(epsilon_)) +
                                               4 * std::abs(log_steepest(c_)) + 8);
    return std::exp(log_total_ - c_ * epsilon_ + log_steepest(c_) + log_total_error_ + ulps) +
           std::numeric_limits<double>::min();
  }

  // An enclosure of the integral. The moment generating functions are summed atom by atom or, where this
  // takes less work, computed by fast transforms of at most 2^max_cells cells. `max_work` limits the product
  // of atoms and frequencies. The result is nullopt if neither way is within the limits, or if rounding
  // errors leave no valid enclosure.
  std::optional<numerics::Enclosure> value(int max_cells, double max_work) const;

 private:
  // The integral as a sum over `cells` frequencies. If `log2_cells` is 0, the moment generating functions are
  // summed atom by atom. Otherwise fast transforms of 2^log2_cells = `cells` cells compute them.
  std::optional<numerics::Enclosure> summed(double cells, double max_work, int log2_cells) const;
  // The integral's enclosure from the sum `value` over frequencies and a bound on its error, both in units of
  // e^{ln E e^{cS} - c l0} / cells. `nonzero_mass` is the expected number of nonzero losses under the tilted
  // laws.
  std::optional<numerics::Enclosure> enclosed(double value, double error, double cells,
                                              double nonzero_mass) const;

  Parts parts_;
  // The lattice's spacing.
  double h_;
  double epsilon_;
  // The first lattice point that is not below epsilon.
  double l0_;
  double c_;
  // ln E e^{cS}, and a bound on its rounding error.
  double log_total_;
  double log_total_error_;
  numerics::contour::Period period_;
};

}  // namespace muster::accounting
