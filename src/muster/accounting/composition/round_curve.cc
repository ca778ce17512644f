#include "muster/accounting/composition/round_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace muster::accounting {
namespace {

constexpr double kFewest = 16;  // nodes to a deviation where every cell is exact
constexpr double kWidest =
    1.0 / 8;  // deviations a cell may span, more beyond three of them: far tails keep their shape

// E(Z - z)_+ of a standard normal falls to a twentieth of its value at 0 at z = 1.55.
double deviation_of(const Curve& curve) {
  const double target = 0.05 * curve(0).upper;
  // The first doubling of 1e-9 that is below, in strides of three: far out a curve may be slow to compute.
  constexpr int kMost = 36, kStart = 15, kStride = 3;
  const auto size = [](int doublings) { return std::ldexp(1e-9, doublings); };
  const auto above = [&](int doublings) {
    return doublings < kMost && curve(size(doublings)).upper > target;
  };
  int first = kStart;
  while (above(first)) {
    first += kStride;
  }
  while (first > 0 && !above(first - 1)) {
    --first;
  }
  const double high = size(first);
  double low = high / 2, top = high;
  for (int i = 0; i < 5; ++i) {
    const double middle = 0.5 * (low + top);
    (curve(middle).upper > target ? low : top) = middle;
  }
  return top / 1.55;
}

double larger_at(const RoundCurve& curve, std::size_t node) {
  return std::max(curve.forward[node].upper, curve.reverse[node].upper);
}

// Delta never rises with epsilon: where a bound computed anew is worse than at the node before, that one's
// holds. False where neither direction fell.
bool falls(RoundCurve& curve) {
  bool any = false;
  for (std::vector<numerics::Enclosure>* side : {&curve.forward, &curve.reverse}) {
    numerics::Enclosure& here = side->back();
    const double before = (*side)[side->size() - 2].upper;
    any = any || here.upper < before;
    here.upper = std::min(here.upper, before);
    here.lower = std::min(here.lower, here.upper);
  }
  return any;
}

// The next cell may be this wide without its chord rising `kHarmless` times `negligible` above the curve, if
// the curve goes on falling as it last did: u^2 / 8 above e^{-u}. Never far past the end of the table.
double harmless_stride(const RoundCurve& curve, double negligible) {
  constexpr double kHarmless = 10, kPast = 1.1;
  const std::size_t last = curve.index.size() - 1;
  if (last < 1) {
    return 0;
  }
  const double here = larger_at(curve, last);
  const double fall = std::log(larger_at(curve, last - 1) / here) /
                      static_cast<double>(curve.index[last] - curve.index[last - 1]);
  if (!(fall > 0)) {
    return 0;
  }
  const double width = here > kHarmless * negligible ? std::sqrt(8 * kHarmless * negligible / here)
                                                     : std::numeric_limits<double>::infinity();
  return std::min(width, kPast * std::log(here / negligible)) / fall;
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
  double stall = 1;  // how much wider the cells are because the bound does not fall
  while (true) {
    const double epsilon = curve.spacing * static_cast<double>(i);
    curve.index.push_back(i);
    curve.forward.push_back(forward(epsilon));
    curve.reverse.push_back(reverse ? reverse(epsilon) : curve.forward.back());
    const bool fell = i == 0 || falls(curve);
    if (larger_at(curve, curve.index.size() - 1) <= negligible || epsilon > 64) {
      return curve;
    }
    const double deviations = static_cast<double>(i) / dense;
    const double beyond = std::max(0.0, deviations - visited);
    stall = fell || beyond == 0 ? 1 : 2 * stall;
    const double stride = std::min(std::exp(beyond * beyond / 6), dense * std::max(kWidest, deviations / 24));
    i += std::max<std::int64_t>(
        1, static_cast<std::int64_t>(stall * std::max(stride, harmless_stride(curve, negligible))));
  }
}

}  // namespace muster::accounting
