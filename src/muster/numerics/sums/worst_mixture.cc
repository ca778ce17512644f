#include "muster/numerics/sums/worst_mixture.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/contour.h"
#include "muster/numerics/sums/enumerated_mixture.h"
#include "muster/numerics/sums/excess_bounds.h"
#include "muster/numerics/sums/excess_of_mixed_sum.h"
#include "muster/numerics/sums/mixture_samples.h"
#include "muster/numerics/sums/sample_products.h"
#include "muster/numerics/sums/smoothed_excess.h"
#include "muster/numerics/sums/sparse_sum.h"

namespace muster::numerics {
namespace {

using namespace mixture;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Tuning: every choice gives a valid bound; these constants trade its height for work. The resulting widths
// are tabulated in docs/theory/notes/class-c.md, "Width and time": about 1e-5 for many terms, mostly below
// 1e-3 for few. The curvature allowance is what beta (worst_mixture.h) adds to the chords. If it is below
// kTolerance times the value it is not refined, because the finest smoothing adds 5e-6 of the value anyway.
constexpr double kTolerance = 2e-7;
// Let s be the best smoothing of a first search. Two more smoothings are tried if (s c)^2 is above this, or
// if the bound is above the larger end by more than this part of it. If the bound is still above the larger
// end by more than this part and there are more than kEveryType terms, more chords are tried.
constexpr double kWorthTheWork = 1e-3;
// In the first search, each smoothing is kCoarser times the one before, up to kLastResort / c, which adds
// about 0.4^2 / 2 of the value. The two smoothings that may follow are s / kNearby and s kNearby. kNearby is
// about the square root of kCoarser.
constexpr double kCoarser = 1.8, kNearby = 1.34, kLastResort = 0.4;
// If a single chord is not enough, kPieces chords are tried. More follow as long as the number of chords
// times frequencies is at most kMaxWork or, once at the best smoothing, kMaxWorkAtLast. With these limits,
// the bound at one threshold takes about a millisecond at most (docs/theory/notes/class-c.md, "Width and
// time").
constexpr double kPieces = 64, kMaxWork = 4e5, kMaxWorkAtLast = 2e6;
// The affordable number of frequencies is kAffordable, or less for laws of more than kManyAtoms atoms. In the
// first search, a smoothing with s c < kCoarsest may visit kPatientWithFine times that number. Any other
// smoothing may visit kPatient times that number. Larger factors would narrow the result by about 1e-5.
constexpr double kPatientWithFine = 3, kPatient = 5;
// Up to this many atoms, the cost of a frequency is mostly that of its logarithms and angles. With more atoms
// it is charged as proportional to the number of atoms.
constexpr double kManyAtoms = 32;
// If the bound is above kHopeless times the larger end, it is refined not by more chords but by more
// smoothing, which lowers the curvature itself.
constexpr double kHopeless = 2;
// The contour is moved, by factors of kStep, if at the larger end's saddle point the other end's transform is
// more than e^kAlike times the larger end's. Without the move the bound can be useless
// (docs/theory/notes/class-c.md, "The contour").
constexpr double kAlike = 1, kStep = 1.25;
// If the contour was moved and leaves a larger relative gap between `upper` and `estimate` than this, the
// contour of the larger end is tried as well.
constexpr double kWorthAnother = 0.2;
// With Mixing::swap and up to kEveryType terms, every V_h is computed, whatever the chords give, if the
// logarithm of the probability that no term is absent exceeds this (e^-14 = 8e-7). The V_h leave this event
// out, and a rarer event seldom matters for the bound.
constexpr double kRareAll = -14;
// A value below e^kVanishing = 3e-109 is bounded, not computed, because no delta that small is asked for.
constexpr double kVanishing = -250;

// The sum is in extended precision, so that it takes about one rounding of a double, however many samples
// there are.
double sum_of(const std::vector<double>& v) {
  long double total = 0;
  for (double x : v) {
    total += x;
  }
  return static_cast<double>(total);
}

// An upper bound of V_h for all h in a piece of `length` values, where V_h is at most `left` and `right` at
// the two ends. It is the largest value of the chord plus the curvature allowance.
double bulge(double left, double right, double length, double curvature, bool swap) {
  const double allowance = curvature * length * length * (0.5 + (swap ? 1 / length : 0));
  const double drop = std::abs(left - right);
  const double high = larger(left, right);
  if (!(allowance > drop)) {
    return high;
  }
  const double share = 0.5 * (1 - drop / allowance);
  return high + allowance * share * share;
}

// An upper bound of all V_h, the largest value seen, and the number of terms of the second law at that value.
struct Largest {
  double upper = 0;
  double value = 0;
  double second = 0;

  void see(double new_upper, double new_value, double at) {
    upper = larger(upper, new_upper);
    if (new_value > value) {
      value = new_value;
      second = at;
    }
  }
};

// The bound by chords over pieces of `stride` terms. With Mixing::swap the chord end G_h stands at h m / n,
// between two of the V_i (docs/theory/class-c.md, "Chords").
Largest over_pieces(const Frame& frame, const Samples& samples, double stride) {
  const double n = frame.terms;
  const double shrink = frame.swap ? (n - 1) / n : 1;
  double ends[2] = {larger(0.0, sum_of(samples.re[0])) + samples.error,
                    larger(0.0, sum_of(samples.re[1])) + samples.error};
  Largest worst;
  worst.see(0, ends[0], 0);
  worst.see(0, ends[1], n);
  if (stride >= n) {
    worst.upper = bulge(ends[0], ends[1], n * shrink, samples.curvature, frame.swap);
    return worst;
  }
  // Start from the larger end, because the powers of the ratio of the transforms then mostly fall.
  const int from = ends[0] >= ends[1] ? 0 : 1;
  Products products(samples.re[from], samples.im[from], samples.log_ratio, samples.turn,
                    from == 0 ? stride : -stride);
  const LateSamples late(samples, from, n);
  double previous = ends[from];
  double at = 0;
  for (double steps = 1; at < n; ++steps) {
    const double next = smaller(n, at + stride);
    const double value = next >= n ? ends[1 - from]
                                   : larger(0.0, products.next() + late.at(next)) + samples.error +
                                         Products::kDropped + Products::rounding(steps, samples.size);
    worst.see(bulge(previous, value, (next - at) * shrink, samples.curvature, frame.swap), value,
              from == 0 ? next : n - next);
    previous = value;
    at = next;
  }
  return worst;
}

// The bound by chords over more and more pieces, until the bound is at most `enough` or above kHopeless times
// `largest`, or until more pieces would take more than `most` products.
Largest in_pieces(const Frame& frame, const Samples& samples, double largest, double enough, double most) {
  const double frequencies = static_cast<double>(samples.turn.size());
  Largest found{kInfinity, 0, 0};
  for (double pieces = kPieces; pieces == kPieces || pieces * frequencies <= most; pieces *= 8) {
    const double stride = std::ceil(frame.terms / pieces);
    Largest next = over_pieces(frame, samples, stride);
    next.upper = smaller(next.upper, found.upper);
    found = next;
    if (found.upper <= enough || stride <= 1 || found.upper > kHopeless * largest) {
      break;
    }
  }
  return found;
}

// Computes every V_h, from both ends to the middle, by h V_{h-1} + (n-h) V_h = n (G_h - the part of G_h where
// no term is absent). Errors shrink towards the middle.
Largest over_every_type(const Frame& frame, const Samples& samples) {
  const double n = frame.terms;
  const int half = static_cast<int>(n) / 2;
  Largest worst;
  for (int end = 0; end < 2; ++end) {
    const double towards = end == 0 ? 1 : -1;
    Products products(samples.re[end], samples.im[end], samples.log_ratio, samples.turn, towards);
    Products of_all(samples.all_re[end], samples.all_im[end], samples.all_log_ratio, samples.all_turn,
                    towards);
    double g = sum_of(samples.re[end]), all = sum_of(samples.all_re[end]);
    double value = 0;
    double error = 0;
    for (int h = 0; h <= half && h < static_cast<int>(n); ++h) {
      value = (n * (g - all) - h * value) / (n - h);
      error = (n * (samples.error + 2 * Products::kDropped) + h * error) / (n - h);
      worst.see(value + error, value, end == 0 ? h : n - h);
      g = products.next();
      all = of_all.next();
    }
  }
  return worst;
}

// The c of one contour for all mixtures; the argument `c` is the saddle point of `law`. Where the other
// law's transform is much larger at this saddle point, some mixture has the largest value. The contour is
// then moved towards the other law's saddle point until the two transforms are about equal, which is where
// the larger of them is smallest.
double contour_of_all(const AtomicLaw& law, const AtomicLaw& other, double terms, double k, double c) {
  const auto apart = [&](double at) { return terms * (other.log_mgf(at) - law.log_mgf(at)) > kAlike; };
  const auto rises = [&](double at) { return terms * tilt_of(other, at).mean - k > 2 / at; };
  if (!apart(c)) {
    return c;
  }
  const bool left = rises(c);
  double near = c;
  double far = c;
  for (int i = 0; i < 100 && apart(far) && rises(far) == left; ++i) {
    near = far;
    far *= left ? 1 / kStep : kStep;
  }
  for (int i = 0; i < 6; ++i) {
    const double middle = std::sqrt(near * far);
    (apart(middle) && rises(middle) == left ? near : far) = middle;
  }
  return far;
}

// A lower bound of the largest V_h, from the mixture with h terms of the second law. For Mixing::swap, the
// product quantity minus its part where no term is absent is an average of two of the V_h. Returns 0 at an
// end, whose value is known already.
double of_one_mixture(const AtomicLaw& first, const AtomicLaw& second, const Frame& frame, double h,
                      double c) {
  if (!(h > 0 && h < frame.terms)) return 0;
  const std::array<LawCopies, 2> laws = {LawCopies{&first, frame.terms - h}, LawCopies{&second, h}};
  const double value = excess_of_laws(laws, frame.k, c).lower;
  if (!frame.swap) return as_lower_bound(value, kInfinity);
  const double most = (frame.terms - h) * first.largest_point() + h * second.largest_point() - frame.k;
  const double all =
      std::exp(frame.terms * std::log1p(-frame.absent)) * larger(0.0, most) * (1 + kEightMillionRoundings);
  return as_lower_bound(value - all, kInfinity);
}

// The bound at one smoothing.
struct Attempt {
  bool usable = false;
  double fraction = 0;       // the smoothing s, in units of 1/c
  double upper = kInfinity;  // the upper bound of all V_h, in units of e^{log_scale}
  double larger_end = 0;     // value of the larger end, in units of e^{log_scale}
  double lower = 0;          // lower bound of the larger end's value, not scaled
  double second = 0;         // number of terms of the second law in the largest mixture seen
  Samples samples;
};

Attempt attempt(const Frame& frame, const LawOnContour& a, const LawOnContour& b, double fraction,
                double budget) {
  const double c = frame.c;
  const double s = fraction / c;
  Attempt out;
  out.fraction = fraction;
  out.samples = sample(frame, a, b, s, budget);
  const Samples& samples = out.samples;
  out.usable = samples.affordable;
  if (!out.usable) {
    return out;
  }
  const double ends[2] = {sum_of(samples.re[0]), sum_of(samples.re[1])};
  out.larger_end = larger(ends[0], ends[1], 0.0) + samples.error;
  const double enough = out.larger_end * (1 + larger(kTolerance, 0.1 * fraction * fraction));
  const auto take = [&](const Largest& found) {
    out.upper = smaller(out.upper, found.upper);
    out.second = found.second;
  };
  take(over_pieces(frame, samples, frame.terms));
  // over_every_type() leaves out the event that no term is absent, which may make up most of the bound by
  // chords.
  if (scans_every_type(frame)) {
    if (out.upper > enough || frame.terms * std::log1p(-frame.absent) > kRareAll) {
      take(over_every_type(frame, samples));
    }
  } else if (out.upper > enough) {
    take(in_pieces(frame, samples, out.larger_end, enough, kMaxWork));
  }
  const double scale = std::exp(frame.log_scale);
  for (int j = 0; j < 2; ++j) {
    const double high = (larger(0.0, ends[j]) + samples.error) * scale;
    const contour::SmoothedSum sum{ends[j], samples.error, samples.density[j], 1};
    out.lower = larger(out.lower, contour::lower_without_smoothing(sum, scale, c, s, frame.period, high));
  }
  return out;
}

// The frame of the integrals along Re z = c. Its period is set by along().
Frame frame_along(const AtomicLaw& first, const LawOnContour& a, const LawOnContour& b, double terms,
                  double k, Mixing mixing, std::optional<double> absent, double c) {
  // The sum is in extended precision, so that the mass at zero is wrong by at most five roundings (slack.h)
  // of 1 for as many as 8,202 atoms.
  long double weight = 0;
  for (double w : first.weights) {
    weight += w;
  }
  Frame frame;
  frame.terms = terms;
  frame.k = k;
  frame.c = c;
  frame.swap = mixing == Mixing::swap;
  frame.absent = frame.swap ? absent.value_or(static_cast<double>(larger(0.0L, 1 - weight))) : 0;
  frame.log_scale = terms * larger(a.tilt.log_mgf(), b.tilt.log_mgf()) - c * k;
  return frame;
}

// Chernoff's bound at frame.c, for every mixture at once. It uses that the weight n absent/(n - N) of
// Mixing::swap is at most n.
double chernoff_of_mixtures(const Frame& frame, const AtomicLaw& first, const AtomicLaw& second) {
  const double log_mgf = larger(log_mgf_above(first, frame.c), log_mgf_above(second, frame.c));
  const double besides = (frame.swap ? std::log(frame.terms) : 0) + larger(0.0, -log_mgf);
  return chernoff_bound(frame.terms * log_mgf + besides * (1 + kEightRoundings), frame.c, frame.k) + 1e-300;
}

// The best bound over several smoothings; not usable if no smoothing is affordable.
Attempt best_attempt(const Frame& frame, const LawOnContour& a, const LawOnContour& b) {
  const double atoms =
      static_cast<double>(a.points.size() > b.points.size() ? a.points.size() : b.points.size());
  const double affordable = atoms > kManyAtoms ? kAffordable * kManyAtoms / atoms : kAffordable;
  // Start with the finest smoothing whose frequencies are affordable, estimated from a few of them. Go on to
  // coarser smoothings while the curvature allowance adds more to the bound than smoothing would: sums on a
  // lattice have a curvature that smoothing removes.
  double fraction = affordable_fraction(frame, a, b);
  Attempt best;
  for (bool first_pass = true; fraction <= kLastResort; fraction *= kCoarser) {
    Attempt next =
        attempt(frame, a, b, fraction, (fraction < kCoarsest ? kPatientWithFine : kPatient) * affordable);
    if (!next.usable) {
      continue;
    }
    const bool better = first_pass || next.upper < best.upper;
    next.lower = larger(next.lower, best.lower);
    if (better) {
      best = std::move(next);
    }
    // About the relative amount that the smoothing adds to the bound.
    const double tolerance = larger(kTolerance, 0.3 * fraction * fraction);
    if (!better || best.upper <= best.larger_end * (1 + tolerance)) {
      break;
    }
    first_pass = false;
  }
  if (!best.usable) {
    return best;
  }
  const bool coarse = best.fraction > kFinest && best.fraction * best.fraction > kWorthTheWork;
  // Try two more smoothings near the best one.
  if (coarse || best.upper > best.larger_end * (1 + kWorthTheWork)) {
    for (const double nearby : {best.fraction / kNearby, best.fraction * kNearby}) {
      Attempt next = attempt(frame, a, b, nearby, kPatient * affordable);
      if (next.usable && next.upper < best.upper) {
        next.lower = larger(next.lower, best.lower);
        best = std::move(next);
      }
    }
  }
  return best;
}

// The bound with the integrals along Re z = c; log_value estimates the logarithm of the larger end.
WorstMixture along(const AtomicLaw& first, const AtomicLaw& second, double terms, double k, Mixing mixing,
                   std::optional<double> absent, double c, double log_value) {
  const LawOnContour a(first, c), b(second, c);
  Frame frame = frame_along(first, a, b, terms, k, mixing, absent, c);
  if (log_value < kVanishing || !contour::is_in_range(c)) {
    return {{.upper = chernoff_of_mixtures(frame, first, second), .estimate = 0}, kInfinity};
  }
  frame.period = contour::choose_period(c, log_value, [&](double lambda) {
    return terms * larger(first.log_mgf(lambda), second.log_mgf(lambda)) - lambda * k - 1 - std::log(lambda);
  });
  const WorstMixture nothing{{.upper = kInfinity, .estimate = 0}, kInfinity};
  if (!std::isfinite(frame.log_scale) || frame.log_scale > 600 || !(frame.period.length < 1e300)) {
    return nothing;
  }
  Attempt best = best_attempt(frame, a, b);
  if (!best.usable) {
    return nothing;
  }
  if (const double enough = best.larger_end * (1 + kWorthTheWork);
      terms > kEveryType && best.upper > enough) {
    const Largest found = in_pieces(frame, best.samples, kInfinity, enough, kMaxWorkAtLast);
    best.upper = smaller(best.upper, found.upper);
    best.second = found.second;
  }
  // e^{log_scale} may be below the range of a double although the result is not. Otherwise the exponential
  // takes two roundings and the products one each; the margin is that of contour::kOutward.
  const double scaled = frame.log_scale < contour::kLeastLogScale
                            ? std::exp(frame.log_scale + std::log(best.upper)) * (1 + kEightMillionRoundings)
                            : best.upper * std::exp(frame.log_scale) * (1 + contour::kOutward);
  const double result = scaled + 1e-300;
  if (!(result < kInfinity)) {
    return nothing;
  }
  const double inside = of_one_mixture(first, second, frame, best.second, c);
  return {{.upper = result, .estimate = larger(best.lower, inside)},
          (best.upper - best.larger_end) / best.larger_end};
}

}  // namespace

WorstMixture worst_mixture_excess(const AtomicLaw& first, const AtomicLaw& second, double terms, double k,
                                  Mixing mixing, std::optional<double> absent) {
  // An infinite or NaN threshold, point or weight must not look like an excess of 0.
  if (!std::isfinite(terms) || !std::isfinite(k) || !first.finite() || !second.finite()) {
    return {{.upper = kInfinity, .estimate = 0}, kInfinity};
  }
  const AtomicLaw* laws[2] = {&first, &second};
  if (!absent && enumerable_mixture(first, second, terms)) {
    const Enclosure exact = enumerated_mixture(first, second, terms, k, mixing);
    if (!(exact.upper < kInfinity)) return {{.upper = kInfinity, .estimate = 0}, kInfinity};  // a NaN weight
    return {{.upper = exact.upper, .estimate = exact.lower}, 0};
  }
  if (!absent) {  // few_terms_mixture() takes all mass at zero for absent terms
    if (const std::optional<WorstMixture> few = few_terms_mixture(first, second, terms, k, mixing))
      return *few;
  }
  // Start from the saddle point of the end (all terms of one law) whose value is estimated to be larger.
  double log_value = -kInfinity;
  double c = 0;
  const AtomicLaw* leading = nullptr;
  for (const AtomicLaw* law : laws) {
    if (std::fma(terms, law->largest_point(), -k) <= 0) {  // the sign is exact, as in expected_excess.cc
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
      leading = law;
    }
  }
  if (leading == nullptr) {  // no sum of these terms exceeds k, or no estimate could be computed
    const bool passes = std::fma(terms, larger(first.largest_point(), second.largest_point()), -k) > 0;
    return {{.upper = passes ? kInfinity : 0, .estimate = 0}, passes ? kInfinity : 0};
  }
  const double all = contour_of_all(*leading, leading == &first ? second : first, terms, k, c);
  WorstMixture found = along(first, second, terms, k, mixing, absent, all, log_value);
  if (all != c && !(found.value.upper < found.value.estimate * (1 + kWorthAnother))) {
    const WorstMixture own = along(first, second, terms, k, mixing, absent, c, log_value);
    const double estimate = larger(found.value.estimate, own.value.estimate);
    if (own.value.upper < found.value.upper) {
      found = own;
    }
    found.value.estimate = estimate;
  }
  found.value.estimate = smaller(found.value.estimate, found.value.upper);
  return found;
}

}  // namespace muster::numerics
