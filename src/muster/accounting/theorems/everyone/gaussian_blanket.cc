#include "muster/accounting/theorems/everyone/gaussian_blanket.h"

#include <cmath>
#include <limits>
#include <vector>

#include "muster/accounting/theorems/shared/reporting_law.h"
#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/expected_excess.h"

namespace muster::accounting {
namespace {

constexpr double kSumsReach = 300;  // from this epsilon on, terms leave the range of a double
constexpr double kDeep = 1e-40;     // the law is cut where its stop-loss transform falls to about this

// The nodes of the lower convex hull of a falling function on increasing nodes, and the hull's slopes.
struct Hull {
  std::vector<long double> at;
  std::vector<long double> slope;  // right of at[i], at most 0; the last node has none
};

Hull lower_hull(const std::vector<long double>& x, const std::vector<long double>& y) {
  Hull hull;
  std::vector<std::size_t> kept;
  const auto slope = [&](std::size_t i, std::size_t j) { return (y[j] - y[i]) / (x[j] - x[i]); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    while (kept.size() >= 2 && slope(kept.back(), i) <= slope(kept[kept.size() - 2], kept.back())) {
      kept.pop_back();
    }
    kept.push_back(i);
  }
  for (std::size_t k = 0; k < kept.size(); ++k) {
    hull.at.push_back(x[kept[k]]);
    if (k + 1 < kept.size()) {
      hull.slope.push_back(numerics::smaller(0.0L, slope(kept[k], kept[k + 1])));
    }
  }
  return hull;
}

}  // namespace

double GaussianBlanket::penalty(double eta, double epsilon) const {
  return (1 + std::exp(epsilon)) * (n_ - 1) * std::exp(-eta) * gaussian_divergence(radius_, eta).upper *
         (1 + numerics::kEightyRoundings);
}

// The law is in units of E. On the grid, the values are those of the bound, rounded up. Their hull is
// above every convex function that lies below them, and its chords are above the hull. Whatever the
// grid, the law therefore dominates in increasing convex order.
GaussianBlanket::Law GaussianBlanket::law(double eta, double epsilon, double step, double cut) const {
  const double r = radius_, discount = std::exp(-epsilon), beta = std::exp(-eta);
  // The expected excess (c >= 0) and the expected deficit (c < 0) at log-distance z, where c beta = E
  // (e^z - 1) and |c| beta = e^z - 1, respectively.
  const auto mixed = [&](double z, double log_alpha) {
    return (std::exp(-z) * gaussian_divergence(mu_, log_alpha).upper -
            std::expm1(-z) * gaussian_divergence(r, log_alpha).upper) *
           (1 + numerics::kEightThousandRoundings);  // log_alpha is rounded, and tails are steep
  };
  const auto excess = [&](double z) { return discount * mixed(z, epsilon + z); };
  const auto deficit = [&](double z) { return mixed(z, z - epsilon); };
  Law result{{}, 0, true};
  double nonzero = 0;
  for (const bool right : {true, false}) {
    const double scale = (right ? 1 : discount) / beta;
    std::vector<long double> distance;
    std::vector<long double> value;
    for (double z = 0;; z += z < 6 * r ? step : 2 * step) {
      distance.push_back(scale * std::expm1(z));
      value.push_back(right ? excess(z) : deficit(z));
      if (value.back() <= cut * discount || z > 600) {
        break;
      }
    }
    const Hull hull = lower_hull(distance, value);
    for (std::size_t i = 0; i < hull.at.size(); ++i) {
      const long double before = i == 0 ? 0 : hull.slope[i - 1];
      const long double after = i < hull.slope.size() ? hull.slope[i] : 0;
      if (i == 0) {
        nonzero -= static_cast<double>(after);
      } else {
        // Points are rounded to the right, which can only raise the bound.
        const double point = static_cast<double>(right ? hull.at[i] : -hull.at[i]);
        result.terms.add(point + std::abs(point) * 0x1p-52,
                         static_cast<double>(numerics::larger(0.0L, after - before)));
      }
    }
    if (right) {
      result.beyond = static_cast<double>(value.back());
    }
  }
  result.valid = nonzero <= 1;  // then the hull's kink at 0 is convex
  return result;
}

numerics::Enclosure GaussianBlanket::at(double eta, double epsilon) const {
  const double local = gaussian_divergence(mu_, epsilon).upper;
  if (epsilon > kSumsReach) return {0, local};
  const double grown = std::exp(epsilon);
  const double outside = penalty(eta, epsilon);
  if (n_ * std::exp(-eta) < 1 || !(outside < local)) {  // too few blanket messages, or no gain
    return {local, local};
  }
  const Law terms = law(eta, epsilon, mu_ / 32, numerics::larger(outside * 1e-3, kDeep));
  if (!terms.valid || terms.terms.points.empty()) {
    return {local, local};
  }
  double nonzero = 0;
  for (const double weight : terms.terms.weights) {
    nonzero += weight;
  }
  const double factor = weight_error(n_ * nonzero) * (1 + numerics::kEightRoundings * (n_ + 1));
  const double added = outside + terms.beyond * grown;
  const double chernoff = numerics::expected_excess_chernoff(terms.terms, n_, 0);
  const numerics::Enclosure excess = chernoff * grown / n_ < 1e-6 * added
                                         ? numerics::Enclosure{0, chernoff}  // negligible beside `added`
                                         : numerics::expected_excess(terms.terms, n_, 0);
  const double top = numerics::as_upper_bound(
      (excess.upper * grown / n_ * factor + added) * (1 + numerics::kEightyRoundings), local);
  return {numerics::as_lower_bound(excess.lower * grown / n_ / factor + added, top), top};
}

// The search runs over z with eta = r z + r^2/2, for which the messages that fail lie z deviations out.
// The total falls and then rises with z. Chernoff's bound on a coarse grid gives a first guess; from
// there, steps to either side follow while the bound itself falls.
numerics::Enclosure GaussianBlanket::delta(double epsilon) const {
  const double r = radius_;
  const double local = gaussian_divergence(mu_, epsilon).upper;
  if (epsilon > kSumsReach) return {0, local};
  const auto eta_at = [r](double z) { return r * z + r * r / 2; };
  double least = std::numeric_limits<double>::infinity();
  double guess = -1;
  for (double z = 0.5; z <= 15; z += 0.5) {
    const double outside = penalty(eta_at(z), epsilon);
    if (n_ * std::exp(-eta_at(z)) < 1 || !(outside < local)) {
      continue;
    }
    const Law terms = law(eta_at(z), epsilon, mu_ / 12, numerics::larger(outside * 1e-2, kDeep));
    if (!terms.valid || terms.terms.points.empty()) {
      continue;
    }
    const double total =
        0.1 * numerics::expected_excess_chernoff(terms.terms, n_, 0) * std::exp(epsilon) / n_ + outside;
    if (total < least) {
      least = total;
      guess = z;
    } else if (total > 100 * least) {
      break;
    }
  }
  if (guess < 0) {
    return {local, local};
  }
  numerics::Enclosure best = at(eta_at(guess), epsilon);
  for (const double step : {0.25, -0.25}) {
    for (double z = guess + step; z > 0; z += step) {
      const numerics::Enclosure next = at(eta_at(z), epsilon);
      if (!(next.upper < best.upper)) {
        break;
      }
      best = next;
    }
  }
  return best;
}

}  // namespace muster::accounting
