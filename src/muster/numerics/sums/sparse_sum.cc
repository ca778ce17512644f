#include "muster/numerics/sums/sparse_sum.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "muster/numerics/ordered.h"

namespace muster::numerics {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr double kOutward = 1e-12;  // margin for the round-off of sums of products of positive factors
// What underflow may lose, times 1 + the largest atom.
constexpr double kUnderflow = 1e-290;
// Weights below and atoms above these are refused: their products may leave the range of a double.
constexpr double kTinyWeight = 1e-200, kHugeAtom = 1e60;

// Tuning: every choice gives a valid enclosure; these trade its width for work.
// For at most three atoms. With one expected nonzero term a dozen counts have probabilities that matter, and
// 48 of them all but 1 / 49! = 2e-63; this was compared with the contour for 1e-9 to 1 expected terms, which
// it matches to 1e-10 (docs/theory/notes/class-c.md, "Few expected reports").
struct Enumeration {
  static constexpr double kMaxExpected = 1;  // nonzero terms
  // Give up if the threshold exceeds this many times the largest atom: that takes 25 terms, an event of
  // probability 1 / 25! = 6e-26, of which the counts above kMaxCount are no longer a small part.
  static constexpr double kFarthest = 24;
  static constexpr int kMaxCount = 48;  // nonzero terms; what more of them add is bounded
  // The same with three atoms, whose combinations grow with the square of the count.
  static constexpr int kMaxCountOfThree = 24;
  // What the counts of nonzero terms that are not enumerated may add, relative to the value.
  static constexpr double kTail = 1e-10;
  static constexpr double kTolerance = 1e-9;  // relative error allowed in the maximum over the types
  static constexpr double kMaxWork = 1e6;     // products spent on that maximum: a few milliseconds
};
// For more atoms, whose combinations are too many to enumerate.
struct Pairs {
  // The expected number of nonzero terms up to which only one or two of them are computed exactly. Three or
  // more, which are enclosed by two bounds, are then at most 1e-4 / 6 times as probable as one.
  static constexpr double kMaxExpected = 1e-2;
  static constexpr double kMaxGap = 1e-7;  // relative gap of the enclosure above which it is discarded
  // The enclosure may be wide where the value is below this many times the size of a term.
  static constexpr double kNothing = 1e-90;
  // Of nonzero terms; 0.01^30 / 30! is 4e-93, less than kNothing.
  static constexpr int kMaxCount = 30;
};

struct SumAtom {
  double sum;
  double probability;
  double size;  // sum of the moduli of what was added
};

double mass_of(const AtomicLaw& law) {
  double mass = 0;
  for (double w : law.weights) {
    mass += w;
  }
  return mass;
}

// The law of the sum of `count` nonzero terms.
std::vector<SumAtom> atoms_of_sum(const AtomicLaw& law, double mass, int count) {
  std::vector<SumAtom> all;
  const auto visit = [&](auto&& self, std::size_t atom, int left, SumAtom at) -> void {
    const double point = law.points[atom];
    const double share = law.weights[atom] / mass;
    if (atom + 1 == law.points.size()) {
      for (int c = 1; c <= left; ++c) {
        at.probability *= share;
      }
      all.push_back({at.sum + left * point, at.probability, at.size + left * std::abs(point)});
      return;
    }
    for (int c = 0; c <= left; ++c) {
      self(self, atom + 1, left - c, {at.sum + c * point, at.probability, at.size + c * std::abs(point)});
      at.probability *= share * (left - c) / (c + 1);  // builds up the binomial coefficients
    }
  };
  visit(visit, 0, count, {0, 1, 0});
  return all;
}

// Encloses E(x + y - k)_+ by moving the threshold by its round-off, once down and once up.
Enclosure excess_of(const std::vector<SumAtom>& left, const std::vector<SumAtom>& right, double k) {
  Enclosure total{0, 0};
  for (const SumAtom& x : left) {
    for (const SumAtom& y : right) {
      const double excess = x.sum + y.sum - k;
      const double slip = 16 * kUlp * (x.size + y.size + std::abs(k));
      const double probability = x.probability * y.probability;
      total.lower += probability * larger(0.0, excess - slip);
      total.upper += probability * larger(0.0, excess + slip);
    }
  }
  return total;
}

// x (x - 1) ... (x - count + 1) / all^count
double falling(double x, int count, double all) {
  double product = 1;
  for (int i = 0; i < count; ++i) {
    product *= larger(0.0, x - i) / all;
  }
  return product;
}

// One number c of nonzero terms: its probability, and H(j, c - j) for every j.
struct Count {
  int count;
  double probability;
  std::vector<Enclosure> expected;  // [j]
  // best[j][l]: the largest upper end of H with at least j terms of the first law and l of the second.
  std::vector<std::vector<double>> best{};
};

// An interval of i: `first` terms are of the first law, `second` of the second, and the
// rest are undecided.
struct Block {
  double first, second;
  double upper;
  bool operator<(const Block& other) const { return upper < other.upper; }
};

class FewTerms {
 public:
  FewTerms(const AtomicLaw& first, const AtomicLaw& second, double terms, double k, Mixing mixing)
      : one_law_(&first == &second), others_(mixing == Mixing::swap ? terms - 1 : terms) {
    const double mass = larger(mass_of(first), mass_of(second));
    const double ratio = mass / (1 - mass);
    const double expected = terms * ratio;
    const double top =
        larger(first.largest_point(), second.largest_point()) + larger(0.0, -k) + 16 * kUlp * std::abs(k);
    underflow_ = kUnderflow * (1 + top);
    const int max_count = larger(first.points.size(), second.points.size()) > 2
                              ? Enumeration::kMaxCountOfThree
                              : Enumeration::kMaxCount;
    std::vector<std::vector<SumAtom>> of_first, of_second;
    double probability = std::exp(terms * std::log1p(-mass));
    double found = 0;
    for (int c = 0; c <= others_; ++c) {
      // A bound on all counts from c on: (c+1) P(c+1) is at most expected / c times c P(c).
      if (c > expected) {
        const double rest = c * top * probability / (1 - expected / c) * (1 + kOutward);
        if (c > max_count || rest <= Enumeration::kTail * found) {
          tail_ = rest;
          break;
        }
      }
      if (c * top > k || c == 0) {
        for (int j = static_cast<int>(of_first.size()); j <= c; ++j) {
          of_first.push_back(atoms_of_sum(first, mass, j));
          of_second.push_back(atoms_of_sum(second, mass, j));
        }
        Count next{c, probability, {}};
        double largest = 0;
        for (int j = one_law_ ? c : 0; j <= c; ++j) {
          next.expected.push_back(excess_of(of_first[static_cast<std::size_t>(j)],
                                            of_second[static_cast<std::size_t>(c - j)], k));
          largest = larger(largest, next.expected.back().lower);
        }
        found = larger(found, probability * largest);
        counts_.push_back(std::move(next));
      }
      probability *= (terms - c) / (c + 1) * ratio;
    }
  }

  WorstMixture worst() {
    double lower = 0;
    for (const bool second : {false, true}) {
      double end = 0;
      for (const Count& c : counts_) {
        end += c.probability * (second ? c.expected.front() : c.expected.back()).lower;
      }
      lower = larger(lower, end);
    }
    lower *= 1 - kOutward;
    const double upper = (one_law_ ? at_one_law() : over_types()) * (1 + kOutward) + tail_ + underflow_;
    return {{.upper = upper, .estimate = lower}, upper / larger(lower, underflow_) - 1};
  }

 private:
  double at_one_law() const {
    double total = 0;
    for (const Count& c : counts_) {
      total += c.probability * c.expected.back().upper;
    }
    return total;
  }

  // An upper bound of V on a block; V itself where the block is a single i.
  double bound(double first, double second) const {
    const double undecided = others_ - first - second;
    double total = 0;
    for (const Count& c : counts_) {
      double mean = 0;
      double of_j = 1;  // binomial coefficient C(c, j)
      for (int j = 0; j <= c.count; ++j) {
        const double chosen = of_j * falling(first, j, others_);
        of_j = of_j * (c.count - j) / (j + 1);
        if (chosen == 0) {
          break;
        }
        double of_l = 1;  // binomial coefficient C(c - j, l)
        for (int l = 0; j + l <= c.count; ++l) {
          const double drawn = falling(second, l, others_);
          if (drawn == 0) {
            break;
          }
          mean += chosen * of_l * drawn * falling(undecided, c.count - j - l, others_) *
                  c.best[static_cast<std::size_t>(j)][static_cast<std::size_t>(l)];
          of_l = of_l * (c.count - j - l) / (l + 1);
        }
      }
      total += c.probability * mean / falling(others_, c.count, others_);
    }
    return total;
  }

  double over_types() {
    for (Count& c : counts_) {
      const auto at = [](int i) { return static_cast<std::size_t>(i); };
      c.best.resize(at(c.count) + 1);
      for (int j = c.count; j >= 0; --j) {
        c.best[at(j)].resize(at(c.count - j) + 1);
        for (int l = c.count - j; l >= 0; --l) {
          c.best[at(j)][at(l)] = j + l == c.count
                                     ? c.expected[at(j)].upper
                                     : larger(c.best[at(j + 1)][at(l)], c.best[at(j)][at(l + 1)]);
        }
      }
    }
    double reached = larger(bound(others_, 0), bound(0, others_));
    std::vector<Block> blocks{{0, 0, bound(0, 0)}};
    double each = 1;
    for (const Count& c : counts_) {
      each += (c.count + 1) * (c.count + 2);
    }
    for (double work = 0; work < Enumeration::kMaxWork; work += each) {
      const Block worst = blocks.front();
      const double undecided = others_ - worst.first - worst.second;
      if (worst.upper <= reached * (1 + Enumeration::kTolerance) || undecided < 1) {
        break;
      }
      std::pop_heap(blocks.begin(), blocks.end());
      blocks.pop_back();
      const double half = std::floor(undecided / 2);
      // Halve the block: one part has i <= worst.first + half, the other has the larger i.
      for (const auto& [first, second] :
           {std::pair{worst.first, others_ - worst.first - half}, {worst.first + half + 1, worst.second}}) {
        blocks.push_back({first, second, bound(first, second)});
        std::push_heap(blocks.begin(), blocks.end());
      }
      reached = larger(reached, bound(worst.first + half, others_ - worst.first - half));
    }
    return larger(reached, blocks.front().upper);
  }

  bool one_law_;
  double others_;
  std::vector<Count> counts_;
  double tail_ = 0;
  double underflow_ = 0;
};

bool within_range(const AtomicLaw& law) {
  return law.largest_point() < kHugeAtom && std::all_of(law.weights.begin(), law.weights.end(),
                                                        [](double w) { return w == 0 || w > kTinyWeight; });
}

bool few(const AtomicLaw& first, const AtomicLaw& second, double terms, double k, std::size_t max_atoms) {
  const double mass = mass_of(first);
  const double other = mass_of(second);
  return mass > 0 && within_range(first) && within_range(second) &&
         std::abs(mass - other) <= 16 * kUlp * mass &&
         terms * larger(mass, other) <= Enumeration::kMaxExpected * (1 - larger(mass, other)) &&
         k <= Enumeration::kFarthest * larger(first.largest_point(), second.largest_point()) &&
         first.points.size() <= max_atoms && second.points.size() <= max_atoms;
}

// E(Y_1 + ... + Y_c - k)_+ for c = 1 and c = 2 terms, each conditioned to be nonzero, from sorted points
// and sums over all points above each of them.
class PairsOfTerms {
 public:
  PairsOfTerms(const AtomicLaw& law, double mass) {
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
    Sum total;
    std::size_t from = points_.size();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double threshold = k - points_[i];
      while (from > 0 && points_[from - 1] > threshold) {
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
  static Enclosure around(const Sum& sum) {
    const auto value = static_cast<double>(sum.sum);
    const double slip = 8 * kUlp * static_cast<double>(sum.size);
    return {larger(0.0, value - slip), larger(0.0, value + slip)};
  }

  std::vector<double> points_, weights_;
  std::vector<Sum> above_;  // [i]: over the points from i on
};

// By convexity (Y_1 + ... + Y_c - k)_+ is at most the mean over pairs of (c/2 (Y_i + Y_j) - k)_+, and by
// Jensen's inequality its expectation is at least that of (Y_1 + Y_2 + (c-2) EY - k)_+.
std::optional<Enclosure> by_pairs(const AtomicLaw& law, double n, double k) {
  const double mass = mass_of(law);
  const double ratio = mass / (1 - mass), expected = n * ratio;
  const PairsOfTerms terms(law, mass);
  double probability = std::exp(n * std::log1p(-mass));
  Enclosure total{probability * larger(0.0, -k), probability * larger(0.0, -k)};
  // For c >= 1, E(Y_1 + ... + Y_c - k)_+ is at most c times this.
  const double each = terms.absolute_mean() + larger(0.0, -k);
  double tail = 0;
  for (int c = 1;; ++c) {
    probability *= (n - c + 1) / c * ratio;
    if (c > n) {
      break;
    }
    tail = c * each * probability / (1 - expected / c) * (1 + kOutward);
    if (c > 2 && tail <= 0.01 * Pairs::kMaxGap * total.upper) {
      break;
    }
    tail = 0;
    if (c == 1) {
      const Enclosure one = terms.one(k);
      total = {total.lower + probability * one.lower, total.upper + probability * one.upper};
    } else {
      total.lower += probability * terms.two(k - (c - 2) * terms.mean()).lower;
      total.upper += probability * 0.5 * c * terms.two(2 * k / c).upper;
    }
    if (total.upper * (1 - Pairs::kMaxGap) > total.lower && total.upper > Pairs::kNothing * each) {
      return std::nullopt;
    }
    if (c >= Pairs::kMaxCount) {
      tail = (c + 1) * each * probability * expected / c / (1 - expected / c) * (1 + kOutward);
      break;
    }
  }
  total.lower *= 1 - kOutward;
  total.upper = total.upper * (1 + kOutward) + tail + kUnderflow * (1 + each);
  if (total.upper * (1 - Pairs::kMaxGap) > total.lower && total.upper > Pairs::kNothing * each) {
    return std::nullopt;
  }
  return total;
}

}  // namespace

std::optional<WorstMixture> few_terms_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                              double k, Mixing mixing) {
  if (!few(first, second, terms, k, 2)) {
    return std::nullopt;
  }
  return FewTerms(first, second, terms, k, mixing).worst();
}

Enclosure excess_of_one_or_two(const AtomicLaw& law, double n, double k) {
  const double mass = mass_of(law), rest = larger(0.0, 1 - mass);
  // The margin is for sums of products, each good to a few ulps of what was added and subtracted, and for
  // the remaining mass, good to an ulp of the whole.
  const auto around = [&](double value, double size) {
    const double slip = (32 + static_cast<double>(law.points.size())) * kUlp * size;
    return Enclosure{larger(0.0, value - slip), larger(0.0, value + slip)};
  };
  const double nobody = larger(0.0, -k);
  if (law.points.empty() || !(mass > 0)) return {nobody, nobody};
  const PairsOfTerms terms(law, mass);
  const Enclosure one = terms.one(k);
  if (n == 1) {
    const Enclosure sum{mass * one.lower + rest * nobody, mass * one.upper + rest * nobody};
    return {around(sum.lower, sum.lower + nobody).lower, around(sum.upper, sum.upper + nobody).upper};
  }
  const Enclosure two = terms.two(k);
  const Enclosure sum{mass * mass * two.lower + 2 * mass * rest * one.lower + rest * rest * nobody,
                      mass * mass * two.upper + 2 * mass * rest * one.upper + rest * rest * nobody};
  return {around(sum.lower, sum.lower + nobody).lower, around(sum.upper, sum.upper + nobody).upper};
}

std::optional<Enclosure> few_terms_excess(const AtomicLaw& law, double n, double k) {
  if (law.points.size() > 3) {
    return mass_of(law) * n <= Pairs::kMaxExpected && n >= 1 && mass_of(law) > 0 && within_range(law)
               ? by_pairs(law, n, k)
               : std::nullopt;
  }
  if (!few(law, law, n, k, 3)) {
    return std::nullopt;
  }
  // Where both laws are the same, what is seen of the largest value is a lower bound of the only one.
  const UpperAndEstimate found = FewTerms(law, law, n, k, Mixing::product).worst().value;
  return Enclosure{found.estimate, found.upper};
}

}  // namespace muster::numerics
