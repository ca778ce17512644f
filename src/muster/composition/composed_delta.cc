#include "muster/composition/composed_delta.h"

#include <cmath>
#include <limits>

#include "muster/composition/coarser_lattice.h"
#include "muster/composition/convolved_near.h"
#include "muster/composition/loss_integral.h"
#include "muster/core/interrupt.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::kUlpAbove;
using numerics::Side;

// Added to upper bounds, as a bound on the error of results that underflow.
constexpr double kMinNormal = std::numeric_limits<double>::min();
// A delta within this distance of 1 is bounded by 1 from above, without an integral.
constexpr double kCertain = 1e-12;
// If finite losses contribute at most this fraction of the mass at infinite loss, Chernoff's bound on their
// contribution is enough.
constexpr double kBesides = 1e-6;
// For deltas below this, Chernoff's bound is always enough.
constexpr double kVanishing = 1e-300;
// An enclosure wider than this fraction of its upper end is discarded.
constexpr double kUnresolved = 0.02;

// A lower bound of delta, useful where delta is close to 1: 1 - E e^{c (epsilon - S)}, where S is the sum of
// all losses. It holds because min(1, e^{epsilon - S}) <= e^{c (epsilon - S)} for 0 < c <= 1. The best c of
// 1, 1/2, 1/4, ... is used.
double nearly_certain(Parts parts, double epsilon) {
  const double mean = sum_over(parts, [](const RepeatedLoss& p) { return p.losses->mean(); });
  if (!(mean > epsilon)) return 0;
  double least = 0;
  for (double c = 1; c > 1e-12; c /= 2) {
    const double log_total = log_mgf(parts, -c);
    // The slack covers the five roundings (slack.h) of this exponent: two products and three sums.
    // log_mgf_error() covers those of the sum over the parts, however many there are.
    const double exponent = log_total + c * epsilon + log_mgf_error(parts, -c) +
                            numerics::kEightRoundings * (std::abs(log_total) + c * std::abs(epsilon) + 1);
    if (exponent < least) {
      least = exponent;
    } else if (least < 0) {
      break;  // the exponent is convex in c, so no smaller c is better
    }
  }
  // kUlpAbove covers the roundings of the difference and of the last product. The slack of the exponential
  // covers its own two and that of its product.
  return numerics::larger(0.0,
                          (1 - std::exp(least) * (1 + numerics::kEightThousandRoundings)) * (1 - kUlpAbove));
}

// An enclosure computed without an integral or a convolution; nullopt if it would be loose.
std::optional<numerics::Enclosure> plain_value(Parts parts, double spacing, double epsilon,
                                               double at_infinity) {
  if (const double least = nearly_certain(parts, epsilon); least > 1 - kCertain) {
    return numerics::Enclosure{least, 1};
  }
  const double chernoff = Integral(parts, spacing, epsilon).chernoff();
  if (chernoff <= numerics::larger(kBesides * at_infinity, kVanishing)) {
    return numerics::Enclosure{at_infinity * (1 - numerics::kEightThousandRoundings),
                               with_infinite_losses(chernoff, at_infinity)};
  }
  return std::nullopt;
}

}  // namespace

double with_infinite_losses(double upper, double at_infinity) {
  return numerics::smaller(1.0, upper + at_infinity * (1 + numerics::kEightThousandRoundings) + kMinNormal);
}

std::optional<numerics::Enclosure> composed_delta_by_integral(Parts parts, double spacing, double epsilon,
                                                              Effort most) {
  const double at_infinity = mass_at_infinity(parts);
  const double intrinsic = numerics::larger(0.0, -std::expm1(epsilon));
  if (const auto finite = trivial_value(parts, spacing, epsilon)) {
    return numerics::Enclosure{
        numerics::larger(intrinsic, at_infinity) * (1 - numerics::kEightThousandRoundings),
        numerics::within((finite->upper + at_infinity) * (1 + numerics::kEightThousandRoundings), intrinsic,
                         1.0)};
  }
  if (const auto plain = plain_value(parts, spacing, epsilon, at_infinity)) {
    return numerics::Enclosure{
        numerics::larger(plain->lower, intrinsic * (1 - numerics::kEightThousandRoundings)),
        numerics::larger(plain->upper, intrinsic)};
  }
  const auto answer = Integral(parts, spacing, epsilon).value(most.cells, most.work);
  if (!answer || answer->upper - answer->lower > kUnresolved * answer->upper) {
    return std::nullopt;
  }
  return numerics::Enclosure{
      numerics::larger(answer->lower, intrinsic * (1 - numerics::kEightThousandRoundings)),
      numerics::larger(with_infinite_losses(answer->upper, at_infinity), intrinsic)};
}

TotalShift total_shift(Parts parts, double epsilon) {
  double sum = 0, size = 0;
  for (const RepeatedLoss& part : parts) {
    sum += part.rounds * part.shift;
    size += part.rounds * std::abs(part.shift);
  }
  if (size == 0) return {0, 0};
  // The products and the sum of m parts take m roundings of `size`. The difference from epsilon and the
  // addition of the bound itself each take at most one rounding of epsilon and one of the sum.
  return {sum, kUlpAbove * ((static_cast<double>(parts.size()) + 2) * size + std::abs(epsilon))};
}

namespace {

std::optional<numerics::Enclosure> on_coarser_lattice(Parts parts, double spacing, double epsilon,
                                                      Side side) {
  const auto coarse = coarser_losses(parts, spacing, epsilon, side);
  return coarse ? composed_delta_by_integral(coarse->parts(parts), coarse->spacing, epsilon) : std::nullopt;
}

double lower_end(Parts parts, double spacing, double epsilon) {
  if (const auto below = on_coarser_lattice(parts, spacing, epsilon, Side::below)) return below->lower;
  const double intrinsic = numerics::larger(0.0, -std::expm1(epsilon));
  return numerics::larger(convolved_at(parts, spacing, epsilon, Ends::lower).lower,
                          intrinsic * (1 - numerics::kEightThousandRoundings));
}

double upper_end(Parts parts, double spacing, double epsilon) {
  if (const auto above = on_coarser_lattice(parts, spacing, epsilon, Side::above)) return above->upper;
  const double intrinsic = numerics::larger(0.0, -std::expm1(epsilon));
  const double upper = numerics::smaller(convolved_at(parts, spacing, epsilon, Ends::upper).upper,
                                         Integral(parts, spacing, epsilon).chernoff());
  return numerics::larger(with_infinite_losses(upper, mass_at_infinity(parts)), intrinsic);
}

numerics::Enclosure without_shifts(Parts parts, double spacing, double epsilon, Ends ends) {
  if (const auto value = composed_delta_by_integral(parts, spacing, epsilon)) {
    return *value;
  }
  return {ends == Ends::upper ? 0 : lower_end(parts, spacing, epsilon),
          ends == Ends::lower ? 1 : upper_end(parts, spacing, epsilon)};
}

}  // namespace

numerics::Enclosure composed_delta(Parts parts, double spacing, double epsilon, Ends ends) {
  InterruptScope::current().check();
  const TotalShift shift = total_shift(parts, epsilon);
  const numerics::Enclosure value =
      without_shifts(parts, spacing, epsilon - shift.value + shift.rounding, ends);
  // The epsilon used may be too large by up to twice the rounding error. This makes delta too small by at
  // most the same amount, because its slope in epsilon is at least -1.
  return {value.lower, numerics::as_upper_bound(value.upper + 2 * shift.rounding)};
}

double composed_delta_roughly(Parts parts, double spacing, double epsilon) {
  const TotalShift shift = total_shift(parts, epsilon);
  const double at = epsilon - shift.value - shift.rounding;
  if (const auto value = composed_delta_by_integral(parts, spacing, at)) {
    return value->upper;
  }
  return with_infinite_losses(Integral(parts, spacing, at).chernoff(), mass_at_infinity(parts));
}

}  // namespace muster::accounting
