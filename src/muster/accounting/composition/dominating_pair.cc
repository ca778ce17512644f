#include "muster/accounting/composition/dominating_pair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "muster/accounting/composition/composed_delta.h"
#include "muster/numerics/crossing.h"

namespace muster::accounting {
namespace {

using Extended = long double;

constexpr double kNegligible =
    34;  // terms below e^-34 of the largest one are bounded, not computed: they may be many
constexpr double kLargestEpsilon = 1e9;

// Greatest convex minorant of the points (x increasing, y), in place: y becomes the hull's value at each x.
void lower_convex_hull(const std::vector<Extended>& x, std::vector<Extended>& y) {
  std::vector<std::size_t> hull;
  for (std::size_t i = 0; i < x.size(); ++i) {
    while (hull.size() >= 2) {
      const std::size_t a = hull[hull.size() - 2];
      const std::size_t b = hull.back();
      // b is above the chord a-i: drop it
      if ((y[b] - y[a]) * (x[i] - x[a]) >= (y[i] - y[a]) * (x[b] - x[a])) {
        hull.pop_back();
      } else {
        break;
      }
    }
    hull.push_back(i);
  }
  for (std::size_t s = 0; s + 1 < hull.size(); ++s) {
    const std::size_t a = hull[s];
    const std::size_t b = hull[s + 1];
    for (std::size_t i = a + 1; i < b; ++i) {
      y[i] = y[a] + (y[b] - y[a]) * (x[i] - x[a]) / (x[b] - x[a]);
    }
  }
}

// What a convex function between the enclosures at four nodes x0 < x1 < x2 < x3 cannot fall below on [x1,
// x2]: the chords of the outer cells, extended inward from the lowest they can be.
struct Extensions {
  Extensions(const Extended* x, const Extended* low, const Extended* high)
      : x1(x[1]),
        x2(x[2]),
        y1(low[1]),
        y2(low[2]),
        left((low[1] - high[0]) / (x[1] - x[0])),
        right((high[3] - low[2]) / (x[3] - x[2])) {}
  Extended crossing() const {
    const Extended at = (y2 - y1 + left * x1 - right * x2) / (left - right);
    return at > x1 && at < x2 ? at : (x1 + x2) / 2;
  }
  Extended left_at(Extended x) const { return y1 + left * (x - x1); }
  Extended right_at(Extended x) const { return y2 + right * (x - x2); }
  // The lower of the two lines: a chord from it to either node lies under that node's line.
  Extended lower_line(Extended x) const { return std::min(left_at(x), right_at(x)); }
  Extended x1, x2, y1, y2, left, right;
};

Extended alpha_at(const RoundCurve& curve, std::size_t i) {
  return std::exp(static_cast<Extended>(curve.spacing) * static_cast<Extended>(curve.index[i]));
}

}  // namespace

LossDistribution LossDistribution::from_profile(double spacing, const Side& above, const Side& below) {
  const auto alpha = [spacing](std::int64_t index) {
    return std::exp(static_cast<Extended>(spacing) * static_cast<Extended>(index));
  };
  LossDistribution result;
  result.spacing_ = spacing;
  result.infinity_ = static_cast<double>(above.value.back());
  Extended inner = 0;  // slope on the cell before the node; 0 beyond the last
  for (std::size_t i = 0; i < above.index.size(); ++i) {
    const Extended outer =
        i + 1 == above.index.size()
            ? 0
            : (above.value[i + 1] - above.value[i]) / (alpha(above.index[i + 1]) - alpha(above.index[i]));
    if (i > 0) {
      result.law_.add(spacing * static_cast<double>(above.index[i]),
                      static_cast<double>(alpha(above.index[i]) * std::max<Extended>(0, outer - inner)));
    }
    inner = outer;
  }
  inner = 0;
  for (std::size_t i = 0; i < below.index.size(); ++i) {
    const Extended outer = i + 1 == below.index.size()
                               ? 0
                               : (below.value[i] - below.value[i + 1]) /
                                     (1 / alpha(below.index[i]) - 1 / alpha(below.index[i + 1]));
    if (i > 0) {
      result.law_.add(-spacing * static_cast<double>(below.index[i]),
                      static_cast<double>(std::max<Extended>(0, inner - outer) / alpha(below.index[i])));
    }
    inner = outer;
  }
  return result;  // the mass at zero loss is implicit: what the nonzero losses leave of 1
}

LossDistribution LossDistribution::dominating(const RoundCurve& curve) {
  const std::size_t top = curve.forward.size() - 1;
  // One array over alpha = e^{-Ih} ... e^{Ih}; the part below 1 as excess over 1 - alpha would break the hull
  // at 1, so the hull is taken on full values in extended precision (the far left tail carries no P-mass
  // worth its digits).
  std::vector<Extended> x;
  std::vector<Extended> y;
  const auto alpha = [&](std::size_t i) { return alpha_at(curve, i); };
  for (std::size_t i = top; i > 0; --i) {
    x.push_back(1 / alpha(i));
    y.push_back(1 - 1 / alpha(i) + curve.reverse[i].upper / alpha(i));
  }
  for (std::size_t i = 0; i <= top; ++i) {
    x.push_back(alpha(i));
    y.push_back(i == 0 ? std::max(curve.forward[0].upper, curve.reverse[0].upper) : curve.forward[i].upper);
  }
  lower_convex_hull(x, y);
  Side above;
  Side below;
  for (std::size_t i = 0; i <= top; ++i) {
    above.add(curve.index[i], y[top + i]);
    below.add(curve.index[i], y[top - i] - (1 - x[top - i]));
  }
  return from_profile(curve.spacing, above, below);
}

LossDistribution LossDistribution::dominated(const RoundCurve& curve, int refined) {
  const std::size_t top = curve.forward.size() - 1;
  const std::size_t nodes = 2 * top + 1;
  // Full values over the whole lattice, alpha = e^{-Ih} ... e^{Ih}: lower and upper ends.
  std::vector<Extended> x;
  std::vector<Extended> low;
  std::vector<Extended> high;
  for (std::size_t i = top; i > 0; --i) {
    const Extended alpha = alpha_at(curve, i);
    x.push_back(1 / alpha);
    low.push_back(1 - 1 / alpha + curve.reverse[i].lower / alpha);
    high.push_back(1 - 1 / alpha + curve.reverse[i].upper / alpha);
  }
  for (std::size_t i = 0; i <= top; ++i) {
    x.push_back(alpha_at(curve, i));
    low.push_back(i == 0 ? std::max(curve.forward[0].lower, curve.reverse[0].lower) : curve.forward[i].lower);
    high.push_back(i == 0 ? std::min(curve.forward[0].upper, curve.reverse[0].upper)
                          : curve.forward[i].upper);
  }
  // On a finer lattice, one more node in every cell. Values at nodes are the lower ends; between them, near
  // where the extensions of the neighbours' chords cross, one that lies under both, and so does every chord.
  // Where one extension is the better bound all over the cell (the curve is straight there), the node it
  // misses is lowered to it instead and the cell left straight.
  const double spacing = curve.spacing / refined;
  const std::size_t fine_top = 2 * top;
  std::vector<Extended> fine_x(2 * nodes - 1);
  std::vector<Extended> y(2 * nodes - 1);
  std::vector<std::int64_t> fine_index(2 * nodes - 1);
  std::vector<bool> straight(nodes, false);
  const auto index_of = [&](std::size_t node) {  // of 0 .. nodes - 1, alpha = 1 at `top`
    return refined * (node >= top ? curve.index[node - top] : -curve.index[top - node]);
  };
  for (std::size_t node = 0; node < nodes; ++node) {
    fine_index[2 * node] = index_of(node);
    fine_x[2 * node] = x[node];
    y[2 * node] = low[node];
  }
  for (std::size_t cell = 0; cell + 1 < nodes; ++cell) {
    const bool inner = cell >= 1 && cell + 2 < nodes;
    const Extensions lines(&x[inner ? cell - 1 : 0], &low[inner ? cell - 1 : 0], &high[inner ? cell - 1 : 0]);
    const std::int64_t first = index_of(cell) + 1;
    const std::int64_t last = index_of(cell + 1) - 1;
    const auto wanted =
        static_cast<std::int64_t>(std::llround(std::log(lines.crossing()) / static_cast<Extended>(spacing)));
    const std::size_t at = 2 * cell + 1;
    fine_index[at] = inner ? std::clamp(wanted, first, last) : first;
    fine_x[at] = std::exp(static_cast<Extended>(spacing) * static_cast<Extended>(fine_index[at]));
    if (!inner) {
      y[at] = std::max<Extended>(0, 1 - fine_x[at]);
      continue;
    }
    y[at] = lines.lower_line(fine_x[at]);
    const Extended chord = lines.y1 + (lines.y2 - lines.y1) * (fine_x[at] - lines.x1) / (lines.x2 - lines.x1);
    const Extended left_drop = lines.y1 - lines.right_at(lines.x1);
    const Extended right_drop = lines.y2 - lines.left_at(lines.x2);
    if (std::min(left_drop, right_drop) < chord - y[at]) {
      straight[cell] = true;
      Extended& node = y[left_drop < right_drop ? at - 1 : at + 1];
      node = std::min(node, left_drop < right_drop ? lines.right_at(lines.x1) : lines.left_at(lines.x2));
    }
  }
  for (std::size_t cell = 0; cell + 1 < nodes; ++cell) {
    if (straight[cell]) {
      const std::size_t at = 2 * cell + 1;
      y[at] = y[at - 1] +
              (y[at + 1] - y[at - 1]) * (fine_x[at] - fine_x[at - 1]) / (fine_x[at + 1] - fine_x[at - 1]);
    }
  }
  std::vector<Extended> floor(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    floor[i] = std::max<Extended>(0, 1 - fine_x[i]);
  }
  // Outwards from the middle, until a value no longer clears what every curve lies above, (1 - alpha)_+:
  // beyond, the curve is that floor. A value is only ever lowered, so chords stay under the curve.
  std::size_t first = fine_top;
  while (first > 0 && y[first - 1] > floor[first - 1]) {
    --first;
  }
  std::size_t last = fine_top;
  while (last + 1 < y.size() && y[last + 1] > floor[last + 1]) {
    ++last;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i <= first || i >= last) {
      y[i] = floor[i];
    }
  }
  lower_convex_hull(fine_x, y);
  Side above;
  Side below;
  for (std::size_t i = 0; i <= fine_top; ++i) {
    above.add(fine_index[fine_top + i], y[fine_top + i]);
    below.add(-fine_index[fine_top - i], y[fine_top - i] - (1 - fine_x[fine_top - i]));
  }
  return from_profile(spacing, above, below);
}

numerics::Enclosure LossDistribution::delta(std::uint64_t rounds, double epsilon) const {
  return composed_delta(std::array{RepeatedLoss{&law_, infinity_, static_cast<double>(rounds)}}, spacing_,
                        epsilon);
}

// Where a normal loss of the same mean and variance would cross.
double LossDistribution::expected_epsilon(std::uint64_t rounds, double target) const {
  const double n = static_cast<double>(rounds);
  const double deviation = std::sqrt(n * law_.variance());
  return std::max(spacing_, n * law_.mean() + deviation * std::sqrt(2 * std::log(1 / std::min(target, 0.1))));
}

double LossDistribution::epsilon_upper(std::uint64_t rounds, double target) const {
  if (-std::expm1(static_cast<double>(rounds) * std::log1p(-infinity_)) > target) {
    return std::numeric_limits<double>::infinity();
  }
  return numerics::crossing_from_above([&](double epsilon) { return delta(rounds, epsilon).upper; }, target,
                                       kLargestEpsilon, expected_epsilon(rounds, target));
}

double LossDistribution::epsilon_lower(std::uint64_t rounds, double target) const {
  return numerics::crossing_from_below([&](double epsilon) { return delta(rounds, epsilon).lower; }, target,
                                       kLargestEpsilon, expected_epsilon(rounds, target));
}

}  // namespace muster::accounting
