#include "muster/accounting/theorems/swap/two_types_net.h"

#include <cmath>
#include <numbers>
#include <queue>

#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::smaller;

constexpr double kUlp = 0x1p-52;
// The search stops when its bound is within a relative kOpen (far from c = 0, kOpenFar) of the largest
// value reached, plus kShare + kSharePerMu2 mu^2 (far from c = 0, kShare) times the larger of A and B.
constexpr double kOpen = 0.03, kOpenFar = 0.1;
constexpr double kShare = 8e-4, kSharePerMu2 = 4e-3;
// Atoms of the common factor worth less than this share of A or B are bounded, not computed.
constexpr double kSpared = 1e-7;
// The number of evaluations per node. The largest box left is a valid bound whenever the search stops.
constexpr int kMaxEvaluations = 20'000;
constexpr std::size_t kRuns = 8;  // runs of cells at the start
// Intervals of eta are split at their arithmetic mean up to this ratio of their ends, then at
// the geometric mean.
constexpr double kThird = 3;

struct Entry {
  double value;
  TriangleBox box;
  bool operator<(const Entry& other) const { return value < other.value; }
};

}  // namespace

TriangleCells TriangleCells::of(double mu, int count) {
  TriangleCells cells;
  const int half = count / 2;
  const double whole = std::erf(mu / std::sqrt(8.0));
  std::vector<double> edges{0}, lambdas;  // for d >= 0
  for (int j = 1; j <= half; ++j) {
    const double x = static_cast<double>(j) / half;
    edges.push_back(j == half ? 1 : 0.6 * x + 0.4 * std::sin(std::numbers::pi * x / 2));  // finer at the ends
    // This weight matches the slope at c = 0, E = 1 of a right triangle at the cell's middle.
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
  const double max_d = (1 - box.min_eta) * (1 + kUlp);
  const double lo = larger(cells.edges[box.first], -max_d);
  const double hi = smaller(cells.edges[box.last + 1], max_d);
  if (lo > hi) return {true, {}};
  const double min_d = lo > 0 ? lo : hi < 0 ? -hi : 0;
  const double eta = smaller(box.max_eta, 1 - min_d + 2 * kUlp);
  return {false, {smaller(1.0, max_d), positive ? hi : lo, widest_sum(eta, min_d)}};
}

Correction certified_correction(const TriangleExcesses& excesses, const TriangleCells& cells, double mu,
                                double c, CornerOf corner, double effort) {
  const double record = excesses.record(c).lower, alternative = excesses.alternative(c).lower;
  const bool far = std::fabs(c) > 1.5 * mu * (1 + 0.2 * mu);
  const LeftOpen open{1 + effort * (far ? kOpenFar : kOpen),
                      effort * (kShare + (far ? 0 : kSharePerMu2 * mu * mu)) * larger(record, alternative)};
  return certified_excess({record, alternative}, excesses, cells, mu, c, open, corner);
}

Correction certified_excess(const MixedValues& values, const TriangleExcesses& excesses,
                            const TriangleCells& cells, double mu, double c, const LeftOpen& open,
                            CornerOf corner) {
  const bool positive = c > 0;
  const double record = values.first, alternative = values.second;
  const double steep = 1 + std::fabs(c) / 2;  // about (M1 + E M2)/2 of Lemma 1 where g = c
  const double negligible = larger(kSpared * larger(record, alternative), open.spared);
  Correction found{0, 0, 0};
  const auto value = [&](const TriangleBox& box) {
    const BoxCorner at = corner(cells, box, positive);
    if (at.empty) return -1.0;
    ++found.evaluations;
    // lambda A + (1 - lambda) B is least at one end of a run of cells.
    const auto mixed = [&](std::size_t j) {
      return cells.lambdas[j] * record + (1 - cells.lambdas[j]) * alternative;
    };
    const double least = smaller(mixed(box.first), mixed(box.last));
    const double lacking = excesses.above(at.triangle, c, negligible) - least * (1 - 4 * kUlp);
    if (!(lacking > 0) || values.charged == MixedValues::Charged::both) return lacking;
    const double weight = values.charged == MixedValues::Charged::first
                              ? smaller(cells.lambdas[box.first], cells.lambdas[box.last])
                              : 1 - larger(cells.lambdas[box.first], cells.lambdas[box.last]);
    return lacking / weight * (1 + 4 * kUlp);
  };
  std::priority_queue<Entry> queue;
  const auto push = [&](const TriangleBox& box) {
    if (const double at = value(box); at > 0) queue.push({at, box});
  };
  const std::size_t count = cells.lambdas.size();
  const double near = smaller(0.1, 0.03 * mu * mu);
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::size_t first = run * count / kRuns, end = (run + 1) * count / kRuns;
    if (first == end) continue;  // there may be fewer cells than runs
    const std::size_t last = end - 1;
    push({first, last, 0, near});
    push({first, last, near, 0.2});
    push({first, last, 0.2, 1});
  }
  while (!queue.empty() && found.evaluations < kMaxEvaluations) {
    const Entry top = queue.top();
    if (top.value <= open.ratio * found.reached + open.absolute) break;
    queue.pop();
    const TriangleBox& box = top.box;
    const double eta_width = box.max_eta - box.min_eta;
    const double sums = widest_sum(box.max_eta, 0) - widest_sum(box.min_eta, 0);
    const double by_eta = steep * steep * eta_width + c * c / 4 * sums;
    const double by_cells = 2 * steep * std::fabs(c) * (cells.edges[box.last + 1] - cells.edges[box.first]);
    if (box.last > box.first && by_cells > by_eta) {
      const std::size_t middle = box.first + (box.last - box.first) / 2;
      push({box.first, middle, box.min_eta, box.max_eta});
      push({middle + 1, box.last, box.min_eta, box.max_eta});
      continue;
    }
    const double middle = box.min_eta <= 0                     ? box.max_eta / 4
                          : box.max_eta < kThird * box.min_eta ? 0.5 * (box.min_eta + box.max_eta)
                                                               : std::sqrt(box.min_eta * box.max_eta);
    if (!(middle > box.min_eta && middle < box.max_eta)) {
      queue.push(top);
      break;
    }
    push({box.first, box.last, box.min_eta, middle});
    push({box.first, box.last, middle, box.max_eta});
    if (box.first == box.last)
      found.reached = larger(found.reached, value({box.first, box.last, middle, middle}));
  }
  found.beta = queue.empty() ? 0 : larger(0.0, queue.top().value);
  return found;
}

}  // namespace muster::accounting
