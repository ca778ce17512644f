#include "muster/accounting/composition/composed_delta.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/accounting/composition/loss_integral.h"
#include "muster/accounting/composition/rare_jump.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr double kLeast = std::numeric_limits<double>::min();  // what the range of a double may take away
constexpr double kWork = 1e8;   // atoms times frequencies one answer may cost: about a tenth of a second
constexpr int kMostCells = 20;  // log2 of the cells of a fast transform that may be afforded
// Chances that some loss passes a size: what several such losses may add falls with the square.
constexpr std::array kJumps{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12, 1e-15, 1e-18, 1e-22};
constexpr double kUnresolved = 1e-3;  // of the value: worth a split
constexpr double kLost = 1e-5;        // of the value: not worth another split
constexpr double kWide = 1e-2;        // worth another one
constexpr double kSlots = 2;          // sizes tried, per doubling

// The least size that some round passes with at most this probability, nearly: a power of 2^{1/kSlots} of the
// spacing.
double size_passed_with(Parts parts, double spacing, double chance) {
  std::array<double, 64> beyond{};  // slot e: of sizes in [2^e, 2^{e+1}) spacings
  for (const RepeatedLoss& part : parts) {
    for (std::size_t a = 0; a < part.losses->points.size(); ++a) {
      if (const double at = part.losses->points[a] / spacing; at > 0) {
        beyond[static_cast<std::size_t>(numerics::within(kSlots * std::log2(at), 0.0, 63.0))] +=
            part.rounds * part.losses->weights[a];
      }
    }
  }
  double passed = 0;
  for (std::size_t e = beyond.size(); e-- > 0;) {
    passed += beyond[e];
    if (passed > chance) {
      return spacing * std::exp2(static_cast<double>(e + 1) / kSlots);
    }
  }
  return 0;
}

}  // namespace

std::optional<numerics::Enclosure> composed_delta_with_rare_jump(Parts parts, double spacing,
                                                                 double epsilon) {
  double largest = 0;
  double one = 0;  // about what one large loss adds
  for (const RepeatedLoss& part : parts) {
    largest = numerics::larger(largest, part.losses->largest_point());
    for (std::size_t a = 0; a < part.losses->points.size(); ++a) {
      one += part.rounds * part.losses->weights[a] *
             numerics::larger(0.0, -std::expm1(epsilon - part.losses->points[a]));
    }
  }
  std::optional<numerics::Enclosure> found;
  // True where the integral was affordable and another, larger size might narrow the enclosure.
  const auto try_chance = [&](double chance) {
    const double size = size_passed_with(parts, spacing, chance);
    if (!(size < largest)) {
      return false;
    }
    const RareJump jump(parts, size);
    const RareJump::Value got = jump.value(spacing, epsilon);
    found = found ? numerics::Enclosure{numerics::larger(found->lower, got.ends.lower),
                                        numerics::smaller(found->upper, got.ends.upper)}
                  : got.ends;
    return got.summed && 0.5 * jump.chance() * jump.chance() > kLost * found->upper;
  };
  std::size_t first = 0;
  while (first + 1 < kJumps.size() && 0.5 * kJumps[first] * kJumps[first] > one) {
    ++first;
  }
  std::size_t at = first;
  while (at < kJumps.size() && try_chance(kJumps[at])) {
    ++at;
  }
  // Where the bulk up to there is itself too wide to integrate, what several large losses cost may be less.
  while (first > 0 && (!found || found->upper - found->lower > kWide * found->upper)) {
    const double before = found ? found->upper : 1;
    try_chance(kJumps[--first]);
    if (found && found->upper > 0.9 * before && 0.5 * kJumps[first] * kJumps[first] > found->upper) {
      break;
    }
  }
  return found;
}

numerics::Enclosure composed_delta(Parts parts, double spacing, double epsilon) {
  const double at_infinity = mass_at_infinity(parts);
  const double intrinsic = numerics::larger(0.0, -std::expm1(epsilon));
  if (const auto finite = trivial_value(parts, spacing, epsilon)) {
    return {numerics::larger(intrinsic, at_infinity * (1 - 1e-12)),
            numerics::within(finite->upper + at_infinity * (1 + 1e-12), intrinsic, 1.0)};
  }
  const Integral integral(parts, spacing, epsilon);
  numerics::Enclosure answer =
      integral.value(kMostCells, kWork).value_or(numerics::Enclosure{0, integral.chernoff()});
  // Too long a sum, or one whose terms cancel: the saddle point lies between a bulk and a rare jump.
  if (answer.upper - answer.lower > kUnresolved * answer.upper) {
    if (const auto split = composed_delta_with_rare_jump(parts, spacing, epsilon)) {
      answer = {numerics::larger(split->lower, answer.lower), numerics::smaller(split->upper, answer.upper)};
    }
  }
  return {numerics::larger(answer.lower, intrinsic * (1 - 1e-12)),
          numerics::within(answer.upper + at_infinity * (1 + 1e-12) + kLeast, intrinsic, 1.0)};
}

}  // namespace muster::accounting
