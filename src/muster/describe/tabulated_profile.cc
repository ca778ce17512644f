#include "muster/describe/tabulated_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using Extended = long double;
using Node = TabulatedProfile::Node;
using Point = TabulatedProfile::Point;

// By how much a given value may be wrong: relatively, because numbers are printed with few digits;
// absolutely, because its formula may subtract nearly equal numbers.
constexpr Extended kRelativeSlack = 1e-9L, kAbsoluteSlack = 1e-15L;
// Nodes nearer than this in ln alpha count as one node, so that the slopes between nodes keep their digits.
constexpr double kNearest = 1e-9;
// A node at most this much below the chord of its neighbours, relative to its value, is left out.
constexpr Extended kStraight = 1e-13L;
// Covers an alpha and a value that were read from decimals, and the logarithm of the alpha.
constexpr double kDecimal = 2 * numerics::kUlpAbove;
constexpr Extended kUp = 1 + static_cast<Extended>(numerics::kUlpAbove);

[[noreturn]] void refuse(Reason reason, const std::string& place, const std::string& what, double value,
                         const std::string& allowed, const std::string& message) {
  const std::string stated = fmt::format("{}", value);
  throw Error::in_words(ErrorCode::plan, reason, "randomizer.profile", stated, allowed,
                        fmt::format("{}: {} = {} {}; allowed: {}", place, what, stated, message, allowed));
}

Extended with_slack(Extended value) { return value * (1 + kRelativeSlack) + kAbsoluteSlack; }

// The value at `alpha` of the line through two points.
Extended on_chord(const Point& left, const Point& right, Extended alpha) {
  const Extended share = (alpha - left.alpha) / (static_cast<Extended>(right.alpha) - left.alpha);
  return left.divergence + share * (static_cast<Extended>(right.divergence) - left.divergence);
}

void check_size(std::size_t points, const RowPlace& place) {
  if (points >= 2 && points <= TabulatedProfile::kMaxPoints) return;
  const std::string allowed = fmt::format("2 to {} rows", TabulatedProfile::kMaxPoints);
  throw Error::in_words(ErrorCode::plan, Reason::out_of_range, "randomizer.profile",
                        fmt::format("{}", points), allowed,
                        fmt::format("{}: the table has {} with a finite alpha; allowed: {}",
                                    place(points == 0 ? 0 : points - 1), count_text(points, "row"), allowed));
}

void check_alpha(const std::vector<Point>& points, std::size_t row, const RowPlace& place) {
  const double alpha = points[row].alpha;
  if (row == 0 && alpha != 1) {
    refuse(Reason::out_of_range, place(row), "alpha", alpha, "1",
           "is not where a table begins: values below 1 follow from f(alpha) = 1 - alpha + alpha f(1/alpha)");
  }
  const double least = row == 0 ? 1 : points[row - 1].alpha;
  if (!(alpha <= TabulatedProfile::kMaxAlpha && (row == 0 || alpha > least))) {
    refuse(Reason::out_of_range, place(row), "alpha", alpha,
           fmt::format("number in ({}, {}]", least, TabulatedProfile::kMaxAlpha),
           alpha <= least ? "is not larger than the alpha before it" : "is too large");
  }
}

void check_value(const std::vector<Point>& points, std::size_t row, const RowPlace& place) {
  const double value = points[row].divergence;
  if (!(value >= 0 && value <= 1)) {
    refuse(Reason::out_of_range, place(row), "divergence", value, "number in [0, 1]",
           value < 0 ? "is below (1 - alpha)+ = 0" : "is no divergence");
  }
  if (row == 0 && !(value >= TabulatedProfile::kMinTotalVariation)) {
    refuse(Reason::out_of_range, place(row), "divergence", value,
           fmt::format("number in [{}, 1]", TabulatedProfile::kMinTotalVariation),
           "at alpha = 1 says that messages do not depend on the record, which costs nothing");
  }
  if (row > 0 && !(value <= with_slack(points[row - 1].divergence))) {
    refuse(Reason::out_of_range, place(row), "divergence", value,
           fmt::format("number in [0, {}]", points[row - 1].divergence),
           "is larger than the value before it: a profile does not increase");
  }
}

// The symmetry f(alpha) = 1 - alpha + alpha f(1/alpha) makes f(1) - 1 - f'(1+) the slope left of 1, which
// convexity keeps at most f'(1+). So f falls from f(1) with a slope of at least (f(1) - 1) / 2. An error of
// f(1) moves this line by as much at alpha = 1, and more to the right.
void check_convex(const std::vector<Point>& points, const RowPlace& place) {
  const Extended total = points[0].divergence;
  const Extended least = total - (1 - total) * (static_cast<Extended>(points[1].alpha) - 1) / 2;
  const Extended error = with_slack(total) - total;
  if (!(points[1].divergence >= least - error * (1 + (static_cast<Extended>(points[1].alpha) - 1) / 2))) {
    refuse(Reason::contradiction, place(1), "divergence", points[1].divergence,
           fmt::format("number in [{}, {}]", static_cast<double>(least), points[0].divergence),
           "falls faster after alpha = 1 than a convex profile can: "
           "f(alpha) >= f(1) - (1 - f(1)) (alpha - 1) / 2");
  }
  for (std::size_t row = 1; row + 1 < points.size(); ++row) {
    const Extended chord = on_chord(points[row - 1], points[row + 1], points[row].alpha);
    if (!(points[row].divergence <= with_slack(chord))) {
      refuse(Reason::contradiction, place(row), "divergence", points[row].divergence,
             fmt::format("number in [0, {}]", static_cast<double>(chord)),
             "lies above the line through the rows before and after it: a profile is convex");
    }
  }
}

// Returns ln alpha, rounded up by more than the error of a decimal that was read as alpha; 0 for 1.
double log_above(double alpha) {
  if (alpha == 1) return 0;
  const Extended exact = std::log(static_cast<Extended>(alpha));
  return static_cast<double>((exact + kDecimal) * kUp);
}

// Leaves out nodes so near to a neighbour that slopes would lose their digits. The first and the last node
// stay; each of the others may go, because a chord of a convex function lies above it.
std::vector<Node> apart(const std::vector<Node>& nodes) {
  std::vector<Node> kept;
  for (const Node& node : nodes) {
    // The value of the last node is the mass at infinity, and its place the largest loss.
    const bool last = &node == &nodes.back();
    while (last && kept.size() > 1 && node.log_alpha - kept.back().log_alpha < kNearest) kept.pop_back();
    if (last || kept.empty() || node.log_alpha - kept.back().log_alpha >= kNearest) kept.push_back(node);
  }
  return kept;
}

// The chord of two nodes at log_alpha, written so that no terms cancel: with a = e^log_alpha it is
// f(right) + (f(left) - f(right)) (a_right - a) / (a_right - a_left). It takes two differences of logarithms,
// two exponentials of six roundings each, and four more operations.
Extended chord(const Node& left, const Node& right, Extended log_alpha) {
  const Extended share = std::expm1(log_alpha - right.log_alpha) /
                         std::expm1(static_cast<Extended>(left.log_alpha) - right.log_alpha);
  return right.value + (left.value - right.value) * share;
}
// A bound on the relative rounding error of chord().
constexpr Extended kChordError = 32 * std::numeric_limits<Extended>::epsilon();

// Whether the middle node is above the chord of its neighbours, or so little below it that it may go.
bool is_needless(const Node& left, const Node& middle, const Node& right) {
  return middle.value >= chord(left, right, middle.log_alpha) * (1 - kStraight);
}

std::vector<Node> lower_hull(const std::vector<Node>& nodes) {
  std::vector<Node> hull;
  for (Node node : nodes) {
    // f does not increase, so an earlier value bounds a later one, too.
    if (!hull.empty() && node.value > hull.back().value) node.value = hull.back().value;
    while (hull.size() >= 2 && is_needless(hull[hull.size() - 2], hull.back(), node)) hull.pop_back();
    hull.push_back(node);
  }
  // Once the profile has reached its last value, it stays there.
  while (hull.size() > 2 && hull[hull.size() - 2].value <= hull.back().value) hull.pop_back();
  return hull;
}

// Convexity at alpha = 1 keeps the slope there at or above -(1 - f(1)) / 2 (check_convex). Upper values that
// were rounded may fall faster to a node that is very near, and the masses of the profile would then add up
// to about 2. So inner nodes below the line of this slope are left out. If the last node lies below it, too,
// it is moved to where the line reaches its value. Both make the function larger. `hull` is convex.
void rise_to_slope_at_one(std::vector<Node>& hull) {
  // The relative slack keeps a profile as it is where only the last digits of its values break the rule.
  const Extended first = hull.front().value, steepest = (1 - first + kRelativeSlack) / 2;
  const auto is_low = [&](const Node& node) {
    return node.value < first - steepest * std::expm1(static_cast<Extended>(node.log_alpha));
  };
  const auto kept = std::find_if_not(hull.begin() + 1, hull.end() - 1, is_low);
  hull.erase(hull.begin() + 1, kept);
  Node& next = hull[1];
  if (is_low(next)) {
    next.log_alpha = static_cast<double>(std::log1p((first - next.value) / steepest) * kUp);
  }
}

}  // namespace

std::string row_number(std::size_t row) { return fmt::format("row {}", row + 1); }

TabulatedProfile TabulatedProfile::of_table(const std::vector<Point>& points, double mass_at_infinity,
                                            const RowPlace& place) {
  check_size(points.size(), place);
  for (std::size_t row = 0; row < points.size(); ++row) {
    check_alpha(points, row, place);
    check_value(points, row, place);
  }
  check_convex(points, place);
  const double last = points.back().divergence;
  if (!(mass_at_infinity == std::numeric_limits<double>::infinity() ||
        (mass_at_infinity >= 0 && mass_at_infinity <= last))) {
    refuse(Reason::contradiction, place(points.size()), "mass at infinity", mass_at_infinity,
           fmt::format("number in [0, {}]", last),
           "is no limit of the values before it, which do not increase and stay above it");
  }
  std::vector<Node> nodes;
  for (const Point& point : points) {
    const Node node{log_above(point.alpha),
                    numerics::smaller<Extended>(1, static_cast<Extended>(point.divergence) * kUp)};
    // Neighbouring doubles may share a logarithm. The later value is the smaller one, and holds from there
    // on.
    if (!nodes.empty() && node.log_alpha <= nodes.back().log_alpha) {
      if (nodes.size() > 1) nodes.back().value = node.value;
    } else {
      nodes.push_back(node);
    }
  }
  return of_nodes(nodes);
}

TabulatedProfile TabulatedProfile::of_nodes(const std::vector<Node>& nodes) {
  if (nodes.size() < 2 || nodes.front().log_alpha != 0 || !(nodes.front().value <= 1)) {
    throw Error(ErrorCode::internal, "profile", fmt::format("{} nodes", nodes.size()), "", "not a profile");
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool rises = i == 0 || nodes[i].log_alpha > nodes[i - 1].log_alpha;
    if (!(rises && std::isfinite(nodes[i].log_alpha) && nodes[i].value >= 0)) {
      throw Error(ErrorCode::internal, "profile", fmt::format("{}", nodes[i].log_alpha), "", "not a profile");
    }
  }
  std::vector<Node> hull = lower_hull(apart(nodes));
  rise_to_slope_at_one(hull);
  return TabulatedProfile(std::move(hull));
}

double TabulatedProfile::mass_at_infinity() const {
  return numerics::as_upper_bound(static_cast<double>(nodes_.back().value * kUp));
}

std::size_t TabulatedProfile::node_before(double log_alpha) const {
  const auto after = std::ranges::upper_bound(nodes_, log_alpha, {}, &Node::log_alpha);
  return static_cast<std::size_t>(after - nodes_.begin()) - 1;
}

double TabulatedProfile::divergence(double log_alpha) const {
  if (!(log_alpha >= 0)) return 1;  // also for NaN
  const Node& left = nodes_[node_before(log_alpha)];
  if (&left == &nodes_.back()) return mass_at_infinity();
  return numerics::as_upper_bound(static_cast<double>(chord(left, *(&left + 1), log_alpha) * kUp));
}

double TabulatedProfile::alternative_tail(double log_alpha) const {
  if (!(log_alpha >= 0)) return 1;  // also for NaN
  const Node& left = nodes_[node_before(log_alpha)];
  if (&left == &nodes_.back()) return 0;
  const Node& right = *(&left + 1);
  const Extended slope = (left.value - right.value) * std::exp(-static_cast<Extended>(left.log_alpha)) /
                         std::expm1(static_cast<Extended>(right.log_alpha) - left.log_alpha);
  return numerics::as_upper_bound(static_cast<double>(slope * (1 + numerics::kExtendedRoundings)) +
                                  std::numeric_limits<double>::min());
}

std::optional<double> TabulatedProfile::epsilon0() const {
  return nodes_.back().value > 0 ? std::nullopt : std::optional(nodes_.back().log_alpha);
}

Profile TabulatedProfile::profile() const {
  std::vector<double> log_alphas;
  for (const Node& node : nodes_) {
    if (node.log_alpha < Profile::kMaxLoss) log_alphas.push_back(node.log_alpha);
  }
  if (last_log_alpha() >= Profile::kMaxLoss) log_alphas.push_back(Profile::kMaxLoss);
  return Profile::symmetric(log_alphas, [this](double l) {
    const Node& node = nodes_[node_before(l)];
    // Upper values count as exact. The only point that may lie between nodes is the cut at Profile::kMaxLoss.
    if (node.log_alpha == l || &node == &nodes_.back()) return Profile::Value{node.value, 0};
    return Profile::Value{chord(node, *(&node + 1), l), kChordError};
  });
}

bool TabulatedProfile::operator==(const TabulatedProfile& other) const {
  return std::ranges::equal(nodes_, other.nodes_, [](const Node& a, const Node& b) {
    return a.log_alpha == b.log_alpha && a.value == b.value;
  });
}

}  // namespace muster::accounting
