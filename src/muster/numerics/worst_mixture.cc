#include "muster/numerics/worst_mixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "muster/numerics/contour.h"
#include "muster/numerics/enumerated_mixture.h"

namespace muster::numerics {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr double kTolerance = 2e-7;     // of the value: a curvature allowance below this is not refined
constexpr double kWorthTheWork = 1e-3;  // an allowance above this is refined at any price
constexpr double kFinest = 1e-3, kCoarsest = 6e-2;  // smoothing, in units of 1/c
constexpr double kCoarser = 2.5, kLastResort = 0.4;
constexpr double kAffordable = 2000;  // frequencies
constexpr double kPieces = 64;
constexpr double kNegligible = 36;  // terms below e^-36 of the largest are bounded, not computed
constexpr double kHopeless = -250;  // logarithm of a value nobody asks for: bounded, not computed
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One law on the common contour.
struct Side {
  Side(const AtomicLaw& law, double c) : tilt(law, c), minus_one(0) {
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      minus_one += law.weights[i] * std::expm1(c * law.points[i]);
    }
  }
  TiltedLaw tilt;
  double minus_one;  // phi(c) - 1
  double phi() const { return 1 + minus_one; }
};

// log|chi| and arg of chi = 1 + x, as in contour::walk; the modulus is not trusted below its floor.
struct Polar {
  explicit Polar(std::complex<double> x)
      : modulus(std::hypot(1 + x.real(), x.imag()) + contour::kFloor),
        log_modulus(modulus > 0.5 ? 0.5 * std::log1p(std::max(
                                              2 * x.real() + x.real() * x.real() + x.imag() * x.imag(), -1.0))
                                  : std::log(modulus)),
        argument(std::atan2(x.imag(), 1 + x.real())) {}
  double modulus, log_modulus, argument;
};

// Everything that is fixed along the contour.
struct Frame {
  double terms, k, c, absent;
  bool swap;
  double log_scale;  // results are in units of e^{log_scale}
  contour::Period period;
};

// Frequencies that count, with the two products of the ends and what turns one into the other.
struct Samples {
  std::vector<double> re[2], im[2];     // kernel * phi_j^terms
  std::vector<double> log_ratio, turn;  // of phi_1 / phi_0
  double error = 0;                     // two-sided, on any product of `terms` factors
  double curvature = 0;                 // bounds |second differences|
  double density[2] = {0, 0};
  bool affordable = true;
};

// |phi_0 - phi_1| and |phi| on the whole contour, and what that makes negligible.
double widest(const Frame& frame, const Side& a, const Side& b) {
  return a.phi() * (1 + kUlp) + b.phi() - 2 * frame.absent;
}
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

// Among frequencies far from zero, the share whose terms count: an estimate from a few.
double active_share(const Frame& frame, const Side& a, const Side& b) {
  constexpr int kProbes = 64;
  const double negligible = negligible_exponent(frame, a, b);
  const double step = 2 * std::numbers::pi / frame.period.length;
  const double last = frequencies(frame, a, b, kFinest);
  int active = 0;
  for (int i = 0; i < kProbes; ++i) {
    const double t = step * last * (i + 0.5) / kProbes * 0.7;
    const double log_modulus =
        std::max(a.tilt.log_mgf() + Polar(a.tilt.characteristic_minus_one(t)).log_modulus,
                 b.tilt.log_mgf() + Polar(b.tilt.characteristic_minus_one(t)).log_modulus) -
        std::max(a.tilt.log_mgf(), b.tilt.log_mgf());
    active += frame.terms * log_modulus > -negligible ? 1 : 0;
  }
  return static_cast<double>(active) / kProbes;
}

Samples sample(const Frame& frame, const Side& a, const Side& b, double s, double budget) {
  const double n = frame.terms;
  const double c = frame.c;
  const double step = 2 * std::numbers::pi / frame.period.length;
  const double difference_bound = widest(frame, a, b);
  const double top = std::max(a.phi(), b.phi());
  const double negligible = negligible_exponent(frame, a, b);
  const double threshold = std::exp(-negligible / n);
  const double last = last_frequency(frame, a, b, s);
  const double log_phi[2] = {a.tilt.log_mgf(), b.tilt.log_mgf()};
  const double log_top = std::max(log_phi[0], log_phi[1]);
  const double base = -c * frame.k - frame.log_scale;
  const contour::RoundOff round_off[2] = {{a.tilt, n, c, frame.k}, {b.tilt, n, c, frame.k}};
  const double lipschitz = std::max(a.tilt.absolute_mean(), b.tilt.absolute_mean());
  const double difference_error = kUlp * 48 *
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
      size = std::max(size, modulus);
    }
    out.log_ratio.push_back(log_phi[1] + pb.log_modulus - log_phi[0] - pa.log_modulus);
    out.turn.push_back(pb.argument - pa.argument);
    const double noise = std::max(round_off[0].at(t), round_off[1].at(t)) *
                             std::max({1.0, 1 / pa.modulus, 1 / pb.modulus}) * 2 +
                         2048 * kUlp;
    out.error += weight * size * noise;
    const double difference = std::abs((a.minus_one - b.minus_one) + a.phi() * xa - b.phi() * xb) +
                              difference_error + difference_slope * t;
    // max |phi_1|^i |phi_2|^(m-2-i) over i, integrated over the swap's weight (header of this file's page).
    const double log_larger = std::max(log_phi[0] + pa.log_modulus, log_phi[1] + pb.log_modulus);
    double power = std::exp(n * log_larger + base - damping - 2 * log_larger);
    if (frame.swap) {
      const double larger = std::exp(log_larger);
      const double reporting = std::max(std::abs(a.phi() * (1.0 + xa) - frame.absent),
                                        std::abs(b.phi() * (1.0 + xb) - frame.absent)) +
                               64 * kUlp * top;
      if (reporting < larger) {
        power *= n * frame.absent / larger * std::min(1.0, larger / ((n - 2) * (larger - reporting)));
      } else {
        power = n * frame.absent * std::exp((n - 3) * std::log(reporting) + base - damping);
      }
    }
    out.curvature += weight * difference * difference * power * (1 + 2 * noise);
  };

  {
    const Polar one(std::complex<double>(0, 0));
    add(0, 1, 0, 0, one, one, 0);
  }
  EquispacedCharacteristic rotating[2] = {{a.tilt, step}, {b.tilt, step}};
  bool in_step = true;
  double work = 0;
  double skipped = 0;  // sum of multiplicity / t^2 over what is leapt
  double skipped_count = 0;
  double j = 1;
  while (j <= last) {
    const double t = j * step;
    work += 1;
    if (work > budget) {
      out.affordable = false;
      return out;
    }
    std::complex<double> xa, xb;
    if (in_step) {
      xa = rotating[0].advance();
      xb = rotating[1].advance();
    } else {
      xa = a.tilt.characteristic_minus_one(t);
      xb = b.tilt.characteristic_minus_one(t);
    }
    const Polar pa(xa), pb(xb);
    const double log_larger =
        std::max(log_phi[0] - log_top + pa.log_modulus, log_phi[1] - log_top + pb.log_modulus);
    const double damping = 0.5 * s * s * t * t;
    if (n * log_larger - damping > -negligible) {
      if (!in_step) {
        rotating[0].seek(j);
        rotating[1].seek(j);
        in_step = true;
      }
      add(t, 2, xa, xb, pa, pb, damping);
      j += 1;
      continue;
    }
    const double reach = (threshold - std::exp(log_larger)) / lipschitz;
    const double leap = std::min(reach > 0 ? std::floor(reach / step) : 0, last - j);
    skipped += 2 * (leap + 1) / (t * t);
    skipped_count += 2 * (leap + 1);
    j += leap + 1;
    in_step = in_step && leap == 0;
  }
  // Beyond `last`: |phi| <= top and the smoothing alone, e^{-negligible-1} and falling.
  const double t = (last + 1) * step;
  const double rest = 2 * std::exp(-0.5 * s * s * t * t);
  const double rest_sum = rest * (1 / (step * t) + 1 / (t * t));
  const double rest_count = rest * (1 / (step * s * s * t) + 1);
  const double full = std::exp(n * log_top + base);  // |phi_j|^n at most this
  const double small = std::exp(-negligible);
  out.error += full * (skipped * small + rest_sum);
  for (double& density : out.density) {
    density += full * (skipped_count * small + rest_count) + out.error * c * c;
  }
  // Curvature of what was left out: (|phi|^n)^((n-3)/n) of it, and of the swap's reporting part.
  double left_out = std::exp(-negligible * std::max(0.0, n - 3) / n) / std::min(1.0, top * top * top);
  if (frame.swap) {
    left_out += std::exp((n - 3) * std::log1p(-frame.absent / top)) / std::min(1.0, top * top * top);
    left_out *= n;
  }
  out.curvature += full * difference_bound * difference_bound *
                   (skipped * left_out + rest_sum * (frame.swap ? n : 1) / std::min(1.0, top * top * top));
  const double scale = std::exp(0.5 * s * s * c * c) / frame.period.length;
  for (int side = 0; side < 2; ++side) {
    for (double& x : out.re[side]) x *= scale;
    for (double& x : out.im[side]) x *= scale;
    out.density[side] = std::max(0.0, out.density[side]) * scale;
  }
  out.error *= scale;
  out.curvature *= scale;
  return out;
}

double sum_of(const std::vector<double>& v) {
  double total = 0;
  for (double x : v) {
    total += x;
  }
  return total;
}

// The largest value over one piece of length `length` between `left` and `right`.
double bulge(double left, double right, double length, double curvature, bool swap) {
  const double allowance = curvature * length * length * (0.5 + (swap ? 1 / length : 0));
  const double drop = std::abs(left - right);
  const double high = std::max(left, right);
  if (!(allowance > drop)) {
    return high;
  }
  const double share = 0.5 * (1 - drop / allowance);
  return high + allowance * share * share;
}

// Upper bound of all V, chords over pieces of `stride` terms. In the swap reading the chord's ends stand at
// h m / n.
double over_pieces(const Frame& frame, const Samples& samples, double stride) {
  const double n = frame.terms;
  const double shrink = frame.swap ? (n - 1) / n : 1;
  double ends[2] = {std::max(0.0, sum_of(samples.re[0])) + samples.error,
                    std::max(0.0, sum_of(samples.re[1])) + samples.error};
  if (stride >= n) {
    return bulge(ends[0], ends[1], n * shrink, samples.curvature, frame.swap);
  }
  // From the larger end: powers of the ratio then mostly fall.
  const int from = ends[0] >= ends[1] ? 0 : 1;
  const std::size_t count = samples.re[0].size();
  std::vector<double> re = samples.re[from], im = samples.im[from];
  std::vector<double> step_re(count), step_im(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double sign = from == 0 ? stride : -stride;
    const double modulus = std::exp(std::min(300.0, sign * samples.log_ratio[i]));
    step_re[i] = modulus * std::cos(sign * samples.turn[i]);
    step_im[i] = modulus * std::sin(sign * samples.turn[i]);
  }
  double worst = 0;
  double previous = ends[from];
  double at = 0;
  while (at < n) {
    double next = std::min(n, at + stride);
    double value;
    if (next >= n) {
      value = ends[1 - from];
    } else {
      double total = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double x = re[i] * step_re[i] - im[i] * step_im[i];
        im[i] = re[i] * step_im[i] + im[i] * step_re[i];
        re[i] = x;
        total += x;
      }
      value = std::max(0.0, total) + samples.error;
    }
    worst = std::max(worst, bulge(previous, value, (next - at) * shrink, samples.curvature, frame.swap));
    previous = value;
    at = next;
  }
  return worst;
}

// The bound at one smoothing.
struct Attempt {
  bool usable = false;
  double upper = kInfinity;  // in units of e^{log_scale}
  double larger = 0;         // the larger end alone
  double lower = 0;          // of the larger end, without smoothing or aliases; in plain units
  Samples samples;
};

Attempt attempt(const Frame& frame, const Side& a, const Side& b, double fraction, double budget) {
  const double c = frame.c;
  const double s = fraction / c;
  Attempt out;
  out.samples = sample(frame, a, b, s, budget);
  const Samples& samples = out.samples;
  out.usable = samples.affordable;
  if (!out.usable) {
    return out;
  }
  const double ends[2] = {sum_of(samples.re[0]), sum_of(samples.re[1])};
  out.larger = std::max({ends[0], ends[1], 0.0}) + samples.error;
  out.upper = over_pieces(frame, samples, frame.terms);
  if (out.upper > out.larger * (1 + std::max(kTolerance, 0.1 * fraction * fraction))) {
    out.upper = std::min(out.upper, over_pieces(frame, samples, std::ceil(frame.terms / kPieces)));
  }
  const double scale = std::exp(frame.log_scale);
  const double decay = std::exp(-c * frame.period.length);
  const double smoothing = std::exp(0.5 * s * s * frame.period.lambda * frame.period.lambda);
  for (int j = 0; j < 2; ++j) {
    const double high = (std::max(0.0, ends[j]) + samples.error) * scale;
    const double aliases = high * decay / (1 - decay) +
                           frame.period.length * decay / ((1 - decay) * (1 - decay)) +
                           frame.period.left_aliases(c) * smoothing;
    out.lower = std::max(out.lower, (ends[j] - samples.error) * scale * (1 - 64 * kUlp) -
                                        s * s * samples.density[j] * scale - aliases);
  }
  return out;
}

}  // namespace

WorstMixture worst_mixture_call(const AtomicLaw& first, const AtomicLaw& second, double terms, double k,
                                Mixing mixing) {
  const AtomicLaw* laws[2] = {&first, &second};
  if (enumerable_mixture(first, second, terms)) {
    return {enumerated_mixture(first, second, terms, k, mixing), 0};
  }
  // The contour through the saddle point of the end with the larger estimate.
  double log_value = -kInfinity;
  double c = 0;
  for (const AtomicLaw* law : laws) {
    if (terms * law->largest_point() <= k) {
      continue;
    }
    const double saddle = contour::saddle_point(*law, terms, k, [](double x) { return 2 / x; });
    const TiltedLaw tilt(*law, saddle);
    const double width = std::sqrt(terms * tilt.variance() + 2 / (saddle * saddle));
    const double estimate = terms * tilt.log_mgf() - saddle * k - 2 * std::log(saddle) -
                            std::log(width * std::sqrt(2 * std::numbers::pi));
    if (estimate > log_value) {
      log_value = estimate;
      c = saddle;
    }
  }
  if (log_value == -kInfinity) {
    return {{0, 0}, 0};  // no sum of these terms passes k
  }
  double weight = 0;
  for (double w : first.weights) {
    weight += w;
  }
  const Side a(first, c), b(second, c);
  Frame frame;
  frame.terms = terms;
  frame.k = k;
  frame.c = c;
  frame.swap = mixing == Mixing::swap;
  frame.absent = frame.swap ? std::max(0.0, 1 - weight) : 0;
  frame.log_scale = terms * std::max(a.tilt.log_mgf(), b.tilt.log_mgf()) - c * k;
  if (log_value < kHopeless) {
    // Markov at the saddle for every mixture at once; the swap's weight n absent/(n - N) is at most n.
    const double log_bound = frame.log_scale - 1 - std::log(c) + (frame.swap ? std::log(terms) : 0) +
                             std::max(0.0, -std::max(a.tilt.log_mgf(), b.tilt.log_mgf()));
    return {{0, std::exp(log_bound) + 1e-300}, kInfinity};
  }
  frame.period = contour::choose_period(c, log_value, [&](double lambda) {
    return terms * std::max(first.log_mgf(lambda), second.log_mgf(lambda)) - lambda * k - 1 -
           std::log(lambda);
  });
  const WorstMixture nothing{{0, kInfinity}, kInfinity};
  if (!std::isfinite(frame.log_scale) || frame.log_scale > 600 || !(frame.period.length < 1e300)) {
    return nothing;
  }
  // The finest smoothing whose frequencies are affordable, by the share that counts among a few; 1/c is the
  // scale on which the tilted payoff varies. Then coarser ones while the curvature allowance costs more than
  // smoothing would: sums on a lattice have a curvature that smoothing removes.
  double fraction = std::max(
      kFinest, kFinest * active_share(frame, a, b) * frequencies(frame, a, b, kFinest) / kAffordable);
  fraction = std::min(fraction, kCoarsest);
  Attempt best;
  for (bool first_pass = true; fraction <= kLastResort; fraction *= kCoarser) {
    Attempt next = attempt(frame, a, b, fraction, (fraction < kCoarsest ? 3 : 50) * kAffordable);
    if (!next.usable) {
      continue;
    }
    const bool better = first_pass || next.upper < best.upper;
    next.lower = std::max(next.lower, best.lower);
    if (better) {
      best = std::move(next);
    }
    const double tolerance = std::max(kTolerance, 0.3 * fraction * fraction);  // smoothing costs as much
    if (!better || best.upper <= best.larger * (1 + tolerance)) {
      break;
    }
    first_pass = false;
  }
  if (!best.usable) {
    return nothing;
  }
  if (terms > kPieces && best.upper > best.larger * (1 + kWorthTheWork)) {
    best.upper = std::min(best.upper, over_pieces(frame, best.samples, std::ceil(terms / (8 * kPieces))));
  }
  const double result = best.upper * std::exp(frame.log_scale) * (1 + 64 * kUlp) + 1e-300;
  if (!(result < kInfinity)) {
    return nothing;
  }
  return {{best.lower, result}, (best.upper - best.larger) / best.larger};
}

}  // namespace muster::numerics
