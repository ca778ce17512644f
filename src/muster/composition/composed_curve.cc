#include "muster/composition/composed_curve.h"

#include <cmath>
#include <limits>

#include "muster/composition/composed_delta.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/roots/crossing.h"

namespace muster::accounting {
namespace {

// Tuning constants, which trade accuracy for work: the bound is valid for every choice of them
// (docs/theory/notes/composition.md). The chords between a table's nodes add to the variance of the
// loss in proportion to the square of a cell's width: a relative 1e-3 with 12 nodes per standard
// deviation, and 1.4e-5 with 100 nodes.
constexpr int kNodesPerDeviation = 100;
// Nodes per deviation of a rough table, whose chords add 2e-4 of the variance.
constexpr int kRoughNodes = 25;
// Nodes per deviation of a rough table whose nodes must be dense beyond one deviation of a round's loss, as
// for few rounds.
constexpr int kRoughOfFew = 15;
// In a rough table, the sum of all rounds' tails may be up to this fraction of delta.
constexpr double kRoughTail = 1e-4;
// Nodes per deviation of a dominated pair. Between nodes, a dominated pair loses twice as much accuracy as a
// dominating pair.
constexpr int kNodesOfPairs = 200;
// The argument `refined` of LossDistribution::dominated() for the pair of two data sets. The curve of such
// a pair is smooth, so the extensions of the neighbouring chords cross near the middle of a cell
// (docs/theory/composition.md, "Lower bounds").
constexpr int kRefinedPairs = 2;
constexpr std::uint64_t kFewRounds = 64;
// The fraction of a full table's work that the rough table of delta_upper() may take. That table mainly
// serves to find the tail that a question needs.
constexpr double kRoughShare = 0.1;

}  // namespace

const ComposedCurve::Table& ComposedCurve::table(std::uint64_t rounds, double delta) const {
  return tables_.at(rounds, delta, [&](const Resolution& r) {
    BoundTable curve = curve_.table(
        {kNodesPerDeviation, r.tail, r.dense_up_to, knot_, false, r.share() * share_, fine_if_large_});
    LossDistribution dominating = LossDistribution::dominating(curve);
    return Table{std::move(curve), std::move(dominating)};
  });
}

double ComposedCurve::delta_upper(std::uint64_t rounds, double epsilon) const {
  // A rough table with the smallest tail gives a first answer. Each answer shows which tail the question
  // needs, and the loop ends when no smaller tail is needed. The last table also answers questions for
  // epsilon at this delta, so the two kinds of answers agree.
  const LossDistribution& rough = rough_.at(rounds, 0, [&](const Resolution& r) {
    return LossDistribution::dominating(
        curve_.table({kRoughNodes, r.tail, r.dense_up_to, knot_, false, kRoughShare * r.share() * share_}));
  });
  // Where the integral fails, delta() tries a coarser lattice and convolution, but rough_delta() gives
  // Chernoff's bound. If that is much too large, the loop makes one more table. For few rounds a convolution
  // takes less work than this table.
  double value = rounds <= kFewRounds ? rough.delta(rounds, epsilon, Ends::upper).upper
                                      : rough.rough_delta(rounds, epsilon);
  for (double tail = 1;;) {
    const double wanted = Resolutions<Table>::wanted(rounds, value).tail;
    if (!(wanted < tail)) return value;
    tail = wanted;
    value =
        numerics::smaller(value, table(rounds, value).dominating.delta(rounds, epsilon, Ends::upper).upper);
  }
}

double ComposedCurve::upper(std::uint64_t rounds, const Question& question) const {
  if (rounds == 1) {
    return question.asks_epsilon()
               ? numerics::crossing_from_above([&](double e) { return curve_.forward()(e).upper; },
                                               question.fixed(), kMaxSearchedEpsilon)
               : curve_.forward()(question.fixed()).upper;
  }
  return question.asks_epsilon()
             ? table(rounds, question.fixed()).dominating.epsilon_upper(rounds, question.fixed())
             : delta_upper(rounds, question.fixed());
}

double ComposedCurve::delta_at(std::uint64_t rounds, double delta, double epsilon) const {
  if (rounds == 1) return curve_.forward()(epsilon).upper;
  const LossDistribution& pair = table(rounds, delta).dominating;
  const double value = pair.delta(rounds, epsilon, Ends::upper).upper;
  // Both values are upper bounds. The second takes more work, so it is computed only where the
  // first is too large.
  return value <= delta ? value : numerics::smaller(value, pair.delta_as_searched(rounds, delta, epsilon));
}

double ComposedCurve::rough_upper(std::uint64_t rounds, const Question& question) const {
  if (rounds == 1 || !question.asks_epsilon()) {
    return upper(rounds, question);
  }
  const Resolution r = Resolutions<Table>::wanted(rounds, question.fixed());
  const double tail = numerics::larger(r.tail, kRoughTail * question.fixed() / static_cast<double>(rounds));
  const int nodes = r.dense_up_to > 1 ? kRoughOfFew : kRoughNodes;
  return LossDistribution::dominating(curve_.table({nodes, tail, r.dense_up_to, knot_}))
      .epsilon_upper(rounds, question.fixed());
}

double ComposedCurve::estimate(std::uint64_t rounds, const Question& question, double upper) const {
  if (rounds == 1) {
    return question.asks_epsilon()
               ? numerics::crossing_from_below([&](double e) { return curve_.forward()(e).estimate; },
                                               question.fixed(), kMaxSearchedEpsilon, upper)
               : curve_.forward()(question.fixed()).estimate;
  }
  const double delta = question.asks_epsilon() ? question.fixed() : upper;
  const LossDistribution& pair = estimated_.at(rounds, delta, [&](const Resolution& r) {
    return LossDistribution::estimated(table(rounds, delta).curve, r.refined());
  });
  return question.asks_epsilon() ? pair.epsilon_lower(rounds, question.fixed())
                                 : pair.delta(rounds, question.fixed(), Ends::lower).lower;
}

double ComposedPair::lower(std::uint64_t rounds, const Question& question, double upper) const {
  if (rounds == 1) {
    if (!question.asks_epsilon()) {
      return numerics::larger(pair_.forward()(question.fixed()).lower,
                              pair_.reverse()(question.fixed()).lower);
    }
    const auto crossing = [&](const PairCurve& curve) {
      return numerics::crossing_from_below([&](double e) { return curve(e).lower; }, question.fixed(),
                                           kMaxSearchedEpsilon);
    };
    return numerics::larger(crossing(pair_.forward()), crossing(pair_.reverse()));
  }
  const auto answer = [&](double delta) {
    const auto& pairs = tables_.at(rounds, delta, [&](const Resolution& r) {
      const PairTable curve =
          pair_.table({kNodesOfPairs, r.tail, r.dense_up_to, 0, false, r.share() * share_});
      return std::array{LossDistribution::dominated(curve, kRefinedPairs),
                        LossDistribution::dominated(curve.swapped(), kRefinedPairs)};
    });
    const auto one = [&](const LossDistribution& pair) {
      return question.asks_epsilon() ? pair.epsilon_lower(rounds, question.fixed())
                                     : pair.delta(rounds, question.fixed(), Ends::lower).lower;
    };
    return numerics::larger(one(pairs[0]), one(pairs[1]));
  };
  if (question.asks_epsilon()) {
    return answer(question.fixed());
  }
  const double first = answer(upper);
  return numerics::as_lower_bound(numerics::larger(first, answer(first)));
}

}  // namespace muster::accounting
