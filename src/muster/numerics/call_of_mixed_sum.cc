#include "muster/numerics/call_of_mixed_sum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "muster/numerics/contour.h"

namespace muster::numerics {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr double kNegligible = 36;
constexpr double kSmoothingCut = 9.5;  // frequencies beyond this many 1/s carry less than e^-45
constexpr double kFinest = 8e-3;       // smoothing, in units of the payoff's own scale 1/c

struct Moments {
  double log_mgf = 0;
  double mean = 0;
  double variance = 0;
};

// Of the whole sum, tilted by c.
Moments tilted(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double c) {
  Moments sum;
  for (const ScaledCopies& group : groups) {
    const Tilt tilt = tilt_of(law, c * group.scale);
    sum.log_mgf += group.copies * tilt.log_mgf;
    sum.mean += group.copies * group.scale * tilt.mean;
    sum.variance += group.copies * group.scale * group.scale * tilt.variance;
  }
  return sum;
}

struct Group {
  TiltedLaw tilt;
  EquispacedCharacteristic characteristic;
  double copies;
  double threshold;  // of the characteristic's modulus: below it the whole term is negligible
};

std::vector<Group> prepare(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double c,
                           double step) {
  std::vector<Group> result;
  for (const ScaledCopies& group : groups) {
    if (group.copies <= 0 || group.scale <= 0) {
      continue;
    }
    AtomicLaw scaled = law;
    for (double& y : scaled.points) {
      y *= group.scale;
    }
    const TiltedLaw tilt(scaled, c);
    result.push_back(
        {tilt, EquispacedCharacteristic(tilt, step), group.copies, std::exp(-kNegligible / group.copies)});
  }
  return result;
}

struct Sum {
  double value;
  double error;    // two-sided: skipped terms, truncation, round-off
  double density;  // upper bound on the density of the smoothed sum at k
  bool affordable;
};

// The trapezoid at smoothing s, in units of e^{log_scale}.
Sum trapezoid(const AtomicLaw& law, const std::vector<ScaledCopies>& copies, double k, double c,
              double period, double s, double budget) {
  const double step = 2 * std::numbers::pi / period;
  const double last = std::floor(kSmoothingCut / s / step);
  std::vector<Group> groups = prepare(law, copies, c, step);
  std::vector<contour::RoundOff> round_offs;
  for (const Group& group : groups) {
    round_offs.emplace_back(group.tilt, group.copies, c, k);
  }
  const auto round_off = [&round_offs](double t) {
    double sum = 0;
    for (const contour::RoundOff& each : round_offs) {
      sum += each.at(t);
    }
    return sum;
  };
  double value = 1 / (c * c);
  double noise = value * round_off(0);
  double density = 1 + round_off(0);
  double skipped = 0;
  double work = 0;
  bool in_step = true;
  for (double j = 1; j <= last;) {
    const double t = j * step;
    work += in_step ? 1 : contour::kDirectCost;
    if (work > budget) {
      return {0, 0, 0, false};
    }
    double exponent = -0.5 * s * s * t * t;
    double phase = 0;
    double amplify = 1;
    double leap = 0;  // how far one group alone keeps the term negligible
    for (Group& group : groups) {
      const std::complex<double> minus_one =
          in_step ? group.characteristic.advance() : group.tilt.characteristic_minus_one(t);
      const double re = minus_one.real();
      const double im = minus_one.imag();
      const double modulus = std::sqrt((1 + re) * (1 + re) + im * im) + contour::kFloor;
      exponent += group.copies * (modulus > 0.5 ? 0.5 * std::log1p(std::max(2 * re + re * re + im * im, -1.0))
                                                : std::log(modulus));
      phase += group.copies * std::atan2(im, 1 + re);
      amplify = std::max(amplify, 1 / modulus);
      leap = std::max(leap, std::floor((group.threshold - modulus) / group.tilt.absolute_mean() / step));
    }
    if (exponent > -kNegligible) {
      if (!in_step) {
        for (Group& group : groups) {
          group.characteristic.seek(j);
        }
        in_step = true;
      }
      const double size = 2 * std::exp(exponent);
      const double angle = phase - t * k + s * s * c * t;
      const std::complex<double> z(c, t);
      const std::complex<double> term = std::polar(size, angle) / (z * z);
      value += term.real();
      noise += std::abs(term) * round_off(t) * amplify;
      density += size * (std::cos(angle) + round_off(t) * amplify);
      j += 1;
      continue;
    }
    leap = std::min(leap, last - j);
    const double each = 2 * std::exp(-kNegligible);
    skipped += each * (leap + 1) / (t * t);
    density += each * (leap + 1);
    j += leap + 1;
    in_step = in_step && leap == 0;
  }
  // The rest: a decreasing integrand, first term plus integral, with |phi| <= 1 and the smoothing alone.
  const double t = (last + 1) * step;
  const double rest = 2 * std::exp(-0.5 * s * s * t * t);
  skipped += rest * (1 / (step * t) + 1 / (t * t));
  density += rest * (1 / (step * s * s * t) + 1);
  const double scale = std::exp(0.5 * s * s * c * c) / period;
  return {value * scale, (skipped + noise) * scale, std::max(0.0, density) * scale, true};
}

}  // namespace

double mixed_sum_saddle(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k) {
  return contour::saddle_point(
      [&](double c) {
        const Moments at = tilted(law, groups, c);
        return contour::Moments{at.mean, at.variance};
      },
      k, [](double c) { return 2 / c; });
}

double call_of_mixed_sum_chernoff(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k,
                                  double c) {
  return std::exp(tilted(law, groups, c).log_mgf - c * k - 1 - std::log(c));
}

Enclosure call_of_mixed_sum(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k,
                            double c) {
  double mean = 0;
  double top = 0;
  for (const ScaledCopies& group : groups) {
    mean += group.copies * group.scale * law.mean();
    top += group.copies * group.scale * law.largest_point();
  }
  const double intrinsic = std::max(0.0, mean - k);  // Jensen
  if (law.points.empty() || top <= k) {
    return {intrinsic, intrinsic};
  }
  const Moments at = tilted(law, groups, c);
  const double log_scale = at.log_mgf - c * k;
  const double log_value =
      log_scale - 2 * std::log(c) - 0.5 * std::log(2 * std::numbers::pi * (at.variance + 2 / (c * c)));
  const contour::Period period = contour::choose_period(c, log_value, [&](double lambda) {
    return tilted(law, groups, lambda).log_mgf - lambda * k - 1 - std::log(lambda);
  });
  const double scale = std::exp(log_scale);
  const double budget = 1.5e6 / static_cast<double>(law.points.size());
  for (double fraction = kFinest; fraction < 0.2;
       fraction *= 4) {  // the finest smoothing that can be afforded
    const double s = fraction / c;
    const Sum sum = trapezoid(law, groups, k, c, period.length, s, budget);
    if (!sum.affordable) {
      continue;
    }
    const double upper = (std::max(sum.value, 0.0) + sum.error) * scale * (1 + 64 * kUlp);
    const double decay = std::exp(-c * period.length);
    const double smoothing = std::exp(0.5 * s * s * period.lambda * period.lambda);
    const double aliases = upper * decay / (1 - decay) + period.length * decay / ((1 - decay) * (1 - decay)) +
                           period.left_aliases(c) * smoothing;
    const double lower =
        (sum.value - sum.error) * scale * (1 - 64 * kUlp) - s * s * sum.density * scale - aliases;
    return {std::max({0.0, lower, intrinsic - 8 * kUlp * std::abs(k)}), std::max(upper, intrinsic)};
  }
  return {intrinsic, std::max(intrinsic, std::exp(log_scale - 1) / c * (1 + 64 * kUlp))};
}

}  // namespace muster::numerics
