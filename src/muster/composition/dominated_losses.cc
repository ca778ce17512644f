#include "muster/composition/dominated_losses.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using Extended = long double;
using numerics::larger;
using numerics::smaller;

// Nodes left of alpha = 1 are not used if the mean loss is larger by more than this factor without them.
constexpr double kWorthwhile = 1.001;
// Rounding losses to the lattice may lower the mean loss by about this fraction of it.
constexpr double kHarmless = 4e-4;
// The lattice of the losses is at most this many times as fine as that of the profile's kinks.
constexpr int kFinest = 16;
constexpr int kHalvings = 30;
// A relative change of a value by less than this may be lost to rounding.
constexpr Extended kMinStep = 0x1p-60L;
// Eighteen rounding errors of 2^-64. The slope of a chord takes nine: a difference, an exponent, a quotient
// and the six of expm1. The quotient by 1 minus the slope takes three more.
constexpr Extended kChord = 1e-18L;

// The chords over the outer cells of four nodes x0 < x1 < x2 < x3, extended into the inner cell [x1, x2].
// Each is as low there as the enclosures at its own two nodes allow. Every convex function within the
// enclosures is at least as large as both extensions on [x1, x2].
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
  // The lower of the two extensions at x. The chord from this point to the node at x1 does not lie above
  // the extension through that node. The same holds for the node at x2.
  Extended lower_line(Extended x) const { return smaller(left_at(x), right_at(x)); }
  Extended x1, x2, y1, y2, left, right;
};

// A node of the curve, with an enclosure of f (index >= 0) or of r (index < 0); see convex_profile.h.
struct EnclosedNode {
  std::int64_t index;
  Extended low, high;
};

std::vector<EnclosedNode> known_nodes(const PairTable& curve) {
  std::vector<EnclosedNode> nodes;
  for (std::size_t i = curve.index.size(); i-- > 1;) {
    nodes.push_back({-curve.index[i], curve.reverse[i].lower, curve.reverse[i].minorant_upper});
  }
  nodes.push_back({0, larger(curve.forward[0].lower, curve.reverse[0].lower),
                   smaller(curve.forward[0].minorant_upper, curve.reverse[0].minorant_upper)});
  for (std::size_t i = 1; i < curve.index.size(); ++i) {
    nodes.push_back({curve.index[i], curve.forward[i].lower, curve.forward[i].minorant_upper});
  }
  return nodes;
}

// Four neighbouring nodes as points in a plane, with increasing x = alpha / alpha_1 - 1, where alpha_1
// belongs to the second node, and y = f(alpha). If all nodes have alpha <= 1, P and Q are exchanged. The
// nodes then have alpha >= 1, and r takes the place of f.
class Frame {
 public:
  Frame(double spacing, const EnclosedNode* four) : spacing_(spacing), mirrored_(four[3].index <= 0) {
    for (std::size_t i = 0; i < 4; ++i) {
      const EnclosedNode& node = four[mirrored_ ? 3 - i : i];
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
  // The x of an index of the finer lattice, which is `refined` times as fine as the curve's.
  Extended place(std::int64_t fine, int refined) const {
    return std::expm1(static_cast<Extended>(spacing_) / refined *
                      static_cast<Extended>((mirrored_ ? -fine : fine) - refined * first_));
  }
  // The index of the finer lattice nearest to x; nullopt if x is 1e15 or more steps from the second node.
  std::optional<std::int64_t> nearest(Extended x, int refined) const {
    const Extended steps = std::log1p(x) / spacing_ * refined;
    if (!(std::fabs(steps) < 1e15L)) return std::nullopt;
    const std::int64_t index = refined * first_ + std::llround(steps);
    return mirrored_ ? -index : index;
  }
  // Converts a value in this plane at the index `fine` of the finer lattice to f if `fine` >= 0, and to r
  // otherwise.
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

// A lower bound on how fast the curve falls just right of alpha = 1, per unit of alpha. It is minus the slope
// from the lower end of the value at 1 to the upper end of the value at the next node; at least 0, because
// the curve never rises.
Extended first_slope(const PairTable& curve) {
  const Extended low = larger(curve.forward[0].lower, curve.reverse[0].lower);
  return larger<Extended>(
      0, (low - curve.forward[1].minorant_upper) /
             std::expm1(static_cast<Extended>(curve.spacing) * static_cast<Extended>(curve.index[1])));
}

// The law if nothing is known left of alpha = 1. The curve is convex, so left of 1 it stays above 1 - alpha
// and above the line through its value at 1 that falls by `slope` per unit of alpha. Right of 1 the law's
// curve consists of chords. The first chord, extended to the left, must not lie above that line, so the
// value at 1 is lowered until the extended chord lies below. The remaining P-mass, often nearly all of it,
// lies at the loss where the extended chord meets 1 - alpha. This loss becomes the shift of the law:
// rounded to the lattice, it would be off by up to one spacing in every round. It is subtracted from all
// other losses, which are then rounded down to the lattice.
LossLaw one_sided(double spacing, std::vector<ProfilePoint> points, Extended slope) {
  const Extended known = points.front().value;
  std::vector<ProfilePoint> hull;
  Extended first = 0;  // how fast the hull falls right of its first node, per unit of alpha
  const auto fits_lowered_by = [&](Extended drop) {
    points.front().value = known - drop;
    hull = lower_convex_hull(spacing, points);
    if (!(hull.size() > 1 && hull[0].value > 0)) return false;
    first = (hull[0].value - hull[1].value) /
            std::expm1(static_cast<Extended>(spacing) * static_cast<Extended>(hull[1].index));
    return first - slope <= drop;
  };
  // A drop of `first` - `slope` is enough. It may be much larger than needed if the first chord is steep
  // because of one node with a wide enclosure, so a bisection finds a smaller one.
  Extended enough = 0;
  if (!fits_lowered_by(0)) {
    if (!(first > slope)) return {{}, 0};
    enough = larger(1.5L * (first - slope), kMinStep * known);
    Extended too_little = 0;
    for (int i = 0; i < kHalvings && enough - too_little > kMinStep * known; ++i) {
      const Extended middle = (too_little + enough) / 2;
      (fits_lowered_by(middle) ? enough : too_little) = middle;
    }
  }
  if (!fits_lowered_by(enough)) return {{}, 0};
  // A larger `first` moves the meeting point to the left, which only lowers the law.
  const Extended steepest = first * (1 + kChord);
  const Extended meets = std::log1p(-hull[0].value * (1 + kChord) / (1 - steepest)) / spacing;
  if (!(steepest < 1 && meets > -1e15L)) return {{}, 0};
  LossLaw law = losses_of(spacing, hull, false);
  // The factor covers two roundings (slack.h): that of the conversion of the product here, and that of the
  // number of steps below. All others are roundings of a long double, together less than a hundredth of one.
  law.shift = static_cast<double>(spacing * meets) * (1 + numerics::kEightRoundings);
  double shown = 0;  // P-mass at positive losses
  for (const double weight : law.losses.weights) shown += weight;
  const double harmless = kHarmless * std::fabs(law.losses.mean() + law.shift);
  while (law.finer < kFinest && spacing * shown > harmless * law.finer) law.finer *= 2;
  const double fine = spacing / law.finer;
  const double steps = std::floor(static_cast<double>(-meets * law.finer));
  for (double& point : law.losses.points) point = fine * (std::round(point / fine) + steps);
  return law;
}

// The law on a finer lattice, with one more node in nearly every cell. The values at the curve's nodes are
// the lower ends of its enclosures. A new node lies near the point where the extensions of the neighbouring
// chords cross. Its value is below both extensions, so every chord between nodes lies below the curve. Where
// the curve is straight, one of the two extensions is the better bound in the whole cell. In that case no
// node is inserted. Instead, the cell's node that is not on this extension is lowered to it. No curve lies
// below (1 - alpha)_+. Going outwards from alpha = 1, the law's curve equals (1 - alpha)_+ from the first
// node whose value is not above it. Values are only lowered, so chords stay below the curve.
LossLaw losses_below(const PairTable& curve, int refined, bool left_known) {
  const std::vector<EnclosedNode> nodes = known_nodes(curve);
  const double spacing = curve.spacing / refined;
  std::vector<Extended> low;  // the values at the curve's nodes
  for (const EnclosedNode& node : nodes) low.push_back(node.low);
  // inserted[i] is the new node in the cell right of nodes[i].
  std::vector<std::optional<ProfilePoint>> inserted(nodes.size());
  // If nothing is known left of alpha = 1, new nodes there would only lower the value at 1.
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
  // The outermost cells have no outer neighbour, and beyond the last positive value the law's curve is
  // (1 - alpha)_+. A chord from a positive value to (1 - alpha)_+ need not lie below the true curve, so the
  // last positive value on each side is lowered to (1 - alpha)_+ too.
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

// The nodes left of alpha = 1 do not always help. If most losses lie within a cell or two, it is better to
// merge them into their mean, as the law without these nodes does. Both laws are valid; after many rounds,
// the one with the larger mean is the better one.
LossLaw dominated_losses(const PairTable& curve, int refined) {
  if (curve.index.size() < 2) return {{}, 0};
  // Both sides enclose one value at alpha = 1. If the enclosures are disjoint, the two minorants do not
  // belong together, and chords across alpha = 1 could lie above the curve.
  const EnclosedMinorant &right = curve.forward[0], &left = curve.reverse[0];
  if (!(right.lower <= left.minorant_upper && left.lower <= right.minorant_upper)) return {{}, 0};
  LossLaw one_side = losses_below(curve, refined, false);
  if (!(curve.reverse[1].lower > 0)) return one_side;
  LossLaw both_sides = losses_below(curve, refined, true);
  return mean_loss(one_side) > kWorthwhile * mean_loss(both_sides) ? one_side : both_sides;
}

}  // namespace muster::accounting
