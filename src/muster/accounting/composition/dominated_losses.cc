#include "muster/accounting/composition/dominated_losses.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using Extended = long double;
using numerics::larger;
using numerics::smaller;

constexpr double kWorthwhile = 1.001;  // times the mean loss: enough to leave out what is known
constexpr double kHarmless = 4e-4;     // of the mean loss: what a lattice may take
constexpr int kFinest = 16;            // times as fine as the kinks'
constexpr int kHalvings = 30;
constexpr Extended kLeastStep = 0x1p-60L;  // of a value: a change that is one

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
  Extended lower_line(Extended x) const { return smaller(left_at(x), right_at(x)); }
  Extended x1, x2, y1, y2, left, right;
};

// A node of a lower pair: what is known of f there (index >= 0), or of r (below; see convex_profile.h).
struct Known {
  std::int64_t index;
  Extended low, high;
};

std::vector<Known> known_nodes(const RoundCurve& curve) {
  std::vector<Known> nodes;
  for (std::size_t i = curve.index.size(); i-- > 1;) {
    nodes.push_back({-curve.index[i], curve.reverse[i].lower, curve.reverse[i].upper});
  }
  nodes.push_back({0, larger(curve.forward[0].lower, curve.reverse[0].lower),
                   smaller(curve.forward[0].upper, curve.reverse[0].upper)});
  for (std::size_t i = 1; i < curve.index.size(); ++i) {
    nodes.push_back({curve.index[i], curve.forward[i].lower, curve.forward[i].upper});
  }
  return nodes;
}

// Four neighbours in the plane of one side: x = alpha / alpha_1 - 1, alpha_1 the second's, ascending. Cells
// left of alpha = 1 are seen from the other record, where they are cells to the right.
class Frame {
 public:
  Frame(double spacing, const Known* four) : spacing_(spacing), mirrored_(four[3].index <= 0) {
    for (std::size_t i = 0; i < 4; ++i) {
      const Known& node = four[mirrored_ ? 3 - i : i];
      const std::int64_t index = mirrored_ ? -node.index : node.index;
      if (i == 1) first_ = index;
      index_[i] = index;
      low_[i] = seen(index, node.low);
      high_[i] = seen(index, node.high);
    }
    for (std::size_t i = 0; i < 4; ++i) x_[i] = place(index_[i]);
  }
  bool mirrored() const { return mirrored_; }
  Extensions lines() const { return {x_.data(), low_.data(), high_.data()}; }
  // Of an index of the finer lattice, `refined` points to one of the curve's.
  Extended place(std::int64_t fine, int refined) const {
    return std::expm1(static_cast<Extended>(spacing_) / refined *
                      static_cast<Extended>((mirrored_ ? -fine : fine) - refined * first_));
  }
  // The index of the finer lattice nearest to x; none where x is out of reach.
  std::optional<std::int64_t> nearest(Extended x, int refined) const {
    const Extended steps = std::log1p(x) / spacing_ * refined;
    if (!(std::fabs(steps) < 1e15L)) return std::nullopt;
    const std::int64_t index = refined * first_ + std::llround(steps);
    return mirrored_ ? -index : index;
  }
  // From a value in this plane to one of the node's own side.
  Extended own_value(std::int64_t fine, int refined, Extended value) const {
    const std::int64_t index = mirrored_ ? -fine : fine;
    if (index >= 0) return value;
    const Extended l = static_cast<Extended>(spacing_) / refined * static_cast<Extended>(index);
    return (value + std::expm1(l)) * std::exp(-l);
  }

 private:
  Extended place(std::int64_t index) const {
    return std::expm1(static_cast<Extended>(spacing_) * static_cast<Extended>(index - first_));
  }
  Extended seen(std::int64_t index, Extended value) const {
    const Extended l = static_cast<Extended>(spacing_) * static_cast<Extended>(index);
    return index >= 0 ? value : -std::expm1(l) + std::exp(l) * value;
  }
  double spacing_;
  bool mirrored_;
  std::int64_t first_ = 0;
  std::array<std::int64_t, 4> index_{};
  std::array<Extended, 4> x_{}, low_{}, high_{};
};

// How fast the curve falls just right of alpha = 1, at least: from its value at 1 (from below) to the next
// node's (from above). It never rises.
Extended first_slope(const RoundCurve& curve) {
  const Extended low = larger(curve.forward[0].lower, curve.reverse[0].lower);
  return larger<Extended>(
      0, (low - curve.forward[1].upper) /
             std::expm1(static_cast<Extended>(curve.spacing) * static_cast<Extended>(curve.index[1])));
}

// Where nothing is known left of alpha = 1. The curve is convex, so it stays above the line of `slope`
// through its value at 1, down to where that meets 1 - alpha. Right of 1 are chords; the first of them,
// continued to the left, must not pass that line: the value at 1 is lowered until it does not. The P-mass
// that is left, often nearly all, lies at the loss where the two lines meet. That loss is subtracted from
// all others: put on the lattice, it would be off by up to a step in every round. The others are put on the
// lattice's next point below.
LossLaw one_sided(double spacing, std::vector<ProfilePoint> points, Extended slope) {
  const Extended known = points.front().value;
  std::vector<ProfilePoint> hull;
  Extended first = 0;  // how fast the hull falls at its first node
  const auto fits_lowered_by = [&](Extended drop) {
    points.front().value = known - drop;
    hull = lower_convex_hull(spacing, points);
    if (!(hull.size() > 1 && hull[0].value > 0)) return false;
    first = (hull[0].value - hull[1].value) /
            std::expm1(static_cast<Extended>(spacing) * static_cast<Extended>(hull[1].index));
    return first - slope <= drop;
  };
  // The drop that the first chord asks for is enough; it may be far more than is needed, where that chord is
  // steep because of one uncertain node.
  Extended enough = 0;
  if (!fits_lowered_by(0)) {
    if (!(first > slope)) return {{}, 0};
    enough = larger(1.5L * (first - slope), kLeastStep * known);
    Extended too_little = 0;
    for (int i = 0; i < kHalvings && enough - too_little > kLeastStep * known; ++i) {
      const Extended middle = (too_little + enough) / 2;
      (fits_lowered_by(middle) ? enough : too_little) = middle;
    }
  }
  if (!fits_lowered_by(enough)) return {{}, 0};
  const Extended meets = std::log1p(-hull[0].value / (1 - first)) / spacing;
  if (!(meets > -1e15L)) return {{}, 0};
  LossLaw law = losses_of(spacing, hull, false);
  law.shift = static_cast<double>(spacing * meets) * (1 + 0x1p-51);
  double shown = 0;  // P-mass off the bulk
  for (const double weight : law.losses.weights) shown += weight;
  const double harmless = kHarmless * std::fabs(law.losses.mean() + law.shift);
  while (law.finer < kFinest && spacing * shown > harmless * law.finer) law.finer *= 2;
  const double fine = spacing / law.finer;
  const double steps = std::floor(static_cast<double>(-meets * law.finer));
  for (double& point : law.losses.points) point = fine * (std::round(point / fine) + steps);
  return law;
}

// On a finer lattice, one more node in every cell. Values at nodes are the lower ends; between them, near
// where the extensions of the neighbours' chords cross, one that lies under both, and so does every chord.
// Where one extension is the better bound all over the cell (the curve is straight there), the node it
// misses is lowered to it instead and the cell left straight. Beyond the first value that no longer clears
// what every curve lies above, (1 - alpha)_+, the curve is that floor. A value is only ever lowered, so
// chords stay under the curve.
LossLaw losses_below(const RoundCurve& curve, int refined, bool left_known) {
  const std::vector<Known> nodes = known_nodes(curve);
  const double spacing = curve.spacing / refined;
  std::vector<Extended> low;  // at the nodes, lowered where a cell is left straight
  for (const Known& node : nodes) low.push_back(node.low);
  std::vector<std::optional<ProfilePoint>> inserted(nodes.size());  // in the cell right of each node
  // Where nothing is known left of alpha = 1, cells there would only pull down what is known at 1.
  const std::size_t first_cell = left_known ? 1 : larger<std::size_t>(1, curve.index.size() - 1);
  for (std::size_t cell = first_cell; cell + 2 < nodes.size(); ++cell) {
    const std::int64_t first = refined * nodes[cell].index + 1, last = refined * nodes[cell + 1].index - 1;
    const Frame frame(curve.spacing, &nodes[cell - 1]);
    const Extensions lines = frame.lines();
    std::int64_t at = numerics::within<std::int64_t>(
        frame.nearest(lines.crossing(), refined).value_or(first + (last - first) / 2), first, last);
    if (lines.lower_line(frame.place(at, refined)) < lines.y2) {
      at = numerics::within<std::int64_t>(at + (frame.mirrored() ? 1 : -1), first, last);
    }
    const Extended x = frame.place(at, refined);
    const Extended value = lines.lower_line(x);
    const Extended chord = lines.y1 + (lines.y2 - lines.y1) * (x - lines.x1) / (lines.x2 - lines.x1);
    const Extended first_drop = lines.y1 - lines.right_at(lines.x1);
    const Extended second_drop = lines.y2 - lines.left_at(lines.x2);
    if (smaller(first_drop, second_drop) < chord - value) {
      const bool lower_first = first_drop < second_drop;
      const std::size_t node = cell + (lower_first == frame.mirrored() ? 1 : 0);
      const Extended to = lower_first ? lines.right_at(lines.x1) : lines.left_at(lines.x2);
      low[node] = smaller(low[node], frame.own_value(refined * nodes[node].index, refined, to));
    } else {
      inserted[cell] = ProfilePoint{at, frame.own_value(at, refined, value)};
    }
  }
  std::vector<ProfilePoint> points;
  std::size_t zero = 0;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].index == 0) zero = points.size();
    points.push_back({refined * nodes[node].index, low[node]});
    if (inserted[node]) points.push_back(*inserted[node]);
  }
  // The outermost cells have no outer neighbour; and from a value that is not the curve's own no chord is
  // known to stay under it: the last positive value on either side is lowered to the floor as well.
  points.front().value = points.back().value = 0;
  std::size_t from = zero, to = zero;
  while (left_known && from > 0 && points[from - 1].value > 0) --from;
  while (to + 1 < points.size() && points[to + 1].value > 0) ++to;
  if (to == zero || !(points[zero].value > 0)) return {{}, 0};
  std::vector<ProfilePoint> kept(points.begin() + static_cast<std::ptrdiff_t>(from),
                                 points.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  kept.back().value = 0;
  if (from == zero) return one_sided(spacing, std::move(kept), first_slope(curve));
  kept.front().value = 0;
  return losses_of(spacing, lower_convex_hull(spacing, kept), false);
}

double mean_loss(const LossLaw& law) { return law.losses.mean() + law.shift; }

}  // namespace

// What is known left of alpha = 1 may be too little to be of use: many losses within a cell or two are better
// merged to their mean. Both laws are valid; many rounds show most of the one with the larger mean.
LossLaw dominated_losses(const RoundCurve& curve, int refined) {
  if (curve.index.size() < 2) return {{}, 0};
  LossLaw one_side = losses_below(curve, refined, false);
  if (!(curve.reverse[1].lower > 0)) return one_side;
  LossLaw both_sides = losses_below(curve, refined, true);
  return mean_loss(one_side) > kWorthwhile * mean_loss(both_sides) ? one_side : both_sides;
}

}  // namespace muster::accounting
