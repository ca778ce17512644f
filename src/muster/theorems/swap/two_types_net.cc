#include "muster/theorems/swap/two_types_net.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <queue>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::kUlp;
using numerics::larger;
using numerics::smaller;

// These constants set the LeftOpen of certified_correction() at tolerance 1. LeftOpen::ratio is 1 + kOpen, or
// 1 + kOpenFar where c is far from 0 (`far` in that function). LeftOpen::absolute is kShare + kSharePerMu2
// mu^2, or kShare where c is far from 0, times the larger of A(c) and B(c).
constexpr double kOpen = 0.03, kOpenFar = 0.1;
constexpr double kShare = 8e-4, kSharePerMu2 = 4e-3;
// `negligible` of TriangleExcesses::above is this fraction of the larger of the two mixed values, or
// LeftOpen::spared if that is larger.
constexpr double kSpared = 1e-7;
// A search makes at most about this many evaluations. Wherever it stops, the largest bound of the boxes that
// are left is a valid beta.
constexpr int kMaxEvaluations = 20'000;
constexpr std::size_t kRuns = 8;  // the number of ranges of cells at the start of a search
// Intervals of eta are split at the arithmetic mean of their ends if the ratio of the ends is below this, and
// otherwise at the geometric mean. Intervals that begin at 0 are split at a quarter of their length.
constexpr double kThird = 3;

struct Entry {
  double value;
  TriangleBox box;
  bool operator<(const Entry& other) const { return value < other.value; }
};

// Searches by branch and bound over boxes: the box with the largest bound is split until that bound is small
// enough.
class BoxSearch {
 public:
  BoxSearch(const MixedValues& values, const TriangleExcesses& excesses, const TriangleCells& cells, double c,
            const LeftOpen& open, CornerOf corner)
      : values_(values),
        excesses_(excesses),
        cells_(cells),
        c_(c),
        open_(open),
        corner_(corner),
        steep_(1 + std::fabs(c) / 2),
        negligible_(larger(kSpared * larger(values.first, values.second), open.spared)) {}

  // The search begins with three boxes for each range of cells. Their intervals of eta are [0, near],
  // [near, 0.2] and [0.2, 1].
  Correction run(double near) {
    push_all(near);
    while (!queue_.empty() && found_.evaluations < kMaxEvaluations) {
      const Entry top = queue_.top();
      if (top.value <= open_.ratio * found_.reached + open_.absolute) break;
      queue_.pop();
      if (!split(top.box)) {
        queue_.push(top);
        break;
      }
    }
    found_.beta = queue_.empty() ? 0 : larger(0.0, queue_.top().value);
    return found_;
  }

 private:
  void push_all(double near) {
    const std::size_t count = cells_.lambdas.size();
    for (std::size_t run = 0; run < kRuns; ++run) {
      const std::size_t first = run * count / kRuns, end = (run + 1) * count / kRuns;
      if (first == end) continue;  // there may be fewer cells than ranges
      const std::size_t last = end - 1;
      push({first, last, 0, near});
      push({first, last, near, 0.2});
      push({first, last, 0.2, 1});
    }
  }

  // A value that is NaN must not look as if the box needed no correction.
  void push(const TriangleBox& box) {
    const double at = value(box);
    if (!(at <= 0)) queue_.push({std::isnan(at) ? std::numeric_limits<double>::infinity() : at, box});
  }

  // Replaces a box by two. It splits the range of cells or the interval of eta, whichever is expected to
  // lower the bound more. Returns false for an interval too short to be split.
  bool split(const TriangleBox& box) {
    const double eta_width = box.max_eta - box.min_eta;
    const double sums = widest_sum(box.max_eta, 0) - widest_sum(box.min_eta, 0);
    const double by_eta = steep_ * steep_ * eta_width + c_ * c_ / 4 * sums;
    const double by_cells =
        2 * steep_ * std::fabs(c_) * (cells_.edges[box.last + 1] - cells_.edges[box.first]);
    if (box.last > box.first && by_cells > by_eta) {
      const std::size_t middle = box.first + (box.last - box.first) / 2;
      push({box.first, middle, box.min_eta, box.max_eta});
      push({middle + 1, box.last, box.min_eta, box.max_eta});
      return true;
    }
    const double middle = box.min_eta <= 0                     ? box.max_eta / 4
                          : box.max_eta < kThird * box.min_eta ? 0.5 * (box.min_eta + box.max_eta)
                                                               : std::sqrt(box.min_eta * box.max_eta);
    if (!(middle > box.min_eta && middle < box.max_eta)) return false;
    push({box.first, box.last, box.min_eta, middle});
    push({box.first, box.last, middle, box.max_eta});
    if (box.first == box.last) {
      found_.reached = larger(found_.reached, value({box.first, box.last, middle, middle}));
    }
    return true;
  }

  // Returns an upper bound of the correction that the box needs, or -1 for an empty box. The correction is
  // the expected excess of the box's corner minus the mixture of the two values, mixed(), at that end of the
  // range of cells where the mixture is smaller. If only one of the two values is charged, the correction is
  // divided by the least weight of that value in the box.
  double value(const TriangleBox& box) {
    const BoxCorner at = corner_(cells_, box, c_ > 0);
    if (at.empty) return -1.0;
    ++found_.evaluations;
    // The mixture is monotone in lambda, so its least value is at one end of the range of cells.
    const double least = smaller(mixed(box.first), mixed(box.last));
    // `least` takes three roundings (of 1 - lambda, a product and a sum), and its product with the factor
    // takes one.
    const double lacking = excesses_.above(at.triangle, c_, negligible_) - least * (1 - 4 * kUlp);
    if (!(lacking > 0)) return lacking;
    // The difference, the weight, the quotient and the product with the factor take one rounding each.
    return lacking / least_weight(box) * (1 + 4 * kUlp);
  }

  // The least weight of the value that is charged, or 1 if both are.
  double least_weight(const TriangleBox& box) const {
    const double first = cells_.lambdas[box.first], last = cells_.lambdas[box.last];
    switch (values_.charged) {
      case MixedValues::Charged::first:
        return smaller(first, last);
      case MixedValues::Charged::second:
        return 1 - larger(first, last);
      case MixedValues::Charged::both:
        break;
    }
    return 1;
  }

  double mixed(std::size_t cell) const {
    return cells_.lambdas[cell] * values_.first + (1 - cells_.lambdas[cell]) * values_.second;
  }

  const MixedValues& values_;
  const TriangleExcesses& excesses_;
  const TriangleCells& cells_;
  double c_;
  const LeftOpen& open_;
  CornerOf corner_;
  // About (e^N1 + E e^N2)/2 at messages with g = c, with N1 and N2 of gaussian_triangle.h. In the proof of
  // Lemma 1, its powers weigh changes of the squared distances D and d; split() compares those of a box.
  double steep_;
  double negligible_;  // the argument `negligible` of TriangleExcesses::above
  std::priority_queue<Entry> queue_;
  Correction found_{0, 0, 0};
};

}  // namespace

TriangleCells TriangleCells::of(double mu, int count) {
  TriangleCells cells;
  const int half = count / 2;
  const double whole = std::erf(mu / std::sqrt(8.0));
  std::vector<double> edges{0}, lambdas;  // the edges and weights of the cells with d >= 0
  for (int j = 1; j <= half; ++j) {
    const double x = static_cast<double>(j) / half;
    // Cells are narrower towards d = 1.
    edges.push_back(j == half ? 1 : 0.6 * x + 0.4 * std::sin(std::numbers::pi * x / 2));
    // With this weight the mixture has the same slope in c, at c = 0 and E = 1, as the expected excess of the
    // right triangle at the cell's middle.
    const double middle = 0.5 * (edges[edges.size() - 2] + edges.back());
    lambdas.push_back(0.5 * (1 - std::erf(mu * middle / std::sqrt(8.0)) / whole));
  }
  for (int j = half; j > 0; --j) {
    cells.edges.push_back(-edges[static_cast<std::size_t>(j)]);
    cells.lambdas.push_back(1 - lambdas[static_cast<std::size_t>(j) - 1]);
  }
  cells.edges.insert(cells.edges.end(), edges.begin(), edges.end());
  cells.lambdas.insert(cells.lambdas.end(), lambdas.begin(), lambdas.end());
  return cells;
}

BoxCorner corner_of(const TriangleCells& cells, const TriangleBox& box, bool positive) {
  // The product with 1 + kUlp is at least the next double above the rounded difference, so it is not below
  // the true one.
  const double max_d = (1 - box.min_eta) * (1 + kUlp);
  const double lo = larger(cells.edges[box.first], -max_d);
  const double hi = smaller(cells.edges[box.last + 1], max_d);
  if (lo > hi) return {true, {}};
  const double min_d = lo > 0 ? lo : hi < 0 ? -hi : 0;
  // The difference and the sum are wrong by at most kUlp / 2 each, also if the sum is just above 1. The 2
  // kUlp cover both.
  const double eta = smaller(box.max_eta, 1 - min_d + 2 * kUlp);
  return {false, {smaller(1.0, max_d), positive ? hi : lo, widest_sum(eta, min_d)}};
}

Correction certified_correction(const TriangleExcesses& excesses, const TriangleCells& cells, double mu,
                                double c, CornerOf corner, double tolerance) {
  const double record = excesses.record(c).lower, alternative = excesses.alternative(c).lower;
  const bool far = std::fabs(c) > 1.5 * mu * (1 + 0.2 * mu);
  const LeftOpen open{
      1 + tolerance * (far ? kOpenFar : kOpen),
      tolerance * (kShare + (far ? 0 : kSharePerMu2 * mu * mu)) * larger(record, alternative)};
  return certified_excess({record, alternative}, excesses, cells, mu, c, open, corner);
}

Correction certified_excess(const MixedValues& values, const TriangleExcesses& excesses,
                            const TriangleCells& cells, double mu, double c, const LeftOpen& open,
                            CornerOf corner) {
  return BoxSearch(values, excesses, cells, c, open, corner).run(smaller(0.1, 0.03 * mu * mu));
}

}  // namespace muster::accounting
