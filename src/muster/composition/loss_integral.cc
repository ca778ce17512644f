#include "muster/composition/loss_integral.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "muster/numerics/lattice_transform.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

namespace contour = numerics::contour;

// The work of a fast transform per cell, in atoms times frequencies: kLevel for each of its levels, and
// kTerm for the term of the sum.
constexpr double kLevel = 8;
constexpr double kTerm = 150;
// The work of a frequency besides that of its atoms, in atoms: for a logarithm, an angle and two rotations.
constexpr double kFrequency = 100;
// If the round-off of the fast transform leaves a larger relative error than this, the sum is computed atom
// by atom as well if that is affordable, and the two enclosures are intersected.
constexpr double kNoisy = 1e-7;
// Doubles below this have fewer digits. It is added to every upper bound and subtracted
// from every lower one.
constexpr double kLeast = std::numeric_limits<double>::min();

// A sum of many terms within an ulp of itself: what each addition loses is summed
// separately (Neumaier 1974).
class LongSum {
 public:
  explicit LongSum(double first) : sum_(first) {}
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_;
  double lost_ = 0;
};

// 1/(1 - e^{-zh}) - e^{eps-l0}/(1 - e^{-(z+1)h}), the transform of (1 - e^{eps-l})_+ over l = l0, l0 + h, ...
class Kernel {
 public:
  Kernel(double c, double h, double excess)
      : h_(h),
        first_(-std::expm1(-c * h)),
        first_decay_(std::exp(-c * h)),
        second_(-std::expm1(-(c + 1) * h)),
        second_decay_(std::exp(-(c + 1) * h)),
        ratio_(std::exp(excess)) {}
  std::complex<double> at(double t) const {
    const double s = std::sin(0.5 * t * h_);
    const double turn = 2 * s * std::cos(0.5 * t * h_);
    return inverse(first_ + 2 * first_decay_ * s * s, first_decay_ * turn) -
           ratio_ * inverse(second_ + 2 * second_decay_ * s * s, second_decay_ * turn);
  }
  double largest() const { return 2 / first_; }  // a bound on its modulus

 private:
  // 1 - e^{-zh}, without cancellation where |z| h is small, inverted.
  static std::complex<double> inverse(double re, double im) {
    const double square = re * re + im * im;
    return {re / square, -im / square};
  }
  double h_;
  double first_, first_decay_;
  double second_, second_decay_;
  double ratio_;
};

// The product of the parts' tilted transforms, relative to its value at t = 0.
class Product {
 public:
  struct Value {
    double exponent;  // log modulus
    double phase;
    // The largest inverse modulus of the factors, by which their absolute errors are multiplied.
    double amplify;
  };

  Product(std::span<const RepeatedLoss> parts, double c, double step) {
    for (const RepeatedLoss& part : parts) {
      factors_.emplace_back(part, c, step);
      atoms_ += static_cast<double>(factors_.back().tilt.atoms()) + kFrequency;
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

  // Computes all frequencies of the period at once; false if a loss is not on the lattice.
  bool transform(double spacing, int log2_cells) {
    for (Factor& f : factors_) {
      std::vector<std::int64_t> index(f.tilt.atoms());
      for (std::size_t i = 0; i < index.size(); ++i) {
        const double at = f.tilt.points()[i] / spacing;
        if (!(std::abs(at) < 1e15) || std::abs(at - std::round(at)) > 1e-6) {
          return false;
        }
        index[i] = std::llround(at);
      }
      f.transform.emplace(index, f.tilt.weights(), log2_cells);
      f.floor = numerics::larger(contour::kFloor, f.transform->error());
      const double negligible =
          numerics::larger(0.0, std::exp(-contour::kNegligible / f.rounds) - 2 * f.floor);
      f.square_negligible = negligible * negligible;
    }
    return true;
  }
  // A factor is off by its transform's error and, where it is small, by as much again, because its modulus
  // is then raised by that error.
  double transform_round_off() const {
    return sum([](const Factor& f) { return 2 * f.rounds * f.transform->error(); });
  }
  // The exponent is -infinity if one factor alone makes the product negligible.
  Value at_cell(double j) {
    Value value{0, 0, 1};
    for (Factor& f : factors_) {
      const std::complex<double> minus_one = f.transform->minus_total(static_cast<std::size_t>(j));
      const double re = 1 + minus_one.real();
      const double im = minus_one.imag();
      if (re * re + im * im < f.square_negligible) {
        return {-std::numeric_limits<double>::infinity(), 0, 1};
      }
      multiply(value, f, minus_one, f.floor);
    }
    return value;
  }

  // The product at t: by rotating the evaluators one step if they stand at the frequency before
  // (`in_step`), otherwise directly.
  Value at(double t, bool in_step) {
    Value value{0, 0, 1};
    for (Factor& f : factors_) {
      multiply(value, f, in_step ? f.characteristic.advance() : f.tilt.characteristic_minus_one(t),
               contour::kFloor);
    }
    return value;
  }

  void seek(double j) {
    for (Factor& f : factors_) {
      f.characteristic.seek(j);
    }
  }

  // How far from the t of the last call the product certainly stays below e^-negligible, by the moduli
  // there and the factors' Lipschitz constants.
  double reach(double negligible) const {
    const auto bound = [&](double distance) {
      return sum([&](const Factor& f) {
        return f.rounds * std::log(numerics::smaller(1.0, f.modulus + f.tilt.absolute_mean() * distance));
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
      high = numerics::smaller(high, 2 / f.tilt.absolute_mean());
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
    std::optional<numerics::LatticeTransform> transform;
    // A bound on the transform's absolute error.
    double floor = contour::kFloor;
    double square_negligible = 0;
    double modulus = 1;
  };
  static void multiply(Value& value, Factor& f, std::complex<double> minus_one, double floor) {
    const double re = minus_one.real();
    const double im = minus_one.imag();
    f.modulus = std::sqrt((1 + re) * (1 + re) + im * im) + floor;
    value.exponent +=
        f.rounds * (f.modulus > 0.5 ? 0.5 * std::log1p(numerics::larger(2 * re + re * re + im * im, -1.0))
                                    : std::log(f.modulus));
    value.phase += f.rounds * std::atan2(im, 1 + re);
    value.amplify = numerics::larger(value.amplify, 1 / f.modulus);
  }
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

}  // namespace

std::optional<numerics::Enclosure> trivial_value(Parts parts, double spacing, double epsilon) {
  if (std::all_of(parts.begin(), parts.end(), [](const auto& p) { return p.losses->points.empty(); })) {
    const double at_zero = numerics::larger(0.0, -std::expm1(epsilon));
    return numerics::Enclosure{at_zero, at_zero};
  }
  const double largest = sum_over(parts, [](const RepeatedLoss& p) { return p.losses->largest_point(); });
  const double rounding = 2.3e-16 * (static_cast<double>(parts.size()) + 4) * (largest + std::abs(epsilon));
  if (largest + rounding <= epsilon) {
    return numerics::Enclosure{0, 0};
  }
  if (largest <= epsilon + rounding && 4 * rounding < spacing) {
    // Only the largest sum can be larger than epsilon, by no more than twice the rounding.
    const double log_chance = sum_over(parts, [](const RepeatedLoss& p) {
      double weight = p.losses->largest_point() > 0 ? 0 : 1;
      for (std::size_t a = 0; a < p.losses->points.size() && weight < 1; ++a) {
        weight = p.losses->points[a] == p.losses->largest_point() ? p.losses->weights[a] : weight;
      }
      return std::log(weight);
    });
    return numerics::Enclosure{0, 4 * rounding * std::exp(log_chance) + kLeast};
  }
  return std::nullopt;
}

Integral::Integral(Parts parts, double spacing, double epsilon)
    : parts_(parts),
      h_(spacing),
      epsilon_(epsilon),
      l0_(spacing * std::ceil(epsilon / spacing)),
      c_(contour::saddle_point(
          [&](double at) {
            contour::Moments total{0, 0};
            for (const RepeatedLoss& part : parts) {
              const numerics::Tilt tilt = numerics::tilt_of(*part.losses, at);
              total.mean += part.rounds * tilt.mean;
              total.variance += part.rounds * tilt.variance;
            }
            return total;
          },
          epsilon, [](double at) { return 1 / at + 1 / (at + 1); })),
      log_total_(log_mgf(parts, c_)),
      log_total_error_(sum_over(parts, [this](const RepeatedLoss& p) {
        return log_mgf_error(*p.losses, numerics::tilt_of(*p.losses, c_), c_);
      })) {
  const double variance =
      sum_over(parts, [this](const RepeatedLoss& p) { return numerics::tilt_of(*p.losses, c_).variance; });
  const double width = std::sqrt(variance + 1 / (c_ * c_));
  const double log_value =
      log_total_ - c_ * l0_ - std::log(c_ * (c_ + 1) * width * std::sqrt(2 * std::numbers::pi));
  period_ = contour::choose_period(c_, log_value,
                                   [&](double lambda) { return log_mgf(parts, lambda) - lambda * epsilon; });
}

std::optional<numerics::Enclosure> Integral::value(int most_cells, double most_work) const {
  const double cells = std::ceil(period_.length / h_);
  const int log2_cells =
      numerics::larger(4, static_cast<int>(std::ceil(std::log2(numerics::smaller(cells, 1e18)))));
  const bool fast = log2_cells <= most_cells;
  const double work =
      fast ? numerics::smaller(most_work, std::ldexp(kLevel * log2_cells + kTerm, log2_cells)) : most_work;
  if (const auto direct = summed(2 * std::ceil(cells / 2), work, 0)) {
    return direct;
  }
  auto found = fast ? summed(std::ldexp(1.0, log2_cells), most_work, log2_cells) : std::nullopt;
  if (found && found->upper - found->lower > kNoisy * found->upper && work < most_work) {
    if (const auto direct = summed(2 * std::ceil(cells / 2), most_work, 0)) {
      found = {numerics::larger(found->lower, direct->lower), numerics::smaller(found->upper, direct->upper)};
    }
  }
  return found;
}

std::optional<numerics::Enclosure> Integral::summed(double cells, double most_work, int log2_cells) const {
  const double step = 2 * std::numbers::pi / (cells * h_);
  Product product(parts_, c_, step);
  const bool fast = log2_cells > 0;
  if (fast && !product.transform(h_, log2_cells)) {
    return std::nullopt;
  }
  const Kernel kernel(c_, h_, epsilon_ - l0_);
  const double largest = kernel.largest();
  // The first lattice point l0 is as exact as epsilon.
  const double kernel_noise = (8 + std::abs(l0_)) * largest * 2.3e-16;
  LongSum value(kernel.at(0).real());
  // The rounding error x of a term's logarithm is affine in t; it moves the term by less than
  // x e^{2x} of itself.
  const double own_noise = product.round_off(0, c_, l0_);
  const double noise_slope = product.round_off(1, c_, l0_) - own_noise;
  const double noise_base = own_noise + log_total_error_ + (fast ? product.transform_round_off() : 0);
  const auto moved = [&](double t) {
    const double x = noise_base + noise_slope * t;
    return x * (x < 1e-3 ? 1.003 : std::exp(2 * x));
  };
  // A bound on a term that was found negligible. No term is larger than 1.
  const auto left_out = [&](double t) {
    return std::exp(numerics::smaller(0.0, 2 * (noise_base + noise_slope * t) - contour::kNegligible));
  };
  double noise = (std::abs(value.value()) + kernel_noise) * moved(0) + kernel_noise;
  double skipped = 0;
  const double last = cells / 2;
  const double budget = most_work / product.atoms();
  double work = 0;
  bool in_step = true;  // whether the rotating evaluators stand at j - 1
  for (double j = 1; j <= last;) {
    work += fast ? 0 : in_step ? 1 : contour::kDirectCost;
    if (work > budget) {
      return std::nullopt;
    }
    const double t = j * step;
    const Product::Value at = fast ? product.at_cell(j) : product.at(t, in_step);
    if (!(at.exponent <= -contour::kNegligible)) {  // a NaN is not negligible and reaches the sum
      if (!in_step) {
        product.seek(j);
        in_step = true;
      }
      const double weight = j == last ? 1 : 2;
      const std::complex<double> k = kernel.at(t);
      const double size = weight * std::exp(at.exponent);
      value.add(size * (std::polar(1.0, at.phase - t * l0_) * k).real());
      noise += size * ((std::abs(k) + kernel_noise) * moved(t) * at.amplify + kernel_noise);
      j += 1;
      continue;
    }
    const double reach = fast ? 0 : product.reach(contour::kNegligible);
    const double leap = numerics::smaller(reach > 0 ? std::floor(reach / step) : 0, last - j);
    skipped += 2 * (leap + 1) * largest * left_out((j + leap) * step);
    j += leap + 1;
    in_step = fast || (in_step && leap == 0);
  }
  // The factor covers the rounding of these sums of many positive terms.
  const double error = (skipped + noise) * (1 + 1e-8);
  const double scale = std::exp(log_total_ - c_ * l0_) / cells;
  // Each weight of the laws has a relative error of 1e-15.
  const double weights = std::exp(4e-15 * product.nonzero_mass());
  const contour::Period period{cells * h_, period_.lambda, period_.log_left};
  const double right = std::exp(-c_ * period.length);
  const double aliases = period.lambda > c_ ? right / (1 - right) + period.left_aliases(c_)
                                            : std::numeric_limits<double>::infinity();
  // The aliases' bound is doubled because it is rounded too.
  const double lower = (value.value() - error) * scale / weights - 2 * aliases - kLeast;
  const double upper = (numerics::larger(0.0, value.value()) + error) * scale * weights + kLeast;
  // The ends can be out of order, or NaN, where the tilt is too steep for the arithmetic.
  return upper >= lower ? std::optional(numerics::Enclosure{numerics::larger(0.0, lower), upper})
                        : std::nullopt;
}

}  // namespace muster::accounting
