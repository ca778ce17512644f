// The privacy profile of a randomizer that only its user knows, as a table of points.
//
// The profile of a randomizer R is f(alpha), the supremum over ordered pairs of records (x, x') of the
// hockey-stick divergence HS_alpha(R(x) || R(x')). It is convex, does not increase, lies between (1 -
// alpha)_+ and 1, and obeys f(alpha) = 1 - alpha + alpha f(1/alpha), so that its values for alpha >= 1 say
// everything. A table holds upper values of f at increasing alphas, the first of which is 1. Between two of
// them f lies below their chord, because f is convex. Beyond the last alpha f is at most its last value,
// which therefore counts as probability of an infinite loss. So the profile that is charged is convex,
// piecewise linear, and nowhere below f.
//
// of_table() makes this profile from upper values, and channel.h makes it from the probabilities of all
// outputs. A table says nothing about f from below, so no lower bound comes from it. Profiles are immutable,
// and threads may share them.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/describe/profile.h"

namespace muster::accounting {

// Says where a row stands, as in "gauss.csv, line 7"; rows count from 0.
using RowPlace = std::function<std::string(std::size_t row)>;
// Says "row 8" for row 7.
std::string row_number(std::size_t row);

class TabulatedProfile {
 public:
  static constexpr std::size_t kMaxPoints = 4000;
  // Larger alphas are refused; from here on only the mass at infinity matters.
  static constexpr double kMaxAlpha = 1e300;
  // f(1), the total variation, is at least this; smaller values leave the range of the sums.
  static constexpr double kMinTotalVariation = 1e-100;

  struct Point {
    double alpha;
    double divergence;  // an upper value of f(alpha)
  };

  // Makes the profile from upper values. `mass_at_infinity` is an upper value of the limit of f, the
  // probability of outputs that the other record never sends, or infinity if it is not known. It is only
  // checked: in any case, the last point's value is charged. A value may be off by a relative 1e-9 plus
  // 1e-15, which rounding explains. Where such an error breaks convexity, the smaller of the value and the
  // chord of its neighbours is used; both are valid. Throws Error(plan), with the row's place, for
  // - fewer than two points or more than kMaxPoints,
  // - a first alpha other than 1, alphas that do not increase, and alphas that are no number in
  //   [1, kMaxAlpha],
  // - values that are no number in [0, 1], increase, or lie above the chord of their neighbours,
  // - a fall after alpha = 1 that is faster than f(alpha) >= f(1) - (1 - f(1)) (alpha - 1) / 2 allows, which
  //   convexity at alpha = 1 implies,
  // - f(1) < kMinTotalVariation, and a mass at infinity that is no number in [0, last value].
  static TabulatedProfile of_table(const std::vector<Point>& points,
                                   double mass_at_infinity = std::numeric_limits<double>::infinity(),
                                   const RowPlace& place = row_number);

  // A point of a convex upper bound of f, by ln alpha.
  struct Node {
    double log_alpha;
    long double value;
  };
  // Makes a profile above upper values of a convex function at increasing nodes, the first at 0: their lower
  // convex hull, or more where rounding makes that fall faster after alpha = 1 than a profile can. The nodes
  // are trusted: this is for values that were computed.
  static TabulatedProfile of_nodes(const std::vector<Node>& nodes);

  // Upper bounds of f(e^log_alpha) and of minus its slope just right of e^log_alpha, for log_alpha >= 0.
  double divergence(double log_alpha) const;
  double alternative_tail(double log_alpha) const;

  // The largest privacy loss, rounded up; nullopt if there is mass at infinity, so that losses are unbounded.
  std::optional<double> epsilon0() const;
  // The value that is charged for f beyond the last node.
  double mass_at_infinity() const;
  double last_log_alpha() const { return nodes_.back().log_alpha; }
  std::size_t size() const { return nodes_.size(); }

  // The same function as a Profile, in which losses above 600 count as infinite.
  Profile profile() const;

  bool operator==(const TabulatedProfile& other) const;

 private:
  explicit TabulatedProfile(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}
  // The index of the last node at or before log_alpha.
  std::size_t node_before(double log_alpha) const;

  std::vector<Node> nodes_;  // convex in alpha, not increasing, at least two
};

}  // namespace muster::accounting
