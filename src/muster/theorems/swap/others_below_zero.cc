#include "muster/theorems/swap/others_below_zero.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/sum_by_doubling.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::Side;
using numerics::SumLaw;

// Each law is used for all epsilon between two neighbouring values, the last one for all epsilon >= 45.
// Intervals are short near 1 and long where e^{-eps} is negligible.
constexpr std::array kFrom{1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0, 13.0, 20.0, 30.0, 45.0};
constexpr std::size_t kCells = 160;
constexpr double kFarthest = 64;       // the last knot divided by nearest + count; phi is negligible beyond
constexpr double kOutward = 1e-15;     // relative rounding error of a point or a mass
constexpr double kSummed = 1e-13;      // relative rounding error of a sum of some thousand masses
constexpr double kUnderflow = 1e-300;  // covers products below the range of a double
constexpr double kRaised = 1e-11;      // relative amount by which a profile may have raised a kink's mass

// Knots are equally spaced in ln(nearest + d), in which the logarithm of phi is nearly linear.
std::vector<double> knots_of(const OtherTerms& terms) {
  const double reach = std::log1p(kFarthest * (terms.nearest + terms.count) / terms.nearest);
  std::vector<double> knots;
  for (std::size_t k = 0; k <= kCells; ++k) {
    knots.push_back(terms.nearest * std::expm1(reach * static_cast<double>(k) / kCells));
  }
  return knots;
}

SumLaw sorted(const SumLaw& law) {
  std::vector<std::size_t> order(law.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return law.points[i]; });
  SumLaw result;
  for (const std::size_t i : order) {
    result.points.push_back(law.points[i]);
    result.masses.push_back(law.masses[i]);
  }
  return result;
}

class OneTerm {
 public:
  OneTerm(const Profile& profile, const OtherTerms& terms, std::size_t interval)
      : profile_(profile),
        terms_(terms),
        from_(kFrom[interval]),
        to_(interval + 1 < kFrom.size() ? kFrom[interval + 1] : std::numeric_limits<double>::infinity()) {}

  // Returns the atoms of one term for the upper bound. The kinks of the profile f are the log-ratios l at
  // which its law has atoms. In units of E, a report with a log-ratio l < eps lies e^{-l} - e^{-eps} below
  // zero, which is smallest at eps = from_. The last kink up to from_ and all later kinks are placed at 0.
  // The last kink up to from_ is one of them because the bound uses f itself from eps on and chords of f
  // before eps, which changes the mass of the last kink before eps. Since phi decreases, mass may be moved
  // toward 0 or added. So the point 0 gets the amount by which the other masses fall short of 1, plus the
  // amount by which the profile's masses, which are upper bounds, may exceed the true masses.
  SumLaw above() const {
    const std::vector<double>& l = profile_.log_alphas();
    const double gain = -std::expm1(-from_);
    SumLaw law;
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
      // With a weight w, a report that is not positive and would be placed at 0 lies gain (1 - w) below zero.
      const double not_positive = terms_.rate * (1 - profile_.alternative_tail(from_));
      add_report(0, larger(0.0, not_positive - reports * (1 + kSummed)));
    }
    add(gain, terms_.silent);
    // add() lowers the mass at 0, too, by the fraction kSummed. raised() makes up for this where clients
    // report, and the last term where their coins are revealed. Otherwise the masses of one client would sum
    // to less than 1, and those of many clients to much less.
    const double revealed = larger(0.0, 1 - terms_.rate - terms_.silent);
    add(0, larger(0.0, 1 - counted * (1 - kSummed)) + raised() + kSummed * revealed);
    return law;
  }

  // Returns the atoms of one term for the lower bound. In a tabulated profile, the mass of a kink stands for
  // masses between the two neighbouring nodes. It is placed at the lower of these nodes, so its share of D is
  // not smaller than the true one. Reports with l >= from_ that are not positive are placed at the largest
  // share of D that they can have.
  SumLaw below() const {
    const std::vector<double>& l = profile_.log_alphas();
    const double end = std::exp(-to_), gain = 1 - end;
    SumLaw law;
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
  // Returns a bound on how much the masses of one client's reports exceed the true masses, because the
  // profile's masses were rounded up. The mass that remains for the point 0 is too small by at most this
  // amount.
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
  const OneTerm term(profile, terms, interval);
  const std::vector<double> knots = knots_of(terms);
  const SumLaw one =
      numerics::gathered(sorted(side == Side::above ? term.above() : term.below()), side, knots);
  const SumLaw sum =
      numerics::sum_by_doubling(one, times, side, [&](double) { return std::vector<double>(knots); });
  // Points and masses are rounded outward: for the upper bound, points are moved down and masses up; for the
  // lower bound, points up and masses down.
  const double outward = side == Side::above ? 1 : -1;
  if (side == Side::above) {
    points_.push_back(0);
    // Mass that was dropped from a partial sum is charged at D = 0. In the sum over all clients it would have
    // been multiplied by the total mass of each client who is not in that partial sum. Such a total is hardly
    // more than 1, and the exponential bounds the product of all of them.
    masses_.push_back(sum.dropped * std::exp(sum.mass_error + 2 * kRaised * terms.count) + kUnderflow);
  }
  for (std::size_t i = 0; i < sum.points.size(); ++i) {
    points_.push_back(sum.points[i] * (1 - outward * (sum.point_error + kOutward)));
    masses_.push_back(sum.masses[i] * std::exp(outward * (sum.mass_error + kOutward)));
  }
}

}  // namespace muster::accounting
