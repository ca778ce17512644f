#include "muster/numerics/sums/sparse_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/work.h"

namespace muster::numerics {
namespace {

// Underflow may lose at most this times 1 + y + max(0, -k), where y is the largest atom.
constexpr double kUnderflow = 1e-290;
// Weights below kTinyWeight and atoms above kHugeAtom are refused: products may leave the range of a double.
constexpr double kTinyWeight = 1e-200, kHugeAtom = 1e60;

// Tuning: every choice gives a valid enclosure; these constants trade its width for work. The limits below
// are for the enumeration of laws of at most three atoms. If one nonzero term is expected, about a dozen
// counts of nonzero terms have probabilities that matter, and the probability of more than 80 is less than
// 1 / 81! = 2e-121. For 1e-9 to 1 expected nonzero terms, the result was compared with the contour integral,
// which agrees to 1e-10 (docs/theory/notes/class-c.md, "Few expected reports").
struct Enumeration {
  static constexpr double kMaxExpected = 1;  // the largest expected number of nonzero terms
  // The largest threshold that is accepted, in units of the largest atom. To exceed a larger one takes at
  // least 65 nonzero terms, which have a probability of about 1 / 65! = 1e-91 or less. The counts above
  // kMaxCount would then no longer be a small part of the value.
  static constexpr double kFarthest = 64;
  static constexpr int kMaxCount = 80;  // larger numbers of nonzero terms are bounded, not enumerated
  // The most that counts of nonzero terms which are not enumerated may add, relative to the value.
  static constexpr double kTail = 1e-10;
  static constexpr double kTolerance = 1e-9;  // relative error allowed in the maximum over i
  // The most products for that maximum; they take a few milliseconds.
  static constexpr double kMaxWork = 1e6;
};
// The work of one term of FewTerms::bound(), in the unit of numerics/work.h, as measured.
constexpr double kWorkOfCombination = 10;
struct SumAtom {
  double sum;
  double probability;
  double size;  // the sum of the moduli of the terms that add up to `sum`
};

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

// Encloses E(x + y - k)_+ for independent x and y of the laws `left` and `right`. A bound on the round-off of
// each excess is subtracted for the lower end and added for the upper end.
Enclosure excess_of(const std::vector<SumAtom>& left, const std::vector<SumAtom>& right, double k) {
  Enclosure total{0, 0};
  for (const SumAtom& x : left) {
    for (const SumAtom& y : right) {
      const double excess = x.sum + y.sum - k;
      // `slip` bounds the rounding error of `excess`. A sum of at most three products takes three roundings
      // (slack.h) of the moduli of its terms. The sum of both, the difference and the sum with `slip` take
      // one each. So 6 of these 32 roundings are needed.
      const double slip = 16 * kUlp * (x.size + y.size + std::abs(k));
      const double probability = x.probability * y.probability;
      total.lower += probability * larger(0.0, excess - slip);
      total.upper += probability * larger(0.0, excess + slip);
    }
  }
  return total;
}

// The values x (x - 1) ... (x - count + 1) / all^count for each count from 0 to kMaxCount.
class Falling {
 public:
  Falling(double x, double all) : of_count_{1} {
    for (std::size_t i = 0; i + 1 < of_count_.size(); ++i) {
      of_count_[i + 1] = of_count_[i] * (larger(0.0, x - static_cast<double>(i)) / all);
    }
  }
  double of(int count) const { return of_count_[static_cast<std::size_t>(count)]; }

 private:
  std::array<double, Enumeration::kMaxCount + 1> of_count_;
};

// One number c of nonzero terms, with its probability and with H(j, c - j) of sparse_sum.h for every j.
struct Count {
  int count;
  double probability;
  std::vector<Enclosure> expected;  // expected[j] encloses H(j, c - j)
  // best[j][l]: the largest upper end of H(a, count - a) with a >= j terms of the first law and at
  // least l of the second.
  std::vector<std::vector<double>> best{};
};

// An interval of values of i: `first` terms are of the first law, `second` of the second, and the rest are
// undecided. `upper` bounds V_i on the interval.
struct Block {
  double first, second;
  double upper;
  bool operator<(const Block& other) const { return upper < other.upper; }
};

class FewTerms {
 public:
  FewTerms(const AtomicLaw& first, const AtomicLaw& second, double terms, double k, Mixing mixing)
      : one_law_(&first == &second), others_(mixing == Mixing::swap ? terms - 1 : terms) {
    const double mass = larger(first.nonzero_mass(), second.nonzero_mass());
    const double ratio = mass / (1 - mass);
    const double expected = terms * ratio;
    // The sum of c terms exceeds k by at most c `top`. The two additions in `top` take one rounding each. If
    // k > 0, the comparison c top > k below takes another. The 32 roundings of k cover all three.
    const double top =
        larger(first.largest_point(), second.largest_point()) + larger(0.0, -k) + 16 * kUlp * std::abs(k);
    underflow_ = kUnderflow * (1 + top);
    std::vector<std::vector<SumAtom>> of_first, of_second;
    double probability = std::exp(terms * std::log1p(-mass));
    double found = 0;
    for (int c = 0; c <= others_; ++c) {
      // `rest` bounds what all counts from c on add. If P(c) is the probability of the count c, then
      // (c+1) P(c+1) is at most expected / c times c P(c), so they add up like a geometric series.
      if (c > expected) {
        const double rest = c * top * probability / (1 - expected / c) * (1 + kEightThousandRoundings);
        if (c > Enumeration::kMaxCount || rest <= Enumeration::kTail * found) {
          tail_ = rest;
          break;
        }
      }
      if (c * top > k || c == 0) {
        Count next{c, probability, {}};
        if (one_law_) {
          next.expected.push_back(excess_of(atoms_of_sum(first, mass, c), {{0, 1, 0}}, k));
        } else {
          for (int j = static_cast<int>(of_first.size()); j <= c; ++j) {
            of_first.push_back(atoms_of_sum(first, mass, j));
            of_second.push_back(atoms_of_sum(second, mass, j));
          }
          for (int j = 0; j <= c; ++j) {
            next.expected.push_back(excess_of(of_first[static_cast<std::size_t>(j)],
                                              of_second[static_cast<std::size_t>(c - j)], k));
          }
        }
        double largest = 0;
        for (const Enclosure& each : next.expected) {
          largest = larger(largest, each.lower);
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
    // The probability of a count takes six roundings for each nonzero term and ten more, the law of the
    // terms' sum four for each, and the sum over the counts one for each count. With kMaxCount = 80 terms,
    // these are 900. Besides, the sum in excess_of() takes one for each of its products, at most 81 * 82 / 2
    // for one law of three atoms and 41 * 41 for two laws of two, and bound() takes at most 81 * 82 / 2 for
    // its sum and 8 * 80 for the factors of a term. That is 4,300 for one law, and 6,600 for two, whose
    // masses may differ by 32 roundings.
    lower *= 1 - kEightThousandRoundings;
    const double upper =
        (one_law_ ? at_one_law() : over_types()) * (1 + kEightThousandRoundings) + tail_ + underflow_;
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

  // An upper bound of V_i for all i of a block; close to V_i if the block is a single i.
  double bound(double first, double second) const {
    count_work(combinations_, kWorkOfCombination, 0);
    const Falling of_first(first, others_), of_second(second, others_);
    const Falling undecided(others_ - first - second, others_), all(others_, others_);
    double total = 0;
    for (const Count& c : counts_) {
      double mean = 0;
      double of_j = 1;  // binomial coefficient C(c, j)
      for (int j = 0; j <= c.count; ++j) {
        const double chosen = of_j * of_first.of(j);
        of_j = of_j * (c.count - j) / (j + 1);
        if (chosen == 0) {
          break;
        }
        double of_l = 1;  // binomial coefficient C(c - j, l)
        for (int l = 0; j + l <= c.count; ++l) {
          const double drawn = of_second.of(l);
          if (drawn == 0) {
            break;
          }
          mean += chosen * of_l * drawn * undecided.of(c.count - j - l) *
                  c.best[static_cast<std::size_t>(j)][static_cast<std::size_t>(l)];
          of_l = of_l * (c.count - j - l) / (l + 1);
        }
      }
      total += c.probability * mean / all.of(c.count);
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
      combinations_ += (at(c.count) + 1) * (at(c.count) + 2) / 2;
    }
    double reached = larger(bound(others_, 0), bound(0, others_));
    std::vector<Block> blocks{{0, 0, bound(0, 0)}};
    for (double work = 0; work < Enumeration::kMaxWork; work += 2 * static_cast<double>(combinations_) + 1) {
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
  std::size_t combinations_ = 0;  // the number of terms that bound() adds up
  double tail_ = 0;
  double underflow_ = 0;
};

bool within_range(const AtomicLaw& law) {
  return law.largest_point() < kHugeAtom && std::all_of(law.weights.begin(), law.weights.end(),
                                                        [](double w) { return w == 0 || w > kTinyWeight; });
}

bool few(const AtomicLaw& first, const AtomicLaw& second, double terms, double k, std::size_t max_atoms) {
  const double mass = first.nonzero_mass();
  const double other = second.nonzero_mass();
  // Two masses that should be equal may differ by 32 roundings, which come from the sums over the atoms and
  // from the rounding of the weights. The law of a nonzero term is divided by the mass, so the difference
  // matters only for the terms at zero. Their probability changes by at most kMaxExpected = 1 times as many,
  // which worst() allows for.
  return mass > 0 && within_range(first) && within_range(second) &&
         std::abs(mass - other) <= 16 * kUlp * mass &&
         terms * larger(mass, other) <= Enumeration::kMaxExpected * (1 - larger(mass, other)) &&
         k <= Enumeration::kFarthest * larger(first.largest_point(), second.largest_point()) &&
         first.points.size() <= max_atoms && second.points.size() <= max_atoms;
}

}  // namespace

std::optional<WorstMixture> few_terms_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                              double k, Mixing mixing) {
  if (!few(first, second, terms, k, 2)) {
    return std::nullopt;
  }
  return FewTerms(first, second, terms, k, mixing).worst();
}

std::optional<Enclosure> few_terms_excess(const AtomicLaw& law, double n, double k, double widest) {
  if (law.points.size() > 3) {
    return n >= 1 && within_range(law) ? excess_by_pairs(law, n, k, widest) : std::nullopt;
  }
  if (!few(law, law, n, k, 3)) {
    return std::nullopt;
  }
  // Both laws are the same, so there is only one V, and the estimate is a lower bound of it.
  const UpperAndEstimate found = FewTerms(law, law, n, k, Mixing::product).worst().value;
  return Enclosure{found.estimate, found.upper};
}

}  // namespace muster::numerics
