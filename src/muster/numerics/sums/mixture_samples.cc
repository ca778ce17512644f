#include "muster/numerics/sums/mixture_samples.h"

#include <complex>
#include <numbers>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/characteristic_product.h"
#include "muster/numerics/sums/frequency_walk.h"
#include "muster/numerics/work.h"

namespace muster::numerics::mixture {
namespace {

// Up to this many atoms, computing sines one by one is faster than the vector kernels.
constexpr std::size_t kFewAtoms = 8;
// Terms below e^-36 = 2e-16 of the largest are bounded, not computed; they are negligible beside the
// round-off.
constexpr double kNegligible = 36;

// A bound on the rounding error of phi() and of minus_one. The moduli of the terms of minus_one add up to at
// most three times the larger of 1 and phi. A term takes three roundings (slack.h) and the sum over m atoms,
// in extended precision, m / 2048. For 8,202 atoms, these are seven of the moduli, and 21 of the larger of 1
// and phi. The conversion to double and the sum with 1 take one each, which makes 23. The rounding of c y
// changes a term by |cy| e^{cy} roundings, together phi c E|Y| under the tilted law.
double error_of_phi(const LawOnContour& law) {
  return kUlpAbove * (12 * larger(1.0, law.phi()) + law.phi() * law.tilt.c() * law.tilt.absolute_mean());
}

// An upper bound of |phi_0 - phi_1| on the whole contour.
double widest(const Frame& frame, const LawOnContour& a, const LawOnContour& b) {
  const double sum = a.phi() + b.phi();
  // The four sums and the difference take one rounding each. `absent`, which counts twice, is wrong by up to
  // five roundings of 1 (frame_along() in worst_mixture.cc).
  return sum + error_of_phi(a) + error_of_phi(b) + 8 * kUlpAbove * larger(1.0, sum) - 2 * frame.absent;
}
// The exponent x for which terms below e^-x of the largest one are negligible, even if multiplied by
// (terms * widest)^2 for the curvature.
double negligible_exponent(const Frame& frame, const LawOnContour& a, const LawOnContour& b) {
  return kNegligible + 2 * std::log1p(frame.terms * widest(frame, a, b));
}
// The number of the last frequency, beyond which smoothing alone makes every term negligible.
double last_frequency(const Frame& frame, const LawOnContour& a, const LawOnContour& b, double s) {
  return std::floor(std::sqrt(2 * (negligible_exponent(frame, a, b) + 1)) / s * frame.period.length /
                    (2 * std::numbers::pi));
}
double frequencies(const Frame& frame, const LawOnContour& a, const LawOnContour& b, double fraction) {
  return last_frequency(frame, a, b, fraction / frame.c);
}

// Estimates what share of the frequencies has terms that are not negligible, from a few frequencies that are
// spread over most of the range.
double active_share(const Frame& frame, const LawOnContour& a, const LawOnContour& b) {
  constexpr int kProbes = 48;
  const double negligible = negligible_exponent(frame, a, b);
  const double step = 2 * std::numbers::pi / frame.period.length;
  const double last = frequencies(frame, a, b, kFinest);
  const double threshold = std::exp(-negligible / frame.terms);
  const double log_top = larger(a.tilt.log_mgf(), b.tilt.log_mgf());
  const double share[2] = {std::exp(a.tilt.log_mgf() - log_top), std::exp(b.tilt.log_mgf() - log_top)};
  int active = 0;
  for (int i = 0; i < kProbes; ++i) {
    const double t = step * last * (i + 0.5) / kProbes * 0.7;
    active += larger(share[0] * contour::modulus_above(a.characteristic_minus_one(t)),
                     share[1] * contour::modulus_above(b.characteristic_minus_one(t))) >= threshold
                  ? 1
                  : 0;
  }
  return static_cast<double>(active) / kProbes;
}

}  // namespace

LawOnContour::LawOnContour(const AtomicLaw& law, double c) : tilt(law, c), points(law.points) {
  // The sum is in extended precision, so that its error does not grow with the number of atoms.
  long double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += law.weights[i] * std::expm1(c * points[i]);
    weights.push_back(2 * law.weights[i] * std::exp(c * points[i] - tilt.log_mgf()));
  }
  minus_one = static_cast<double>(sum);
}

std::complex<double> LawOnContour::characteristic_minus_one(double t) const {
  if (points.size() > kFewAtoms) return tilt.characteristic_minus_one(t);
  double real = 0;
  double imaginary = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double half = 0.5 * t * points[i];
    const double sine = std::sin(half);
    real -= weights[i] * sine * sine;
    imaginary += weights[i] * sine * std::cos(half);
  }
  return {real, imaginary};
}

double affordable_fraction(const Frame& frame, const LawOnContour& a, const LawOnContour& b) {
  const double fraction =
      kFinest * active_share(frame, a, b) * frequencies(frame, a, b, kFinest) / kAffordable;
  return within(fraction, kFinest, kCoarsest);
}

namespace {

// The integrand of the walk (frequency_walk.h): the larger of phi_0^n and phi_1^n in modulus, which bounds
// the product of any n factors phi_0 and phi_1.
class LargerOfTwo {
 public:
  LargerOfTwo(const Frame& frame, const LawOnContour& a, const LawOnContour& b, double s, double step,
              double last)
      : terms_(frame.terms),
        s_(s),
        farthest_(last * step),
        negligible_exponent_(negligible_exponent(frame, a, b)),
        lipschitz_(larger(a.tilt.absolute_mean(), b.tilt.absolute_mean())),
        laws_{&a, &b},
        rotating_{EquispacedCharacteristic(a.tilt, step), EquispacedCharacteristic(b.tilt, step)},
        error_{contour::CharacteristicError(a.tilt), contour::CharacteristicError(b.tilt)} {
    const double log_top = larger(a.tilt.log_mgf(), b.tilt.log_mgf());
    for (int j = 0; j < 2; ++j) share_[j] = std::exp(laws_[j]->tilt.log_mgf() - log_top);
  }

  static double work(bool) { return 1; }
  void visit(double, double t, bool in_step) {
    for (int j = 0; j < 2; ++j) {
      x[j] = in_step ? rotating_[j].advance() : laws_[j]->characteristic_minus_one(t);
    }
    // Each of the two products below errs by at most the sum of the two laws' errors. An element of share_ is
    // e to the difference of two logarithms, and each law's error includes the error of its logarithm.
    modulus_ =
        larger(share_[0] * contour::modulus_above(x[0], 0), share_[1] * contour::modulus_above(x[1], 0)) +
        contour::kFloor + (error_[0].at(t) + error_[1].at(t));
    damping = 0.5 * s_ * s_ * t * t;
    // The damping only grows with t. So a modulus below this threshold is negligible at every later
    // frequency, too.
    threshold_ = std::exp(smaller(0.0, (damping - negligible_exponent_) / terms_));
  }
  bool negligible() const { return modulus_ < threshold_ || damping >= negligible_exponent_; }
  double reach() const {
    return damping < negligible_exponent_ ? (threshold_ - modulus_) / lipschitz_ * (1 - kEightyRoundings)
                                          : farthest_;
  }
  void seek(double j) {
    for (EquispacedCharacteristic& each : rotating_) each.seek(j);
  }

  // At the frequency visited last, `x` holds chi - 1 for each of the two laws, and smoothing multiplies the
  // term by e^-damping.
  std::complex<double> x[2];
  double damping = 0;

 private:
  double terms_, s_, farthest_, negligible_exponent_, lipschitz_;
  const LawOnContour* laws_[2];
  EquispacedCharacteristic rotating_[2];
  contour::CharacteristicError error_[2];
  double share_[2];
  double modulus_ = 0, threshold_ = 0;
};

// An upper bound of the modulus of chi = 1 + x, the logarithm of its modulus, and its argument.
struct Polar {
  explicit Polar(std::complex<double> x)
      : modulus(contour::modulus_above(x)),
        log_modulus(contour::log_modulus_of(x, modulus)),
        argument(contour::argument_of(x)) {}
  double modulus, log_modulus, argument;
};

// Collects the samples of one smoothing and the bounds on what is left out.
class Collector {
 public:
  Collector(const Frame& frame, const LawOnContour& a, const LawOnContour& b, double s)
      : frame_(frame),
        laws_{&a, &b},
        s_(s),
        step_(2 * std::numbers::pi / frame.period.length),
        top_(larger(a.phi(), b.phi())),
        negligible_(negligible_exponent(frame, a, b)),
        last_(last_frequency(frame, a, b, s)),
        log_phi_{a.tilt.log_mgf(), b.tilt.log_mgf()},
        base_(-frame.c * frame.k - frame.log_scale),
        round_off_{{a.tilt, frame.terms, frame.c, frame.k}, {b.tilt, frame.terms, frame.c, frame.k}},
        characteristic_error_{contour::CharacteristicError(a.tilt), contour::CharacteristicError(b.tilt)} {}

  // The samples at all frequencies; `affordable` is false where more than `budget` would be visited.
  Samples all(double budget) && {
    add(0, 1, {0, 0}, {0, 0}, 0);
    LargerOfTwo integrand(frame_, *laws_[0], *laws_[1], s_, step_, last_);
    const double visited = contour::walk(
        integrand, step_, last_, budget,
        [&](double, double t) { add(t, 2, integrand.x[0], integrand.x[1], integrand.damping); },
        [&](double, double t, double leap) {
          skipped_ += 2 * (leap + 1) / (t * t);
          skipped_count_ += 2 * (leap + 1);
        });
    out_.affordable = !(visited < last_);
    if (out_.affordable) {
      charge_what_is_left_out();
      rescale();
    }
    return std::move(out_);
  }

 private:
  // Both laws at one frequency. Positive frequencies have multiplicity 2, for -t counts as well.
  struct Point {
    double t, multiplicity, damping;
    std::complex<double> x[2];
    Polar polar[2];
    std::complex<double> kernel;
    double weight;  // the modulus of `kernel`
    double noise;   // bound on the relative round-off of a product of `terms` factors
  };

  void add(double t, double multiplicity, std::complex<double> xa, std::complex<double> xb, double damping) {
    count_work(0, 0, 2 * kWorkOfFrequency);  // the logarithms and angles below, for both laws
    const double c = frame_.c;
    const std::complex<double> z(c, t);
    Point p{t,
            multiplicity,
            damping,
            {xa, xb},
            {Polar(xa), Polar(xb)},
            multiplicity / (z * z),
            multiplicity / (c * c + t * t),
            0};
    // Twice the bound covers a product of factors of both laws, and a modulus raised by kFloor in any number
    // of copies. The 4096 roundings are for multiplications of samples (sample_products.h).
    p.noise = larger(round_off_[0].at(t), round_off_[1].at(t)) *
                  larger(1.0, 1 / p.polar[0].modulus, 1 / p.polar[1].modulus) * 2 +
              2048 * kUlpAbove;
    add_ends(p);
    add_curvature(p);
    if (scans_every_type(frame_)) {
      add_reporting_parts(p);
    }
  }

  // Adds phi_j^n for both ends, and the ratio phi_1 / phi_0.
  void add_ends(const Point& p) {
    const double n = frame_.terms;
    double size = 0;
    for (int j = 0; j < 2; ++j) {
      const double modulus = std::exp(n * (log_phi_[j] + p.polar[j].log_modulus) + base_ - p.damping);
      const std::complex<double> phase = turned(modulus, n * p.polar[j].argument, p.t);
      const std::complex<double> term = phase * p.kernel;
      out_.re[j].push_back(term.real());
      out_.im[j].push_back(term.imag());
      out_.density[j] += p.multiplicity * phase.real();
      size = larger(size, modulus);
    }
    out_.log_ratio.push_back(log_phi_[1] + p.polar[1].log_modulus - log_phi_[0] - p.polar[0].log_modulus);
    out_.turn.push_back(p.polar[1].argument - p.polar[0].argument);
    out_.size += p.weight * size;
    out_.error += p.weight * size * p.noise;
  }

  // Adds a bound on |phi_0 - phi_1|^2 |phi_0|^i |phi_1|^(m-2-i) for all i, with m as in worst_mixture.h.
  // With Mixing::swap the bound is integrated over the variable t of docs/theory/class-c.md, "Second
  // differences".
  void add_curvature(const Point& p) {
    const LawOnContour &a = *laws_[0], &b = *laws_[1];
    const std::complex<double> apart = (a.minus_one - b.minus_one) + a.phi() * p.x[0] - b.phi() * p.x[1];
    // The modulus takes two roundings, its product one, and the two sums one each.
    const double difference = std::sqrt(std::norm(apart)) * (1 + 4 * kUlpAbove) + slip(p, 0) + slip(p, 1);
    const double n = frame_.terms;
    const double log_larger =
        larger(log_phi_[0] + p.polar[0].log_modulus, log_phi_[1] + p.polar[1].log_modulus);
    double power = std::exp(n * log_larger + base_ - p.damping - 2 * log_larger);
    if (frame_.swap) {
      const double largest = std::exp(log_larger);
      const double reporting =
          larger(std::abs(reporting_part(p, 0)) + slip(p, 0), std::abs(reporting_part(p, 1)) + slip(p, 1));
      if (reporting < largest) {
        power *= n * frame_.absent / largest * smaller(1.0, largest / ((n - 2) * (largest - reporting)));
      } else {
        power = n * frame_.absent * std::exp((n - 3) * std::log(reporting) + base_ - p.damping);
      }
    }
    out_.curvature += p.weight * difference * difference * power * (1 + 2 * p.noise);
  }

  // Adds the powers and the ratio that add_ends() adds, for the two reporting parts (see reporting_part)
  // instead of phi_0 and phi_1.
  void add_reporting_parts(const Point& p) {
    const double n = frame_.terms;
    double log_modulus[2], turn[2];
    for (int j = 0; j < 2; ++j) {
      const std::complex<double> all = reporting_part(p, j);
      log_modulus[j] = std::log(std::abs(all) + slip(p, j));
      turn[j] = std::arg(all);
      const double size = std::exp(n * log_modulus[j] + base_ - p.damping);
      const std::complex<double> term = turned(size, n * turn[j], p.t) * p.kernel;
      out_.all_re[j].push_back(term.real());
      out_.all_im[j].push_back(term.imag());
      out_.error += p.weight * size * (p.noise + 2 * n * slip(p, j) * std::exp(-log_modulus[j]));
    }
    out_.all_log_ratio.push_back(log_modulus[1] - log_modulus[0]);
    out_.all_turn.push_back(turn[1] - turn[0]);
  }

  // The reporting part of phi_j: the expectation E e^{zY_j} over the event that the term is not absent. It is
  // phi_j minus the probability of being absent.
  std::complex<double> reporting_part(const Point& p, int j) const {
    return laws_[j]->phi() * (1.0 + p.x[j]) - frame_.absent;
  }
  // The slip is how far rounding may move reporting_part(p, j): a bound on the errors of this number and of
  // its modulus, and on what phi_j adds to the error of phi_0 - phi_1.
  double slip(const Point& p, int j) const {
    const LawOnContour& law = *laws_[j];
    // The error of phi counts up to three times, because phi is multiplied by x, |x| <= 2. The product, the
    // sum with 1, the difference, `absent` and the modulus add at most ten roundings of the larger of 1 and
    // phi_j. For phi_0 - phi_1, the operations add at most seven.
    return law.phi() * characteristic_error_[j].at(p.t) + 3 * error_of_phi(law) +
           8 * kUlpAbove * larger(1.0, law.phi());
  }
  // A product of this modulus and argument, times e^{-itk} and the smoothing's phase.
  std::complex<double> turned(double modulus, double argument, double t) const {
    return std::polar(modulus, argument - t * frame_.k + s_ * s_ * frame_.c * t);
  }

  // Adds to the sample's error, densities and curvature what the omitted frequencies may contribute: the
  // negligible ones that the walk skipped, and all beyond the last one. Every contribution is rounded up.
  // Exponents that `terms` multiplies are raised by their own rounding errors. All other roundings are
  // relative, fewer than eight million in any product or sum here, and the factor in `full` covers them.
  void charge_what_is_left_out() {
    const double n = frame_.terms;
    // At every frequency, |phi_j| is at most top_. Smoothing multiplies a term by e^{-(s t)^2 / 2}, which
    // falls as t grows and is below e^{-negligible_ - 1} beyond frequency number last_.
    const contour::Beyond rest = contour::beyond(last_, step_, s_);
    // An upper bound of |phi_j|^n, in units of e^{log_scale}. RoundOff bounds the error of the exponent but
    // for the two sums with log_scale.
    const double exponent = n * larger(log_phi_[0], log_phi_[1]) + base_;
    const double noise = larger(round_off_[0].at(0), round_off_[1].at(0)) +
                         kUlpAbove * (std::abs(exponent) + std::abs(base_) + std::abs(frame_.log_scale));
    const double full = std::exp(exponent + noise) * (1 + kEightMillionRoundings);
    // A modulus is negligible below a threshold whose n-th power is `small`. The threshold takes three
    // roundings, so its n-th power takes 3 n.
    const double log_small = 2 * kUlpAbove * n - negligible_, small = std::exp(log_small);
    // The modulus of the reporting part phi_j - absent is at most top_ - absent. It is also at most |phi_j| +
    // absent, which is the smaller bound where phi_j is small. Both bounds are divided by top_ here:
    // `least_away` and `most_away` are the lower and the upper end of the quotient absent / top_, and the two
    // slips bound the rounding errors of top_ and of `absent`.
    const double slip_of_top = larger(error_of_phi(*laws_[0]), error_of_phi(*laws_[1]));
    // `absent` is wrong by up to five roundings of 1 (frame_along() in worst_mixture.cc), and each end of the
    // quotient adds one.
    const double slip_of_absent = 3 * kUlpAbove;
    const double least_away =
        larger(0.0, frame_.absent - slip_of_absent) / (top_ + slip_of_top) * (1 - kThreeRoundings);
    const double most_away = (frame_.absent + slip_of_absent) / larger(top_ - slip_of_top, kUlpAbove);
    // The smaller of the two bounds is at most 1, so the difference or the sum that gives it takes at most
    // one rounding of 1.
    const double log_reporting =
        std::log(smaller(1 - least_away, std::exp(-negligible_ / n) + most_away) + 4 * kUlpAbove);
    const double reporting = log_reporting + kEightRoundings * std::abs(log_reporting);
    if (scans_every_type(frame_)) {
      out_.error += full * (skipped_ * std::exp(n * reporting) +
                            rest.excess * std::exp(n * std::log1p(-least_away) * (1 - kEightRoundings)));
    }
    for (double& density : out_.density) {
      density += full * (skipped_count_ * small + rest.density) + out_.error * frame_.c * frame_.c;
    }
    // `left_out` bounds the factor that a skipped frequency contributes to the curvature, where |phi_j|
    // enters to a power of at least n - 3. With Mixing::swap, a term for the reporting part is added.
    double left_out = std::exp(log_small * larger(0.0, n - 3) / n) / smaller(1.0, top_ * top_ * top_);
    if (frame_.swap) {
      left_out += std::exp((n - 3) * reporting) / smaller(1.0, top_ * top_ * top_);
      left_out *= n;
    }
    const double difference = widest(frame_, *laws_[0], *laws_[1]);
    out_.curvature +=
        full * difference * difference *
        (skipped_ * left_out + rest.excess * (frame_.swap ? n : 1) / smaller(1.0, top_ * top_ * top_));
  }

  // Multiplies all sums of the integrand by step / 2 pi and by the smoothing's constant factor,
  // e^{(s c)^2 / 2}.
  void rescale() {
    const double scale = std::exp(0.5 * s_ * s_ * frame_.c * frame_.c) / frame_.period.length;
    for (int side = 0; side < 2; ++side) {
      for (auto* values : {&out_.re[side], &out_.im[side], &out_.all_re[side], &out_.all_im[side]}) {
        for (double& x : *values) x *= scale;
      }
      out_.density[side] = larger(0.0, out_.density[side]) * scale;
    }
    out_.size *= scale;
    out_.error *= scale;
    out_.curvature *= scale;
  }

  const Frame& frame_;
  const LawOnContour* laws_[2];
  double s_, step_;
  double top_;  // the larger of phi_0 and phi_1 at t = 0, which bounds both on the whole contour
  double negligible_, last_;
  double log_phi_[2];
  double base_;
  contour::RoundOff round_off_[2];
  contour::CharacteristicError characteristic_error_[2];
  Samples out_;
  // The walk skips ranges of successive frequencies. skipped_ is an upper bound of the sum of multiplicity /
  // t^2 over all skipped frequencies, in which t is the first frequency of the range. skipped_count_ is the
  // sum of the multiplicities.
  double skipped_ = 0;
  double skipped_count_ = 0;
};

}  // namespace

Samples sample(const Frame& frame, const LawOnContour& a, const LawOnContour& b, double s, double budget) {
  return Collector(frame, a, b, s).all(budget);
}

}  // namespace muster::numerics::mixture
