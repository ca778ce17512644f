#include "muster/numerics/sums/mixture_samples.h"

#include <complex>
#include <limits>
#include <numbers>

#include "muster/numerics/ordered.h"

namespace muster::numerics::mixture {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr std::size_t kFewAtoms = 8;  // up to here sines one by one are quicker than the vector kernels
constexpr double kNegligible = 36;    // terms below e^-36 of the largest are bounded, not computed

// An upper bound of |1 + x|.
double modulus_of(std::complex<double> x) {
  return std::sqrt((1 + x.real()) * (1 + x.real()) + x.imag() * x.imag()) + contour::kFloor;
}

// The logarithm of the modulus and the argument of chi = 1 + x, as in contour::walk, with contour::kFloor
// added to the modulus.
struct Polar {
  explicit Polar(std::complex<double> x)
      : modulus(modulus_of(x)),
        log_modulus(modulus > 0.5 ? 0.5 * std::log1p(larger(
                                              2 * x.real() + x.real() * x.real() + x.imag() * x.imag(), -1.0))
                                  : std::log(modulus)),
        argument(std::atan2(x.imag(), 1 + x.real())) {}
  double modulus, log_modulus, argument;
};

// An upper bound of |phi_0 - phi_1| on the whole contour.
double widest(const Frame& frame, const Side& a, const Side& b) {
  return a.phi() * (1 + kUlp) + b.phi() - 2 * frame.absent;
}
// Terms below e^-this of the largest one are negligible, even multiplied by (terms * widest)^2
// for the curvature.
double negligible_exponent(const Frame& frame, const Side& a, const Side& b) {
  return kNegligible + 2 * std::log1p(frame.terms * widest(frame, a, b));
}
double last_frequency(const Frame& frame, const Side& a, const Side& b, double s) {
  return std::floor(std::sqrt(2 * (negligible_exponent(frame, a, b) + 1)) / s * frame.period.length /
                    (2 * std::numbers::pi));
}
double frequencies(const Frame& frame, const Side& a, const Side& b, double fraction) {
  return last_frequency(frame, a, b, fraction / frame.c);
}

// Estimates from a few frequencies far from zero what share of them has terms that are not negligible.
double active_share(const Frame& frame, const Side& a, const Side& b) {
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
    active += larger(share[0] * modulus_of(a.characteristic_minus_one(t)),
                     share[1] * modulus_of(b.characteristic_minus_one(t))) >= threshold
                  ? 1
                  : 0;
  }
  return static_cast<double>(active) / kProbes;
}

}  // namespace

Side::Side(const AtomicLaw& law, double c) : tilt(law, c), points(law.points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    minus_one += law.weights[i] * std::expm1(c * points[i]);
    weights.push_back(2 * law.weights[i] * std::exp(c * points[i] - tilt.log_mgf()));
  }
}

std::complex<double> Side::characteristic_minus_one(double t) const {
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

double affordable_fraction(const Frame& frame, const Side& a, const Side& b) {
  const double fraction =
      kFinest * active_share(frame, a, b) * frequencies(frame, a, b, kFinest) / kAffordable;
  return within(fraction, kFinest, kCoarsest);
}

Samples sample(const Frame& frame, const Side& a, const Side& b, double s, double budget) {
  const double n = frame.terms;
  const double c = frame.c;
  const double step = 2 * std::numbers::pi / frame.period.length;
  const double difference_bound = widest(frame, a, b);
  const double top = larger(a.phi(), b.phi());
  const double negligible = negligible_exponent(frame, a, b);
  const double last = last_frequency(frame, a, b, s);
  const double log_phi[2] = {a.tilt.log_mgf(), b.tilt.log_mgf()};
  const double log_top = larger(log_phi[0], log_phi[1]);
  const double base = -c * frame.k - frame.log_scale;
  const contour::RoundOff round_off[2] = {{a.tilt, n, c, frame.k}, {b.tilt, n, c, frame.k}};
  const double lipschitz = larger(a.tilt.absolute_mean(), b.tilt.absolute_mean());
  const double difference_error = kUlp * (EquispacedCharacteristic::kResync + 16) *
                                  (a.phi() * a.tilt.nonzero_mass() + b.phi() * b.tilt.nonzero_mass() +
                                   std::abs(a.minus_one) + std::abs(b.minus_one));
  const double difference_slope =
      kUlp * 4 * (a.phi() * a.tilt.absolute_mean() + b.phi() * b.tilt.absolute_mean());

  Samples out;
  const auto add = [&](double t, double multiplicity, std::complex<double> xa, std::complex<double> xb,
                       const Polar& pa, const Polar& pb, double damping) {
    const std::complex<double> z(c, t);
    const std::complex<double> kernel = multiplicity / (z * z);
    const double weight = multiplicity / (c * c + t * t);
    const Polar* polar[2] = {&pa, &pb};
    double size = 0;
    for (int j = 0; j < 2; ++j) {
      const double modulus = std::exp(n * (log_phi[j] + polar[j]->log_modulus) + base - damping);
      const std::complex<double> phase =
          std::polar(modulus, n * polar[j]->argument - t * frame.k + s * s * c * t);
      const std::complex<double> term = phase * kernel;
      out.re[j].push_back(term.real());
      out.im[j].push_back(term.imag());
      out.density[j] += multiplicity * phase.real();
      size = larger(size, modulus);
    }
    out.log_ratio.push_back(log_phi[1] + pb.log_modulus - log_phi[0] - pa.log_modulus);
    out.turn.push_back(pb.argument - pa.argument);
    const double noise =
        larger(round_off[0].at(t), round_off[1].at(t)) * larger(1.0, 1 / pa.modulus, 1 / pb.modulus) * 2 +
        2048 * kUlp;
    out.error += weight * size * noise;
    const std::complex<double> apart = (a.minus_one - b.minus_one) + a.phi() * xa - b.phi() * xb;
    const double difference =
        std::sqrt(std::norm(apart)) * (1 + 4 * kUlp) + difference_error + difference_slope * t;
    // The largest |phi_0|^i |phi_1|^(m-2-i) over i, integrated over the weight of Mixing::swap
    // (docs/theory/class-c.md, "Second differences").
    const double log_larger = larger(log_phi[0] + pa.log_modulus, log_phi[1] + pb.log_modulus);
    double power = std::exp(n * log_larger + base - damping - 2 * log_larger);
    if (frame.swap) {
      const double largest = std::exp(log_larger);
      const double reporting = larger(std::abs(a.phi() * (1.0 + xa) - frame.absent),
                                      std::abs(b.phi() * (1.0 + xb) - frame.absent)) +
                               64 * kUlp * top;
      if (reporting < largest) {
        power *= n * frame.absent / largest * smaller(1.0, largest / ((n - 2) * (largest - reporting)));
      } else {
        power = n * frame.absent * std::exp((n - 3) * std::log(reporting) + base - damping);
      }
    }
    out.curvature += weight * difference * difference * power * (1 + 2 * noise);
    if (scans_every_type(frame)) {
      double log_modulus[2], turn[2];
      for (int j = 0; j < 2; ++j) {
        const std::complex<double> all =
            (j == 0 ? a.phi() * (1.0 + xa) : b.phi() * (1.0 + xb)) - frame.absent;
        const double slip = 64 * kUlp * top + difference_slope * t;
        log_modulus[j] = std::log(std::abs(all) + slip);
        turn[j] = std::arg(all);
        const double size_of_all = std::exp(n * log_modulus[j] + base - damping);
        const std::complex<double> term =
            std::polar(size_of_all, n * turn[j] - t * frame.k + s * s * c * t) * kernel;
        out.all_re[j].push_back(term.real());
        out.all_im[j].push_back(term.imag());
        out.error += weight * size_of_all * (noise + 2 * n * slip * std::exp(-log_modulus[j]));
      }
      out.all_log_ratio.push_back(log_modulus[1] - log_modulus[0]);
      out.all_turn.push_back(turn[1] - turn[0]);
    }
  };

  {
    const Polar one(std::complex<double>(0, 0));
    add(0, 1, 0, 0, one, one, 0);
  }
  const double share[2] = {std::exp(log_phi[0] - log_top), std::exp(log_phi[1] - log_top)};
  double work = 0;
  double skipped = 0;  // sum of multiplicity / t^2 over the frequencies left out
  double skipped_count = 0;
  EquispacedCharacteristic rotating_a(a.tilt, step), rotating_b(b.tilt, step);
  bool in_step = true;  // whether both rotating evaluators stand at frequency j - 1
  double j = 1;
  while (j <= last) {
    const double t = j * step;
    work += 1;
    if (work > budget) {
      out.affordable = false;
      return out;
    }
    const std::complex<double> xa = in_step ? rotating_a.advance() : a.characteristic_minus_one(t);
    const std::complex<double> xb = in_step ? rotating_b.advance() : b.characteristic_minus_one(t);
    const double modulus = larger(share[0] * modulus_of(xa), share[1] * modulus_of(xb));
    const double damping = 0.5 * s * s * t * t;
    // The damping only grows with t, so frequencies shortly after one below this threshold can be leapt over.
    const double threshold = std::exp(smaller(0.0, (damping - negligible) / n));
    if (!(modulus < threshold) && !(damping >= negligible)) {  // a NaN is not negligible
      if (!in_step) {
        rotating_a.seek(j);
        rotating_b.seek(j);
        in_step = true;
      }
      add(t, 2, xa, xb, Polar(xa), Polar(xb), damping);
      j += 1;
      continue;
    }
    const double reach = damping < negligible ? (threshold - modulus) / lipschitz : last * step;
    const double leap = smaller(reach > 0 ? std::floor(reach / step) : 0, last - j);
    skipped += 2 * (leap + 1) / (t * t);
    skipped_count += 2 * (leap + 1);
    j += leap + 1;
    in_step = in_step && leap == 0;
  }
  // Beyond `last` |phi| <= top, and the smoothing alone gives a factor of at most e^{-negligible-1}, falling.
  const double t = (last + 1) * step;
  const double rest = 2 * std::exp(-0.5 * s * s * t * t);
  const double rest_sum = rest * (1 / (step * t) + 1 / (t * t));
  const double rest_count = rest * (1 / (step * s * s * t) + 1);
  const double full = std::exp(n * log_top + base);  // upper bound of |phi_j|^n, scaled
  const double small = std::exp(-negligible);
  out.error += full * (skipped * small + rest_sum);
  // The reporting part g psi_j has a modulus of at most top - absent, and of at most |phi_j| + absent,
  // which is small where phi_j is.
  const double away = frame.absent / top;
  const double reporting = std::log(smaller(1 - away, std::exp(-negligible / n) + away));
  if (scans_every_type(frame)) {
    out.error += full * (skipped * std::exp(n * reporting) + rest_sum * std::exp(n * std::log1p(-away)));
  }
  for (double& density : out.density) {
    density += full * (skipped_count * small + rest_count) + out.error * c * c;
  }
  // The curvature of the frequencies left out: |phi|^n enters only to the power (n-3)/n, and with
  // Mixing::swap the reporting part is added.
  double left_out = std::exp(-negligible * larger(0.0, n - 3) / n) / smaller(1.0, top * top * top);
  if (frame.swap) {
    left_out += std::exp((n - 3) * reporting) / smaller(1.0, top * top * top);
    left_out *= n;
  }
  out.curvature += full * difference_bound * difference_bound *
                   (skipped * left_out + rest_sum * (frame.swap ? n : 1) / smaller(1.0, top * top * top));
  const double scale = std::exp(0.5 * s * s * c * c) / frame.period.length;
  for (int side = 0; side < 2; ++side) {
    for (auto* values : {&out.re[side], &out.im[side], &out.all_re[side], &out.all_im[side]}) {
      for (double& x : *values) x *= scale;
    }
    out.density[side] = larger(0.0, out.density[side]) * scale;
  }
  out.error *= scale;
  out.curvature *= scale;
  return out;
}

}  // namespace muster::numerics::mixture
