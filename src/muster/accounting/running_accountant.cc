#include "muster/accounting/running_accountant.h"

#include <algorithm>
#include <utility>

#include "muster/describe/stage.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

// The fields per_deviation and dense_up_to of Nodes (composition/round_curve.h). All numbers of rounds share
// the tables, so these are fine enough for any number.
constexpr int kNodesPerDeviation = 80;
constexpr double kDenseUpTo = 2.5;
// Lattice points per cell of the pair that estimates() composes.
constexpr int kRefined = 4;
// The tails that the tables cut off add up to at most this share of delta over a million rounds.
constexpr double kTail = 1e-9;
// The smallest tail at which a table ends. At tails below kFarTail, each node takes the most work, so a table
// with such a tail may take only kShareOfFarTail of the work of a full table, as in composed_curve.h.
constexpr double kSmallestTail = 1e-307, kFarTail = 1e-42, kShareOfFarTail = 0.2;

Nodes nested_nodes(Delta delta, double share) {
  const double tail = numerics::larger(kSmallestTail, kTail * 1e-6 * delta.value());
  return {.per_deviation = kNodesPerDeviation,
          .negligible = tail,
          .dense_up_to = kDenseUpTo,
          .nested = true,
          .share = tail < kFarTail ? numerics::smaller(kShareOfFarTail, share) : share};
}

}  // namespace

const RunningAccountant::Kind& RunningAccountant::kind_of(const Mechanism& mechanism,
                                                          const Participation& participation) {
  const RoundKind& curves = curves_->of(mechanism, participation);
  const auto known = std::ranges::find(kinds_, &curves, &Kind::of);
  if (known != kinds_.end()) {
    return *known;
  }
  const BoundTable upper = curves.upper->table(nested_nodes(delta_, share_ * curves_->share_of_upper()));
  const PairTable pair = curves.pair
                             ? curves.pair->table(nested_nodes(delta_, share_ * curves_->share_of_pair()))
                             : PairTable{upper.spacing, {0, 1}, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}};
  kinds_.push_back({&curves, LossDistribution::dominating(upper), LossDistribution::dominated(pair),
                    LossDistribution::dominated(pair.swapped()), upper, std::nullopt});
  return kinds_.back();
}

void RunningAccountant::charge(const Mechanism& mechanism, const Participation& participation,
                               std::uint64_t rounds) {
  validate_rounds(rounds);
  validate_rounds(rounds_ + rounds);  // neither number is above kMaxRounds, so the sum does not wrap around
  const Kind& kind = kind_of(mechanism, participation);
  uppers_.add(kind.upper, rounds);
  if (kind.rounds == 0) kind.place = rounds_;
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
  return ended_.empty() && latest_.first != nullptr && latest_.first->typed() != nullptr &&
         latest_.second > 1;
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
    const auto charges = kind->typed() != nullptr && rounds > 1
                             ? kind->typed()->charges(rounds, delta_.value())
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
    return numerics::smaller(plain,
                             latest_.first->typed()->delta_at(latest_.second, delta_.value(), epsilon));
  }
  const std::optional<DifferentRounds> typed = typed_uppers();
  return typed ? numerics::smaller(plain, typed->delta(epsilon, Ends::upper).upper) : plain;
}

double RunningAccountant::delta_upper_as_searched(double epsilon) const {
  const double value = delta_upper(epsilon);
  return value <= delta_.value()
             ? value
             : numerics::smaller(value, uppers_.delta_as_searched(delta_.value(), epsilon));
}

numerics::Enclosure RunningAccountant::delta(double epsilon) const {
  return {numerics::larger(forwards_.delta(epsilon, Ends::lower).lower,
                           reverses_.delta(epsilon, Ends::lower).lower),
          delta_upper(epsilon)};
}

numerics::Enclosure RunningAccountant::epsilon() const {
  double upper = uppers_.epsilon_upper(delta_.value());
  if (one_typed_segment()) {
    upper = numerics::smaller(upper, latest_.first->typed()->upper(
                                         latest_.second, {Question::Kind::epsilon_at_delta, delta_.value()}));
  } else if (const std::optional<DifferentRounds> typed = typed_uppers()) {
    upper = numerics::smaller(upper, typed->epsilon_upper(delta_.value()));
  }
  return {numerics::larger(forwards_.epsilon_lower(delta_.value()), reverses_.epsilon_lower(delta_.value())),
          upper};
}

}  // namespace muster::accounting
