#include "muster/accounting/composition/round_curve.h"

#include <algorithm>
#include <cmath>

namespace muster::accounting {
namespace {

constexpr double kFewest = 16;  // nodes to a deviation where every cell is exact
constexpr double kWidest =
    1.0 / 8;  // deviations a cell may span, more beyond three of them: far tails keep their shape

// E(Z - z)_+ of a standard normal falls to a twentieth of its value at 0 at z = 1.55.
double deviation_of(const Curve& curve) {
  const double target = 0.05 * curve(0).upper;
  double high = 1e-9;
  while (curve(high).upper > target && high < 64) {
    high *= 2;
  }
  double low = high / 2;
  for (int i = 0; i < 5; ++i) {
    const double middle = 0.5 * (low + high);
    (curve(middle).upper > target ? low : high) = middle;
  }
  return high / 1.55;
}

}  // namespace

RoundCurve tabulate(const Curve& forward, const Curve& reverse, int per_deviation, double negligible,
                    double visited, double knot, bool nested) {
  const double deviation = deviation_of(forward);
  double spacing = deviation / per_deviation;
  if (knot > spacing) {
    spacing = knot / std::ceil(kFewest * knot / deviation);
  }
  if (nested) {
    spacing = std::exp2(std::floor(std::log2(spacing)));
  }
  const double dense = deviation / spacing;  // nodes to a deviation
  RoundCurve curve{spacing, {}, {}, {}};
  std::int64_t i = 0;
  while (true) {
    const double epsilon = curve.spacing * static_cast<double>(i);
    curve.index.push_back(i);
    curve.forward.push_back(forward(epsilon));
    curve.reverse.push_back(reverse ? reverse(epsilon) : curve.forward.back());
    if (std::max(curve.forward.back().upper, curve.reverse.back().upper) <= negligible || epsilon > 64) {
      return curve;
    }
    const double deviations = static_cast<double>(i) / dense;
    const double beyond = std::max(0.0, deviations - visited);
    const double stride = std::min(std::exp(beyond * beyond / 6), dense * std::max(kWidest, deviations / 24));
    i += std::max<std::int64_t>(1, static_cast<std::int64_t>(stride));
  }
}

}  // namespace muster::accounting
