#include "muster/accounting/running_accountant.h"

#include <algorithm>
#include <utility>

#include "muster/accounting/theorems/applicable.h"
#include "muster/accounting/theorems/local/local.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

// The fields per_deviation and dense_up_to of Nodes (composition/round_curve.h). They make the tables fine
// enough for any number of rounds, because all numbers of rounds share the tables.
constexpr int kNodesPerDeviation = 80;
constexpr double kDenseUpTo = 2.5;
// Lattice points per cell of the pair that estimates() composes.
constexpr int kRefined = 4;
// The tails that the tables cut off add up to at most this share of delta over a million rounds.
constexpr double kTail = 1e-9;
// The smallest tail at which a table ends. Below kFarTail, each node takes the most work, and a table may
// take only this share of the work of a full table, as in composed_curve.h.
constexpr double kSmallestTail = 1e-307, kFarTail = 1e-42, kShareOfFarTail = 0.2;

Nodes nested_nodes(Delta delta) {
  const double tail = numerics::larger(kSmallestTail, kTail * 1e-6 * delta.value());
  return {.per_deviation = kNodesPerDeviation,
          .negligible = tail,
          .dense_up_to = kDenseUpTo,
          .nested = true,
          .share = tail < kFarTail ? kShareOfFarTail : 1};
}

}  // namespace

const RunningAccountant::Kind& RunningAccountant::kind_of(const Mechanism& mechanism,
                                                          const Participation& participation) {
  const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
    return kind.mechanism == mechanism && kind.participation == participation;
  });
  if (known != kinds_.end()) {
    return *known;
  }
  const Applicable list =
      by_ == ChargedBy::local_guarantee ? Applicable{} : applicable(mechanism, participation);
  const Rate rate = message_rate(participation);
  const auto least = [&](double epsilon) {
    const double local = local_delta_upper(mechanism, rate, 1, epsilon);
    numerics::UpperAndEstimate best{.upper = local, .estimate = local};
    for (const RoundBound& bound : list.uppers) {
      if (bound.validity == Validity::proven && !bound.is_dominated) {
        const numerics::UpperAndEstimate next = bound.delta(epsilon);
        best = {.upper = numerics::smaller(best.upper, next.upper),
                .estimate = numerics::smaller(best.estimate, next.estimate)};
      }
    }
    return best;
  };
  const BoundTable upper = tabulate(least, nested_nodes(delta_));
  const PairTable pair =
      list.lowers.empty()
          ? PairTable{upper.spacing, {0, 1}, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}}
          : tabulate(list.lowers.front().forward, list.lowers.front().reverse, nested_nodes(delta_));
  std::unique_ptr<TypedRounds> typed;
  for (const RoundBound& bound : list.uppers) {
    if (bound.types && bound.validity == Validity::proven) typed = std::make_unique<TypedRounds>(bound.types);
  }
  kinds_.push_back({mechanism, participation, LossDistribution::dominating(upper),
                    LossDistribution::dominated(pair), LossDistribution::dominated(pair.swapped()),
                    std::move(typed), upper, std::nullopt});
  return kinds_.back();
}

void RunningAccountant::charge(const Mechanism& mechanism, const Participation& participation,
                               std::uint64_t rounds) {
  const Kind& kind = kind_of(mechanism, participation);
  uppers_.add(kind.upper, rounds);
  kind.rounds += rounds;
  if (latest_.first == &kind) {
    latest_.second += rounds;
  } else {
    if (latest_.second > 0) ++ended_[latest_];
    latest_ = {&kind, rounds};
  }
  forwards_.add(kind.forward, rounds);
  reverses_.add(kind.reverse, rounds);
  rounds_ += rounds;
}

void RunningAccountant::restart() {
  uppers_ = forwards_ = reverses_ = {};
  rounds_ = 0;
  ended_.clear();
  latest_ = {nullptr, 0};
  for (const Kind& kind : kinds_) kind.rounds = 0;
}

DifferentRounds RunningAccountant::estimates() const {
  DifferentRounds rounds;
  for (const Kind& kind : kinds_) {
    if (kind.rounds > 0 && !kind.estimate) kind.estimate = LossDistribution::estimated(kind.curve, kRefined);
    if (kind.rounds > 0) rounds.add(*kind.estimate, kind.rounds);
  }
  return rounds;
}

bool RunningAccountant::one_typed_segment() const {
  return ended_.empty() && latest_.first != nullptr && latest_.first->typed != nullptr && latest_.second > 1;
}

// Charges each segment of consecutive rounds of one kind by types, if the kind has types. Whatever was
// released before, the segment's pair dominates the segment. Rounds of other kinds end a segment, because
// later choices of types could depend on what these rounds release. The result is nullopt if no segment is
// charged by types.
std::optional<DifferentRounds> RunningAccountant::typed_uppers() const {
  DifferentRounds all;
  bool any = false;
  const auto add = [&](const Segment& segment, std::uint64_t times) {
    const auto [kind, rounds] = segment;
    const auto charges = kind->typed != nullptr && rounds > 1 ? kind->typed->charges(rounds, delta_.value())
                                                              : std::vector<TypedRounds::Charge>{};
    for (const TypedRounds::Charge& charge : charges) all.add(*charge.pair, charge.times * times);
    if (charges.empty()) all.add(kind->upper, rounds * times);
    any = any || !charges.empty();
  };
  for (const auto& [segment, times] : ended_) add(segment, times);
  if (latest_.second > 0) add(latest_, 1);
  return any ? std::optional(std::move(all)) : std::nullopt;
}

double RunningAccountant::delta_upper(double epsilon) const {
  const double plain = uppers_.delta(epsilon, Ends::upper).upper;
  if (one_typed_segment()) {
    return numerics::smaller(plain, latest_.first->typed->delta_at(latest_.second, delta_.value(), epsilon));
  }
  const std::optional<DifferentRounds> typed = typed_uppers();
  return typed ? numerics::smaller(plain, typed->delta(epsilon, Ends::upper).upper) : plain;
}

numerics::Enclosure RunningAccountant::delta(double epsilon) const {
  return {numerics::larger(forwards_.delta(epsilon, Ends::lower).lower,
                           reverses_.delta(epsilon, Ends::lower).lower),
          delta_upper(epsilon)};
}

numerics::Enclosure RunningAccountant::epsilon() const {
  double upper = uppers_.epsilon_upper(delta_.value());
  if (one_typed_segment()) {
    upper = numerics::smaller(upper, latest_.first->typed->upper(
                                         latest_.second, {Question::Kind::epsilon_at_delta, delta_.value()}));
  } else if (const std::optional<DifferentRounds> typed = typed_uppers()) {
    upper = numerics::smaller(upper, typed->epsilon_upper(delta_.value()));
  }
  return {numerics::larger(forwards_.epsilon_lower(delta_.value()), reverses_.epsilon_lower(delta_.value())),
          upper};
}

}  // namespace muster::accounting
