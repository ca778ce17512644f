#include "muster/composition/convolved_losses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "muster/composition/loss_cells.h"
#include "muster/composition/loss_integral.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::kUlpAbove;
using numerics::larger;
using numerics::smaller;

// Up to this width of a cell, or this distance from its left end, a polynomial replaces the exponential.
constexpr double kNarrow = 0.1;
// A bound on the relative error of a cell's mass: 9,000 roundings (slack.h). A mass is a sum of about a
// thousand rows' sums, each of about a thousand positive terms (kCells in convolved_near.cc). Where a law is
// convolved with itself, each atom has two rows, and for an upper bound a row adds to a cell up to twice. So
// a mass takes at most 5,000.
constexpr double kSummed = 1e-12;
// A bound on the relative error of the masses of one round's law, not counting the rounding in the sum of its
// atoms.
constexpr double kRound = 1e-14;
// A bound on the total error of products that underflow.
constexpr double kUnderflow = 1e-300;

struct Atoms {
  std::vector<double> points;  // the atoms' points, increasing
  std::vector<double> masses;
};

// Collects sums of losses in cells, one row of a convolution at a time. A row has the sums of one atom of
// the first law with atoms of the second.
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

  // Adds the law's atoms with indices in [first, last), with losses shifted by `shift` and masses multiplied
  // by `times`.
  void add(const Atoms& law, std::size_t first, std::size_t last, double shift, double times) {
    longest_row_ = larger(longest_row_, static_cast<double>(last) - static_cast<double>(first));
    above_ ? add_above(law, first, last, shift, times) : add_below(law, first, last, shift, times);
  }

  Atoms atoms() const {
    Atoms law;
    for (std::size_t k = 0; k < ends_.size(); ++k) {
      // A lower bound may leave out masses so small that they have lost digits. An upper bound leaves out
      // nothing, not even a NaN.
      if (above_ ? masses_[k] != 0 : masses_[k] > kUnderflow) {
        law.masses.push_back(masses_[k]);
        law.points.push_back(above_ ? ends_[k] : mean_of_u(k));
      }
    }
    return law;
  }

 private:
  // A bound on the rounding error of a shifted loss. The sum takes one rounding; the bound is four, so that
  // it also covers the rounding of the bound itself.
  static double rounding(const Atoms& law, double shift) {
    return 2 * kUlpAbove *
           (std::abs(shift) + larger(std::abs(law.points.front()), std::abs(law.points.back())));
  }
  // The index of the cell that contains `loss`, searched from `cell` to the right. The last end is a cell by
  // itself.
  std::size_t cell_of(double loss, std::size_t cell) const {
    while (cell + 1 < ends_.size() && loss >= ends_[cell + 1]) {
      ++cell;
    }
    return cell;
  }

  // Calls each(cell, loss, mass) for every shifted atom, and flush(cell) after the last atom in a cell.
  // `flush` adds the row's sum over the cell to the sum over earlier rows, so that each row rounds the sum
  // over earlier rows only once.
  template <typename Each, typename Flush>
  void visit(const Atoms& law, std::size_t first, std::size_t last, double shift, double times,
             const Each& each, const Flush& flush) const {
    std::size_t cell = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double loss = law.points[i] + shift;
      if (const std::size_t next = cell_of(loss, cell); next != cell) {
        flush(cell);
        cell = next;
      }
      each(cell, loss, law.masses[i] * times);
    }
    flush(cell);
  }

  void add_above(const Atoms& law, std::size_t first, std::size_t last, double shift, double times) {
    const double off = rounding(law, shift);
    double down = 0, up = 0;
    const auto each = [&](std::size_t cell, double loss, double mass) {
      if (cell + 1 == ends_.size()) {
        down += mass;
        return;
      }
      // The share of the mass that the upper end takes is (1 - e^{-d}) / (1 - e^{-w}), where d is the
      // distance from the lower end and w the width. It is at most d/w e^{(w-d)/2}.
      const double d = loss - ends_[cell] + off;
      const double width = ends_[cell + 1] - ends_[cell];
      const double y = (width - d) / 2;
      // In a wide cell, the exponential has an error of at most an ulp of 1. The factor covers 16 roundings,
      // of which d takes two. In a narrow cell, the polynomial takes two, its product one and `inverse_` two;
      // in a wide cell, the difference and the sum take two and `inverse_` four. The product with `inverse_`
      // takes one, and the factor and its two products three. These are 11 in a narrow cell and 12 in a wide
      // one.
      const double share =
          inverse_[cell] * (width <= kNarrow ? d * (1 + y * (1 + y)) : 1 - std::exp(-d) + kUlpAbove);
      const double part = mass * smaller(share * (1 + 8 * kUlpAbove), 1.0);
      up += part;
      down += mass - part;
    };
    visit(law, first, last, shift, times, each, [&](std::size_t cell) {
      masses_[cell] += down;
      if (cell + 1 < ends_.size()) {
        masses_[cell + 1] += up;
      }
      down = up = 0;
    });
  }

  void add_below(const Atoms& law, std::size_t first, std::size_t last, double shift, double times) {
    const double off = rounding(law, shift);
    double sum = 0, v = 0;
    const auto each = [&](std::size_t cell, double loss, double mass) {
      const double d = larger(0.0, loss - ends_[cell] - off);
      sum += mass;
      v += mass * (d <= kNarrow ? d * (1 - d / 2) : 1 - std::exp(-d));
    };
    visit(law, first, last, shift, times, each, [&](std::size_t cell) {
      masses_[cell] += sum;
      v_[cell] += v;
      sum = v = 0;
    });
  }

  double mean_of_u(std::size_t cell) const {
    // There are two sums, of the masses and of v. In each of them, a row's sum takes one rounding for each
    // atom. kSummed covers 2,000 roundings of each sum over rows, and 25 of a term.
    const double inward = 1 - kSummed - kUlpAbove * longest_row_;
    const double v = smaller(v_[cell] / masses_[cell] * inward, 1 - kUlpAbove);
    const double beyond = -std::log1p(-v);
    // The logarithm takes two roundings, the sum and the difference one each; eight are subtracted.
    return ends_[cell] + beyond - 4 * kUlpAbove * (std::abs(ends_[cell]) + beyond);
  }

  bool above_;
  std::vector<double> ends_;
  std::vector<double> inverse_;  // 1 / width, or 1 / (1 - e^{-width}) for wide cells
  std::vector<double> masses_;
  double longest_row_ = 0;  // the largest number of atoms of a row
  // For lower bounds: the sum of mass (1 - e^{-d}) over a cell, where d is the distance from its left end.
  std::vector<double> v_;
};

// The parameters that all convolutions of one computation share.
struct ConvolutionSettings {
  std::span<const double> tilts;
  double epsilon;
  double mean;  // the mean of the sum of all rounds' losses
  std::size_t cells;
  ConvolvedLosses::Side side;
  // The loss near which cells should be narrow in the law of some of the rounds, if their sum has the mean
  // `part`. It is epsilon minus the mean of the sum of all other rounds.
  double deciding(double part) const { return epsilon - (mean - part); }
};

double mean_of(const Atoms& law) {
  double mean = 0;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    mean += law.masses[i] * law.points[i];
  }
  return mean;
}

Atoms convolved(const Atoms& a, const Atoms& b, const ConvolutionSettings& settings) {
  // A law for lower bounds has no atoms if all its masses have underflowed. The lower bound of delta is then
  // 0.
  if (a.points.empty() || b.points.empty()) return {};
  const bool square = &a == &b;
  const CoarseLaw first = coarse_law_of(a.points, a.masses);
  const CoarseLaw sums = square ? sums_of(first, first) : sums_of(first, coarse_law_of(b.points, b.masses));
  const double least = a.points.front() + b.points.front();
  // For upper bounds, the last end must not be below any sum, even after the rounding of the sums. The sum of
  // two points takes one rounding, and the sum with `beyond` another; `beyond` allows for eight.
  const double beyond = settings.side == ConvolvedLosses::Side::above
                            ? 4 * kUlpAbove * (std::abs(a.points.back()) + std::abs(b.points.back()))
                            : 0;
  const double most = a.points.back() + b.points.back() + beyond;
  Cells cells(ends_of_cells(sums, settings.tilts, settings.deciding(mean_of(a) + mean_of(b)), least, most,
                            settings.cells),
              settings.side);
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    if (square) {
      // Each pair of different atoms counts twice.
      cells.add(b, i, i + 1, a.points[i], a.masses[i]);
      cells.add(b, i + 1, b.points.size(), a.points[i], 2 * a.masses[i]);
    } else {
      cells.add(b, 0, b.points.size(), a.points[i], a.masses[i]);
    }
  }
  return cells.atoms();
}

Atoms one_round(const RepeatedLoss& part, const ConvolutionSettings& settings) {
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
  for (const auto& [point, mass] : sorted) {
    law.points.push_back(point);
    law.masses.push_back(mass);
  }
  if (law.points.size() <= settings.cells) {
    return law;
  }
  Cells cells(
      ends_of_cells(ungrouped_law_of(law.points, law.masses), settings.tilts, settings.deciding(mean_of(law)),
                    law.points.front(), law.points.back(), settings.cells),
      settings.side);
  cells.add(law, 0, law.points.size(), 0, 1);
  return cells.atoms();
}

Atoms power(const Atoms& one, double rounds, const ConvolutionSettings& settings) {
  Atoms result = one;
  const auto times = static_cast<std::uint64_t>(rounds);
  for (int bit = static_cast<int>(std::bit_width(times)) - 2; bit >= 0; --bit) {
    result = convolved(result, result, settings);
    if (times >> bit & 1) {
      result = convolved(result, one, settings);
    }
  }
  return result;
}

}  // namespace

ConvolvedLosses::ConvolvedLosses(std::span<const RepeatedLoss> parts, const Evaluation& evaluation,
                                 std::size_t cells, Side side)
    : side_(side) {
  const double mean = sum_over(parts, [](const RepeatedLoss& p) { return p.losses->mean(); });
  const ConvolutionSettings settings{evaluation.tilts, evaluation.epsilon, mean, cells, side};
  std::optional<Atoms> total;
  for (const RepeatedLoss& part : parts) {
    Atoms law = power(one_round(part, settings), part.rounds, settings);
    total = total ? convolved(*total, law, settings) : std::move(law);
    // The relative errors of masses add up over the rounds. Each round contributes kRound, the rounding of
    // the sum over its atoms, and twice kSummed: once for its own cells and once for a convolution. There is
    // one convolution fewer than there are rounds, so one kSummed is left for the sum in delta(), which takes
    // a rounding for each atom, and eight for a term and for the last products and sums.
    const auto atoms = static_cast<double>(part.losses->points.size());
    slack_ += part.rounds * (kRound + kUlpAbove * atoms + 2 * kSummed);
  }
  points_ = std::move(total->points);
  masses_ = std::move(total->masses);
}

double ConvolvedLosses::delta(double epsilon) const {
  const double outward = side_ == Side::above ? 1 : -1;
  double sum = 0;
  for (std::size_t i = points_.size(); i-- > 0;) {
    // `rounding` is four roundings of |epsilon| + |point|. The difference and the sum with `rounding` use two
    // of them.
    const double rounding = 2 * kUlpAbove * (std::abs(epsilon) + std::abs(points_[i]));
    const double excess = points_[i] - epsilon + outward * rounding;
    if (excess <= 0) break;
    sum += masses_[i] * -std::expm1(-excess);
  }
  const double value = sum * std::exp(outward * slack_);
  return side_ == Side::above ? numerics::as_upper_bound(value + kUnderflow)
                              : numerics::as_lower_bound(value);
}

}  // namespace muster::accounting
