#include "muster/accounting/bounds/swap/others_below_zero.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::smaller;
using Side = OthersBelowZero::Side;

// A law serves from one of these to the next: near 1 the interval matters, far out e^{-eps} is nothing.
constexpr std::array kFrom{1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0, 13.0, 20.0, 30.0, 45.0};
constexpr std::size_t kCells = 160;
constexpr double kFarthest = 64;    // times where D is expected: beyond, nothing is left of phi
constexpr double kOutward = 1e-15;  // of a point or a mass
constexpr double kSummed = 1e-13;   // of a mass: what summing some hundred positive products rounds
constexpr double kLeast = 1e-300;   // what products below the range of a double may have lost
constexpr double kRaised = 1e-11;   // of a kink's mass: by how much a profile may have raised it

struct Atoms {
  std::vector<double> points;
  std::vector<double> masses;
};

// Takes atoms into cells that are even in ln(nearest + d).
class Cells {
 public:
  Cells(double nearest, double farthest, Side side)
      : above_(side == Side::above), masses_(kCells + 1, 0), moments_(kCells + 1, 0) {
    const double reach = std::log1p(farthest / nearest);
    for (std::size_t k = 0; k <= kCells; ++k) {
      ends_.push_back(nearest * std::expm1(reach * static_cast<double>(k) / kCells));
    }
  }

  void add(double point, double mass) { put(0, point, mass); }

  // Atoms in increasing order from `first` on, each `shift` >= 0 further up, `times` their masses.
  void add(const Atoms& law, std::size_t first, double shift, double times) {
    std::size_t cell = 0;
    for (std::size_t i = first; i < law.points.size(); ++i) {
      cell = put(cell, law.points[i] + shift, law.masses[i] * times);
    }
  }

  Atoms atoms() const {
    Atoms law;
    for (std::size_t k = 0; k <= kCells; ++k) {
      // From below, what has lost digits may be left out; from above not even what is not a number.
      if (above_ ? masses_[k] != 0 : masses_[k] > kLeast) {
        law.points.push_back(above_ ? ends_[k] : moments_[k] / masses_[k] * (1 + kSummed));
        law.masses.push_back(masses_[k]);
      }
    }
    return law;
  }

 private:
  // Into a cell that is not before `cell`; returns which.
  std::size_t put(std::size_t cell, double point, double mass) {
    // Outward: from above, a smaller D is charged.
    const double d = point * (above_ ? 1 - kOutward : 1 + kOutward);
    while (cell < kCells && d >= ends_[cell + 1]) ++cell;
    if (cell == kCells) {
      // What lies beyond all cells: at the last end, or left out.
      if (above_) masses_[cell] += mass;
    } else if (above_) {
      const double share = (d - ends_[cell]) / (ends_[cell + 1] - ends_[cell]) * (1 - 4 * kOutward);
      const double up = mass * numerics::within(share, 0.0, 1.0);
      masses_[cell + 1] += up;
      masses_[cell] += mass - up;
    } else {
      masses_[cell] += mass;
      moments_[cell] += mass * d;
    }
    return cell;
  }

  bool above_;
  std::vector<double> ends_;
  std::vector<double> masses_;
  std::vector<double> moments_;
};

class OneTerm {
 public:
  OneTerm(const Profile& profile, const OtherTerms& terms, std::size_t interval)
      : profile_(profile),
        terms_(terms),
        from_(kFrom[interval]),
        to_(interval + 1 < kFrom.size() ? kFrom[interval + 1] : std::numeric_limits<double>::infinity()) {}

  // A kink of the profile at l < eps is the atom e^{-l} - e^{-eps}. The last one below `from` would have
  // another mass in a profile that is exact from eps on: like all that follow it, it counts as 0. Masses of a
  // profile are upper bounds; a measure that is nowhere less than the law's serves, so zero has the rest of 1
  // and what they were raised by.
  Atoms above() const {
    const std::vector<double>& l = profile_.log_alphas();
    const double gain = -std::expm1(-from_);
    Atoms law;
    double counted = 0;
    const auto add = [&](double point, double mass) {
      law.points.push_back(point * (1 - 4 * kOutward));
      law.masses.push_back(mass * (1 - kSummed));
      counted += mass;
    };
    const auto add_report = [&](double d, double mass) {
      weighted([&](double w, double p) { add(gain * (1 - w) + w * d, mass * p); });
    };
    double reports = 0;
    for (std::size_t i = 0; i + 1 < l.size() && l[i + 1] <= from_; ++i) {
      const double mass = terms_.rate * profile_.p_masses()[i];
      add_report(std::exp(-l[i]) * -std::expm1(l[i] - from_), mass);
      reports += mass;
    }
    if (terms_.weights != nullptr) {
      // Those at zero, and not above it, lie below by their weight.
      const double not_positive = terms_.rate * (1 - profile_.alternative_tail(from_));
      add_report(0, larger(0.0, not_positive - reports * (1 + kSummed)));
    }
    add(gain, terms_.silent);
    add(0, larger(0.0, 1 - counted * (1 - kSummed)) + raised());
    return law;
  }

  // Each kink's mass one node further down, so that what a chord spreads upward in l counts as spread
  // downward; what has l > from, and is not positive, at the largest D it can have.
  Atoms below() const {
    const std::vector<double>& l = profile_.log_alphas();
    const double end = std::exp(-to_), gain = 1 - end;
    Atoms law;
    const auto add = [&](double point, double mass) {
      law.points.push_back(point * (1 + 4 * kOutward));
      law.masses.push_back(mass * (1 - kRaised));
    };
    const auto add_report = [&](double d, double mass) {
      weighted([&](double w, double p) { add(gain * (1 - w) + w * d, mass * p); });
    };
    double reports = 0;
    for (std::size_t i = 0; i < l.size() && l[i] < from_; ++i) {
      const double mass = terms_.rate * profile_.p_masses()[i];
      if (i > 0) add_report(std::exp(-l[i - 1]) - end, mass);
      reports += mass;
    }
    const double not_positive = terms_.rate * (1 - profile_.alternative_tail(from_));
    add_report(std::exp(-from_) - end, larger(0.0, not_positive - reports * (1 + kSummed)));
    add(gain, terms_.silent);
    add_report(0, larger(0.0, 1 - terms_.rate - terms_.silent - kSummed));
    return law;
  }

 private:
  // By how much all masses of the profile together were raised: what is not counted may be larger by that.
  double raised() const {
    double total = profile_.mass_at_infinity();
    for (const double mass : profile_.p_masses()) total += mass;
    return terms_.rate * (larger(0.0, total - 1) + kSummed);
  }

  template <typename Each>
  void weighted(const Each& each) const {
    if (terms_.weights == nullptr) {
      each(1.0, 1.0);
      return;
    }
    for (std::size_t a = 0; a < terms_.weights->values.size(); ++a) {
      each(terms_.weights->values[a], terms_.weights->probabilities[a]);
    }
  }

  const Profile& profile_;
  const OtherTerms& terms_;
  double from_, to_;
};

}  // namespace

std::size_t OthersBelowZero::interval_of(double epsilon) {
  std::size_t k = 0;
  while (k + 1 < kFrom.size() && epsilon >= kFrom[k + 1]) ++k;
  return k;
}

OthersBelowZero::OthersBelowZero(const Profile& profile, const OtherTerms& terms, std::size_t interval,
                                 Side side) {
  const auto times = static_cast<std::uint64_t>(terms.count);
  if (times == 0) {
    points_ = {0};
    masses_ = {1};
    return;
  }
  const double farthest = kFarthest * (terms.nearest + terms.count);
  const auto gathered = [&](const auto& fill) {
    Cells cells(terms.nearest, farthest, side);
    fill(cells);
    return cells.atoms();
  };
  const OneTerm term(profile, terms, interval);
  const Atoms scattered = side == Side::above ? term.above() : term.below();
  const Atoms one = gathered([&](Cells& cells) {
    for (std::size_t i = 0; i < scattered.points.size(); ++i) {
      cells.add(scattered.points[i], scattered.masses[i]);
    }
  });
  Atoms sum = one;
  for (int bit = static_cast<int>(std::bit_width(times)) - 2; bit >= 0; --bit) {
    sum = gathered([&](Cells& cells) {
      for (std::size_t i = 0; i < sum.points.size(); ++i) {
        // Each pair of different atoms twice.
        cells.add(2 * sum.points[i], sum.masses[i] * sum.masses[i]);
        cells.add(sum, i + 1, sum.points[i], 2 * sum.masses[i]);
      }
    });
    if (times >> bit & 1) {
      sum = gathered([&](Cells& cells) {
        for (std::size_t i = 0; i < one.points.size(); ++i) cells.add(sum, 0, one.points[i], one.masses[i]);
      });
    }
  }
  points_ = std::move(sum.points);
  masses_ = std::move(sum.masses);
  const double outward = side == Side::above ? 1 : -1;
  for (double& mass : masses_) mass *= std::exp(outward * 2 * kSummed * terms.count);
  if (side == Side::above) {
    points_.insert(points_.begin(), 0);
    masses_.insert(masses_.begin(), kLeast);
  }
}

}  // namespace muster::accounting
