#include "muster/theorems/everyone/gaussian_blanket.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/weight_error.h"

namespace muster::accounting {
namespace {

constexpr double kSumsReach = 300;  // above this epsilon, terms leave the range of a double
// The law of G is not continued beyond the node where its stop-loss transform reaches this value.
constexpr double kDeep = 1e-40;
// Numbers of nodes of the transform per length mu of ln s or ln u (gaussian_blanket.h): kFine for the
// answer, and kCoarse for a first guess of eta.
constexpr double kFine = 32, kCoarse = 12;
// A law of more nodes is not tried, so that memory and time stay bounded: with a sigma of 1e16, an epsilon of
// 1 is 1e17 nodes away. Nothing is lost, because beyond about 40 mu, or a thousand nodes, the local guarantee
// is next to 0 itself.
constexpr std::size_t kMostNodes = std::size_t{1} << 20;
// Where the expected excess is more than this share of Chernoff's bound on it, the sum is nearly normal,
// and the share hardly changes from one eta to the next. The integral for an eta is then skipped if its
// excess would be too large even at kClearly times the share found before.
constexpr double kNormalShare = 0.1;
constexpr double kClearly = 0.9;

// The lower convex hull of a decreasing function that is known at increasing nodes.
struct Hull {
  std::vector<long double> at;     // the nodes that lie on the hull
  std::vector<long double> slope;  // slope[i] <= 0 is the slope right of at[i]; the last node has none
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

// Returns a lower bound of the mean of ( G_1 + ... + G_n )_+, close to it where one large term dominates
// the sum. Let p be the probability that a term exceeds a threshold t. With probability n p (1 - p)^{n-1},
// exactly one term exceeds t. In this event, by Jensen's inequality, the others may be replaced by the mean
// of a term that does not exceed t. The best t among the law's points is used. Rounding errors are not
// covered, because the result only decides what is not worth computing.
double one_large_term_excess(const numerics::AtomicLaw& law, double n) {
  const auto first_left = std::ranges::find_if(law.points, [](double y) { return y < 0; });
  const auto mean = law.mean();
  double best = 0, chance = 0, sum = 0;  // sums of weights, and of weights times points, above t
  for (auto i = static_cast<std::size_t>(first_left - law.points.begin()); i-- > 0;) {
    chance += law.weights[i];
    sum += law.weights[i] * law.points[i];
    const double other = (mean - sum) / (1 - chance);
    best = numerics::larger(best,
                            n * std::exp((n - 1) * std::log1p(-chance)) * (sum + (n - 1) * other * chance));
  }
  return best;
}

}  // namespace

double GaussianBlanket::penalty(double eta, double epsilon) const {
  return (1 + std::exp(epsilon)) * (n_ - 1) * std::exp(-eta) * gaussian_divergence(radius_, eta).upper *
         (1 + numerics::kEightyRoundings);
}

// This is the bound's stop-loss transform at one epsilon, divided by E and tabulated on a grid of z >= 0.
// The excess is the expected excess at the c >= 0 with c beta = E (e^z - 1); the deficit is the expected
// deficit at the c <= 0 with |c| beta = e^z - 1. In terms of z, neither depends on eta. Each value is
// computed when it is first asked for.
class GaussianBlanket::Transform {
 public:
  Transform(const GaussianBlanket& of, double at_epsilon, double step)
      : epsilon(at_epsilon), discount(std::exp(-epsilon)), mu_(of.mu_), radius_(of.radius_), step_(step) {}

  // Returns the z of a node. The z of the first node is 0, and later ones increase.
  double z(std::size_t index) {
    while (z_.size() <= index) {
      z_.push_back(z_.empty() ? 0 : z_.back() + (z_.back() < 6 * radius_ ? step_ : 2 * step_));
    }
    return z_[index];
  }
  // Returns the excess (if `right`) or the deficit at a node.
  double at(std::size_t index, bool right) {
    std::vector<double>& known = right ? excess_ : deficit_;
    while (known.size() <= index) {
      const double here = z(known.size());
      known.push_back(right ? discount * mixed(here, epsilon + here) : mixed(here, here - epsilon));
    }
    return known[index];
  }

  const double epsilon;
  const double discount;  // 1/E, with E = e^epsilon

 private:
  double mixed(double z, double log_alpha) const {
    return (std::exp(-z) * gaussian_divergence(mu_, log_alpha).upper -
            std::expm1(-z) * gaussian_divergence(radius_, log_alpha).upper) *
           (1 + numerics::kEightThousandRoundings);  // also covers the rounding of log_alpha in steep tails
  }

  double mu_, radius_, step_;
  std::vector<double> z_, excess_, deficit_;
};

// The law is that of G / E. On the grid, the transform's values are those of the bound, rounded up. Their
// lower convex hull is above every convex function that lies below these values, also between the nodes,
// where the hull is a chord. So, on any grid, the law whose transform is the hull dominates, in increasing
// convex order, every law whose transform lies below the bound.
GaussianBlanket::Law GaussianBlanket::law(double eta, Transform& transform, double cut) const {
  const double beta = std::exp(-eta);
  Law result{{}, 0, true};
  double nonzero = 0;
  long double excess_at_zero = 0;
  for (const bool right : {true, false}) {
    const double scale = (right ? 1 : transform.discount) / beta;
    std::vector<long double> distance;
    std::vector<long double> value;
    for (std::size_t i = 0;; ++i) {
      if (i == kMostNodes) return {{}, 0, false};
      const double z = transform.z(i);
      // A distance takes at most eight roundings: two of each of the three exponentials, one of a quotient
      // and one of a product. A larger distance raises the law on either side: it lies above the chords
      // between the true nodes, and its mean, the excess at 0 less the deficit at 0, is the same.
      distance.push_back(numerics::round_up(scale * std::expm1(z)));
      value.push_back(transform.at(i, right));
      if (value.back() <= cut * transform.discount || z > 600) {
        break;
      }
    }
    if (right) {
      excess_at_zero = value.front();
    } else {
      // The mean of the law is its excess less its deficit at 0. It must not be below that of G / E, which is
      // 1/E - 1, though the deficit is rounded up. So the deficit at 0 is the one that belongs to the excess.
      const long double mean = std::expm1(-static_cast<long double>(transform.epsilon));
      value.front() =
          numerics::smaller(value.front(), (excess_at_zero - mean) * (1 - numerics::kExtendedRoundings));
    }
    const Hull hull = lower_hull(distance, value);
    for (std::size_t i = 0; i < hull.at.size(); ++i) {
      const long double before = i == 0 ? 0 : hull.slope[i - 1];
      const long double after = i < hull.slope.size() ? hull.slope[i] : 0;
      if (i == 0) {
        nonzero -= static_cast<double>(after);
      } else {
        // The distances are doubles, so no digit is lost here, and no rounding has to be covered: those of a
        // distance are covered above. An ulp to the right can only raise the bound.
        const double point = static_cast<double>(right ? hull.at[i] : -hull.at[i]);
        result.terms.add(point + std::abs(point) * numerics::kUlpAbove,
                         static_cast<double>(numerics::larger(0.0L, after - before)));
      }
    }
    if (right) {
      result.beyond = static_cast<double>(value.back());
    }
  }
  result.valid = nonzero <= 1;  // otherwise the hull's kink at 0 is not convex
  return result;
}

numerics::UpperAndEstimate GaussianBlanket::at(double eta, double epsilon) const {
  const double local = gaussian_divergence(mu_, epsilon).upper;
  if (epsilon > kSumsReach) return {.upper = local, .estimate = 0};
  Transform fine(*this, epsilon, mu_ / kFine);
  return attempt(eta, fine, {{local, local}}).delta;
}

GaussianBlanket::Attempt GaussianBlanket::attempt(double eta, Transform& fine, const Attempt& best) const {
  const double epsilon = fine.epsilon;
  const double local = gaussian_divergence(mu_, epsilon).upper;
  const Attempt no_better{{local, local}};
  const double grown = std::exp(epsilon);
  const double outside = penalty(eta, epsilon);
  if (n_ * std::exp(-eta) < 1 || !(outside < best.delta.upper)) {  // too few blanket messages, or no gain
    return no_better;
  }
  const Law terms = law(eta, fine, numerics::larger(outside * 1e-3, kDeep));
  if (!terms.valid || terms.terms.points.empty()) {
    return no_better;
  }
  double nonzero = 0;
  for (const double weight : terms.terms.weights) {
    nonzero += weight;
  }
  // Each weight takes the rounding of its conversion. It is a difference of two slopes of long doubles, which
  // adds up to three roundings if it is at least a thousandth of a slope; at kFine nodes per mu it is about a
  // fortieth. weight_error() covers eight. Where one value is far from the others, the logarithm of the
  // moment generating function is near 0 and errs by about two roundings of 1, which are multiplied by n;
  // kEightRoundings is four times as much.
  const double factor = numerics::weight_error(n_ * nonzero) * (1 + numerics::kEightRoundings * (n_ + 1));
  const double added = outside + terms.beyond * grown;
  const double chernoff = numerics::expected_excess_chernoff(terms.terms, n_, 0);
  // No integral is computed if the bound is certainly, or almost certainly, no smaller than `best`.
  const double likely = best.share > kNormalShare ? kClearly * best.share * chernoff : 0;
  const double least = numerics::larger(one_large_term_excess(terms.terms, n_), likely);
  if (least * grown / n_ + added >= best.delta.upper) {
    return no_better;
  }
  const numerics::Enclosure excess = chernoff * grown / n_ < 1e-6 * added
                                         // The excess is negligible beside `added`.
                                         ? numerics::Enclosure{0, chernoff}
                                         : numerics::expected_excess(terms.terms, n_, 0);
  const double top = numerics::as_upper_bound(
      (excess.upper * grown / n_ * factor + added) * (1 + numerics::kEightyRoundings), local);
  return {
      {.upper = top, .estimate = numerics::as_lower_bound(excess.lower * grown / n_ / factor + added, top)},
      excess.lower / chernoff};
}

// With r the radius, the search runs over z with eta = r z + r^2/2. The messages at which the blanket fails
// then lie z deviations or more from the centre. The bound falls and then rises with z. Chernoff's bound on
// a coarse grid gives a first guess. From there, the search steps to either side for as long as the bound
// itself falls.
numerics::UpperAndEstimate GaussianBlanket::delta(double epsilon) const {
  const double r = radius_;
  const double local = gaussian_divergence(mu_, epsilon).upper;
  if (epsilon > kSumsReach) return {.upper = local, .estimate = 0};
  const auto eta_at = [r](double z) { return r * z + r * r / 2; };
  double least = std::numeric_limits<double>::infinity();
  double guess = -1;
  Transform coarse(*this, epsilon, mu_ / kCoarse);
  for (double z = 0.5; z <= 15; z += 0.5) {
    const double outside = penalty(eta_at(z), epsilon);
    if (n_ * std::exp(-eta_at(z)) < 1 || !(outside < local)) {
      continue;
    }
    const Law terms = law(eta_at(z), coarse, numerics::larger(outside * 1e-2, kDeep));
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
  Transform fine(*this, epsilon, mu_ / kFine);
  Attempt best = attempt(eta_at(guess), fine, {{local, local}});
  for (const double step : {0.25, -0.25}) {
    for (double z = guess + step; z > 0; z += step) {
      const Attempt next = attempt(eta_at(z), fine, best);
      if (!(next.delta.upper < best.delta.upper)) {
        break;
      }
      best = next;
    }
  }
  return best.delta;
}

}  // namespace muster::accounting
