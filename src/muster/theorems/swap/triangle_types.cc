#include "muster/theorems/swap/triangle_types.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/theorems/swap/gaussian_triangle.h"

namespace muster::accounting {
namespace {

using numerics::larger;

// The number of places grows with mu: three up to kNarrow, five up to kWide, then seven. For larger mu the
// expected excess bends more as a function of d, so places must be closer together.
constexpr double kNarrow = 0.25, kWide = 0.85;
constexpr int kCells = 8, kRoughCells = 4;  // cells between two inner places
// Towards an end of the range [-1, 1] of d, the distance of each cell edge from that end is this fraction of
// the previous edge's distance: kRoughShrink if `rough`, otherwise kNarrowShrink if max_mu <= kNarrow, and
// else kShrink.
constexpr double kShrink = 0.85, kRoughShrink = 0.75;
constexpr double kNarrowShrink = 0.9;
// No edge but the end itself is closer to the end than this.
constexpr double kLastCell = 2e-3;
// The expected excess of an inner type at d is first raised by the fraction mu^2 (1 - d^2)
// (kGiven + kGivenFar z^2), where z = ln(1 + c) / mu is c in deviations. Without this an inner type would be
// too small: its variance is less than that of the outer types, by a fraction of about mu^2 (1 - d^2) / 4.
constexpr double kGiven = 0.05, kGivenFar = 0.1;
// The precision of the searches (LeftOpen): `ratio`, and `absolute` as a share of the middle type's raised
// expected excess. The share is multiplied by mu^2 (1 - d^2), where d is the place of the inner type, unless
// all types are charged.
constexpr double kRatio = 1.3, kRoughRatio = 2, kRatioOfAll = 1.1;
constexpr double kOpen = 0.012, kRoughOpen = 0.04, kOpenOfAll = 2e-4;
// LeftOpen::spared as a fraction of LeftOpen::absolute.
constexpr double kSpared = 0.02;
// Covers the three sums that make the value of a type.
constexpr double kUp = 1 + numerics::kEightRoundings;

std::vector<double> mirrored(std::vector<double> edges) {
  std::ranges::reverse(edges);
  for (double& edge : edges) edge = -edge;
  return edges;
}

}  // namespace

// Towards the ends cells shrink with the distance from the end. Where the mixture of such a cell falls short
// of the expected excess, the inner type is raised by the shortfall divided by its weight. For the outermost
// cells, all types are raised by the shortfall.
TriangleTypes::TriangleTypes(double max_mu, bool rough)
    : ratio_(rough ? kRoughRatio : kRatio), open_(rough ? kRoughOpen : kOpen) {
  places_ = max_mu <= kNarrow ? std::vector<double>{-1, 0, 1}
            : max_mu <= kWide ? std::vector<double>{-1, -0.5, 0, 0.5, 1}
                              : std::vector<double>{-1, -0.8125, -0.5, 0, 0.5, 0.8125, 1};
  const auto add = [&](std::size_t first, Cells::Charged charged, std::vector<double> edges) {
    const double from = places_[first], to = places_[first + 1];
    TriangleCells cells;
    cells.edges = std::move(edges);
    for (std::size_t j = 0; j + 1 < cells.edges.size(); ++j) {
      cells.lambdas.push_back((to - 0.5 * (cells.edges[j] + cells.edges[j + 1])) / (to - from));
    }
    cells_.push_back({first, charged, std::move(cells)});
  };
  const std::size_t last = places_.size() - 2;
  const int even = rough ? kRoughCells : kCells;
  for (std::size_t i = 1; i < last; ++i) {
    std::vector<double> edges;
    for (int j = 0; j <= even; ++j) edges.push_back(places_[i] + (places_[i + 1] - places_[i]) * j / even);
    add(i, Cells::Charged::both, std::move(edges));
  }
  std::vector<double> right;
  for (double left = 1 - places_[last]; left > kLastCell; left *= rough               ? kRoughShrink
                                                                  : max_mu <= kNarrow ? kNarrowShrink
                                                                                      : kShrink) {
    right.push_back(1 - left);
  }
  const std::vector<double> outermost{right.back(), 1};
  add(last, Cells::Charged::inner_first, right);
  add(0, Cells::Charged::inner_second, mirrored(right));
  add(last, Cells::Charged::all, outermost);
  add(0, Cells::Charged::all, mirrored(outermost));
}

std::vector<double> TriangleTypes::values(double mu, double excess, double c) const {
  const TriangleExcesses excesses(mu, excess);
  const double deviations = std::log1p(c) / mu;
  std::vector<double> own;
  const auto short_of_ends = [&](std::size_t i) { return mu * mu * (1 - places_[i] * places_[i]); };
  for (std::size_t i = 0; i < size(); ++i) {
    const double expected = i == 0            ? excesses.record(c).upper
                            : i + 1 == size() ? excesses.alternative(c).upper
                                              : excesses.above({1, places_[i], 1}, c);
    own.push_back(expected * (1 + short_of_ends(i) * (kGiven + kGivenFar * deviations * deviations)));
  }
  const double middle = own[size() / 2];
  std::vector<double> charges(size(), 0.0);
  double all = 0;
  for (const Cells& part : cells_) {
    using Charged = Cells::Charged;
    const std::size_t i = part.first, inner = i == 0 ? 1 : i;
    const LeftOpen open = part.charged == Charged::all
                              ? LeftOpen{kRatioOfAll, kOpenOfAll * middle, kSpared * kOpenOfAll * middle}
                              : LeftOpen{ratio_, open_ * short_of_ends(inner) * middle,
                                         kSpared * open_ * short_of_ends(inner) * middle};
    const MixedValues mixed{own[i], own[i + 1],
                            part.charged == Charged::inner_first    ? MixedValues::Charged::first
                            : part.charged == Charged::inner_second ? MixedValues::Charged::second
                                                                    : MixedValues::Charged::both};
    const double found = certified_excess(mixed, excesses, part.cells, mu, c, open).beta;
    if (part.charged == Charged::all) all = larger(all, found);
    if (part.charged == Charged::inner_first || part.charged == Charged::both)
      charges[i] = larger(charges[i], found);
    if (part.charged == Charged::inner_second || part.charged == Charged::both)
      charges[i + 1] = larger(charges[i + 1], found);
  }
  // The weights of a cell and of its mirror image sum to 1 only within three roundings: one of each quotient,
  // and one of the difference from a place, which is exact beyond 1/2. So every type is raised by eight
  // roundings of the largest value.
  const double rounding = numerics::kEightRoundings * *std::ranges::max_element(own);
  for (std::size_t i = 0; i < size(); ++i) own[i] = (own[i] + charges[i] + all + rounding) * kUp;
  return own;
}

}  // namespace muster::accounting
