#include "muster/numerics/sums/rare_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/contour.h"
#include "muster/numerics/sums/excess_bounds.h"
#include "muster/numerics/sums/excess_of_mixed_sum.h"
#include "muster/numerics/sums/tail_moments.h"

namespace muster::numerics {
namespace {

// kEightThousandRoundings is the margin of every part of the expectation. A part is a sum of products without
// negative factors: a dozen operations, at most four sums over large atoms and, for two large terms, two sums
// over the atoms of a group and one over at most 1,176 pairs of groups. Sums over large atoms are in extended
// precision, so that m atoms take m / 2048 roundings. A group has m / 24 atoms. So a part takes fewer than
// 9,000 roundings (slack.h) for laws of up to 90,000 atoms, and 2,000 for the 8,202 that are the most in this
// project (the law of a report with Laplace noise, by Profile::laplace()).

// Covers two roundings for each nonzero term, which come from the division of its weight by 1 - p.
constexpr double kOfDivision = 3e-16;
// This value stands for an infinite bound, because infinity times a probability of 0 would be a NaN.
constexpr double kLargest = 1e304;

// Tuning: every choice gives a valid enclosure; these constants trade its width for work. kChances are the
// values of n p (rare_terms.h) that are tried. What two large terms may contribute falls with the square of
// n p, so ever longer steps suffice. The last value is as small as the rarest atoms of laws from privacy
// profiles.
constexpr std::array kChances{0.3, 0.06, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-13, 1e-18, 1e-25, 1e-35, 1e-44};
// kMostLost is the most that two or more large terms, and terms raised to -B', may add. kGap is the largest
// gap between bounds that is not closed by an integral. Both are relative to the value, and a tenth of the
// 1e-5 that smoothing adds to the integrals (excess_of_mixed_sum.cc).
constexpr double kMostLost = 1e-6;
constexpr double kGap = 1e-6;
// The same two limits for a smaller B, where the part with two large terms is enclosed and mainly the part
// with three or more is left to an upper bound. A smaller B is used where the bulk is too heavy-tailed for
// the finest smoothing. There the enclosures of excess_of_laws() have relative widths of 1e-4 to 1e-2.
constexpr double kMostLostWithPairs = 1e-4;
constexpr double kGapWithPairs = 1e-4;
// The gap is wider by this factor where the part with one large term cannot be integrated with the finest
// smoothing either. More of the largest terms are then left to their bounds, which shortens the period of the
// integral over the others. With this factor, enclosures are up to four times narrower for the same work.
constexpr double kWiderGap = 5;
// A split is the division of the law into bulk and large atoms by one choice of B and B'. The first one that
// is computed is the first for which two large terms are estimated to add less than kRoughly times kMostLost.
// The estimate is rough, so if they turn out to add more than kMostLost, the next split is computed.
constexpr double kRoughly = 10;
// If the relative width of the enclosure is above kWide, another split is tried, as long as each new width is
// below kNarrower times the previous width. Where the bulk can be integrated, the width is about 1e-5.
constexpr double kWide = 1e-2;
constexpr double kNarrower = 0.7;
// A value below this times the bulk's standard deviation is not integrated, because no delta that small is
// asked for.
constexpr double kNothing = 1e-54;
// Terms above B are treated separately if B is below this times the largest atom. Otherwise the bulk is
// nearly as wide as the law, and little is gained.
constexpr double kLess = 0.5;

struct Atom {
  double point;
  double weight;
};

// The law split at B = `size`, with atoms below -B' = -low_size raised to -B'.
struct Split {
  double size = 0;
  double chance = 0;       // P(Y > size)
  double mean_beyond = 0;  // E(Y - size)_+
  double low_size = 0;
  double low_chance = 0;  // P(Y < -low_size)
  AtomicLaw bulk;         // the law conditioned on being at most `size`
  AtomicLaw capped;       // the law with values above `size` lowered to `size`
  std::vector<Atom> large;
};

Split split_at(const AtomicLaw& law, double size, double low_size) {
  Split split;
  split.size = size;
  split.low_size = low_size;
  long double chance = 0, mean_beyond = 0, low_chance = 0;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    const double y = law.points[i];
    const double w = law.weights[i];
    if (y > size) {
      split.large.push_back({y, w});
      chance += w;
      mean_beyond += w * (y - size);
    } else if (y < -low_size) {
      low_chance += w;
    } else {
      split.bulk.points.push_back(y);
      split.bulk.weights.push_back(w);
    }
  }
  split.chance = static_cast<double>(chance);
  split.mean_beyond = static_cast<double>(mean_beyond);
  split.low_chance = static_cast<double>(low_chance);
  split.bulk.add(-low_size, split.low_chance);
  split.capped = split.bulk;
  split.capped.add(size, split.chance);
  for (double& w : split.bulk.weights) {
    w /= 1 - split.chance;
  }
  return split;
}

// The large atoms in at most kGroups groups, for bounds on a mean over pairs of large atoms: the number of
// pairs of groups does not grow with the number of atoms.
class Groups {
 public:
  explicit Groups(const std::vector<Atom>& large) {
    const std::size_t most = (large.size() + kGroups - 1) / kGroups;
    for (std::size_t from = 0; from < large.size(); from += most) {
      add(std::span(large).subspan(from, smaller(most, large.size() - from)));
    }
  }
  // Each group is replaced by one atom at its mean, rounded down. This can only lower the mean of a convex
  // function that never falls.
  const std::vector<Atom>& means() const { return means_; }
  // Each group is replaced by atoms at its two ends, with the same mean. This can only raise the mean of a
  // convex function.
  const std::vector<Atom>& ends() const { return ends_; }
  // Calls each(sum, weight) for every sum of two of the atoms; `weight` counts both orders.
  template <typename Each>
  static void for_pairs(const std::vector<Atom>& atoms, const Each& each) {
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        each(atoms[i].point + atoms[j].point, (j < i ? 2 : 1) * atoms[i].weight * atoms[j].weight);
      }
    }
  }

 private:
  static constexpr std::size_t kGroups = 24;
  void add(std::span<const Atom> group) {
    const auto [low, high] = std::minmax_element(
        group.begin(), group.end(), [](const Atom& a, const Atom& b) { return a.point < b.point; });
    const double width = high->point - low->point;
    Atom first{low->point, 0}, last{high->point, 0};
    for (const Atom& atom : group) {
      const double share = width > 0 ? (atom.point - low->point) / width : 0;
      last.weight += atom.weight * share;
      first.weight += atom.weight * (width > 0 ? (high->point - atom.point) / width : 1);
    }
    const double weight = first.weight + last.weight;
    means_.push_back(
        {(low->point + width * (weight > 0 ? last.weight / weight : 0)) * (1 - kEightThousandRoundings),
         weight});
    ends_.push_back(first);
    if (width > 0) ends_.push_back(last);
  }
  std::vector<Atom> means_, ends_;
};

// The parts of the expectation for one split.
class Pieces {
 public:
  // `pairs` says whether the part with two large terms is enclosed, so that only three or more are left to an
  // upper bound.
  Pieces(const AtomicLaw& law, double n, double k, double size, double low_size, bool pairs)
      : n_(n),
        k_(k),
        pairs_(pairs),
        split_(split_at(law, size, low_size)),
        c_(contour::saddle_point(split_.bulk, n, k, [](double at) { return 2 / at; })),
        others_(split_.bulk, n - 1, c_),
        none_scale_(std::exp(n * std::log1p(-split_.chance))),
        one_scale_(n * std::exp((n - 1) * std::log1p(-split_.chance))) {
    none_chernoff_ =
        none_scale_ * smaller(chernoff_bound(n * log_mgf_above(split_.bulk, c_), c_, k), kLargest);
    long double one_lower = 0, one_upper = 0;
    for (const Atom& atom : split_.large) {
      one_lower += one_scale_ * atom.weight * others_.below(k - atom.point);
      one_upper += one_scale_ * atom.weight * others_.above(k - atom.point);
    }
    one_ = {static_cast<double>(one_lower), static_cast<double>(one_upper)};
    if (!split_.large.empty() && pairs) {
      enclose_pairs();
    } else if (!split_.large.empty()) {
      const ExcessBounds capped = others_.capped(split_.capped, n - 2, split_.chance, split_.size);
      long double more = n * split_.chance * n * split_.mean_beyond;
      for (const Atom& atom : split_.large) {
        more += n * atom.weight * capped.above(k - 2 * atom.point);
      }
      more_.upper = static_cast<double>(more);
      more_.upper *= 0.5 * n * split_.chance * (1 + kEightThousandRoundings);
    }
    if (split_.low_chance > 0) {
      const ExcessBounds all_others = others_.capped(split_.capped, n - 1, split_.chance, split_.size);
      raised_ = n * split_.low_chance * (all_others.above(k + low_size) + n * split_.mean_beyond) *
                (1 + kEightThousandRoundings);
    }
  }

  double size() const { return split_.size; }
  double lost() const { return more_.upper - more_.lower + raised_; }
  // A rough estimate of the value, before anything is integrated.
  double about() const { return larger(one_.lower, 0.05 * none_chernoff_); }
  double at_most() const { return none_chernoff_ + one_.upper + more_.upper; }
  // Whether the bulk can be integrated with the finest smoothing.
  bool bulk_is_affordable() const {
    return finest_is_affordable(std::array{LawCopies{&split_.bulk, n_}}, k_, c_);
  }

  Enclosure integrated() const {
    Enclosure none{0, none_chernoff_ * (1 + kEightThousandRoundings)};
    if (none_chernoff_ > kGap * one_.lower) {
      const std::array parts{LawCopies{&split_.bulk, n_}};
      none = excess_of_laws(parts, k_, c_);
      none = {none.lower * none_scale_, none.upper * none_scale_};
    }
    const Enclosure one = one_large(none.lower + one_.lower);
    // The bulk's weights were divided by 1 - p.
    const double outward =
        kEightThousandRoundings + kOfDivision * n_ * smaller(1.0, tilt_of(split_.capped, 0).nonzero_mass);
    return {larger(0.0, (none.lower + one.lower + more_.lower) * (1 - outward) - raised_),
            (none.upper + one.upper + more_.upper) * (1 + outward)};
  }

 private:
  // Encloses the part with two or more large terms, by bounds on the part with two and on that with more.
  void enclose_pairs() {
    ExcessBounds others(split_.bulk, n_ - 2, c_);
    if (n_ > 2) others.add_deficits(split_.bulk);
    const ExcessBounds capped =
        others_.capped(split_.capped, larger(0.0, n_ - 3), split_.chance, split_.size);
    const Groups groups(split_.large);
    Enclosure two{0, 0};
    // Each sum of large terms is rounded once. Where it cancels with k, its rounding error may be all that is
    // left, so the threshold is moved outward by two roundings of the sum. The two subtractions take two
    // roundings of the threshold, for which ExcessBounds allows.
    groups.for_pairs(groups.means(), [&](double sum, double weight) {
      two.lower += weight * others.below(k_ - sum + kUlpAbove * sum);
    });
    groups.for_pairs(groups.ends(), [&](double sum, double weight) {
      // As above, but downward.
      two.upper += weight * others.above(k_ - sum - kUlpAbove * sum);
    });
    const double scale = 0.5 * n_ * (n_ - 1) * std::exp((n_ - 2) * std::log1p(-split_.chance));
    long double at_three = n_ * split_.chance * n_ * split_.mean_beyond;
    for (const Atom& atom : split_.large) {
      const double sum = 3 * atom.point;  // one product, so one rounding as above
      at_three += n_ * atom.weight * capped.above(k_ - sum - kUlpAbove * sum);
    }
    const double three = static_cast<double>(at_three) * (n_ * split_.chance * n_ * split_.chance / 6);
    more_ = {scale * two.lower * (1 - kEightThousandRoundings),
             (scale * two.upper + three) * (1 + kEightThousandRoundings)};
  }

  // A large atom with the bounds on its share of the part with one large term.
  struct BoundedAtom {
    Atom atom;
    double low, high;
    double gap() const { return high - low; }
  };
  std::vector<BoundedAtom> bounded_atoms() const {
    ExcessBounds others = others_;
    others.add_deficits(split_.bulk);
    std::vector<BoundedAtom> bounded;
    for (const Atom& atom : split_.large) {
      bounded.push_back({atom, one_scale_ * atom.weight * others.below(k_ - atom.point),
                         one_scale_ * atom.weight * others.above(k_ - atom.point)});
    }
    return bounded;
  }

  // The part with one large term, divided into the atoms whose bounds are close enough and all others.
  struct OneLarge {
    Enclosure bounded{0, 0};  // the share of the atoms whose bounds are close enough
    AtomicLaw integrated;     // the law of the large term, given that it is one of the other atoms
    double chance = 0;        // the weight of the other atoms together
  };
  // Divides the atoms so that the gaps of those left to their bounds add up to at most `gap`. If pairs are
  // enclosed, `atoms` must be sorted with the largest first. The largest atoms are then left to their bounds
  // as long as all their gaps together are at most half of `gap`, which shortens the period of the integral
  // over the others.
  OneLarge divided(std::span<const BoundedAtom> atoms, double gap) const {
    double left = pairs_ ? gap / 2 : 0;
    bool outermost = pairs_;
    const double share = (gap - left) / static_cast<double>(atoms.size());
    OneLarge parts;
    long double lower = 0, upper = 0, chance = 0;
    for (const BoundedAtom& each : atoms) {
      outermost = outermost && each.gap() <= left;
      if (outermost) left -= each.gap();
      if (!outermost && each.gap() > share) {
        parts.integrated.add(each.atom.point, each.atom.weight);
        chance += each.atom.weight;
      } else {
        lower += each.low;
        upper += each.high;
      }
    }
    parts.bounded = {static_cast<double>(lower), static_cast<double>(upper)};
    parts.chance = static_cast<double>(chance);
    for (double& w : parts.integrated.weights) w /= parts.chance;
    return parts;
  }

  // Encloses the part with one large term. `value` is roughly the whole expectation.
  Enclosure one_large(double value) const {
    const double gap = (pairs_ ? kGapWithPairs : kGap) * value;
    if (one_.upper - one_.lower <= gap) {
      return one_;
    }
    std::vector<BoundedAtom> atoms = bounded_atoms();
    if (pairs_) {
      std::sort(atoms.begin(), atoms.end(),
                [](const BoundedAtom& a, const BoundedAtom& b) { return a.atom.point > b.atom.point; });
    }
    OneLarge one = divided(atoms, gap);
    const auto laws = [&] {
      return std::array{LawCopies{&split_.bulk, n_ - 1}, LawCopies{&one.integrated, 1}};
    };
    if (pairs_ && !one.integrated.points.empty() && !finest_is_affordable(laws(), k_)) {
      one = divided(atoms, kWiderGap * gap);
    }
    if (one.integrated.points.empty()) {
      return one.bounded;
    }
    const Enclosure excess = excess_of_laws(laws(), k_);
    const double scale = one_scale_ * one.chance;
    return {one.bounded.lower + scale * excess.lower, one.bounded.upper + scale * excess.upper};
  }

  double n_;
  double k_;
  bool pairs_;
  Split split_;
  double c_;
  ExcessBounds others_;
  double none_scale_;
  double one_scale_;  // times an atom's weight, the probability that this atom is the only large term
  double none_chernoff_ = 0;
  Enclosure one_{0, 0};
  Enclosure more_{0, 0};  // the part with two large terms or more
  double raised_ = 0;     // a bound on what raising terms to -B' adds
};

// The splits of a law by the values of kChances, from the smallest B to the largest.
class Splits {
 public:
  Splits(const AtomicLaw& law, double n, double k)
      : law_(law), n_(n), k_(k), top_(law.largest_point()), bottom_(-law.smallest_point()) {
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      (law.points[i] > 0 ? right_ : left_).add(std::abs(law.points[i]), law.weights[i]);
    }
    right_.accumulate();
    left_.accumulate();
  }

  // The parts for the split whose B is that of kChances[at] and whose B' is that of kChances[low_at]; nullopt
  // if no term would be treated separately.
  std::optional<Pieces> pieces(std::size_t at, std::size_t low_at, bool pairs) const {
    const double size = right_.size_passed_with(kChances[at] / n_);
    const double low_size = left_.size_passed_with(kChances[low_at] / n_);
    const bool large = size < kLess * top_;
    const bool low = low_size < kLess * bottom_;
    if (!large && !low) {
      return std::nullopt;
    }
    return Pieces(law_, n_, k_, large ? size : top_, low ? low_size : bottom_, pairs);
  }

  // About the standard deviation of the sum of the terms up to `size`.
  double deviation_within(double size) const {
    return std::sqrt(n_ * (right_.second_within(size) + left_.second_within(size)));
  }

  // The index of the first split for which two large terms are estimated to add little.
  std::size_t first() const {
    std::size_t at = 0;
    for (const double distance = k_ - n_ * law_.mean(); at + 1 < kChances.size(); ++at) {
      const double size = right_.size_passed_with(kChances[at] / n_);
      const double deviation = deviation_within(size);
      const double z = larger(0.0, distance / deviation);
      const double several = 0.4 * deviation * std::exp(-z * z / 2) / (1 + z * z);
      const double reach = larger(0.0, distance) + deviation;
      const double one = n_ * (right_.first_beyond(2 * reach) - reach * right_.chance_beyond(2 * reach));
      const double half = larger(size, distance / 2);
      const double two = n_ * right_.chance_beyond(size) * n_ * right_.first_beyond(half);
      if (two < kRoughly * kMostLost * larger(several, one)) {
        break;
      }
    }
    return at;
  }

 private:
  const AtomicLaw& law_;
  double n_, k_;
  double top_, bottom_;
  TailMoments right_, left_;
};

// Encloses the value by the split `at`. If this enclosure is wide, it is intersected with those of splits at
// smaller B: where the bulk up to B is itself too heavy-tailed to integrate, a smaller B may give a narrower
// enclosure. B' is that of `low_at`.
Enclosure narrowed(const Splits& splits, const Pieces& pieces, std::size_t at, std::size_t low_at) {
  Enclosure found = pieces.integrated();
  while (at > 0 && found.upper - found.lower > kWide * found.upper) {
    const double before = found.upper - found.lower;
    --at;
    const std::optional<Pieces> next = splits.pieces(at, low_at, true);
    const Enclosure other = next->integrated();
    found = {larger(found.lower, other.lower), smaller(found.upper, other.upper)};
    if (found.upper - found.lower > kNarrower * before) {
      break;
    }
  }
  return found;
}

}  // namespace

std::optional<Enclosure> excess_with_rare_terms(const AtomicLaw& law, double n, double k) {
  const Splits splits(law, n, k);
  std::size_t at = splits.first();
  std::optional<Pieces> pieces;
  for (;; ++at) {
    pieces = splits.pieces(at, at, false);
    if (!pieces) {
      return std::nullopt;
    }
    if (pieces->at_most() < kNothing * splits.deviation_within(pieces->size())) {
      return Enclosure{0, pieces->at_most() * (1 + kEightMillionRoundings)};
    }
    if (at + 1 == kChances.size() || pieces->lost() <= kMostLost * pieces->about()) {
      break;
    }
  }
  // Where the bulk up to B cannot be integrated with the finest smoothing, smaller B are used, as long as
  // what is then left to bounds is at most kMostLostWithPairs of the value.
  const std::size_t low_at = at;
  while (at > 0 && !pieces->bulk_is_affordable()) {
    std::optional<Pieces> next = splits.pieces(at - 1, low_at, true);
    if (!(next && next->lost() <= kMostLostWithPairs * next->about())) break;
    pieces = std::move(next);
    --at;
  }
  return narrowed(splits, *pieces, at, low_at);
}

std::optional<Enclosure> excess_with_rare_pairs(const AtomicLaw& law, double n, double k) {
  const Splits splits(law, n, k);
  // The largest B leaves the smallest part to an upper bound.
  for (std::size_t at = kChances.size(); at-- > 0;) {
    if (const std::optional<Pieces> pieces = splits.pieces(at, at, true)) {
      return narrowed(splits, *pieces, at, at);
    }
  }
  return std::nullopt;
}

}  // namespace muster::numerics
