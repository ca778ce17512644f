#include "muster/composition/loss_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::smaller;

// The largest number of groups that coarse_law_of() makes.
constexpr std::size_t kCoarse = 100;
// An atom counts as alone in its group if the other atoms together have less than this fraction of its mass.
constexpr double kBeside = 1e-3;

class Divider {
 public:
  Divider(const CoarseLaw& law, std::span<const double> tilts, double epsilon)
      : points_(law.points), tilts_(tilts), finest_(kFinest / *std::max_element(tilts.begin(), tilts.end())) {
    std::vector<bool> heavy(points_.size(), false);
    std::vector<std::vector<double>> weights;
    const auto weights_under = [&](double c, double heavy_share) {
      std::vector<double> logs;
      double top = -std::numeric_limits<double>::infinity(), total = 0;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        logs.push_back(law.log_masses[i] - c * larger(0.0, epsilon - points_[i]));
        top = larger(top, logs.back());
      }
      for (double& l : logs) total += l = std::exp(l - top);
      for (std::size_t i = 0; i < points_.size(); ++i) {
        logs[i] /= total;
        heavy[i] = heavy[i] || (law.alone[i] && logs[i] > heavy_share);
      }
      return logs;
    };
    // An atom that is alone in its group and has more than half of the mass is an end of cells. If it were
    // inside a cell, most of the mass would be moved in each convolution.
    weights_under(0, 0.5);
    for (const double c : tilts) {
      weights.push_back(weights_under(c, kHeavy));
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (heavy[i] && (heavy_.empty() || points_[i] > heavy_.back() + finest_)) heavy_.push_back(points_[i]);
    }
    for (const std::vector<double>& weight : weights) {
      std::vector<double> sums(1, 0);
      for (std::size_t i = 0; i < points_.size(); ++i) {
        sums.push_back(sums.back() + (heavy[i] ? 0 : weight[i]));
      }
      sums_.push_back(std::move(sums));
    }
  }

  std::vector<double> ends(double first, double last, std::size_t cells) const {
    std::vector<double> ends{first};
    std::priority_queue<Cell> queue;
    const auto add = [&](double end) {
      if (end > ends.back()) {
        queue.push(cell(ends.back(), end));
        ends.push_back(end);
      }
    };
    for (const double at : heavy_) {
      if (at < last - finest_) add(at);
    }
    add(last);
    while (ends.size() <= cells && !queue.empty() && queue.top().cost > 0) {
      const Cell widest = queue.top();
      queue.pop();
      const double middle = inside(widest.from, widest.to);
      if (widest.to - widest.from > finest_ && middle > widest.from && middle < widest.to) {
        ends.push_back(middle);
        queue.push(cell(widest.from, middle));
        queue.push(cell(middle, widest.to));
      }
    }
    std::sort(ends.begin(), ends.end());
    return ends;
  }

 private:
  struct Cell {
    double cost, from, to;
    bool operator<(const Cell& other) const { return cost < other.cost; }
  };
  // The approximate relative increase of the weighted sum of e^{cx} over all atoms if a cell's mass is spread
  // to its ends, summed over the tilts c. For a cell of width w, the mean of its losses grows by at most
  // (w/2) tanh(w/4), and their variance by at most w^2/4.
  Cell cell(double from, double to) const {
    const double width = to - from;
    const auto low = std::lower_bound(points_.begin(), points_.end(), from - width / 4) - points_.begin();
    const auto high = std::upper_bound(points_.begin(), points_.end(), to + width / 4) - points_.begin();
    const double longer = std::tanh(width / 4);
    double cost = 0;
    for (std::size_t t = 0; t < tilts_.size(); ++t) {
      const double mass = sums_[t][static_cast<std::size_t>(high)] - sums_[t][static_cast<std::size_t>(low)];
      const double spread = tilts_[t] * width / 2;
      const double half = std::sinh(smaller(spread / 2, kSteepest));
      cost += larger(0.0, mass) * (spread * longer + 2 * half * half);
    }
    return {cost, from, to};
  }
  // The point at which a cell is divided. It is the atom nearest to the middle if this atom lies in the
  // middle half, so that atoms of laws with few atoms become ends. Otherwise it is the middle.
  double inside(double from, double to) const {
    const double middle = from + (to - from) / 2;
    const auto after = std::lower_bound(points_.begin(), points_.end(), middle);
    double best = middle;
    double distance = (to - from) / 4;
    for (const auto& at : {after, after == points_.begin() ? after : after - 1}) {
      if (at != points_.end() && std::abs(*at - middle) < distance) {
        distance = std::abs(*at - middle);
        best = *at;
      }
    }
    return best;
  }
  // An atom that is alone in its group and has more than this share of the total weight under some tilt is an
  // end of cells.
  static constexpr double kHeavy = 1.0 / 200;
  // Caps the argument of the hyperbolic sine in cell(), which could overflow.
  static constexpr double kSteepest = 20;
  // Cells narrower than this value divided by the largest tilt c do not change sums of e^{cx} noticeably.
  static constexpr double kFinest = 1e-6;
  const std::vector<double>& points_;
  std::span<const double> tilts_;
  double finest_;
  std::vector<double> heavy_;  // the points of the heavy atoms, increasing
  // For each tilt, the cumulative weights of the atoms from the left, without those of heavy atoms.
  std::vector<std::vector<double>> sums_;
};

}  // namespace

// The point of a group is its mean, or its heaviest atom if this atom has nearly all of the group's mass.
CoarseLaw coarse_law_of(std::span<const double> points, std::span<const double> masses) {
  CoarseLaw law;
  const std::size_t size = points.size();
  const std::size_t most = (size + kCoarse - 1) / kCoarse;
  for (std::size_t from = 0; from < size; from += most) {
    const std::size_t to = smaller(size, from + most);
    std::size_t top = from;
    for (std::size_t i = from; i < to; ++i) {
      top = masses[i] > masses[top] ? i : top;
    }
    double total = 0, mean = 0;
    for (std::size_t i = from; i < to; ++i) {
      total += masses[i] / masses[top];
      mean += masses[i] / masses[top] * points[i];
    }
    const bool alone = total < 1 + kBeside;
    law.points.push_back(alone ? points[top] : mean / total);
    law.alone.push_back(alone);
    law.log_masses.push_back(std::log(masses[top]) + std::log(total));
  }
  return law;
}

CoarseLaw ungrouped_law_of(std::span<const double> points, std::span<const double> masses) {
  CoarseLaw law{{points.begin(), points.end()}, {}, std::vector<bool>(points.size(), true)};
  for (const double mass : masses) {
    law.log_masses.push_back(std::log(mass));
  }
  return law;
}

CoarseLaw sums_of(const CoarseLaw& a, const CoarseLaw& b) {
  struct Sum {
    double point, log_mass;
    bool alone;
  };
  std::vector<Sum> sums;
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    for (std::size_t j = 0; j < b.points.size(); ++j) {
      sums.push_back(
          {a.points[i] + b.points[j], a.log_masses[i] + b.log_masses[j], a.alone[i] && b.alone[j]});
    }
  }
  std::sort(sums.begin(), sums.end(), [](const Sum& x, const Sum& y) { return x.point < y.point; });
  CoarseLaw law;
  for (const Sum& sum : sums) {
    law.points.push_back(sum.point);
    law.log_masses.push_back(sum.log_mass);
    law.alone.push_back(sum.alone);
  }
  return law;
}

std::vector<double> ends_of_cells(const CoarseLaw& law, std::span<const double> tilts, double epsilon,
                                  double first, double last, std::size_t cells) {
  return Divider(law, tilts, epsilon).ends(first, last, cells);
}

}  // namespace muster::accounting
