#include "muster/accounting/composition/convolved_losses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>

#include "muster/accounting/composition/loss_integral.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::smaller;

constexpr std::size_t kCoarse = 100;  // atoms of each law when cells are chosen
constexpr double kBeside = 1e-3;      // of an atom that counts as alone in its group
constexpr double kNarrow = 0.1;       // cells up to it are split by a polynomial
constexpr double kUlp = 2.3e-16;
constexpr double kSummed = 1e-12;  // relative error of a cell: some thousand sums of as many positive terms
constexpr double kRound = 1e-14;   // of a round's masses
constexpr double kLeast = 1e-300;  // what products below the range of a double may have lost

struct Atoms {
  std::vector<double> points;  // increasing
  std::vector<double> masses;
};

// About where a law is: points in increasing order with the logarithms of their masses.
struct Sketch {
  std::vector<double> points;
  std::vector<double> log_masses;
  std::vector<bool> alone;  // nearly all of the mass is at that very point
};

// At most kCoarse groups of neighbours, each at its mean, or where most of its mass is.
Sketch sketch_of(const Atoms& law) {
  Sketch sketch;
  const std::size_t size = law.points.size();
  const std::size_t most = (size + kCoarse - 1) / kCoarse;
  for (std::size_t from = 0; from < size; from += most) {
    const std::size_t to = smaller(size, from + most);
    std::size_t top = from;
    for (std::size_t i = from; i < to; ++i) {
      top = law.masses[i] > law.masses[top] ? i : top;
    }
    double total = 0, mean = 0;
    for (std::size_t i = from; i < to; ++i) {
      total += law.masses[i] / law.masses[top];
      mean += law.masses[i] / law.masses[top] * law.points[i];
    }
    const bool alone = total < 1 + kBeside;
    sketch.points.push_back(alone ? law.points[top] : mean / total);
    sketch.alone.push_back(alone);
    sketch.log_masses.push_back(std::log(law.masses[top]) + std::log(total));
  }
  return sketch;
}

Sketch sums_of(const Sketch& a, const Sketch& b) {
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
  Sketch sketch;
  for (const Sum& sum : sums) {
    sketch.points.push_back(sum.point);
    sketch.log_masses.push_back(sum.log_mass);
    sketch.alone.push_back(sum.alone);
  }
  return sketch;
}

// Ends of cells between the ends of a law: heavy atoms are ends, and the cell that counts most is divided,
// again and again. An atom at x counts as e^{-c (epsilon - x)_+} for each tilt c: it can decide no more than
// that it passes epsilon.
class Divider {
 public:
  Divider(const Sketch& sketch, std::span<const double> tilts, double epsilon)
      : points_(sketch.points),
        tilts_(tilts),
        finest_(kFinest / *std::max_element(tilts.begin(), tilts.end())) {
    std::vector<bool> heavy(points_.size(), false);
    std::vector<std::vector<double>> weights;
    const auto weights_under = [&](double c, double heavy_share) {
      std::vector<double> logs;
      double top = -std::numeric_limits<double>::infinity(), total = 0;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        logs.push_back(sketch.log_masses[i] - c * larger(0.0, epsilon - points_[i]));
        top = larger(top, logs.back());
      }
      for (double& l : logs) total += l = std::exp(l - top);
      for (std::size_t i = 0; i < points_.size(); ++i) {
        logs[i] /= total;
        heavy[i] = heavy[i] || (sketch.alone[i] && logs[i] > heavy_share);
      }
      return logs;
    };
    weights_under(0, 0.5);  // what is nearly certain would be shifted in every round
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
  // By how much spreading the mass of a cell to its ends raises the sum of e^{cx} over all atoms, relative to
  // the sum: its mean grows by w/2 tanh(w/4) at most, its variance by w^2/4.
  Cell cell(double from, double to) const {
    const double width = to - from;
    const auto low = std::lower_bound(points_.begin(), points_.end(), from - width / 4) - points_.begin();
    const auto high = std::upper_bound(points_.begin(), points_.end(), to + width / 4) - points_.begin();
    double cost = 0;
    for (std::size_t t = 0; t < tilts_.size(); ++t) {
      const double mass = sums_[t][static_cast<std::size_t>(high)] - sums_[t][static_cast<std::size_t>(low)];
      const double spread = tilts_[t] * width / 2;
      const double half = std::sinh(smaller(spread / 2, kSteepest));
      cost += larger(0.0, mass) * (spread * std::tanh(width / 4) + 2 * half * half);
    }
    return {cost, from, to};
  }
  // The atom nearest to the middle if one is near it, so that laws on few points keep them.
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
  static constexpr double kHeavy = 1.0 / 200;  // of all that counts
  static constexpr double kSteepest = 20;
  static constexpr double kFinest = 1e-6;  // narrower cells change no sum of e^{cx} that counts
  const std::vector<double>& points_;
  std::span<const double> tilts_;
  double finest_;
  std::vector<double> heavy_;              // increasing
  std::vector<std::vector<double>> sums_;  // of what other atoms count, for each tilt, from the left
};

// Takes sums of losses, row by row, into cells.
class Cells {
 public:
  Cells(std::vector<double> ends, ConvolvedLosses::Side side)
      : above_(side == ConvolvedLosses::Side::above),
        ends_(std::move(ends)),
        masses_(ends_.size(), 0),
        v_(ends_.size(), 0) {
    for (std::size_t k = 0; k + 1 < ends_.size(); ++k) {
      const double width = ends_[k + 1] - ends_[k];
      inverse_.push_back(width <= kNarrow ? 1 / width : -1 / std::expm1(-width));
    }
    inverse_.push_back(0);
  }

  // The law's atoms from `first` to before `last`, shifted by `shift`, `times` their masses.
  void add(const Atoms& law, std::size_t first, std::size_t last, double shift, double times) {
    above_ ? add_above(law, first, last, shift, times) : add_below(law, first, last, shift, times);
  }

  Atoms atoms() const {
    Atoms law;
    for (std::size_t k = 0; k < ends_.size(); ++k) {
      // From below, what has lost digits may be left out; from above not even what is not a number.
      if (above_ ? masses_[k] != 0 : masses_[k] > kLeast) {
        law.masses.push_back(masses_[k]);
        law.points.push_back(above_ ? ends_[k] : mean_of_u(k));
      }
    }
    return law;
  }

 private:
  // What shifting a loss may round.
  static double rounding(const Atoms& law, double shift) {
    return 2 * kUlp * (std::abs(shift) + larger(std::abs(law.points.front()), std::abs(law.points.back())));
  }
  // The cell of a loss that is not in an earlier one; the last end is a cell of its own.
  std::size_t cell_of(double loss, std::size_t cell) const {
    while (cell + 1 < ends_.size() && loss >= ends_[cell + 1]) {
      ++cell;
    }
    return cell;
  }

  void add_above(const Atoms& law, std::size_t first, std::size_t last, double shift, double times) {
    const double off = rounding(law, shift);
    std::size_t cell = 0;
    double down = 0, up = 0;  // a cell's own sums first: fewer roundings
    const auto flush = [&] {
      masses_[cell] += down;
      if (cell + 1 < ends_.size()) {
        masses_[cell + 1] += up;
      }
      down = up = 0;
    };
    for (std::size_t i = first; i < last; ++i) {
      const double loss = law.points[i] + shift;
      if (const std::size_t next = cell_of(loss, cell); next != cell) {
        flush();
        cell = next;
      }
      const double mass = law.masses[i] * times;
      if (cell + 1 == ends_.size()) {
        down += mass;
        continue;
      }
      // The share of the upper end, (1 - e^{-d}) / (1 - e^{-w}), is at most d/w e^{(w-d)/2}.
      const double d = loss - ends_[cell] + off;
      const double width = ends_[cell + 1] - ends_[cell];
      const double y = (width - d) / 2;
      const double share =
          width <= kNarrow ? d * inverse_[cell] * (1 + y * (1 + y)) : -std::expm1(-d) * inverse_[cell];
      const double part = mass * smaller(share * (1 + 8 * kUlp), 1.0);
      up += part;
      down += mass - part;
    }
    flush();
  }

  void add_below(const Atoms& law, std::size_t first, std::size_t last, double shift, double times) {
    const double off = rounding(law, shift);
    std::size_t cell = 0;
    double mass = 0, v = 0;
    const auto flush = [&] {
      masses_[cell] += mass;
      v_[cell] += v;
      mass = v = 0;
    };
    for (std::size_t i = first; i < last; ++i) {
      const double loss = law.points[i] + shift;
      if (const std::size_t next = cell_of(loss, cell); next != cell) {
        flush();
        cell = next;
      }
      const double term = law.masses[i] * times;
      const double d = larger(0.0, loss - ends_[cell] - off);
      mass += term;
      v += term * (d <= kNarrow ? d * (1 - d / 2) : -std::expm1(-d));
    }
    flush();
  }

  double mean_of_u(std::size_t cell) const {
    const double v = smaller(v_[cell] / masses_[cell] * (1 - kSummed), 1 - kUlp);
    const double loss = ends_[cell] - std::log1p(-v);
    return loss - 4 * kUlp * std::abs(loss);
  }

  bool above_;
  std::vector<double> ends_;
  std::vector<double> inverse_;  // of a cell's width, or of 1 - e^{-w}
  std::vector<double> masses_;
  std::vector<double> v_;  // from below: the sum of 1 - e^{-d}, d from the cell's left end
};

// How a law is convolved.
struct Manner {
  std::span<const double> tilts;
  double epsilon;
  double mean;  // of all rounds' losses
  std::size_t cells;
  ConvolvedLosses::Side side;
  // Where the sum of some rounds, of mean `part`, decides the question.
  double deciding(double part) const { return epsilon - (mean - part); }
};

double mean_of(const Atoms& law) {
  double mean = 0;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    mean += law.masses[i] * law.points[i];
  }
  return mean;
}

Atoms convolved(const Atoms& a, const Atoms& b, const Manner& manner) {
  const bool square = &a == &b;
  const Sketch first = sketch_of(a);
  const Sketch sums = square ? sums_of(first, first) : sums_of(first, sketch_of(b));
  const double least = a.points.front() + b.points.front();
  // Sums are rounded: from above, the last end is beyond all of them.
  const double beyond = manner.side == ConvolvedLosses::Side::above
                            ? 4 * kUlp * (std::abs(a.points.back()) + std::abs(b.points.back()))
                            : 0;
  const double most = a.points.back() + b.points.back() + beyond;
  Cells cells(
      Divider(sums, manner.tilts, manner.deciding(mean_of(a) + mean_of(b))).ends(least, most, manner.cells),
      manner.side);
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    if (square) {
      // Each pair of different atoms twice.
      cells.add(b, i, i + 1, a.points[i], a.masses[i]);
      cells.add(b, i + 1, b.points.size(), a.points[i], 2 * a.masses[i]);
    } else {
      cells.add(b, 0, b.points.size(), a.points[i], a.masses[i]);
    }
  }
  return cells.atoms();
}

Atoms one_round(const RepeatedLoss& part, const Manner& manner) {
  std::vector<std::pair<double, double>> sorted;
  long double rest = 1;
  for (std::size_t i = 0; i < part.losses->points.size(); ++i) {
    sorted.emplace_back(part.losses->points[i], part.losses->weights[i]);
    rest -= part.losses->weights[i];
  }
  if (rest > 0) {
    sorted.emplace_back(0.0, static_cast<double>(rest));
  }
  std::sort(sorted.begin(), sorted.end());
  Atoms law;
  Sketch sketch;
  for (const auto& [point, mass] : sorted) {
    law.points.push_back(point);
    law.masses.push_back(mass);
    sketch.points.push_back(point);
    sketch.log_masses.push_back(std::log(mass));
    sketch.alone.push_back(true);
  }
  if (law.points.size() <= manner.cells) {
    return law;
  }
  Cells cells(Divider(sketch, manner.tilts, manner.deciding(mean_of(law)))
                  .ends(law.points.front(), law.points.back(), manner.cells),
              manner.side);
  cells.add(law, 0, law.points.size(), 0, 1);
  return cells.atoms();
}

Atoms power(const Atoms& one, double rounds, const Manner& manner) {
  Atoms result = one;
  const auto times = static_cast<std::uint64_t>(rounds);
  for (int bit = static_cast<int>(std::bit_width(times)) - 2; bit >= 0; --bit) {
    result = convolved(result, result, manner);
    if (times >> bit & 1) {
      result = convolved(result, one, manner);
    }
  }
  return result;
}

}  // namespace

ConvolvedLosses::ConvolvedLosses(std::span<const RepeatedLoss> parts, const Interest& interest,
                                 std::size_t cells, Side side)
    : side_(side) {
  const double mean = sum_over(parts, [](const RepeatedLoss& p) { return p.losses->mean(); });
  const Manner manner{interest.tilts, interest.epsilon, mean, cells, side};
  std::optional<Atoms> total;
  double rounds = 0;
  for (const RepeatedLoss& part : parts) {
    Atoms law = power(one_round(part, manner), part.rounds, manner);
    total = total ? convolved(*total, law, manner) : std::move(law);
    rounds += part.rounds;
  }
  // A round's masses are off by kRound, and those of each convolution by kSummed.
  slack_ = rounds * (kRound + 2 * kSummed);
  points_ = std::move(total->points);
  masses_ = std::move(total->masses);
}

double ConvolvedLosses::delta(double epsilon) const {
  const double outward = side_ == Side::above ? 1 : -1;
  double sum = 0;
  for (std::size_t i = points_.size(); i-- > 0;) {
    const double rounding = 2 * kUlp * (std::abs(epsilon) + std::abs(points_[i]));
    const double excess = points_[i] - epsilon + outward * rounding;
    if (excess <= 0) break;
    sum += masses_[i] * -std::expm1(-excess);
  }
  const double value = sum * std::exp(outward * slack_);
  return side_ == Side::above ? numerics::as_upper_bound(value + kLeast) : numerics::as_lower_bound(value);
}

}  // namespace muster::accounting
