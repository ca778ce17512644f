#include "muster/theorems/swap/two_types_laws.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/work.h"
#include "muster/theorems/swap/gaussian_triangle.h"
#include "muster/theorems/swap/two_types_net.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using Extended = long double;

constexpr int kCells = 160;  // cells of d (two_types_net.h)
// Nodes are at Y = 0 and Y = +-(e^{mu z} - 1), where z is in deviations. Up to z = 3 there are this many
// nodes per deviation; further out, steps grow. In the example of docs/theory/notes/gaussian-two-types.md,
// these nodes and 160 cells raise a composed epsilon of .1273 by .0003.
constexpr double kPerDeviation = 10;
// Searches for beta at a tabulated E > 1 are this many times less precise than at E = 1, because the masses
// at such an E are used only in interpolations between two tabulated values of E.
constexpr double kLooser = 2;
constexpr double kGrowth = 0.12;    // relative growth of each step beyond z = 3
constexpr double kReach = 8;        // z at the last node
constexpr double kProfileFrom = 6;  // for z beyond this, both laws take the larger of A and B
// Covers the conversion to double, which takes a quarter of this margin, and six thousand roundings of a long
// double before it.
constexpr Extended kRounding = 0x1p-51L;
// Rounding may make the masses sum to 1 plus this at most. For a sum of n terms, GaussianTwoTypesCurve
// charges n times as much.
constexpr Extended kExcess = 1e-15L;
constexpr Extended kNoise = 1e-16L;  // relative rounding error that Polygon::concave() allows
// A mean that is too small is raised by 1 + kMoreThanLacks times the shortfall.
constexpr Extended kMoreThanLacks = 1e-6L;
// A mass that is raised grows at least by this. masses_above() checks afterwards whether that was enough.
constexpr Extended kLeastRaise = 1e-18L;
// One rounding of a long double, and the four roundings of the sums and differences that make a tabulated
// value.
constexpr Extended kExtendedRounding = 0x1p-64L, kFourRoundings = 4 * kExtendedRounding;
constexpr int kMaxLines = 400;
constexpr std::size_t kKept = 16;  // the number of tables that the process keeps

// Represents a line through SidedValues of a law of mean 0. Its value at y is an expected excess (slope in
// [-1, 0]) or, left of 0, an expected deficit, which is the excess plus y.
struct Line {
  double anchor;
  Extended value, slope;  // of the expected deficit if anchor < 0, otherwise of the expected excess
  Extended at(double y) const {
    const bool own_deficit = anchor < 0, deficit = y < 0;
    const Extended own = value + slope * (static_cast<Extended>(y) - anchor);
    return own_deficit == deficit ? own : deficit ? own + y : own - y;
  }
};

// Represents the polygon whose vertices are SidedValues at the given points.
class Polygon {
 public:
  Polygon(const std::vector<double>& points, SidedValues values)
      : points_(points), values_(std::move(values)) {}

  // Returns the slope of the edge from node k to k + 1. It is a slope of the expected deficit left of 0, and
  // of the expected excess right of 0. At 0 excess and deficit are equal.
  Extended slope(std::size_t k) const {
    return (values_[k + 1] - values_[k]) / (static_cast<Extended>(points_[k + 1]) - points_[k]);
  }
  bool is_below_zero(std::size_t k) const { return points_[k] < 0; }
  // Returns the change of slope at the inner node k, which is the mass there.
  Extended mass(std::size_t k) const {
    return slope(k) - slope(k - 1) + (is_below_zero(k - 1) && !is_below_zero(k) ? 1 : 0);
  }
  // Returns whether the polygon is concave at node k by more than the rounding of the values.
  bool concave(std::size_t k) const {
    const Extended left = static_cast<Extended>(points_[k]) - points_[k - 1];
    const Extended right = static_cast<Extended>(points_[k + 1]) - points_[k];
    return mass(k) <
           -kNoise * (values_[k - 1] / left + values_[k] * (1 / left + 1 / right) + values_[k + 1] / right);
  }
  Line edge(std::size_t k) const { return {points_[k], values_[k], slope(k)}; }
  // Returns twice the area that raising the polygon to the line would add.
  Extended added(const Line& line) const {
    Extended sum = 0, before = 0;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const Extended here = larger<Extended>(0, line.at(points_[k]) - values_[k]);
      if (k > 0) sum += (before + here) * (static_cast<Extended>(points_[k]) - points_[k - 1]);
      before = here;
    }
    return sum;
  }
  void raise(const Line& line) {
    for (std::size_t k = 0; k < points_.size(); ++k) values_[k] = larger(values_[k], line.at(points_[k]));
  }
  // Makes expected excesses decrease to the right and expected deficits decrease to the left.
  void order() {
    for (std::size_t k = points_.size() - 1; k-- > 0 && points_[k] >= 0;) {
      values_[k] = larger(values_[k], values_[k + 1]);
    }
    for (std::size_t k = 1; k < points_.size() && points_[k] <= 0; ++k) {
      values_[k] = larger(values_[k], values_[k - 1]);
    }
  }
  const SidedValues& values() const { return values_; }
  std::size_t size() const { return points_.size(); }

 private:
  const std::vector<double>& points_;
  SidedValues values_;
};

double up(Extended x) { return static_cast<double>(x * (1 + kRounding)); }

}  // namespace

SidedValues convex_majorant(const std::vector<double>& points, SidedValues values) {
  Polygon polygon(points, std::move(values));
  polygon.order();
  for (int lines = 0; lines < kMaxLines; ++lines) {
    std::size_t first = 1;
    while (first + 1 < polygon.size() && !polygon.concave(first)) ++first;
    if (first + 1 >= polygon.size()) break;
    std::size_t last = first;
    while (last + 2 < polygon.size() && polygon.concave(last + 1)) ++last;
    // The extension of each edge of a concave stretch lies above the whole stretch.
    Line best = polygon.edge(first - 1);
    Extended least = polygon.added(best);
    for (std::size_t k = first; k <= last; ++k) {
      const Line line = polygon.edge(k);
      if (const Extended area = polygon.added(line); area < least) {
        least = area;
        best = line;
      }
    }
    polygon.raise(best);
  }
  return polygon.values();
}

std::optional<std::vector<double>> masses_above(const std::vector<double>& points, const SidedValues& values,
                                                Extended cut) {
  const std::size_t count = points.size();
  const Polygon polygon(points, values);
  const auto zero = static_cast<std::size_t>(std::ranges::find(points, 0.0) - points.begin());
  if (zero == 0 || zero + 1 >= count) return std::nullopt;
  std::vector<double> masses(count, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    if (k == zero) continue;
    // The slope of the expected excess is -1 left of the first point and 0 right of the last one.
    const Extended mass = k == 0           ? polygon.slope(0)
                          : k + 1 == count ? -polygon.slope(k - 1)
                                           : polygon.mass(k);
    // A negative mass at a concave kink is raised to 0, which only raises the law.
    masses[k] = up(larger<Extended>(0, mass));
  }
  // Right of 0, `values` are compared with the law's expected excess. Left of 0, they are compared with its
  // expected deficit plus its mean, which is its expected excess plus the point. A mean that is too small
  // would make this sum too small, so the mean is raised. A sum over the nodes is wrong by at most `rounding`
  // times the sum of its terms' moduli: one rounding of a difference, one of a product, and one for each
  // node.
  const Extended rounding = static_cast<Extended>(count + 2) * kExtendedRounding;
  const auto mean_below = [&] {
    Extended sum = 0, moduli = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const Extended term = static_cast<Extended>(masses[k]) * points[k];
      sum += term;
      moduli += std::fabs(term);
    }
    return sum - (rounding + kFourRoundings) * moduli;
  };
  const Extended wanted = values.front() - cut;
  if (const Extended lacking = wanted - mean_below(); lacking > 0) {
    const std::size_t raised = zero + (count - zero) / 3;
    masses[raised] = up(masses[raised] + lacking * (1 + kMoreThanLacks) / points[raised] + kLeastRaise);
  }
  Extended total = 0;
  for (const double mass : masses) {
    if (!std::isfinite(mass)) return std::nullopt;
    total += mass;
  }
  if (!(total <= 1 + kExcess)) return std::nullopt;
  const Extended surplus = mean_below();
  for (std::size_t k = 0; k < count; ++k) {
    Extended sum = 0;
    if (points[k] >= 0) {
      for (std::size_t j = k + 1; j < count; ++j)
        sum += masses[j] * (static_cast<Extended>(points[j]) - points[k]);
    } else {
      for (std::size_t j = 0; j < k; ++j) sum += masses[j] * (static_cast<Extended>(points[k]) - points[j]);
    }
    const Extended least = sum * (1 - rounding) + (points[k] < 0 ? surplus : 0);
    if (!(least * (1 - kFourRoundings) >= (values[k] - cut) * (1 + kFourRoundings))) return std::nullopt;
  }
  return masses;
}

// mu is raised a little, here and in build(), to cover the one rounding of 2 / sigma.
TwoTypesLaws::TwoTypesLaws(double mu)
    : mu_(mu), cells_(TriangleCells::of(mu * (1 + numerics::kThreeRoundings), kCells)) {
  std::vector<double> right;
  double y = 0, step = 1 / kPerDeviation;
  while (y < kReach) {
    if (y > 3) step *= 1 + kGrowth;
    y = numerics::smaller(y + step, kReach);
    right.push_back(std::expm1(mu * y));
  }
  for (std::size_t k = right.size(); k-- > 0;) points_.push_back(-right[k]);
  points_.push_back(0);
  points_.insert(points_.end(), right.begin(), right.end());
}

TwoTypesLaws::Level TwoTypesLaws::build(double excess) const {
  const double mu = mu_ * (1 + numerics::kThreeRoundings);
  const TriangleExcesses excesses(mu, excess);
  const std::size_t count = points_.size(), zero = count / 2;
  SidedValues record(count), alternative(count);
  for (std::size_t k = 0; k < count; ++k) {
    // The difference y - excess is moved towards 0, which raises the expected excess at a c > 0 and the
    // expected deficit at a c < 0. The factor covers the rounding of the difference and that of the product.
    const double y = points_[k], c = excess == 0 ? y : (y - excess) * (1 - numerics::kUlpAbove);
    // TriangleExcesses gives the expected excess if c > 0 and otherwise the expected deficit. SidedValues
    // need the expected excess if y >= 0.
    const bool expected = c > 0;
    const auto sided = [&](double value) -> Extended {
      return y >= 0 && !expected ? static_cast<Extended>(value) - y : static_cast<Extended>(value);
    };
    // sided() and the sum with the correction take a rounding each. Where a correction is read back from the
    // table, the tabulated value has been raised by more than the rounding of the difference.
    const auto stored = [](Extended value) { return value * (1 + kFourRoundings); };
    const Extended a = sided(excesses.record(c).upper), b = sided(excesses.alternative(c).upper);
    if (std::log1p(std::fabs(y)) > kProfileFrom * mu_) {
      record[k] = alternative[k] = stored(larger(a, b));
      continue;
    }
    Extended beta = 0;
    // Where E = 1 the correction is the same on both sides of c = 0.
    if (excess == 0 && k > zero) {
      const std::size_t mirrored = 2 * zero - k;
      beta = record[mirrored] - sided(excesses.record(-c).upper);
    } else {
      beta = certified_correction(excesses, cells_, mu, c, corner_of, excess > 0 ? kLooser : 1).beta;
    }
    record[k] = stored(a + beta);
    alternative[k] = stored(b + beta);
  }
  record = convex_majorant(points_, std::move(record));
  alternative = convex_majorant(points_, std::move(alternative));
  Level level;
  level.excess = excess;
  const Extended cut = larger(record.back(), alternative.back());
  level.cut = up(cut);
  auto first = masses_above(points_, record, cut);
  auto second = masses_above(points_, alternative, cut);
  if (first && second) {
    level.record = std::move(*first);
    level.alternative = std::move(*second);
    level.valid = true;
  }
  return level;
}

const TwoTypesLaws::Level& TwoTypesLaws::level(std::size_t index) const {
  // Tables choose their nodes by the work that is counted. A level is made once in a process, so its work
  // does not count; otherwise the first answer in a process would differ from later ones.
  std::call_once(once_[index], [&] {
    const double before = numerics::work_done();
    levels_[index] = build(kLevels[index] * mu_);
    numerics::work_done() = before;
  });
  return levels_[index];
}

std::optional<TwoTypesLaws::Types> TwoTypesLaws::at(double excess, double rate) const {
  std::size_t left = 0;
  while (left + 1 < kLevels.size() && excess > kLevels[left + 1] * mu_) ++left;
  if (!(excess >= 0) || left + 1 >= kLevels.size()) return std::nullopt;
  const Level& low = level(left);
  const Level& high = level(left + 1);
  if (!low.valid || !high.valid) return std::nullopt;
  // The interpolation weights are those of an E not above the one asked for, which is safe because delta
  // falls as E grows. `excess` has two roundings of expm1, and the quotient adds three: two differences and
  // the quotient itself, each at most one rounding of `excess`.
  const double least = excess * (1 - numerics::kEightRoundings);
  const double share = numerics::within((least - low.excess) / (high.excess - low.excess), 0.0, 1.0);
  Types types;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const double keep = 1 - share;
    types.record.add(points_[k], rate * (keep * low.record[k] + share * high.record[k]));
    types.alternative.add(points_[k], rate * (keep * low.alternative[k] + share * high.alternative[k]));
  }
  types.cut = larger(low.cut, high.cut);
  return types;
}

std::shared_ptr<const TwoTypesLaws> TwoTypesLaws::of(double mu) {
  static std::mutex mutex;
  // The tables, with the most recently used one first.
  static std::list<std::pair<double, std::shared_ptr<const TwoTypesLaws>>> kept;
  const std::lock_guard lock(mutex);
  const auto known = std::ranges::find(kept, mu, [](const auto& entry) { return entry.first; });
  if (known != kept.end()) {
    kept.splice(kept.begin(), kept, known);
  } else {
    kept.emplace_front(mu, std::make_shared<const TwoTypesLaws>(mu));
    if (kept.size() > kKept) kept.pop_back();
  }
  return kept.front().second;
}

}  // namespace muster::accounting
