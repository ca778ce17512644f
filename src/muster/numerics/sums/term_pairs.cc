#include "muster/numerics/sums/term_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/excess_by_contour.h"
#include "muster/numerics/work.h"

namespace muster::numerics {
namespace {

// Underflow may lose at most this times (1 + the mean size of a term).
constexpr double kUnderflow = 1e-290;
// Products of two masses below the range of a double may lose this times (1 + the size of a term and of k).
constexpr double kProductUnderflow = 1e-306;

// Tuning: every choice gives a valid enclosure; these constants trade its width for work.
struct Pairs {
  // The largest expected number of nonzero terms that is accepted. One or two nonzero terms are computed
  // exactly. Three or more are then at most 1e-4 / 6 times as probable as one.
  static constexpr double kMaxExpected = 1e-2;
  // Where the two bounds for three and more terms leave a larger relative gap, terms are integrated if the
  // caller can use the result. The gap is that of an integral over a law of few atoms with the finest
  // smoothing (excess_by_contour.cc).
  static constexpr double kMaxGap = 5e-6;
  // A number of terms is integrated if its bounds leave more than this fraction of kMaxGap.
  static constexpr double kShare = 0.1;
  // The width of an integral, as a share of the whole value.
  static constexpr double kWidth = 1e-5;
  // The largest width of an integral relative to its own value.
  static constexpr double kWidest = 0.01;
  // The enclosure may be wide if the value is below this times the mean size of a term.
  static constexpr double kNothing = 1e-90;
  // The largest number of nonzero terms that is added up: 0.01^30 / 30! = 4e-93 is less than kNothing.
  static constexpr int kMaxCount = 30;
};

// The work of an atom in PairsOfTerms() and in two(), in the unit of numerics/work.h, as measured.
constexpr double kWorkOfSorting = 40, kWorkOfPairs = 12;

// The mass away from zero. The sum is in extended precision, so that m atoms take m / 2048 + 1 roundings.
double mass_of(const AtomicLaw& law) {
  long double mass = 0;
  for (double w : law.weights) {
    mass += w;
  }
  return static_cast<double>(mass);
}

// E(Y_1 + ... + Y_c - k)_+ for c = 1 and c = 2 terms, each conditioned to be nonzero. It comes from
// cumulative sums over the sorted points, from the largest down.
class PairsOfTerms {
 public:
  PairsOfTerms(const AtomicLaw& law, double mass) {
    count_work(law.points.size(), kWorkOfSorting, 0);
    std::vector<std::size_t> order(law.points.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    if (!std::is_sorted(law.points.begin(), law.points.end())) {
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return law.points[a] < law.points[b]; });
    }
    for (const std::size_t i : order) {
      points_.push_back(law.points[i]);
      weights_.push_back(law.weights[i] / mass);
    }
    above_.resize(points_.size() + 1);
    for (std::size_t i = points_.size(); i-- > 0;) {
      const long double w = weights_[i], y = points_[i];
      above_[i] = {above_[i + 1].weight + w, above_[i + 1].sum + w * y, above_[i + 1].size + w * std::abs(y)};
    }
  }

  double mean() const { return static_cast<double>(above_.front().sum); }
  double absolute_mean() const { return static_cast<double>(above_.front().size); }

  Enclosure one(double k) const {
    const auto from =
        static_cast<std::size_t>(std::upper_bound(points_.begin(), points_.end(), k) - points_.begin());
    const Sum sum = beyond(from, k);
    return around(sum);
  }
  Enclosure two(double k) const {
    count_work(points_.size(), kWorkOfPairs, 0);
    Sum total;
    std::size_t from = points_.size();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      // Rounding keeps the order of numbers, so a point above the exact difference is not below `threshold`.
      // All pairs whose sum exceeds k are counted, and no counted pair lowers the total.
      const double threshold = k - points_[i];
      while (from > 0 && points_[from - 1] >= threshold) {
        --from;
      }
      const Sum sum = beyond(from, threshold);
      total.weight += weights_[i] * sum.weight;
      total.sum += weights_[i] * sum.sum;
      total.size += weights_[i] * (sum.size + std::abs(points_[i]) * sum.weight);
    }
    return around(total);
  }

 private:
  struct Sum {
    long double weight = 0, sum = 0, size = 0;
  };
  // The weight of the points from `from` on, their excess over the threshold, and the sum of the moduli
  // of what was added and subtracted.
  Sum beyond(std::size_t from, long double threshold) const {
    const Sum& at = above_[from];
    return {at.weight, at.sum - threshold * at.weight, at.size + std::abs(threshold) * at.weight};
  }
  // Returns an enclosure around a computed sum, where `slip` bounds the rounding error. The threshold of
  // two() takes a rounding (slack.h), the conversion to double one, and the sum with `slip` one. The sums
  // over m atoms in above_ and in two() take m / 2048 each, because they are in extended precision. For m =
  // 12,000 these are 15, and `slip` is 16. The laws of this project have at most 8,202 atoms (rare_terms.cc).
  static Enclosure around(const Sum& sum) {
    const auto value = static_cast<double>(sum.sum);
    const double slip = 8 * kUlp * static_cast<double>(sum.size);
    return {larger(0.0, value - slip), larger(0.0, value + slip)};
  }

  std::vector<double> points_, weights_;
  std::vector<Sum> above_;  // above_[i]: sums over the points from index i on
};

}  // namespace

Enclosure excess_of_one_or_two(const AtomicLaw& law, double n, double k) {
  const double mass = mass_of(law);
  // Where the law has almost no mass at zero, sums of one positive and one zero term may still make up the
  // value. That mass then has a large relative rounding error, so it is given as an enclosure.
  const Enclosure rest = law.mass_at_zero();
  const double nobody = larger(0.0, -k);
  if (law.points.empty() || !(mass > 0)) return {nobody, nobody};
  const PairsOfTerms terms(law, mass);
  const Enclosure one = terms.one(k);
  const Enclosure two = n == 1 ? Enclosure{0, 0} : terms.two(k);
  const auto expectation = [&](double zero, double of_one, double of_two) {
    return n == 1 ? mass * of_one + zero * nobody
                  : mass * mass * of_two + 2 * mass * zero * of_one + zero * zero * nobody;
  };
  // The division by the mass takes a rounding for each term, the products at most three, their sum two, and
  // the product with the slack two. The mass itself cancels, because the same double multiplies and divides.
  // one() and two() cover their own roundings. So 9 of 2 (m + 32) roundings are needed.
  const double slip = (32 + static_cast<double>(law.points.size())) * kUlp;
  return {larger(0.0, expectation(rest.lower, one.lower, two.lower) * (1 - slip)),
          expectation(rest.upper, one.upper, two.upper) * (1 + slip) +
              kProductUnderflow * (1 + terms.absolute_mean() + std::abs(k))};
}

namespace {

// The probability of a number of nonzero terms, with an enclosure of the expected excess of that many terms.
struct Count {
  int terms;
  double probability;
  Enclosure excess;
  double gap() const { return probability * (excess.upper - excess.lower); }
};

// Bounds for c > 2 nonzero terms, from those for two.
//
// The threshold of either bound is rounded outward, by 32 roundings of what is added up. The mean of m atoms
// takes m / 1024 + 3 (the mass, the division by it, the sum and its conversion), its product one, and the two
// sums with it one each. For m = 24,000 these are 30.
Enclosure bounds_for(int c, const PairsOfTerms& terms, double k) {
  const double lost = 16 * kUlp * (std::abs(k) + c * terms.absolute_mean());
  return {terms.two(k - (c - 2) * terms.mean() + lost).lower, 0.5 * c * terms.two(2 * k / c - lost).upper};
}

// The numbers of nonzero terms that matter, and a bound on what all larger numbers add.
struct Counts {
  std::vector<Count> each;
  double tail = 0;

  double lower() const {
    double sum = 0;
    for (const Count& count : each) sum += count.probability * count.excess.lower;
    return sum;
  }
  double upper() const {
    double sum = 0;
    for (const Count& count : each) sum += count.probability * count.excess.upper;
    return sum;
  }
};

// `largest` is such that E(Y_1 + ... + Y_c - k)_+ is at most c times it. The numbers of terms that are left
// out add at most `gap` / 100 of the value.
Counts counts_of(const PairsOfTerms& terms, double mass, double n, double k, double largest, double gap) {
  const double ratio = mass / (1 - mass), expected = n * ratio;
  double probability = std::exp(n * std::log1p(-mass));
  Counts counts;
  counts.each.push_back({0, probability, {larger(0.0, -k), larger(0.0, -k)}});
  for (int c = 1; c <= n; ++c) {
    probability *= (n - c + 1) / c * ratio;
    counts.tail = c * largest * probability / (1 - expected / c) * (1 + kEightThousandRoundings);
    if (c > Pairs::kMaxCount || (c > 2 && counts.tail <= 0.01 * gap * counts.upper())) break;
    counts.tail = 0;
    counts.each.push_back({c, probability,
                           c == 1   ? terms.one(k)
                           : c == 2 ? terms.two(k)
                                    : bounds_for(c, terms, k)});
  }
  return counts;
}

// The law of a nonzero term, but with a little mass at zero, between kEightThousandRoundings and twice that.
//
// The atoms of a law that is divided by its mass may add up to a little more than 1. With the mass d at zero,
// the expected excess x_c of c terms becomes the mean of x_J over a binomial number J of c trials with
// probability 1 - d. So x_c is at most (1 - d)^-c times that mean. The means exceed x_c by what J < c adds,
// at most C(c, j) d^{c-j} x_j for each j. The probability of c nonzero terms is at most expected^{c-j} j! /
// c! times that of j. So over all c together, J < c adds at most e^{d expected} - 1 times the value, less
// than 1e-13 of it.
AtomicLaw nearly_conditioned(const AtomicLaw& law, double mass) {
  AtomicLaw result;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    result.add(law.points[i], law.weights[i] / mass * (1 - 1.5 * kEightThousandRoundings));
  }
  return result;
}

// Integrates the excess for three and more terms where its bounds leave more than their share of the gap,
// the widest first. Stops at an integral that leaves a gap of more than `widest` of the value.
void integrate(Counts& counts, const AtomicLaw& law, double mass, double k, double widest) {
  const AtomicLaw term = nearly_conditioned(law, mass);
  std::vector<Count*> order;
  for (Count& count : counts.each) {
    if (count.terms > 2) order.push_back(&count);
  }
  std::sort(order.begin(), order.end(), [](const Count* a, const Count* b) { return a->gap() > b->gap(); });
  for (Count* count : order) {
    if (count->gap() <= Pairs::kShare * Pairs::kMaxGap * counts.upper()) return;
    if (std::fma(count->terms, law.largest_point(), -k) <= 0) continue;
    const double width = Pairs::kWidth * counts.upper() / (count->probability * count->excess.upper);
    const Enclosure integral = excess_by_contour(term, count->terms, k, smaller(width, Pairs::kWidest));
    const double outward = 4 * kEightThousandRoundings * count->terms;
    count->excess.lower = larger(count->excess.lower, integral.lower);
    count->excess.upper = smaller(count->excess.upper, integral.upper * (1 + outward));
    if (count->gap() > widest * counts.upper()) return;
  }
}

}  // namespace

std::optional<Enclosure> excess_by_pairs(const AtomicLaw& law, double n, double k, double widest) {
  const double mass = mass_of(law);
  if (!(mass > 0) || !(mass * n <= Pairs::kMaxExpected)) {
    return std::nullopt;
  }
  const PairsOfTerms terms(law, mass);
  const double each = terms.absolute_mean() + larger(0.0, -k);
  const double narrow = smaller(Pairs::kMaxGap, widest);
  Counts counts = counts_of(terms, mass, n, k, each, narrow);
  const auto is_wider_than = [&](double gap) {
    const double upper = counts.upper() + counts.tail;
    return upper * (1 - gap) > counts.lower() && upper > Pairs::kNothing * each;
  };
  if (is_wider_than(narrow)) {
    if (widest > narrow) integrate(counts, law, mass, k, widest);
    if (is_wider_than(widest)) return std::nullopt;
  }
  // Of the kEightThousandRoundings, every nonzero term takes six: the division by the mass and five in
  // `probability`. With at most kMaxCount terms and as many additions, these are 210. The mass of m atoms
  // takes m / 2048 + 1. It enters once for each nonzero term, and by the exponential, where it is at most
  // kMaxExpected / n: at most 400 roundings for m = 24,000, three times the most atoms of a law in this
  // project (rare_terms.cc). terms.one(), terms.two() and the integrals cover their own. Terms at zero
  // (nearly_conditioned) add at most 900 roundings more to the integrals.
  return Enclosure{counts.lower() * (1 - kEightThousandRoundings),
                   counts.upper() * (1 + kEightThousandRoundings) + counts.tail + kUnderflow * (1 + each)};
}

}  // namespace muster::numerics
