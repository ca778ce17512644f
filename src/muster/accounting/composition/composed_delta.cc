#include "muster/accounting/composition/composed_delta.h"

#include <cmath>
#include <limits>

#include "muster/accounting/composition/coarser_lattice.h"
#include "muster/accounting/composition/convolved_near.h"
#include "muster/accounting/composition/loss_integral.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr double kLeast = std::numeric_limits<double>::min();  // what the range of a double may take away
constexpr double kWork = 1e8;   // atoms times frequencies one answer may cost: about a tenth of a second
constexpr int kMostCells = 20;  // log2 of the cells of a fast transform that may be afforded
constexpr double kUlp = 2.3e-16;
constexpr double kUnresolved = 0.02;  // of the value: too much to leave open

}  // namespace

double with_infinite_losses(double upper, double at_infinity) {
  return numerics::smaller(1.0, upper + at_infinity * (1 + 1e-12) + kLeast);
}

std::optional<numerics::Enclosure> composed_delta_by_integral(Parts parts, double spacing, double epsilon) {
  const double at_infinity = mass_at_infinity(parts);
  const double intrinsic = numerics::larger(0.0, -std::expm1(epsilon));
  if (const auto finite = trivial_value(parts, spacing, epsilon)) {
    return numerics::Enclosure{numerics::larger(intrinsic, at_infinity * (1 - 1e-12)),
                               numerics::within(finite->upper + at_infinity * (1 + 1e-12), intrinsic, 1.0)};
  }
  const auto answer = Integral(parts, spacing, epsilon).value(kMostCells, kWork);
  if (!answer || answer->upper - answer->lower > kUnresolved * answer->upper) {
    return std::nullopt;
  }
  return numerics::Enclosure{numerics::larger(answer->lower, intrinsic * (1 - 1e-12)),
                             numerics::larger(with_infinite_losses(answer->upper, at_infinity), intrinsic)};
}

TotalShift total_shift(Parts parts, double epsilon) {
  double sum = 0, size = 0;
  for (const RepeatedLoss& part : parts) {
    sum += part.rounds * part.shift;
    size += part.rounds * std::abs(part.shift);
  }
  if (size == 0) return {0, 0};
  return {sum, kUlp * ((static_cast<double>(parts.size()) + 2) * size + std::abs(epsilon))};
}

namespace {

std::optional<numerics::Enclosure> on_coarser_lattice(Parts parts, double spacing, double epsilon,
                                                      Outward side) {
  const auto coarse = coarser_losses(parts, spacing, epsilon, side);
  return coarse ? composed_delta_by_integral(coarse->parts(parts), coarse->spacing, epsilon) : std::nullopt;
}

numerics::Enclosure without_shifts(Parts parts, double spacing, double epsilon) {
  if (const auto value = composed_delta_by_integral(parts, spacing, epsilon)) {
    return *value;
  }
  const auto above = on_coarser_lattice(parts, spacing, epsilon, Outward::up);
  const auto below = on_coarser_lattice(parts, spacing, epsilon, Outward::down);
  if (above && below) return {below->lower, above->upper};
  const double intrinsic = numerics::larger(0.0, -std::expm1(epsilon));
  const numerics::Enclosure convolved = convolved_at(parts, spacing, epsilon);
  const double chernoff =
      with_infinite_losses(numerics::smaller(convolved.upper, Integral(parts, spacing, epsilon).chernoff()),
                           mass_at_infinity(parts));
  return {below ? below->lower : numerics::larger(convolved.lower, intrinsic * (1 - 1e-12)),
          numerics::larger(above ? numerics::smaller(above->upper, chernoff) : chernoff, intrinsic)};
}

}  // namespace

numerics::Enclosure composed_delta(Parts parts, double spacing, double epsilon) {
  const TotalShift shift = total_shift(parts, epsilon);
  const numerics::Enclosure value = without_shifts(parts, spacing, epsilon - shift.value + shift.rounding);
  // Delta falls no faster than epsilon rises.
  return {value.lower, numerics::as_upper_bound(value.upper + 2 * shift.rounding)};
}

}  // namespace muster::accounting
