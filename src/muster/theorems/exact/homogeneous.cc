#include "muster/theorems/exact/homogeneous.h"

#include <cmath>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/mean_of_terms.h"
#include "muster/numerics/sums/weight_error.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;
using numerics::kUlpAbove;
using numerics::larger;
using numerics::smaller;

constexpr double kWide = 1e-4;  // enclosures relatively wider than this are computed a second time
// An expected excess below this share of the threshold would be lost in the difference that
// forward_of_lognormal() takes.
constexpr double kParity = 1e-7;
constexpr double kSumsReach = 300;  // from this epsilon0 on, terms leave the range of a double
constexpr double kMaxMu = 10;       // beyond this distance, only one_ratio_alone() is computed
constexpr int kKnots = 40;          // number of knots per deviation of ln r
// At either end of the law of r, what lies beyond the innermost knot with an expected excess of at most this
// is a single cell (CenteredLognormal::below).
constexpr double kTail = 1e-45;
constexpr int kLaplaceCells = 400;  // number of cells for messages between the two records
constexpr double kInward = 1 - numerics::kEightThousandRoundings;

// Clamps both ends to [0, 1], with the lower end at most the upper one. mean_of_terms has already covered
// the rounding errors of the terms.
EnclosedMinorant ordered(const Enclosure& ends) {
  const double upper = numerics::as_upper_bound(ends.upper);
  return {.lower = numerics::as_lower_bound(ends.lower, upper), .minorant_upper = upper};
}

}  // namespace

HomogeneousCurve::HomogeneousCurve(const Mechanism& mechanism, const RoundShape& shape)
    : mechanism_(mechanism), shape_(shape) {
  const double another = shape.rate * local_alternative_tail_upper(
                                          mechanism, std::log(shape.count) * (1 - numerics::kThreeRoundings));
  nobody_else_ = std::exp((shape.count - 1) * std::log1p(-smaller(another, 1.0))) * kInward;
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    // The distance is rounded to nearest, so the next smaller double is below the true distance.
    const double mu = std::nextafter(gaussian->mu(), 0.0);
    if (mu > kMaxMu) return;
    lognormal_ = std::make_shared<const CenteredLognormal>(mu, centered_knots(mu, kKnots));
    return;
  }
  if (const auto* given = std::get_if<ProfileLocal>(&mechanism)) {
    for (const Channel::Cell& cell : given->channel()->pair()) {
      ratios_.push_back({std::log(cell.victim / cell.alternative), cell.alternative});
    }
    if (ratios_.front().log > kSumsReach) ratios_.clear();
    return;
  }
  const long double epsilon0 = *pure_epsilon0(mechanism);
  if (epsilon0 > kSumsReach) return;
  if (std::holds_alternative<LaplaceLocal>(mechanism)) {
    // R(x') is centred at 1 and R(x) at 0. The ratio is constant for y < 0 and for y > 1, so each of these
    // two ranges is one atom. Cells of y in [0, 1] are merged to their means.
    ratios_ = {{epsilon0, 0.5L * std::exp(-epsilon0)}, {-epsilon0, 0.5L}};
    for (int i = 0; i < kLaplaceCells; ++i) {
      const long double right = static_cast<long double>(i + 1) / kLaplaceCells;
      const long double mass =
          -0.5L * std::expm1(-epsilon0 / kLaplaceCells) * std::exp(-epsilon0 * (1 - right));
      const long double middle = (static_cast<long double>(i) + 0.5L) / kLaplaceCells;
      ratios_.push_back({epsilon0 * (1 - 2 * middle), mass});
    }
    return;
  }
  const auto* response = std::get_if<KRandomizedResponse>(&mechanism);
  const long double k = response != nullptr ? static_cast<long double>(response->k()) : 2;
  const long double rare = 1 / (std::expm1(epsilon0) + k);
  ratios_ = {{epsilon0, rare}, {-epsilon0, std::exp(epsilon0) * rare}};
  if (k > 2) ratios_.push_back({0, (k - 2) * rare});
}

// The forward curve is (1/n) * mean of ( sum of (r' - E) )_+ , with E = e^epsilon.
EnclosedMinorant HomogeneousCurve::forward(double epsilon) const {
  Enclosure found{0, 0};
  if (lognormal_) {
    found = forward_of_lognormal(epsilon);
  } else if (!ratios_.empty()) {
    const long double e = epsilon, absent = -std::expm1(e);
    std::vector<numerics::Term> terms;
    for (const Ratio& r : ratios_) {
      terms.push_back({std::exp(e) * std::expm1(r.log - e), shape_.rate * r.mass});
    }
    if (shape_.rate < 1) terms.push_back({absent, 1 - static_cast<long double>(shape_.rate)});
    found = numerics::mean_of_terms(terms, shape_.clients, shape_.count, absent);
  }
  const Enclosure alone = one_ratio_alone(epsilon);
  return ordered({larger(found.lower, alone.lower), larger(found.upper, alone.upper)});
}

// The reverse curve is (1/n) * mean of ( sum of (1 - E r') )_+ , with E = e^epsilon.
EnclosedMinorant HomogeneousCurve::reverse(double epsilon) const {
  if (!lognormal_ && ratios_.empty()) {  // not computed; the value is between 0 and the local delta
    return {0, numerics::as_upper_bound(shape_.count / shape_.clients * shape_.rate *
                                        local_divergence_upper(mechanism_, epsilon) / kInward)};
  }
  if (lognormal_) return ordered(reverse_of_lognormal(epsilon));
  const long double e = epsilon, absent = -std::expm1(e);
  std::vector<numerics::Term> terms;
  for (const Ratio& r : ratios_) {
    terms.push_back({-std::expm1(r.log + e), shape_.rate * r.mass});
  }
  if (shape_.rate < 1) terms.push_back({absent, 1 - static_cast<long double>(shape_.rate)});
  return ordered(numerics::mean_of_terms(terms, shape_.clients, shape_.count, absent));
}

Enclosure HomogeneousCurve::one_ratio_alone(double epsilon) const {
  // The profile of a channel is the largest of all pairs, and not that of this pair.
  if (std::holds_alternative<ProfileLocal>(mechanism_)) return {0, 0};
  const double outside = larger(0.0, shape_.clients - shape_.count);
  // With t as in the header, ln t = ln(n E - (n - k)) = eps + ln k + ln(1 + (n - k)/k (1 - 1/E)).
  // The argument of log1p takes four roundings, and the sum at most seven: four of the argument, two of log1p
  // and one of the last sum.
  constexpr double kRoundings = 7;
  const double log_threshold =
      epsilon + std::log(shape_.count) + std::log1p(outside / shape_.count * -std::expm1(-epsilon));
  Enclosure divergence;
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism_)) {
    divergence = gaussian_divergence(gaussian->mu(), log_threshold, {.log_alpha = kRoundings});
  } else {
    const double above = local_divergence_upper(mechanism_, log_threshold * (1 - numerics::kEightRoundings));
    divergence = {
        local_divergence_upper(mechanism_, log_threshold * (1 + numerics::kEightRoundings)) * kInward, above};
  }
  const double scale = shape_.count / shape_.clients * shape_.rate * nobody_else_;
  return {divergence.lower * scale * kInward, divergence.upper * scale / kInward};
}

// Points are rounded towards lower values, so that E(sum - k)_+ of this law is not too large.
numerics::AtomicLaw HomogeneousCurve::lognormal_term(double sign) const {
  numerics::AtomicLaw law = lognormal_->below(kTail, sign > 0);
  for (double& y : law.points) y *= sign;
  for (double& w : law.weights) w *= shape_.rate;
  return law;
}

Enclosure HomogeneousCurve::forward_of_lognormal(double epsilon) const {
  // The factor covers two roundings of expm1, that of the product and its own. A larger k lowers the curve.
  const double n = shape_.clients, k = n * std::expm1(epsilon) * (1 + 4 * kUlpAbove);
  const numerics::AtomicLaw law = lognormal_term(1);
  Enclosure excess = numerics::expected_excess(law, shape_.count, k);
  if (!(excess.upper - excess.lower <= kWide * excess.upper) && !(excess.upper <= kParity * k)) {
    // The right tail is heavy. With S the sum, the mean of (S - k)_+ is the mean of (k - S)_+ plus that of
    // S - k, so the other tail can be computed instead. `lost` covers the rounding errors of this identity:
    // two roundings of its three terms, and those of the mean of S. That mean takes 7 + log2(m + 64)
    // roundings for m atoms (atom_kernels.h), which are 17 for the most atoms that a law has here, 830 (with
    // kKnots knots per deviation, at a distance of 1.66).
    numerics::AtomicLaw mirrored = law;
    for (double& y : mirrored.points) y = -y;
    const Enclosure deficit = numerics::expected_excess(mirrored, shape_.count, -k);
    const numerics::Tilt plain = numerics::tilt_of(law, 0);
    const double intrinsic = shape_.count * plain.mean - k;
    const double lost = numerics::kEightThousandRoundings * (deficit.upper + k) +
                        numerics::kEightHundredRoundings * shape_.count * plain.absolute_mean;
    excess = {larger(excess.lower, deficit.lower + intrinsic - lost),
              smaller(excess.upper, deficit.upper + intrinsic + lost)};
  }
  return of_merged_pair(excess, 1);
}

Enclosure HomogeneousCurve::reverse_of_lognormal(double epsilon) const {
  // The curve is (E/n) * mean of ( sum of (1 - r') - n (1 - 1/E) )_+ , with E = e^epsilon.
  // The factor covers two roundings of expm1, that of the product and its own. A larger k lowers the curve.
  const double k = -shape_.clients * std::expm1(-epsilon) * (1 + 4 * kUlpAbove);
  return of_merged_pair(numerics::expected_excess(lognormal_term(-1), shape_.count, k), std::exp(epsilon));
}

// Encloses `scale` / n times an excess. This is the curve of the pair with merged cells and rounded ratios,
// which is convex and lies below the true curve.
Enclosure HomogeneousCurve::of_merged_pair(const Enclosure& excess, double scale) const {
  const double weights = numerics::weight_error(shape_.count * shape_.rate), share = scale / shape_.clients;
  return {excess.lower * share / weights * kInward, excess.upper * share * weights / kInward};
}

}  // namespace muster::accounting
