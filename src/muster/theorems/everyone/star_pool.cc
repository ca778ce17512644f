#include "muster/theorems/everyone/star_pool.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/excess_of_mixed_sum.h"
#include "muster/numerics/sums/weight_error.h"
#include "muster/theorems/everyone/pool_weights.h"

namespace muster::accounting {
namespace {

using numerics::as_upper_bound;
using numerics::kEightyRoundings;
using numerics::kThreeRoundings;
using numerics::kUlp;
using numerics::larger;

constexpr double kSumsReach = 300;  // above this epsilon, terms leave the range of a double
constexpr double kMaxRatio = 20;    // above this `ratio`, the local bound is at least as good
// Nodes of the profile per deviation. The chords between them raise the variance of X* by a relative 2e-4.
constexpr int kNodes = 30;
// Covering all weights by slices may raise the sum's variance by this relative amount.
constexpr double kSliceTolerance = 3e-3;
// The value that replaces kSliceTolerance if the ratio is above kLooseRatio, where unequal weights raise the
// variance by a half or more in any case.
constexpr double kLooseTolerance = 1e-2;
constexpr double kLooseRatio = 4;
// The larger of the two different weights of a slice is above 1 by at least this.
constexpr double kLevelsApart = 1e-9;
constexpr double kInward = 1 - numerics::kEightThousandRoundings;

// Returns the largest relative increase of the variance by unequal weights, where `ratio` is the largest
// weight over the smallest.
double inflation(double ratio) { return (ratio - 1) * (ratio - 1) / (4 * ratio); }

PoolDesign best_design(const PoolWeights& weights, double n, double failure) {
  PoolDesign best{0, failure, std::numeric_limits<double>::infinity()};
  double best_spread = std::numeric_limits<double>::infinity();
  const auto consider = [&](double pool) {
    pool = std::round(pool);
    const double remaining = n - 1 - pool;
    if (pool < 2 || remaining < 1) {
      return;
    }
    const double ratio = weights.ratio(pool, remaining, failure);
    const double spread = (1 + inflation(ratio)) / remaining;
    if (spread < best_spread) {
      best = {pool, failure, ratio};
      best_spread = spread;
    }
  };
  constexpr int kFirst = 16;
  const double step = std::log(0.7 * n / 8) / kFirst;
  for (int i = 0; i <= kFirst; ++i) {
    consider(8 * std::exp(step * i));
  }
  for (double finer = step / 3; finer > 0.02; finer /= 3) {
    const double middle = best.pool;
    for (const double by : {-2.0, -1.0, 1.0, 2.0}) {
      consider(middle * std::exp(finer * by));
    }
  }
  return best;
}

// Returns the threshold m (1 - 1/E) for the sum of m terms, rounded down so far that rounding errors of v are
// covered, too. The threshold itself takes four roundings: two of expm1 and two products. The entries of v
// take five more: the higher level of a slice takes four (of 1 - low, a product, a quotient and a sum), and d
// ratio or the first c takes one. The mean of a term is not negative, so the expected excess rises with each
// entry of v. Hence entries that are too small by five roundings lower it no more than a threshold and a
// factor that err by five would, and kEightyRoundings covers the factor.
double threshold_below(double m, double epsilon) { return m * -std::expm1(-epsilon) * (1 - 8 * kUlp); }

// A slice is a sum of two groups of terms that majorises the sums for all vectors of weights whose smallest
// weight lies in one interval. `chernoff` is Chernoff's bound on its expected excess at `tilt`.
struct Slice {
  std::vector<numerics::ScaledCopies> groups;
  double tilt, chernoff;
};

// An excess times `scale` is a part of delta. If Chernoff's bound on this part is below `share`, Chernoff's
// bound is used instead of the integral.
struct Negligible {
  double scale, share;
};

// Encloses the largest excess of all slices.
numerics::Enclosure worst_excess(const numerics::AtomicLaw& law, std::vector<Slice> slices, double threshold,
                                 const Negligible& negligible) {
  // Slices with the largest bounds come first, so that many others need not be integrated.
  std::ranges::stable_sort(slices, std::ranges::greater{}, &Slice::chernoff);
  numerics::Enclosure worst{0, 0};
  for (const Slice& slice : slices) {
    if (slice.chernoff <= worst.upper) break;
    const numerics::Enclosure excess =
        slice.chernoff * negligible.scale < negligible.share
            ? numerics::Enclosure{0, slice.chernoff}
            : numerics::excess_of_mixed_sum(law, slice.groups, threshold, slice.tilt);
    worst = {numerics::larger(worst.lower, excess.lower), numerics::larger(worst.upper, excess.upper)};
  }
  return worst;
}

}  // namespace

std::optional<StarPool> StarPool::over(std::uint64_t clients, double mu, double rate, double radius) {
  const double n = static_cast<double>(clients);
  if (n < 20 || !(mu > 0) || mu > 8 || !(rate > 0) || !(radius >= mu / 2) || radius > 8) {
    return std::nullopt;
  }
  const PoolWeights weights(radius, rate);
  std::vector<PoolDesign> designs;
  for (double failure = 1e-2; failure > 1e-33; failure /= 10) {
    const PoolDesign design = best_design(weights, n, failure);
    if (design.ratio <= kMaxRatio) {
      designs.push_back(design);
    }
  }
  if (designs.empty()) {
    return std::nullopt;
  }
  return StarPool(n, mu, rate, std::move(designs));
}

StarPool::StarPool(double clients, double mu, double rate, std::vector<PoolDesign> designs)
    : n_(clients), mu_(mu), rate_(rate), designs_(std::move(designs)) {
  for (double tail = 1e-6; tail > 1e-40; tail *= tail > 1e-16 ? 1e-2 : 1e-4) {
    profiles_.push_back(Profile::gaussian(mu, tail, kNodes));
  }
}

PoolDesign StarPool::design(double epsilon) const {
  // The design with the smallest rough estimate of its bound is selected. The estimate has three parts: the
  // expected excess if the sum were normal, the contribution of one client of the largest weight, and the
  // charge for the failure. Any choice is valid.
  const double local = gaussian_divergence(mu_, epsilon).upper;
  const double variance = reporting_law(profiles_.front(), rate_, epsilon).variance() * std::exp(2 * epsilon);
  PoolDesign best = designs_.front();
  double best_total = std::numeric_limits<double>::infinity();
  for (const PoolDesign& design : designs_) {
    const double remaining = n_ - 1 - design.pool;
    const double deviation = std::sqrt(variance * (1 + inflation(design.ratio)) / remaining);
    const double z = std::expm1(epsilon) / deviation;
    const double bulk = deviation * std::exp(-z * z / 2) / (2.5 + 2.5 * z * z);
    const double heaviest = (1 + design.ratio) / 2;
    const double jump =
        rate_ * heaviest *
        gaussian_divergence(mu_, std::log1p(remaining * std::expm1(epsilon) / heaviest)).upper;
    const double total = bulk + jump + design.failure * rate_ * local;
    if (total < best_total) {
      best_total = total;
      best = design;
    }
  }
  return best;
}

numerics::UpperAndEstimate StarPool::delta(double epsilon) const {
  const double local =
      as_upper_bound(rate_ * gaussian_divergence(mu_, epsilon).upper * (1 + kThreeRoundings));
  if (epsilon > kSumsReach) return {.upper = local, .estimate = 0};
  const PoolDesign chosen = design(epsilon);
  const double m = n_ - 1 - chosen.pool;
  // The range of the smallest entry of v is covered by slices [c, d]. In a slice, all entries of v lie in
  // [c, d ratio], so v is majorised by a vector of mean 1 with two levels, the lower one c and the higher one
  // at least d ratio.
  const auto two_levels = [m](double low, double high) {
    const double count = larger(1.0, std::floor(m * (1 - low) / (high - low) * kInward));
    return std::vector<numerics::ScaledCopies>{{low + m * (1 - low) / count, count}, {low, m - count}};
  };
  const double threshold = threshold_below(m, epsilon), scale = std::exp(epsilon) / m;
  const double widest = (1 + 1 / chosen.ratio) / 2;
  const auto first = two_levels(widest, widest * chosen.ratio);
  // The profile's tail is cut where Chernoff's bound on the widest sum plus a thousand times the mass beyond
  // the cut is smallest. A deeper cut brings large single atoms, for which the integrand hardly decays. All
  // slices use the tilt of the widest sum, except those whose few heavy entries need a smaller one.
  const Profile* profile = nullptr;
  numerics::AtomicLaw law;
  double shared = 0;
  double usual = 0;
  double best_total = std::numeric_limits<double>::infinity();
  for (const Profile& candidate : profiles_) {
    numerics::AtomicLaw at = reporting_law(candidate, rate_, epsilon);
    const double tilt = numerics::mixed_sum_saddle(at, first, threshold);
    const double chernoff = numerics::excess_of_mixed_sum_chernoff(at, first, threshold, tilt);
    const double total = chernoff * scale + 1e3 * rate_ * candidate.mass_at_infinity();
    if (profile != nullptr && total >= 0.99 * best_total) {
      break;
    }
    best_total = total;
    profile = &candidate;
    law = std::move(at);
    shared = tilt;
    usual = chernoff;
  }
  const double tolerance = chosen.ratio > kLooseRatio ? kLooseTolerance : kSliceTolerance;
  const double allowed = (1 + inflation(chosen.ratio)) * (1 + tolerance) - 1;
  std::vector<Slice> slices;
  for (double c = 1 / chosen.ratio; c < 1;) {
    const double d = numerics::smaller(1.0, (1 + allowed / (1 - c)) / chosen.ratio);
    Slice slice{two_levels(c, numerics::larger(d * chosen.ratio, 1 + kLevelsApart)), shared, 0};
    slice.chernoff = numerics::excess_of_mixed_sum_chernoff(law, slice.groups, threshold, slice.tilt);
    if (!(slice.chernoff < 1.5 * usual)) {
      slice.tilt = numerics::mixed_sum_saddle(law, slice.groups, threshold);
      slice.chernoff = numerics::excess_of_mixed_sum_chernoff(law, slice.groups, threshold, slice.tilt);
    }
    slice.chernoff = numerics::as_upper_bound(slice.chernoff, std::numeric_limits<double>::infinity());
    slices.push_back(std::move(slice));
    c = d;
  }
  const numerics::Enclosure worst =
      worst_excess(law, std::move(slices), threshold, {scale, 1e-5 * chosen.failure * local});
  const double weights = numerics::weight_error(m);
  const double added = chosen.failure * local + rate_ * profile->mass_at_infinity();
  return {.upper = as_upper_bound((worst.upper * scale * weights + added) * (1 + kEightyRoundings), local),
          .estimate = numerics::as_lower_bound(worst.lower * scale / weights + added, local)};
}

}  // namespace muster::accounting
