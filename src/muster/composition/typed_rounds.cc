#include "muster/composition/typed_rounds.h"

#include <array>
#include <cmath>
#include <limits>

#include "muster/composition/composed_delta.h"
#include "muster/composition/round_curve.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/roots/crossing.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
// The tails: values of delta at which the tables of V (adaptive_rounds.h) may end. With blocks of the largest
// length, the sum of all blocks' tails must be at most kShareOfDelta times delta. If even the smallest tail
// is too large, there is no answer.
constexpr std::array<double, 5> kTails{1e-11, 1e-15, 1e-21, 1e-31, 1e-46};
constexpr double kShareOfDelta = 1e-4;
// In a block, losses charged as infinite may add at most this fraction of the tail to delta.
constexpr double kShareOfTail = 1e-3;
// The numbers of rounds for which recursions are made. The shortest recursion that is long enough answers a
// question.
constexpr std::array<std::uint64_t, 4> kLengths{16, 64, 256, 1024};
// The largest number of multiplications that a recursion may take.
constexpr double kMaxWork = 4e9;
// The fields per_deviation and dense_up_to of Nodes (round_curve.h) for the table of a block. Any number of
// blocks is composed from one table.
constexpr int kNodesPerDeviation = 100;
constexpr double kDenseUpTo = 2.5;
// A bound on the relative rounding error of V.
constexpr double kRecursionError = 1e-9;

// An epsilon, in units of the spacing, from which on V after `rounds` rounds is about `tail` or
// less, by Chernoff's bound.
double reach_of(const RoundTypes& types, std::uint64_t rounds, double tail) {
  double least = kNone;
  for (double z = 1e-6; z < 64; z *= 1.25) {  // z is a tilt, in units of 1 / spacing
    double log_moment = 0;
    for (const RoundType& type : types.types) {
      if (type.rarely_worst) continue;
      double above = 0;  // E e^{zL} - 1
      for (std::size_t a = 0; a < type.losses.size(); ++a) {
        above += type.masses[a] * std::expm1(z * static_cast<double>(type.losses[a]));
      }
      log_moment = numerics::larger(log_moment, std::log1p(above));
    }
    const double reach = (static_cast<double>(rounds) * log_moment - std::log(tail)) / z;
    if (reach < least) least = reach;
  }
  return least;
}

double work_of(const RoundTypes& types, std::uint64_t rounds, double points) {
  double masses = 0;
  for (const RoundType& type : types.types) {
    masses += static_cast<double>(type.losses.size()) * (type.rarely_worst ? 0.3 : 1);
  }
  return static_cast<double>(rounds) * points * masses;
}

}  // namespace

// The tables whose tail is small enough for `delta`. The length of their block is that of the longest
// recursion that takes at most kMaxWork. The result is null if there are no such tables.
TypedRounds::Tables* TypedRounds::tables(std::uint64_t rounds, double delta, bool rough) const {
  const std::uint64_t whole = rounds / kLengths.back();
  const double blocks = static_cast<double>(whole) + 1;
  std::size_t tail = 0;
  while (tail < kTails.size() && !(kTails[tail] * blocks <= kShareOfDelta * delta)) ++tail;
  if (tail == kTails.size()) return nullptr;
  std::unique_ptr<Tables>& found = tables_[{tail, rough}];
  if (found == nullptr) {
    found = std::make_unique<Tables>();
    const double cut = kTails[tail] * kShareOfTail / static_cast<double>(kLengths.back());
    if (std::optional<RoundTypes> types = types_(cut, rough)) {
      found->types = std::move(*types);
      for (const std::uint64_t length : kLengths) {
        const double points = reach_of(found->types, length, kTails[tail]);
        if (!(work_of(found->types, length, points) <= kMaxWork)) break;
        found->recursions.try_emplace(length, found->types, static_cast<std::size_t>(points) + 2);
        found->block = length;
      }
    }
  }
  return found->block > 0 ? found.get() : nullptr;
}

std::vector<double> TypedRounds::profile(Tables& tables, std::uint64_t rounds) const {
  return tables.recursions.lower_bound(rounds)->second.after(rounds);
}

std::vector<TypedRounds::Charge> TypedRounds::charges(Tables& tables, std::uint64_t rounds) const {
  const auto pair_of = [&](std::uint64_t length) {
    const auto known = tables.pairs.find(length);
    if (known != tables.pairs.end()) return &known->second;
    const std::vector<double> values = profile(tables, length);
    const BoundCurve curve = [&](double epsilon) {
      const double value = AdaptiveRounds::between(values, tables.types.spacing, epsilon);
      return numerics::UpperAndEstimate{.upper = value, .estimate = value * (1 - kRecursionError)};
    };
    const BoundTable table =
        tabulate(curve, {.per_deviation = kNodesPerDeviation,
                         .negligible = values.back() * (1 + numerics::kEightThousandRoundings),
                         .dense_up_to = kDenseUpTo,
                         .nested = true});
    return &tables.pairs.emplace(length, LossDistribution::dominating(table)).first->second;
  };
  std::vector<Charge> found;
  if (const std::uint64_t whole = rounds / tables.block) found.push_back({pair_of(tables.block), whole});
  if (const std::uint64_t rest = rounds % tables.block) found.push_back({pair_of(rest), 1});
  return found;
}

std::vector<TypedRounds::Charge> TypedRounds::charges(std::uint64_t rounds, double delta) const {
  const std::lock_guard lock(mutex_);
  Tables* known = tables(rounds, delta, false);
  return known == nullptr ? std::vector<Charge>{} : charges(*known, rounds);
}

DifferentRounds TypedRounds::blocks(Tables& tables, std::uint64_t rounds) const {
  DifferentRounds all;
  for (const Charge& charge : charges(tables, rounds)) all.add(*charge.pair, charge.times);
  return all;
}

double TypedRounds::delta_of(Tables& tables, std::uint64_t rounds, double epsilon) const {
  if (rounds <= tables.block) {
    return AdaptiveRounds::between(profile(tables, rounds), tables.types.spacing, epsilon);
  }
  return blocks(tables, rounds).delta(epsilon, Ends::upper).upper;
}

double TypedRounds::delta_at(std::uint64_t rounds, double delta, double epsilon) const {
  const std::lock_guard lock(mutex_);
  Tables* known = tables(rounds, delta, false);
  return known == nullptr ? 1 : delta_of(*known, rounds, epsilon);
}

double TypedRounds::answer(std::uint64_t rounds, const Question& question, bool rough) const {
  const std::lock_guard lock(mutex_);
  if (!question.asks_epsilon()) {
    double value = 1;  // the latest answer; it shows which tail the question needs
    for (Tables* last = nullptr;;) {
      Tables* next = tables(rounds, value, rough);
      if (next == last || next == nullptr) return value;
      last = next;
      value = numerics::smaller(value, delta_of(*next, rounds, question.fixed()));
    }
  }
  Tables* known = tables(rounds, question.fixed(), rough);
  if (known == nullptr) return kNone;
  if (rounds > known->block) return blocks(*known, rounds).epsilon_upper(question.fixed());
  const std::vector<double> values = profile(*known, rounds);
  if (!(values.back() <= question.fixed())) return kNone;
  return numerics::crossing_from_above(
      [&](double e) { return AdaptiveRounds::between(values, known->types.spacing, e); }, question.fixed(),
      kMaxSearchedEpsilon, known->types.spacing * static_cast<double>(values.size()) / 2);
}

double TypedRounds::upper(std::uint64_t rounds, const Question& question) const {
  return answer(rounds, question, false);
}

double TypedRounds::rough_upper(std::uint64_t rounds, const Question& question) const {
  return answer(rounds, question, true);
}

double TypedRounds::estimate(std::uint64_t rounds, const Question& question, double upper) const {
  const std::lock_guard lock(mutex_);
  const double delta = question.asks_epsilon() ? question.fixed() : upper;
  Tables* known = tables(rounds, delta, false);
  if (known == nullptr) return 0;
  if (rounds > known->block) {
    const DifferentRounds all = blocks(*known, rounds);
    return question.asks_epsilon() ? all.epsilon_lower(question.fixed())
                                   : all.delta(question.fixed(), Ends::lower).lower;
  }
  const std::vector<double> values = profile(*known, rounds);
  const auto below = [&](double e) {
    return AdaptiveRounds::between(values, known->types.spacing, e) * (1 - kRecursionError) - values.back();
  };
  if (!question.asks_epsilon()) return numerics::as_lower_bound(below(question.fixed()));
  return numerics::crossing_from_below(below, question.fixed(), kMaxSearchedEpsilon,
                                       known->types.spacing * static_cast<double>(values.size()) / 2);
}

}  // namespace muster::accounting
