#include "muster/theorems/exact/shuffle_gaussian_pair.h"

#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/sum_by_doubling.h"
#include "muster/numerics/sums/weight_error.h"

namespace muster::accounting {
namespace {

using numerics::kEightRoundings;
using numerics::kEightyRoundings;

constexpr double kMaxMu = 8;  // above this, the sum is not computed
// The knots cover this many deviations of the log-ratio; the tail beyond has a probability of about 1e-33.
constexpr double kReach = 12;
constexpr int kKnots = 30;  // knots per deviation of the log-ratio

constexpr double kNegligible = 1e-45;  // contributions to delta below this are not integrated
// With this many knots, a single law already takes more than kMaxPairs products.
constexpr std::size_t kMaxKnots = 40'000;
// The number of pairs of masses that may be multiplied for one law of the whole sum. This takes about a
// second.
constexpr double kMaxPairs = 6e8;
// The law of the whole sum is not computed for more copies, because its round-off allowances grow with them.
constexpr double kMaxCopies = 1e10;

// Returns whether the contour integral is used for the bulk of the law. The limits are measured; see
// docs/theory/shuffle-gaussian.md.
bool close_to_normal(double n, double mu) {
  return n > kMaxCopies || (mu <= 1 && n >= 1000 * mu && n >= 100);
}

// Returns knots for the law of a sum of `copies` ratios: uniform over the bulk, at `fine` deviations of the
// sum from each other, and geometric towards zero and infinity.
std::vector<double> sum_knots(double mu, double copies, double fine) {
  const double deviation = std::sqrt(copies * std::expm1(numerics::smaller(mu * mu, 1.5)));
  const double wide = std::sqrt(copies) * std::exp(mu * mu / 2);  // P(S < copies - t wide) <= e^{-t^2/2}
  const double ratio = numerics::smaller(0.1, mu * fine);
  const double bottom =
      numerics::larger(copies * std::exp(-kReach * mu - mu * mu / 2), copies - kReach * wide);
  const double top = copies + std::expm1(mu * kReach + mu * mu / 2) + kReach * deviation;
  std::vector<double> knots{0};
  for (double s = bottom; s < top && knots.size() < kMaxKnots;) {
    knots.push_back(s);
    // Below the mean, steps become smaller in proportion to s. Above it, they widen slowly through the normal
    // tail. Further out, one large ratio dominates the sum, and steps are even in the logarithm of the ratio.
    const double distance = s - copies;
    const double step = distance < 0
                            ? fine * deviation * numerics::larger(s / copies, 0.02)
                            : numerics::larger(fine * deviation,
                                               ratio * distance * (distance > kReach * deviation ? 1 : 0.4));
    s += numerics::smaller(ratio * s, step);
  }
  knots.push_back(top);
  return knots;
}

// Returns whether doubling on sum_knots() with this `fine` multiplies at most kMaxPairs pairs of masses.
bool affordable(std::uint64_t clients, double mu, double fine) {
  double pairs = 0, copies = 1, total = 0;
  const auto size = [&](double of) { return static_cast<double>(sum_knots(mu, of, fine).size()); };
  for (std::uint64_t rest = clients; rest > 0 && pairs <= kMaxPairs; rest /= 2, copies *= 2) {
    const double own = size(copies);
    pairs += own * own / 2;
    if (rest % 2 == 1) {
      total += copies;
      pairs += own * size(total);
    }
  }
  return pairs <= kMaxPairs;
}

// Returns the spacing of the knots, in deviations of the law. Every level of the doubling increases the
// law's variance by up to the fraction (spacing^2)/4, so more levels need a finer spacing. The spacing is
// up to 1.5^3 = 3.4 times coarser where the finest one would take too much work. The result is nullopt if
// that is not enough.
std::optional<double> affordable_spacing(std::uint64_t clients, double mu) {
  const double levels = 1 + std::log2(static_cast<double>(clients));
  const double finest = 1 / ((clients < 200 ? 28 : 18) * std::sqrt(levels));
  for (double fine = finest; fine <= 4 * finest; fine *= 1.5) {
    if (affordable(clients, mu, fine)) return fine;
  }
  return std::nullopt;
}

// Returns a rough estimate of the mean of (M - 1 - distance)_+, which treats the mean ratio M as normal.
double bulk_estimate(double n, double mu, double distance) {
  const double deviation = std::sqrt(std::expm1(mu * mu) / n);
  const double z = distance / deviation;
  return deviation * std::exp(-z * z / 2) / (2 + z * z);
}

numerics::AtomicLaw mirrored(numerics::AtomicLaw law) {
  for (double& y : law.points) {
    y = -y;
  }
  return law;
}

// Let Y be r - 1 or 1 - r for one likelihood ratio r. Both functions bound E(Y_1 + ... + Y_n - threshold)_+
// for n independent copies. excess_above takes a law above that of Y in convex order (but for a cut tail,
// which the caller charges) and returns an upper bound. excess_below takes a law below it and returns a lower
// bound. The bounds cover the round-off of the weights and of the threshold, which takes at most four
// roundings: two of expm1 and two products. Where Chernoff's bound is negligible, the results are this bound
// and 0, without an integral.
double excess_above(const numerics::AtomicLaw& law, double n, double threshold) {
  const double k = threshold * (1 - kEightRoundings);  // one of the four roundings is of this product
  const double chernoff = numerics::expected_excess_chernoff(law, n, k);
  return (chernoff < n * kNegligible ? chernoff : numerics::expected_excess(law, n, k).upper) *
         numerics::weight_error(n);
}

double excess_below(const numerics::AtomicLaw& law, double n, double threshold) {
  const double k = threshold * (1 + kEightRoundings);  // one of the four roundings is of this product
  const double chernoff = numerics::expected_excess_chernoff(law, n, k);
  return chernoff < n * kNegligible ? 0
                                    : numerics::expected_excess(law, n, k).lower / numerics::weight_error(n);
}

// mu is a quotient, 2 / sigma, and rounded to nearest. The true one lies between its two neighbours.
double just_below(double mu) { return std::nextafter(mu, 0.0); }
double just_above(double mu) { return std::nextafter(mu, std::numeric_limits<double>::infinity()); }

}  // namespace

struct ShuffleGaussianPair::WholeSum {
  WholeSum(std::uint64_t n, double m, double f) : clients(n), mu(m), fine(f) {}

  const std::uint64_t clients;
  const double mu;
  const double fine;  // spacing of the knots, in deviations of the sum

  const numerics::SumLaw& above() {
    build();
    return laws[0];
  }
  const numerics::SumLaw& below() {
    build();
    return laws[1];
  }

 private:
  void build() {
    std::call_once(once, [this] {
      const numerics::Knots knots = [this](double copies) { return sum_knots(mu, copies, fine); };
      std::vector<double> first = knots(1);
      first.erase(first.begin());  // a single ratio is positive and has no knot at 0
      for (const numerics::Side side : {numerics::Side::above, numerics::Side::below}) {
        const bool larger = side == numerics::Side::above;
        laws[larger ? 0 : 1] = numerics::sum_by_doubling(
            lognormal_ratio(larger ? just_above(mu) : just_below(mu), first, side), clients, side, knots);
      }
    });
  }

  std::once_flag once;
  std::array<numerics::SumLaw, 2> laws;
};

ShuffleGaussianPair::ShuffleGaussianPair(std::uint64_t clients, double mu)
    : n_(static_cast<double>(clients)), mu_(mu) {
  if (clients <= 1 || mu > kMaxMu) {
    return;
  }
  const std::optional<double> fine = n_ > kMaxCopies ? std::nullopt : affordable_spacing(clients, mu);
  if (fine) sum_ = std::make_shared<WholeSum>(clients, mu, *fine);
  if (!fine || close_to_normal(n_, mu)) {
    const std::vector<double> knots = centered_knots(mu, kKnots);
    below_ = std::make_shared<const CenteredLognormal>(just_below(mu), knots);
    above_ = std::make_shared<const CenteredLognormal>(just_above(mu), knots);
  }
}

double ShuffleGaussianPair::rough(double epsilon) const {
  return numerics::larger(bulk_estimate(n_, mu_, std::expm1(epsilon)),
                          gaussian_divergence(mu_, std::log1p(n_ * std::expm1(epsilon))).upper);
}

numerics::Enclosure ShuffleGaussianPair::forward(double epsilon, End end) const {
  const numerics::Enclosure one = gaussian_divergence(mu_, epsilon);
  if (n_ <= 1) return one;
  const double local = one.upper;  // an upper bound, because shuffling is post-processing
  const double bulk = bulk_estimate(n_, mu_, std::expm1(epsilon));
  const double jump = gaussian_divergence(mu_, std::log1p(n_ * std::expm1(epsilon)))
                          .upper;  // about the contribution of a single large ratio
  const numerics::Enclosure alone = one_ratio_alone(epsilon);
  if (!computed()) return {numerics::as_lower_bound(alone.lower, local), local};
  numerics::Enclosure result{0, local};
  if (above_ && (jump < numerics::larger(1e4 * bulk, kNegligible) || !sum_)) {
    // The ratio's law is cut, and its expected excess beyond the cut is added to delta. So this excess is
    // limited to 1e-6 of the rough value of delta.
    result = forward_by_contour(epsilon, 1e-6 * numerics::larger(bulk, jump, 1e-40), end);
  } else if (sum_) {
    // The threshold takes two roundings of exp and two of products. The quotient by n and the last product
    // take one each.
    const double threshold = n_ * std::exp(epsilon);
    result.upper = sum_->above().expected_excess(threshold * (1 - kEightRoundings), numerics::Side::above) /
                   n_ * (1 + kEightRoundings);
    result.lower = sum_->below().expected_excess(threshold * (1 + kEightRoundings), numerics::Side::below) /
                   n_ * (1 - kEightRoundings);
  }
  const double upper = numerics::as_upper_bound(numerics::larger(result.upper, alone.lower), local);
  return {numerics::as_lower_bound(numerics::larger(result.lower, alone.lower), upper), upper};
}

EnclosedMinorant ShuffleGaussianPair::forward_minorant(double epsilon) const {
  return own_minorant(computed() ? forward(epsilon) : one_ratio_alone(epsilon));
}

// If r_i > n E and no other ratio exceeds n, the mean exceeds E by at least (r_i - n E) / n. There are n
// such events, and they are disjoint. The result is convex in E.
numerics::Enclosure ShuffleGaussianPair::one_ratio_alone(double epsilon) const {
  const auto another =
      static_cast<double>(gaussian_alternative_tail(mu_, std::log(n_) * (1 - numerics::kThreeRoundings)));
  const double nobody = std::exp((n_ - 1) * std::log1p(-another));
  const numerics::Enclosure one = gaussian_divergence(mu_, epsilon + std::log(n_));
  constexpr double kDown = 1 - numerics::kEightThousandRoundings, kUp = 1 + numerics::kEightThousandRoundings;
  return {one.lower * (nobody * kDown) * kDown, one.upper * (nobody * kUp) * kUp};
}

numerics::Enclosure ShuffleGaussianPair::reverse(double epsilon, End end) const {
  const numerics::Enclosure one = gaussian_divergence(mu_, epsilon);
  if (n_ <= 1) return one;
  const double local = one.upper;
  if (!computed()) return {0, local};
  const double e = std::exp(epsilon);
  numerics::Enclosure result{0, local};
  if (above_) {
    // The expected deficit beyond the cut is added to delta, so it is limited as the excess is in forward().
    result = reverse_by_contour(
        epsilon, 1e-6 * numerics::larger(bulk_estimate(n_, mu_, -std::expm1(-epsilon)), 1e-40), end);
  } else if (sum_) {
    // The threshold takes three roundings, two of exp and one of the quotient, and its product takes one
    // more. A division by the threshold takes those three and one of its own, and the last product takes one.
    const double threshold = n_ / e;
    result.upper = sum_->above().expected_deficit(threshold * (1 + kEightRoundings), numerics::Side::above) /
                   threshold * (1 + kEightyRoundings);
    result.lower = sum_->below().expected_deficit(threshold * (1 - kEightRoundings), numerics::Side::below) /
                   threshold * (1 - kEightyRoundings);
  }
  const double upper = numerics::as_upper_bound(result.upper, local);
  return {numerics::as_lower_bound(result.lower, upper), upper};
}

numerics::Enclosure ShuffleGaussianPair::forward_by_contour(double epsilon, double tail, End end) const {
  const double threshold = n_ * std::expm1(epsilon);
  numerics::Enclosure result{0, 1};
  // Each end takes at most three roundings: of a quotient, a sum and the last product.
  if (end != End::upper) {
    result.lower = excess_below(below_->below(tail, true), n_, threshold) / n_ * (1 - kEightRoundings);
  }
  if (end != End::lower) {
    const CenteredLognormal::Cut cut = above_->above(tail);
    result.upper = (excess_above(cut.law, n_, threshold) / n_ + cut.excess_right) * (1 + kEightRoundings);
  }
  return result;
}

numerics::Enclosure ShuffleGaussianPair::reverse_by_contour(double epsilon, double tail, End end) const {
  // The curve is (E/n) * mean of ( sum of (1 - r) - n (1 - 1/E) )_+ , with E = e^epsilon.
  const double threshold = -n_ * std::expm1(-epsilon);
  const double e = std::exp(epsilon);
  numerics::Enclosure result{0, 1};
  // Each end takes at most six roundings: of a quotient, a sum and two products, and two of e.
  if (end != End::upper) {
    result.lower =
        excess_below(mirrored(below_->below(tail, false)), n_, threshold) / n_ * e * (1 - kEightyRoundings);
  }
  if (end != End::lower) {
    const CenteredLognormal::Cut cut = above_->above(tail);
    result.upper =
        (excess_above(mirrored(cut.law), n_, threshold) / n_ + cut.excess_left) * e * (1 + kEightyRoundings);
  }
  return result;
}

}  // namespace muster::accounting
