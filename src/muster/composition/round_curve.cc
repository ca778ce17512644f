#include "muster/composition/round_curve.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/work.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;
using numerics::larger;
using numerics::smaller;
using numerics::UpperAndEstimate;

// The tuning constants trade the accuracy of a table for work; the table is valid for every choice of them.
// The measurements are in docs/theory/notes/composition.md.

// The least number of nodes per standard deviation of the loss if Nodes::knot is used. Between multiples of
// the knot, the curve is linear in alpha, so the chord over each cell is exact.
constexpr double kMinNodesPerDeviation = 16;
// The largest width of a cell, in deviations. Beyond the third deviation, where the shape of the tail changes
// little, cells may be wider.
constexpr double kWidest = 1.0 / 8;
// How far a chord may lie above the curve, as a fraction of the curve's value.
constexpr double kRise = 5e-3;
// The value that replaces kRise for a heavy tail, which is a tail that is not negligible at kLightTail
// deviations. With kRise in its place, bounds for little Gaussian noise over many rounds were larger by up to
// a relative 3e-4, and their numerical error was up to three times as large. For a light tail, this value in
// place of kRise would change bounds by less than a relative 1e-7.
constexpr double kRiseOfHeavyTail = 1e-3;
constexpr double kLightTail = 15;
// The value that replaces kRise where the curve is below kFarTail. Only answers for a delta about as small
// depend on this part of the curve. They change little, because higher chords change the logarithm of a
// round's delta, which is -96 or less there, by less than 1.
constexpr double kFarTail = 1e-42;
constexpr double kRiseOfFarTail = 1;
// The value that replaces kRise where losses are large. In that case resolve_large_losses() also halves cells
// whose losses have much mass.
constexpr double kRiseOfLarge = 1e-2;
// The factor by which the lattice is finer where losses are large, if Nodes::fine_if_large is set.
constexpr double kFiner = 4;
constexpr int kMaxSteps = 40;
// The work that a table with Nodes::share = 1 may take, in the unit of numerics/work.h: about a second. A
// table's affordable work is this work times its Nodes::share.
constexpr double kTableWork = 3.5e9;
// The estimate of a table's work counts the nodes over Nodes::dense_up_to and this many more deviations, but
// over at most kMaxDeviations in all.
constexpr double kNodesBeyond = 2;
constexpr double kMaxDeviations = 5;
// If a table would take more than the affordable work, its number of nodes is divided by at most this factor.
// The distance by which its chords may lie above the curve is multiplied by the same factor.
constexpr double kCoarse = 8;
// If the table would still take more than twice the affordable work, and losses are not large, the factor may
// be up to this. About three nodes per deviation are then left.
constexpr double kCoarsest = 32;
// Once this fraction of the affordable work is done, new cells are wider by a factor that doubles with each
// further third of the affordable work. The work on nodes alone may exceed the affordable work by kHurryWork,
// limited to between kHurry and kMaxHurry times the affordable work. From there on, the factor also doubles
// with each further sixtieth of the affordable work, so that hardly any full table takes twice the affordable
// work.
constexpr double kWideningStart = 0.75;
constexpr double kHurry = 0.2, kMaxHurry = 1.25;
constexpr double kHurryWork = 0.25 * kTableWork;
// Once this multiple of the affordable work is done, resolve_large_losses() halves no more cells.
constexpr double kStopped = 1.75;
// The largest factor by which cells are wider because of the work done. The distance by which their chords
// may lie above the curve is multiplied by the same factor. Once it is reached, no cell is halved any more.
constexpr double kMaxWidening = 0x1p30;
// A chord may always lie above the curve by this many times Nodes::negligible.
constexpr double kHarmless = 10;
// The largest epsilon of a table; the tail beyond is charged as infinite loss.
constexpr double kFarthest = 1e10;
constexpr std::int64_t kFarthestIndex = std::int64_t{1} << 50;
constexpr std::size_t kMaxNodes = 30'000;
// Losses count as large if their standard deviation, as estimated from where the curve is a twentieth of its
// value at 0, is at least this. Cells are then also halved according to their mass (resolve_large_losses).
constexpr double kLargeLoss = 0.7;
// Where losses are large, a smaller deviation that is measured where the curve falls is replaced by this.
constexpr double kLeastOfLarge = 1;
// Where losses are large, all chords together may add about this fraction of the mean loss.
constexpr double kAddedLoss = 5e-5;
// The number of cells among which the increase kAddedLoss is divided.
constexpr double kSharing = 200;

// The upper end of a value: that of an enclosure, of an enclosed minorant, or of a bound.
double& upper_end(Enclosure& value) { return value.upper; }
double& upper_end(EnclosedMinorant& value) { return value.minorant_upper; }
double& upper_end(UpperAndEstimate& value) { return value.upper; }
// The other end: the lower one of an enclosure, or the estimate of a bound.
double& other_end(Enclosure& value) { return value.lower; }
double& other_end(EnclosedMinorant& value) { return value.lower; }
double& other_end(UpperAndEstimate& value) { return value.estimate; }

template <typename Value>
double upper_of(Value value) {
  return upper_end(value);
}

template <typename Value>
Value within_unit(Value value) {
  upper_end(value) = numerics::as_upper_bound(upper_end(value));
  other_end(value) = numerics::as_lower_bound(other_end(value));
  return value;
}

// Finds where a decreasing curve crosses a value, and stores all computed points.
template <typename Value>
class FallingCurve {
 public:
  explicit FallingCurve(const DeltaCurve<Value>& curve) : curve_(curve), at_zero_(upper_of(curve(0))) {}

  double at_zero() const { return at_zero_; }
  // How many times the curve has been computed.
  std::size_t asked() const { return known_.size() + 1; }

  // An interval in which the curve crosses `target`: at `low` the curve is above `target`, or low is 0; at
  // `high` the curve is at most `target`, or high is kFarthest.
  struct Bracket {
    double low, high;
  };
  Bracket bracket(double target) const {
    Bracket found{0, kFarthest};
    for (const auto& [epsilon, value] : known_) {
      if (value > target) {
        found.low = larger(found.low, epsilon);
      }
    }
    for (const auto& [epsilon, value] : known_) {
      if (!(value > target) && epsilon > found.low) {
        found.high = smaller(found.high, epsilon);
      }
    }
    return found;
  }

  // An epsilon just right of where the curve crosses `target`. The crossing is located to a factor of two
  // first, and then by five bisections.
  double roughly(double target) {
    constexpr int kFirst = -15, kSmallest = -1000, kLast = 64, kStride = 3;
    const auto above = [&](int exponent) { return at(std::ldexp(1.0, exponent)) > target; };
    int low = kFirst, high = kFirst;  // exponents of two: the crossing lies between 2^low and 2^high
    if (above(kFirst)) {
      for (high = 0; high < kLast && above(high); high += kStride) {
        low = high;
      }
    } else {
      int stride = kStride;  // doubled each time, because a curve of tiny losses falls very early
      for (low = kFirst - stride; low > kSmallest && !above(low); low -= stride) {
        high = low;
        stride *= 2;
      }
    }
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      (above(middle) ? low : high) = middle;
    }
    double from = std::ldexp(1.0, low), to = std::ldexp(1.0, high);
    for (int i = 0; i < 5; ++i) {
      const double middle = 0.5 * (from + to);
      (at(middle) > target ? from : to) = middle;
    }
    return to;
  }

  // One step towards the point where the curve crosses `target`, by a secant of ln delta or, if `halfway`, by
  // bisection.
  void refine(double target, bool halfway) {
    const Bracket now = bracket(target);
    const double share =
        std::log(value_at(now.low) / target) / std::log(value_at(now.low) / value_at(now.high));
    const double way = !halfway && std::isfinite(share) ? numerics::within(share, 0.02, 0.98) : 0.5;
    at(now.low + way * (now.high - now.low));
  }

 private:
  double at(double epsilon) {
    const double value = upper_of(curve_(epsilon));
    known_.emplace_back(epsilon, value);
    return value;
  }
  double value_at(double epsilon) const {
    for (const auto& [known, value] : known_) {
      if (known == epsilon) {
        return value;
      }
    }
    return epsilon == 0 ? at_zero_ : 0;
  }
  const DeltaCurve<Value>& curve_;
  double at_zero_;
  std::vector<std::pair<double, double>> known_;  // pairs of an epsilon and the computed delta
};

// The scale of the loss, from the shape that the curve has if losses are small and nearly normal: that of
// E(Z - z)_+ for a standard normal Z, where z is epsilon in standard deviations. This expectation is a
// twentieth of its value at 0 near z = 1.66, and falls there by a factor of e while z grows by 0.42. The
// code has 1.55 and 0.45 in their place, because only a rough scale is needed. If large losses make the
// curve flat before it falls, the deviation is measured only where it falls.
struct FallScale {
  double deviation;
  bool large;  // whether losses are large (kLargeLoss)
  // Two epsilons at which the work of a node is measured. Where losses are large, the second is where the
  // curve has fallen to a thirtieth of its value at 0; nodes beyond the deviation can take far more work.
  double typical[2];
  // How many times the curve was computed.
  std::size_t asked;
};
template <typename Value>
FallScale scale_of(const DeltaCurve<Value>& curve) {
  FallingCurve<Value> fall(curve);
  const double from_zero = fall.roughly(0.05 * fall.at_zero()) / 1.55;
  if (from_zero < kLargeLoss) {
    return {from_zero, false, {from_zero, 3 * from_zero}, fall.asked()};
  }
  // The deviation follows from the distance between the epsilons where the curve is a tenth and a thirtieth
  // of its value at 0. Both epsilons are found to a relative 1e-3. The search ends earlier if the deviation
  // is certainly at most kLeastOfLarge, because a smaller one is replaced by kLeastOfLarge.
  const double first = 0.1 * fall.at_zero(), last = fall.at_zero() / 30;
  const auto deviation = [](double from, double to) { return (to - from) / std::log(3.0) / 0.45; };
  for (int i = 0; i < 2 * kMaxSteps; ++i) {
    const typename FallingCurve<Value>::Bracket from = fall.bracket(first), to = fall.bracket(last);
    const double open[2] = {(from.high - from.low) / from.high, (to.high - to.low) / to.high};
    if (deviation(from.low, to.high) <= kLeastOfLarge || larger(open[0], open[1]) <= 1e-3) {
      break;
    }
    fall.refine(open[0] >= open[1] ? first : last, i % 3 == 2);
  }
  const double found =
      smaller(from_zero, larger(kLeastOfLarge, deviation(fall.bracket(first).high, fall.bracket(last).high)));
  return {found, true, {found, fall.bracket(last).high}, fall.asked()};
}

template <typename Value>
struct Node {
  std::int64_t index;
  Value forward, reverse;
  double larger_upper() const { return larger(upper_of(forward), upper_of(reverse)); }
};

template <typename Value>
class Table {
 public:
  // The work that a table may take, and the work that was done before it and counts as a part of the table's
  // work, both in the unit of numerics/work.h.
  struct Work {
    double affordable;
    double before;  // the work of measuring the curve's scale, which counts in every table
  };
  Table(const RememberedCurves<Value>& curves, double spacing, double negligible, double rise,
        const Work& work)
      : curves_(curves),
        spacing_(spacing),
        negligible_(negligible),
        rise_(rise),
        affordable_(work.affordable),
        before_(work.before),
        start_(numerics::work_done()) {}

  std::size_t size() const { return nodes_.size(); }
  const Node<Value>& last() const { return nodes_.back(); }
  double epsilon(std::int64_t index) const { return spacing_ * static_cast<double>(index); }

  // Adds a node right of the last one, and nodes between the two where they are needed.
  void append(std::int64_t index) {
    const Node<Value> node = at(index);
    if (!nodes_.empty()) {
      fill(Node<Value>(nodes_.back()), node);
    }
    nodes_.push_back(node);
  }

  // Delta never rises with epsilon. Where a computed bound is larger than the bound at a smaller epsilon, it
  // is replaced by the bound at the smaller epsilon.
  void make_monotone() {
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      cap(nodes_[i].forward, upper_of(nodes_[i - 1].forward));
      cap(nodes_[i].reverse, upper_of(nodes_[i - 1].reverse));
    }
  }

  // Halves cells until their chords raise the mean loss by a small fraction only, or until the work or the
  // number of nodes is at its limit. Call make_monotone() first, because the upper ends must not rise from
  // node to node.
  void resolve_large_losses() {
    bool again = true;
    while (again && spent() < kStopped && nodes_.size() < kMaxNodes) {
      const std::vector<double> masses = masses_of_losses();
      double mean = 0;
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        mean += masses[i] * epsilon(nodes_[i].index);
      }
      const double allowed = kAddedLoss * mean / kSharing;
      std::vector<Node<Value>> finer{nodes_.front()};
      for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
        const double width = epsilon(nodes_[i + 1].index - nodes_[i].index);
        const double added = larger(masses[i], masses[i + 1]) * width / 2 * std::tanh(width / 4);
        if (added > allowed && nodes_[i + 1].index - nodes_[i].index > 1) {
          finer.push_back(at(nodes_[i].index + (nodes_[i + 1].index - nodes_[i].index) / 2));
        }
        finer.push_back(nodes_[i + 1]);
      }
      again = finer.size() > nodes_.size();
      nodes_ = std::move(finer);
      make_monotone();
    }
  }

  // The factor by which new cells are wider because most of the affordable work is done.
  double widening() const {
    const double hurry = 1 + numerics::within(kHurryWork / affordable_, kHurry, kMaxHurry);
    const double on_nodes = spent() - before_ / affordable_;
    return smaller(kMaxWidening,
                   std::exp2(3 * larger(0.0, spent() - kWideningStart) + 60 * larger(0.0, on_nodes - hurry)));
  }

  RoundCurve<Value> curve() const {
    RoundCurve<Value> curve{spacing_, {}, {}, {}};
    for (const Node<Value>& node : nodes_) {
      curve.index.push_back(node.index);
      curve.forward.push_back(node.forward);
      curve.reverse.push_back(node.reverse);
    }
    return curve;
  }

 private:
  // The work done so far, as a multiple of the affordable work. It includes the work of nodes that were
  // remembered, so that the table does not depend on what was asked before.
  double spent() const { return (numerics::work_done() - start_ + before_) / affordable_; }

  Node<Value> at(std::int64_t index) {
    const auto node = curves_.at(epsilon(index));
    start_ -= node.work_before;
    return {index, within_unit(node.forward), within_unit(node.reverse)};
  }

  static void cap(Value& here, double before) {
    upper_end(here) = smaller(upper_end(here), before);
    other_end(here) = smaller(other_end(here), upper_end(here));
  }

  void fill(const Node<Value>& from, const Node<Value>& to) {
    if (to.index - from.index <= 1 || nodes_.size() >= kMaxNodes ||
        (chord_is_close(upper_of(from.forward), upper_of(to.forward), epsilon(to.index - from.index)) &&
         chord_is_close(upper_of(from.reverse), upper_of(to.reverse), epsilon(to.index - from.index)))) {
      return;
    }
    const Node<Value> middle = at(from.index + (to.index - from.index) / 2);
    fill(from, middle);
    nodes_.push_back(middle);
    fill(middle, to);
  }

  // Whether the chord over a cell, which is linear in alpha, is close to the curve with the same ends whose
  // logarithm is linear in epsilon. The two are compared at the cell's middle. A curve whose logarithm is
  // concave lies between them. If the upper end rises over the cell, make_monotone() will remove the rise.
  bool chord_is_close(double from, double to, double width) const {
    if (to >= from || from <= kHarmless * negligible_ || widening() >= kMaxWidening) {
      return true;
    }
    const double share = 1 / (1 + std::exp(width / 2));       // the weight of the right end in the chord
    const double straight = std::sqrt(from) * std::sqrt(to);  // the product of `from` and `to` may underflow
    const double rise = (1 - share) * from + share * to - straight;
    const double allowed = widening() * (from < kFarTail ? kRiseOfFarTail : rise_);
    return rise <= larger(allowed * straight, kHarmless * negligible_);
  }

  // Approximate P-masses of the losses at the nodes, from the forward curve.
  std::vector<double> masses_of_losses() const {
    std::vector<double> masses(nodes_.size(), 0);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      const double before = epsilon(nodes_[i].index - nodes_[i - 1].index);
      const double inner =
          (upper_of(nodes_[i - 1].forward) - upper_of(nodes_[i].forward)) / -std::expm1(-before);
      const double outer = i + 1 < nodes_.size()
                               ? (upper_of(nodes_[i].forward) - upper_of(nodes_[i + 1].forward)) /
                                     std::expm1(epsilon(nodes_[i + 1].index - nodes_[i].index))
                               : 0;
      masses[i] = larger(0.0, inner - outer);
    }
    return masses;
  }

  const RememberedCurves<Value>& curves_;
  double spacing_;
  double negligible_;
  double rise_;                 // how far a chord may lie above the curve, as a fraction of the curve's value
  double affordable_, before_;  // see Work
  double start_;  // numerics::work_done() before the first node, less the work of remembered nodes
  std::vector<Node<Value>> nodes_;
};

// The work of a node, as the mean over two epsilons. The curve is computed twice at each epsilon, and only
// the second time counts, so that work which the curve does only once is excluded.
template <typename Value>
double work_of_node(const DeltaCurve<Value>& forward, const DeltaCurve<Value>& reverse,
                    const double (&epsilons)[2]) {
  double work = 0;
  for (const DeltaCurve<Value>* curve : {&forward, &reverse}) {
    if (*curve) {
      for (const double epsilon : epsilons) {
        (*curve)(epsilon);
        const double before = numerics::work_done();
        (*curve)(epsilon);
        work += (numerics::work_done() - before) / 2;
      }
    }
  }
  return work;
}

// The factor, a power of two, by which a table has fewer nodes than requested because each node takes much
// work. Where losses are large, a table consists mostly of wide cells, whose number does not depend on the
// lattice; the factor then only makes their chords less exact, and widening() makes these cells wider.
double coarsening(double work, double affordable, bool large) {
  double coarser = 1;
  while ((coarser < kCoarse && work > coarser * affordable) ||
         (coarser < kCoarsest && !large && work > 2 * coarser * affordable)) {
    coarser *= 2;
  }
  return coarser;
}

}  // namespace

template <typename Value>
const typename Tabulator<Value>::Scale& Tabulator<Value>::scale() const {
  std::call_once(once_, [this] {
    const auto [deviation, large, typical, asked] = scale_of(forward());
    const double each = work_of_node(forward(), reverse(), typical);
    scale_ = {deviation, large, each, each * static_cast<double>(asked)};
  });
  return scale_;
}

template <typename Value>
bool Tabulator<Value>::is_above(double delta, double epsilon) const {
  return upper_of(forward()(epsilon)) > delta || (reverse() && upper_of(reverse()(epsilon)) > delta);
}

template <typename Value>
RoundCurve<Value> Tabulator<Value>::table(const Nodes& nodes) const {
  const auto [deviation, large, each, measuring] = scale();
  const double affordable = nodes.share * kTableWork;
  const double coarser =
      coarsening(each * smaller(kMaxDeviations, nodes.dense_up_to + kNodesBeyond) * nodes.per_deviation,
                 affordable, large);
  double spacing = (large && nodes.fine_if_large ? 1 / kFiner : coarser) * deviation / nodes.per_deviation;
  if (nodes.knot > spacing) {
    spacing = nodes.knot / std::ceil(kMinNodesPerDeviation * nodes.knot / deviation);
  }
  if (nodes.nested) {
    spacing = std::exp2(std::floor(std::log2(spacing)));
  }
  const double dense = deviation / spacing;  // lattice points per deviation of the loss
  const bool heavy = is_above(nodes.negligible, kLightTail * deviation);
  const double rise = large ? kRiseOfLarge : heavy ? kRiseOfHeavyTail : kRise;
  Table<Value> table(curves_, spacing, nodes.negligible, coarser * rise, {affordable, measuring});
  table.append(0);
  double stall = 1;  // the factor by which cells are wider because the bound does not fall
  while (table.last().larger_upper() > nodes.negligible && table.epsilon(table.last().index) < kFarthest &&
         table.last().index < kFarthestIndex && table.size() < kMaxNodes) {
    const std::int64_t i = table.last().index;
    const double deviations = static_cast<double>(i) / dense;
    const double beyond = larger(0.0, deviations - (large ? 0 : nodes.dense_up_to));
    // This width is only a first guess: append() divides the cell where needed.
    const double widest = dense * larger(kWidest, deviations / 24);
    const double stride = large ? widest : smaller(std::exp(beyond * beyond / 6), widest);
    const double before = table.last().larger_upper();
    const double far =
        smaller(larger(1.0, table.widening() * stall * stride), larger(4 * dense, static_cast<double>(i)));
    // With a lattice that is far finer than the losses, `far` is beyond every integer or not a number.
    table.append(
        i + (far < static_cast<double>(kFarthestIndex) ? static_cast<std::int64_t>(far) : kFarthestIndex));
    const bool fell = table.last().larger_upper() < before;
    stall = fell || beyond == 0 ? 1 : 2 * stall;
  }
  table.make_monotone();
  if (large) {
    table.resolve_large_losses();
  }
  return table.curve();
}

template class Tabulator<UpperAndEstimate>;
template class Tabulator<EnclosedMinorant>;
template class Tabulator<Enclosure>;

}  // namespace muster::accounting
