#include "muster/numerics/sums/excess_bounds.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/work.h"

namespace muster::numerics {
namespace {

constexpr double kSteepest = 100;  // Chernoff's bound is useless where c times the largest atom exceeds this
constexpr double kMaxExponent = 700;  // largest exponent of e that is computed: e^710 is not a double
// Underflow of squares may lower the standard deviation of a sum of up to 1e12 copies by this much.
constexpr double kSquareUnderflow = 1e-146;
constexpr double kLeastExponent = -744;  // least exponent of e that is computed: e^-746 is rounded to 0

// The least margins of log_mgf_above(), which charges error_of_mgf() where that is larger. kCancelled covers
// the absolute error of E e^{cY} where this is below 0.8. It is 72 roundings (slack.h), and at least
// error_of_mgf() for laws of up to 2^20 atoms whose tilted mean of |cY| is at most 9, because (12 + 20.1)
// 1.78 + 2 * 9 * 0.78 is below 72. kOfLogMgf is 36 roundings of log E e^{cY} and of the moduli added up for
// it. For a sum of many copies it is mostly larger than error_of_mgf(), because |cY| is then small at the
// saddle point.
constexpr double kCancelled = 8e-15;
constexpr double kOfLogMgf = 4e-15;

// The error of the mean of the sum, relative to the mean modulus E |Y| times the number of copies: 1,801
// roundings. The mean takes one for each product, 5 + log2(m + 64) for the sum over m atoms (atom_kernels.h)
// and one for the number of copies, which are 55 even for 2^48 atoms.
constexpr double kErrorOfMean = 2e-13;

// A bound on the error of M = E e^{cY} as tilt_of() computes it for a law of m atoms, before it takes the
// logarithm, in units in which 1 is `one` and M is `mgf`. With exponents x = cy below 300, M is 1 plus the
// sum of the terms w (e^x - 1). The roundings of a term are six for e^x - 1, which is within three units in
// the last place, one for the product, and 5 + log2(m + 64) for the sum (atom_kernels.cc). The rounding of x
// changes a term by w |x| e^x 2^-53. With p the tilted law's mass away from zero and d = E' |cY| under the
// tilted law, the positive terms add up to at most M min(p, d), because e^x - 1 <= e^x min(1, x). The sum of
// all terms is M - 1. So their moduli add up to at most 2 M min(p, d) + 1 - M.
//
// From T = 300 on, where T is the largest exponent, M e^-T is the sum of the terms w e^{x - T}. The exponents
// have errors of at most 2^-53 (2 |x| + T); an exponential, a product and the conversion of the sum take four
// roundings, and the sum in extended precision m / 2048 of 1 + M. The logarithm of M e^-T, and its sum with
// T, err by 2^-53 (2 T + 3 |log M|); log_mgf_above() allows for the part with |log M|.
double error_of_mgf(const Tilt& tilt, double c, std::size_t atoms, double mgf, double one) {
  const double many = static_cast<double>(atoms), size = std::abs(c) * tilt.absolute_mean;
  const double moduli = 2 * mgf * smaller(tilt.nonzero_mass, size) + (one - mgf);
  const double far =
      tilt.far_exponent > 0 ? (3 * tilt.far_exponent + 4) * mgf + many / 1000 * (one + mgf) : 0;
  // The summands are the six, one and 5 + log2(m + 64) roundings of the moduli, the roundings of the products
  // x = c y, and the part for large exponents.
  return kUnitRoundoff * ((12 + std::log2(many + 64)) * moduli + 2 * size * mgf + far);
}

}  // namespace

double log_mgf_above(const AtomicLaw& law, double c) {
  const Tilt tilt = tilt_of(law, c);
  const std::size_t atoms = law.points.size();
  // E e^{cY} is computed as 1 plus a sum over atoms. Where it is small, this cancels: the absolute error is a
  // few ulps of 1, and the result may even be 0.
  if (tilt.log_mgf < -0.25) {
    // kEightRoundings covers the exponential, the addition, the logarithm below, and the one in tilt_of(),
    // which takes up to three roundings of its result.
    const double mgf = std::exp(tilt.log_mgf);
    // If the sum with 1 is computed as 0, the tilted law has no moments. The true value and its error are
    // then below 13 + 5 + log2(m + 64) roundings, which kCancelled covers for 2^48 atoms.
    const bool lost = tilt.far_exponent == 0 && !(mgf > 0);
    const double error = lost ? kCancelled : larger(kCancelled, error_of_mgf(tilt, c, atoms, mgf, 1));
    const double log_above = std::log(mgf + error);
    return log_above +
           kEightRoundings * (std::abs(log_above) + std::abs(tilt.log_mgf < -700 ? 0 : tilt.log_mgf));
  }
  const double moduli = smaller(1.0, tilt.nonzero_mass * std::exp(smaller(tilt.log_mgf, 1.0)) + 1e-2);
  // `error` is relative to E e^{cY}. Its last term is for the logarithm, which takes up to three roundings of
  // its result, and for the addition of the margin.
  const double error = error_of_mgf(tilt, c, atoms, 1, std::exp(smaller(-tilt.log_mgf, 1.0))) +
                       kEightRoundings * std::abs(tilt.log_mgf);
  return tilt.log_mgf + larger(kOfLogMgf * (std::abs(tilt.log_mgf) + moduli), error);
}

double chernoff_bound(double log_mgf, double c, double k) {
  const double terms = std::abs(log_mgf) + std::abs(c * k) + 1 + std::abs(std::log(c));
  const double exponent = log_mgf - c * k - 1 - std::log(c) + kEightRoundings * terms;
  return std::exp(larger(exponent, kLeastExponent)) * (1 + kThreeRoundings) +
         std::numeric_limits<double>::denorm_min();
}

ExcessBounds::ExcessBounds(const AtomicLaw& law, double copies, double c) : ExcessBounds(law, copies) {
  for (int i = 1; i > -5; --i) {
    if (const double at = c * std::pow(3, i); at * law.largest_point() < kSteepest) {
      mgfs_.push_back({at, log_mgf_above(law, at)});
      lines_.push_back(line(at, mgfs_.back().log_mgf));
    }
  }
}

ExcessBounds::ExcessBounds(const AtomicLaw& law, double copies) : copies_(copies) {
  const Tilt plain = tilt_of(law, 0);
  mean_ = copies * plain.mean;
  slack_ = copies * kErrorOfMean * plain.absolute_mean;
  // The variance is E Y^2 - (E Y)^2. With s = 5 + log2(m + 64) as above, its terms take s + 2 and 2 s + 3
  // roundings, so it errs by at most s + 3 roundings of itself and 3 s + 5 of (E Y)^2. Both are below 170
  // even for 2^48 atoms.
  variance_ = copies * (plain.variance * (1 + kEightThousandRoundings) +
                        kEightThousandRoundings * plain.mean * plain.mean);
}

void ExcessBounds::add_deficits(const AtomicLaw& law) {
  const double deviation = std::sqrt(variance_);
  for (int i = 2; i > -5; --i) {
    if (const double at = std::pow(3, i) / deviation; - at * law.smallest_point() < kSteepest) {
      deficit_lines_.push_back(line(at, log_mgf_above(law, -at)));
    }
  }
}

ExcessBounds ExcessBounds::capped(const AtomicLaw& law, double copies, double chance, double size) const {
  ExcessBounds bounds(law, copies);
  for (const auto& [c, log_mgf] : mgfs_) {
    const double rest = (1 - chance) * std::expm1(log_mgf), capped = chance * std::expm1(c * size);
    const double growth = rest + capped;
    // A bound beyond the range of a double is of no use. Its line would be NaN, and so would the least of all
    // bounds.
    if (!std::isfinite(growth)) continue;
    // `error` bounds the rounding error of `growth`, whose two parts may have different signs. With x = c
    // `size`, `capped` takes at most x + 6 roundings: x + 1 by the rounding of x, two by expm1, and one each
    // by `chance`, the product and the sum.
    const double error = kEightRoundings * (std::abs(rest) + larger(1.0, c * size / 3) * std::abs(capped));
    bounds.lines_.push_back(bounds.line(c, std::log1p(growth) + error / (1 + growth)));
  }
  return bounds;
}

// Two roundings of x are at most two of its distance from the mean and two of the mean. slack_ covers the
// latter, because the mean itself takes only 55 of its 1,801 (kErrorOfMean). So the distance takes three, and
// above() takes two more for a difference and a sum.
double ExcessBounds::below(double x) const { return as_lower_bound(mean_ - slack_ - x, 1e300); }

double ExcessBounds::above(double x) const {
  const double distance = x - mean_;
  const double excess = bounded(lines_, x, distance);
  return distance < 0 ? smaller(excess, bounded(deficit_lines_, -x, -distance) - distance + slack_) : excess;
}

ExcessBounds::Line ExcessBounds::line(double c, double log_mgf) const {
  const double constant = copies_ * log_mgf - 1 - std::log(c);
  return {c, constant + kEightRoundings * (std::abs(copies_ * log_mgf) + 1 + std::abs(std::log(c)))};
}

double ExcessBounds::bounded(const std::vector<Line>& lines, double x, double distance) const {
  count_work(1, kWorkOfLoneExponential, 0);
  double least = std::numeric_limits<double>::infinity();
  // The exponent takes two roundings of its constant and five of its product, which include two of x.
  // kThreeRoundings covers all but 1.4 roundings of the product. These are at most 1.4 of the constant, which
  // has five to spare (line()), and 1.4 of the exponent. Where the exponent is used, it is between
  // kLeastExponent and kMaxExponent, so the latter are at most 1,044 roundings, which the last factor covers.
  for (const Line& each : lines) {
    const double product = each.slope * x;
    least = smaller(
        least, each.constant - product + kThreeRoundings * (std::abs(each.constant) + std::abs(product)));
  }
  const double root = std::sqrt(variance_ + distance * distance);
  const double scarf = distance > 0 ? 0.5 * variance_ / (root + distance) : 0.5 * (root - distance);
  const double chernoff = least < kMaxExponent ? std::exp(larger(least, kLeastExponent)) +
                                                     std::numeric_limits<double>::denorm_min()
                                               : std::numeric_limits<double>::infinity();
  // The factor covers the exponential, and the ten roundings of `distance` and of Scarf's bound. The lines'
  // constants, slack_ and variance_ cover the sums over atoms.
  return smaller(chernoff, scarf + slack_ + kSquareUnderflow) * (1 + kEightThousandRoundings);
}

}  // namespace muster::numerics
