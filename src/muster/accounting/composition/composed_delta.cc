#include "muster/accounting/composition/composed_delta.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "muster/numerics/contour.h"

namespace muster::accounting {
namespace {

namespace contour = numerics::contour;

constexpr double kWork = 3e7;  // atoms times frequencies one answer may cost: a few hundredths of a second

// The product of the parts' tilted transforms, relative to its value at t = 0.
class Product {
 public:
  struct Value {
    double exponent;  // log modulus
    double phase;
    double amplify;  // what a relative round-off of the factors grows to
  };

  Product(std::span<const RepeatedLoss> parts, double c, double step) {
    for (const RepeatedLoss& part : parts) {
      factors_.emplace_back(part, c, step);
      atoms_ += static_cast<double>(factors_.back().tilt.atoms()) + 8;
    }
  }

  double atoms() const { return atoms_; }

  double nonzero_mass() const {
    return sum([](const Factor& f) { return f.rounds * f.tilt.nonzero_mass(); });
  }
  double round_off(double t, double c, double k) const {
    return sum([&](const Factor& f) {
      return contour::RoundOff(f.tilt, f.rounds, c, &f == &factors_.front() ? k : 0).at(t);
    });
  }

  // At t: by one turn of the rotating evaluators, or directly.
  Value at(double t, bool in_step) {
    Value value{0, 0, 1};
    for (Factor& f : factors_) {
      f.minus_one = in_step ? f.characteristic.advance() : f.tilt.characteristic_minus_one(t);
      const double re = f.minus_one.real();
      const double im = f.minus_one.imag();
      f.modulus = std::sqrt((1 + re) * (1 + re) + im * im) + contour::kFloor;
      value.exponent +=
          f.rounds * (f.modulus > 0.5 ? 0.5 * std::log1p(std::max(2 * re + re * re + im * im, -1.0))
                                      : std::log(f.modulus));
      value.phase += f.rounds * std::atan2(im, 1 + re);
      value.amplify = std::max(value.amplify, 1 / f.modulus);
    }
    return value;
  }

  void seek(double j) {
    for (Factor& f : factors_) {
      f.characteristic.seek(j);
    }
  }

  // How far in t the product certainly stays below e^-negligible, from the moduli of the last call.
  double reach(double negligible) const {
    const auto bound = [&](double distance) {
      return sum([&](const Factor& f) {
        return f.rounds * std::log(std::min(1.0, f.modulus + f.tilt.absolute_mean() * distance));
      });
    };
    if (factors_.size() == 1) {
      const Factor& f = factors_.front();
      return (std::exp(-negligible / f.rounds) - f.modulus) / f.tilt.absolute_mean();
    }
    if (bound(0) > -negligible) {
      return 0;
    }
    double high = std::numeric_limits<double>::infinity();
    for (const Factor& f : factors_) {
      high = std::min(high, 2 / f.tilt.absolute_mean());
    }
    double low = 0;
    for (int i = 0; i < 8; ++i) {
      const double middle = 0.5 * (low + high);
      (bound(middle) <= -negligible ? low : high) = middle;
    }
    return low;
  }

 private:
  struct Factor {
    Factor(const RepeatedLoss& part, double c, double step)
        : rounds(part.rounds), tilt(*part.losses, c), characteristic(tilt, step) {}
    double rounds;
    numerics::TiltedLaw tilt;
    numerics::EquispacedCharacteristic characteristic;
    std::complex<double> minus_one;
    double modulus = 1;
  };
  template <typename Term>
  double sum(Term&& term) const {
    double total = 0;
    for (const Factor& f : factors_) {
      total += term(f);
    }
    return total;
  }
  std::vector<Factor> factors_;
  double atoms_ = 0;
};

template <typename Term>
double sum_over(std::span<const RepeatedLoss> parts, Term&& term) {
  double total = 0;
  for (const RepeatedLoss& part : parts) {
    total += part.rounds * term(part);
  }
  return total;
}

}  // namespace

numerics::Enclosure composed_delta(std::span<const RepeatedLoss> parts, double spacing, double epsilon) {
  const double at_infinity =
      -std::expm1(sum_over(parts, [](const RepeatedLoss& p) { return std::log1p(-p.infinity); }));
  const double intrinsic = std::max(0.0, -std::expm1(epsilon));
  if (sum_over(parts, [](const RepeatedLoss& p) { return p.losses->largest_point(); }) <= epsilon ||
      std::all_of(parts.begin(), parts.end(), [](const auto& p) { return p.losses->points.empty(); })) {
    return {std::max(intrinsic, at_infinity * (1 - 1e-12)),
            std::min(1.0, std::max(intrinsic, at_infinity * (1 + 1e-12)))};
  }
  const auto log_mgf = [&](double c) {
    return sum_over(parts, [c](const RepeatedLoss& p) { return p.losses->log_mgf(c); });
  };
  const double h = spacing;
  const double l0 = h * std::ceil(epsilon / h);
  const double c = contour::saddle_point(
      [&](double at) {
        contour::Moments total{0, 0};
        for (const RepeatedLoss& part : parts) {
          const numerics::Tilt tilt = numerics::tilt_of(*part.losses, at);
          total.mean += part.rounds * tilt.mean;
          total.variance += part.rounds * tilt.variance;
        }
        return total;
      },
      epsilon, [](double at) { return 1 / at + 1 / (at + 1); });
  const double log_total = log_mgf(c);
  const double variance =
      sum_over(parts, [c](const RepeatedLoss& p) { return numerics::tilt_of(*p.losses, c).variance; });
  const double log_scale = log_total - c * l0;
  const double width = std::sqrt(variance + 1 / (c * c));
  const double log_value = log_scale - std::log(c * (c + 1) * width * std::sqrt(2 * std::numbers::pi));
  const contour::Period period =
      contour::choose_period(c, log_value, [&](double lambda) { return log_mgf(lambda) - lambda * epsilon; });
  const double cells = 2 * std::ceil(period.length / h / 2);  // even
  const double step = 2 * std::numbers::pi / (cells * h);
  Product product(parts, c, step);

  const auto kernel = [&](double t) {
    const std::complex<double> z(c, t);
    // 1 - e^{-zh} without cancellation for small |z| h
    const auto one_minus = [h](std::complex<double> w) {
      const double a = w.real() * h;
      const double b = w.imag() * h;
      const double s = std::sin(0.5 * b);
      return std::complex<double>(-std::expm1(-a) + 2 * std::exp(-a) * s * s, std::exp(-a) * std::sin(b));
    };
    return 1.0 / one_minus(z) - std::exp(epsilon - l0) / one_minus(z + 1.0);
  };
  const double largest = 2 / -std::expm1(-c * h);  // |kernel| <= this
  const double kernel_noise = 8 * largest * 2.3e-16;
  double value = kernel(0).real();
  // round-off is affine in t
  const double noise_base = product.round_off(0, c, l0);
  const double noise_slope = product.round_off(1, c, l0) - noise_base;
  double noise = (std::abs(value) + kernel_noise) * noise_base + kernel_noise;
  double skipped = 0;
  const double last = cells / 2;
  const double budget = kWork / product.atoms();
  double work = 0;
  bool in_step = true;  // the rotating evaluator stands at j - 1
  for (double j = 1; j <= last;) {
    work += in_step ? 1 : contour::kDirectCost;
    if (work > budget) {  // Chernoff's bound instead of the sum
      return {intrinsic * (1 - 1e-12),
              std::clamp(std::exp(log_total - c * epsilon) * (1 + 1e-6) + at_infinity, intrinsic, 1.0)};
    }
    const double t = j * step;
    const Product::Value at = product.at(t, in_step);
    if (at.exponent > -contour::kNegligible) {
      if (!in_step) {
        product.seek(j);
        in_step = true;
      }
      const double weight = j == last ? 1 : 2;
      const std::complex<double> k = kernel(t);
      const double size = weight * std::exp(at.exponent);
      value += size * (std::polar(1.0, at.phase - t * l0) * k).real();
      noise +=
          size * ((std::abs(k) + kernel_noise) * (noise_base + noise_slope * t) * at.amplify + kernel_noise);
      j += 1;
      continue;
    }
    const double reach = product.reach(contour::kNegligible);
    const double leap = std::min(reach > 0 ? std::floor(reach / step) : 0, last - j);
    skipped += 2 * (leap + 1) * largest * std::exp(-contour::kNegligible);
    j += leap + 1;
    in_step = in_step && leap == 0;
  }
  const double error = skipped + noise;
  const double scale = std::exp(log_scale) / cells;
  // Weights of the laws carry a relative 1e-15 each.
  const double weights = 1 + 4e-15 * product.nonzero_mass();
  const double length = cells * h;
  const double decay = std::exp(-c * length);
  const double ratio = std::exp(-(period.lambda - c) * length);
  const double aliases = decay / (1 - decay) + std::exp(period.log_left) * ratio / (1 - ratio);
  const double upper = (std::max(0.0, value) + error) * scale * weights + at_infinity;
  const double lower = (value - error) * scale / weights - aliases;
  return {std::max({0.0, lower, intrinsic * (1 - 1e-12)}), std::min(1.0, std::max(upper, intrinsic))};
}

}  // namespace muster::accounting
