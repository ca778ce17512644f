#include "muster/composition/loss_integral.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "muster/numerics/lattice_transform.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/characteristic_product.h"
#include "muster/numerics/sums/frequency_walk.h"

namespace muster::accounting {
namespace {

namespace contour = numerics::contour;

// The constants from kNegligible to kNoisy trade the width of an enclosure for work; the enclosure is valid
// for every choice of them.

// Terms smaller than e^-34 = 2e-15 times the largest term are bounded, not computed. A million of them add at
// most 2e-9 of the largest term.
constexpr double kNegligible = 34;
// The work of a fast transform per cell, in atoms times frequencies: kLevel for each level of the transform,
// and kTerm for the cell's term of the sum.
constexpr double kLevel = 8;
constexpr double kTerm = 150;
// The work that a law takes at one frequency besides that of its atoms (a logarithm, an angle and two
// rotations), as a number of atoms.
constexpr double kFrequency = 100;
// If the fast transform's rounding error is relatively larger than this, the sum is also computed atom by
// atom if the work allows it, and the two enclosures are intersected. A relative error of 1e-7 in delta does
// not change the six digits of epsilon that results have.
constexpr double kNoisy = 1e-7;
// Doubles below this number have fewer digits. The number is added to upper ends and subtracted from lower
// ends, to cover the error of results that underflow.
constexpr double kMinNormal = std::numeric_limits<double>::min();
// A bound on the relative error of sums of up to ten million positive terms.
constexpr double kErrorOfSums = 1e-8;
// 36 roundings (slack.h), which are charged for each nonzero loss that the tilted law expects. The weight of
// a loss is rounded outward once, by at most three roundings (losses_of() in convex_profile.cc;
// coarser_lattice.cc), so sums of up to twelve times as many nonzero losses are covered, too.
constexpr double kErrorOfWeights = 4e-15;

// A sum of many terms with compensated summation: the rounding error of each addition is summed separately
// (Neumaier 1974).
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

// The sum of (1 - e^{eps-l}) e^{-z(l-l0)} over l = l0, l0 + h, ..., for z = c + it. `excess` is eps - l0,
// which is at most 0 but for rounding, and more than -h.
//
// With a = e^{-zh}, b = e^{-(z+1)h} and r = e^excess, the sum is 1/(1-a) - r/(1-b). If c is much
// larger than 1, these two terms nearly cancel, so the sum is computed as (p + qa) / ((1-a)(1-b))
// with p = 1 - r and q = r - e^{-h}, which are not negative. All terms of the sum are positive at
// t = 0, so its modulus is largest there.
class Kernel {
 public:
  Kernel(double c, double h, double excess)
      : h_(h),
        first_(-std::expm1(-c * h)),
        first_decay_(std::exp(-c * h)),
        second_(-std::expm1(-(c + 1) * h)),
        second_decay_(std::exp(-(c + 1) * h)),
        p_(-std::expm1(excess)),
        q_(-std::expm1(-(excess + h)) * std::exp(excess)) {}
  std::complex<double> at(double t) const {
    const double s = std::sin(0.5 * t * h_);
    const double versine = 2 * s * s, turn = 2 * s * std::cos(0.5 * t * h_);
    const std::complex<double> numerator{p_ + q_ * first_decay_ * (1 - versine), -q_ * first_decay_ * turn};
    return numerator * inverse(first_ + first_decay_ * versine, first_decay_ * turn) *
           inverse(second_ + second_decay_ * versine, second_decay_ * turn);
  }
  // A bound on the error of at(t) for any t, if `excess` has an error of at most `of_excess`. An error x of
  // `excess` changes the term at l by at most x e^{-(c+1)(l-l0)}. The other errors are relative to the
  // value at t = 0. Apart from the rounding of ch in its factor e^{-ch}, the numerator p + qa has an error of
  // at most 12 ulps of its largest modulus over all t. Each of the denominators 1 - a and 1 - b has an error
  // of at most 12 ulps of itself. The products and inverses add at most 20 ulps. The numerator is at least
  // a (1 - e^{-h}) at t = 0, so the error of q is relative to the numerator even if `excess` + h nearly
  // cancels.
  double noise(double c, double of_excess) const {
    return (64 + 4 * c * h_) * numerics::kUlpAbove * std::abs(at(0).real()) + 2 * of_excess / second_;
  }

 private:
  // 1 / (re + i im).
  static std::complex<double> inverse(double re, double im) {
    const double square = re * re + im * im;
    return {re / square, -im / square};
  }
  double h_;
  double first_, first_decay_;
  double second_, second_decay_;
  double p_, q_;
};

// The parts' laws tilted by c, and bounds on the rounding errors that depend on these laws.
class TiltedLosses {
 public:
  TiltedLosses(std::span<const RepeatedLoss> parts, double c) {
    for (const RepeatedLoss& part : parts) {
      laws_.push_back({numerics::TiltedLaw(*part.losses, c), part.rounds});
      atoms_ += static_cast<double>(laws_.back().tilt.atoms()) + kFrequency;
    }
  }

  struct Law {
    numerics::TiltedLaw tilt;
    double rounds;
  };
  const std::vector<Law>& laws() const { return laws_; }
  // The work of one frequency, as a number of atoms.
  double atoms() const { return atoms_; }

  double nonzero_mass() const {
    double mass = 0;
    for (const Law& law : laws_) {
      mass += law.rounds * law.tilt.nonzero_mass();
    }
    return mass;
  }
  // A bound on the rounding error of the logarithm of the term at frequency t, which contains a
  // factor e^{-(c+it)k}.
  double round_off(double t, double c, double k) const {
    double sum = 0;
    for (const Law& law : laws_) {
      sum += contour::RoundOff(law.tilt, law.rounds, c, &law == &laws_.front() ? k : 0).at(t);
    }
    return sum;
  }

 private:
  std::vector<Law> laws_;
  double atoms_ = 0;
};

// The integrand of a walk over frequencies (numerics/sums/frequency_walk.h), looked up in fast transforms
// that have computed all frequencies of a period in advance. No frequency is skipped.
class TransformedProduct {
 public:
  // Returns nullopt if a loss is not on the lattice.
  static std::optional<TransformedProduct> of(const TiltedLosses& parts, double spacing, int log2_cells) {
    TransformedProduct product;
    for (const TiltedLosses::Law& law : parts.laws()) {
      std::vector<std::int64_t> index(law.tilt.atoms());
      for (std::size_t i = 0; i < index.size(); ++i) {
        const double at = law.tilt.points()[i] / spacing;
        if (!(std::abs(at) < 1e15) || std::abs(at - std::round(at)) > 1e-6) {
          return std::nullopt;
        }
        index[i] = std::llround(at);
      }
      product.factors_.emplace_back(law.rounds,
                                    numerics::LatticeTransform(index, law.tilt.weights(), log2_cells));
    }
    return product;
  }

  static double work(bool) { return 0; }
  void visit(double j, double, bool) {
    at_ = {0};
    negligible_ = false;
    for (const Factor& f : factors_) {
      const std::complex<double> minus_one = f.transform.minus_total(static_cast<std::size_t>(j));
      const double re = 1 + minus_one.real();
      const double im = minus_one.imag();
      if (re * re + im * im < f.square_negligible) {
        negligible_ = true;
        return;
      }
      const double modulus = contour::modulus_above(minus_one, f.floor);
      at_.multiply_modulus(minus_one, modulus, f.rounds);
      at_.multiply_phase(minus_one, modulus, f.rounds);
    }
    negligible_ = at_.exponent <= -kNegligible;
  }
  bool negligible() const { return negligible_; }
  const contour::Polar& at() const { return at_; }
  static double reach() { return 0; }
  static void seek(double) {}

  // The error of a factor is at most twice its transform's error: once for the transform, and once for
  // visit(), which raises a small modulus by as much.
  double round_off() const {
    double sum = 0;
    for (const Factor& f : factors_) {
      sum += 2 * f.rounds * f.transform.error();
    }
    return sum;
  }

 private:
  struct Factor {
    Factor(double rounds_of_it, numerics::LatticeTransform transform_of_it)
        : rounds(rounds_of_it),
          transform(std::move(transform_of_it)),
          floor(numerics::larger(contour::kFloor, transform.error())) {
      const double negligible = numerics::larger(0.0, std::exp(-kNegligible / rounds) - 2 * floor);
      square_negligible = negligible * negligible;
    }
    double rounds;
    numerics::LatticeTransform transform;
    double floor;  // an upper bound of the transform's absolute error
    // If the squared modulus of this factor is below this value, the whole product is negligible.
    double square_negligible;
  };
  std::vector<Factor> factors_;
  contour::Polar at_{0};
  bool negligible_ = false;
};

// Adds up the terms of the trapezoidal sum, bounds on their errors, and bounds on the omitted terms.
class TermSum {
 public:
  // The contour's real part c, the lattice's spacing h, its first point l0 not below epsilon, and
  // `excess` = epsilon - l0, which is at most 0.
  struct Place {
    double c, h, l0, excess;
  };
  // `of_total` and `of_transforms` bound the errors of a term's logarithm that come from ln E e^{cS} and from
  // fast transforms. They are added to the term's own rounding error.
  TermSum(const Place& place, const TiltedLosses& parts, double of_total, double of_transforms)
      : place_(place),
        kernel_(place.c, place.h, place.excess),
        // The difference epsilon - l0 takes two roundings of l0: that of l0 itself, and that of the
        // subtraction. If the quotient epsilon / h is rounded down to a whole number, the computed difference
        // is positive by at most as much, although 0 would be right.
        kernel_noise_(kernel_.noise(place.c, 2 * numerics::kUlpAbove * std::abs(place.l0))),
        largest_kernel_(kernel_.at(0).real() + kernel_noise_),
        value_(kernel_.at(0).real()) {
    const double own_noise = parts.round_off(0, place.c, place.l0);
    noise_slope_ = parts.round_off(1, place.c, place.l0) - own_noise;
    noise_base_ = own_noise + of_total + of_transforms;
    noise_ = (std::abs(value_.value()) + kernel_noise_) * moved(0) + kernel_noise_;
  }

  void add(const contour::Polar& at, double t, double weight) {
    const std::complex<double> k = kernel_.at(t);
    const double size = weight * std::exp(at.exponent);
    value_.add(size * (std::polar(1.0, at.phase - t * place_.l0) * k).real());
    noise_ += size * ((std::abs(k) + kernel_noise_) * moved(t) * at.amplify + kernel_noise_);
  }
  // Adds a bound on the omitted terms of `count` pairs of frequencies +-t', where t' is at most t.
  void leave_out(double count, double t) { skipped_ += 2 * count * largest_kernel_ * left_out(t); }

  double value() const { return value_.value(); }
  double error() const { return (skipped_ + noise_) * (1 + kErrorOfSums); }

 private:
  // The relative error of a term. Let x be the rounding error of the term's logarithm, which is affine in t.
  // The relative error is then less than x e^{2x}.
  double moved(double t) const {
    const double x = noise_base_ + noise_slope_ * t;
    return x * (x < 1e-3 ? 1.003 : std::exp(2 * x));
  }
  // A bound on the modulus of a negligible term without its kernel. Without the kernel, no term's
  // modulus is above 1.
  double left_out(double t) const {
    return std::exp(numerics::smaller(0.0, 2 * (noise_base_ + noise_slope_ * t) - kNegligible));
  }

  Place place_;
  Kernel kernel_;
  double kernel_noise_;    // a bound on the error of the kernel at any t
  double largest_kernel_;  // a bound on the kernel's modulus at any t
  LongSum value_;
  double noise_slope_ = 0, noise_base_ = 0;
  double noise_ = 0;
  double skipped_ = 0;
};

}  // namespace

std::optional<numerics::Enclosure> trivial_value(Parts parts, double spacing, double epsilon) {
  if (std::all_of(parts.begin(), parts.end(), [](const auto& p) { return p.losses->points.empty(); })) {
    const double at_zero = numerics::larger(0.0, -std::expm1(epsilon));
    return numerics::Enclosure{at_zero * (1 - numerics::kEightThousandRoundings),
                               at_zero * (1 + numerics::kEightThousandRoundings)};
  }
  const double largest = sum_over(parts, [](const RepeatedLoss& p) { return p.losses->largest_point(); });
  // The products and the sum of m parts take m roundings of the sum, which is moved by another one where the
  // losses are rounded multiples of the spacing. The additions in the two comparisons take two.
  const double rounding =
      numerics::kUlpAbove * (static_cast<double>(parts.size()) + 4) * (largest + std::abs(epsilon));
  if (largest + rounding <= epsilon) {
    return numerics::Enclosure{0, 0};
  }
  if (largest <= epsilon + rounding && 4 * rounding < spacing) {
    // Only the largest sum can be larger than epsilon, by at most twice the rounding error.
    const double log_chance = sum_over(parts, [](const RepeatedLoss& p) {
      double weight = p.losses->largest_point() > 0 ? 0 : 1;
      for (std::size_t a = 0; a < p.losses->points.size() && weight < 1; ++a) {
        weight = p.losses->points[a] == p.losses->largest_point() ? p.losses->weights[a] : weight;
      }
      return std::log(weight);
    });
    return numerics::Enclosure{0, 4 * rounding * std::exp(log_chance) + kMinNormal};
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
      log_total_error_(log_mgf_error(parts, c_)) {
  const double variance =
      sum_over(parts, [this](const RepeatedLoss& p) { return numerics::tilt_of(*p.losses, c_).variance; });
  const double width = std::sqrt(variance + 1 / (c_ * c_));
  const double log_value =
      log_total_ - c_ * l0_ - std::log(c_ * (c_ + 1) * width * std::sqrt(2 * std::numbers::pi));
  period_ = contour::choose_period(c_, log_value,
                                   [&](double lambda) { return log_mgf(parts, lambda) - lambda * epsilon; });
}

std::optional<numerics::Enclosure> Integral::value(int max_cells, double max_work) const {
  const double cells = std::ceil(period_.length / h_);
  const int log2_cells =
      numerics::larger(4, static_cast<int>(std::ceil(std::log2(numerics::smaller(cells, 1e18)))));
  const bool fast = log2_cells <= max_cells;
  const double work =
      fast ? numerics::smaller(max_work, std::ldexp(kLevel * log2_cells + kTerm, log2_cells)) : max_work;
  if (const auto direct = summed(2 * std::ceil(cells / 2), work, 0)) {
    return direct;
  }
  auto found = fast ? summed(std::ldexp(1.0, log2_cells), max_work, log2_cells) : std::nullopt;
  if (found && found->upper - found->lower > kNoisy * found->upper && work < max_work) {
    if (const auto direct = summed(2 * std::ceil(cells / 2), max_work, 0)) {
      found = {numerics::larger(found->lower, direct->lower), numerics::smaller(found->upper, direct->upper)};
    }
  }
  return found;
}

std::optional<numerics::Enclosure> Integral::summed(double cells, double max_work, int log2_cells) const {
  const double step = 2 * std::numbers::pi / (cells * h_);
  const double last = cells / 2;
  const TiltedLosses parts(parts_, c_);
  const TermSum::Place place{c_, h_, l0_, epsilon_ - l0_};
  const auto walked = [&](auto& product, double of_transforms) -> std::optional<TermSum> {
    TermSum sum(place, parts, log_total_error_, of_transforms);
    const double visited = contour::walk(
        product, step, last, max_work / parts.atoms(),
        [&](double j, double t) { sum.add(product.at(), t, j == last ? 1 : 2); },
        [&](double j, double, double leap) { sum.leave_out(leap + 1, (j + leap) * step); });
    return visited < last ? std::nullopt : std::optional(sum);
  };
  std::optional<TermSum> sum;
  if (log2_cells > 0) {
    if (auto product = TransformedProduct::of(parts, h_, log2_cells)) {
      sum = walked(*product, product->round_off());
    }
  } else {
    contour::Product product(0, kNegligible, contour::Skip::by_all_factors);
    for (const TiltedLosses::Law& law : parts.laws()) {
      product.add(law.tilt, law.rounds, step);
    }
    sum = walked(product, 0);
  }
  return sum ? enclosed(sum->value(), sum->error(), cells, parts.nonzero_mass()) : std::nullopt;
}

std::optional<numerics::Enclosure> Integral::enclosed(double value, double error, double cells,
                                                      double nonzero_mass) const {
  const double scale = std::exp(log_total_ - c_ * l0_) / cells;
  const double weights = std::exp(kErrorOfWeights * nonzero_mass);
  const contour::Period period{cells * h_, period_.lambda, period_.log_left};
  const double right = std::exp(-c_ * period.length);
  // The two exponentials take two roundings each, and the other operations five. `error` contains at least
  // 512 roundings of each term (RoundOff), of which a term needs 200. The rest covers these nine, for the
  // upper and for the lower end.
  const double upper = (numerics::larger(0.0, value) + error) * scale * weights + kMinNormal;
  // Let P be the period. The function (1 - e^{-x})_+ is at most 1, and its slope is at most 1. So an
  // alias with the shift mP, m >= 1, is at most min(1, delta + mP) e^{-cmP}. Where losses are far
  // below 1, only delta + mP is small.
  const double from_right =
      numerics::smaller(right / (1 - right), (upper + period.length / (1 - right)) * (right / (1 - right)));
  const double aliases = from_right + period.left_aliases(c_);
  // Doubling the bound on the aliases covers its own rounding error.
  const double lower = (value - error) * scale / weights - 2 * aliases - kMinNormal;
  // If c is too large for double precision, the ends can be in the wrong order, or NaN.
  return upper >= lower ? std::optional(numerics::Enclosure{numerics::larger(0.0, lower), upper})
                        : std::nullopt;
}

}  // namespace muster::accounting
