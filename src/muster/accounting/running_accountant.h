// Charges one round after another, each with any mechanism and participation, and gives the total cost
// after any of them. It is internal to ComposedRounds; other code uses Accountant or Launches.
//
// Example: a third of the reports is lost after a thousand rounds.
//     RunningAccountant account(Delta::of(1e-5));
//     account.charge(mechanism, full, 1000);
//     account.charge(mechanism, thinned, 500);
//     account.epsilon().upper;   // proven for all 1500 rounds together
//
// Every kind of round (accounting/round_kinds.h) is tabulated once. If one of its bounds has types
// (composition/round_types.h), consecutive rounds of one kind are also charged by types, and the answer is
// the smaller of the two totals. The neighbouring relation is replace-one, and the adversary sees each round
// in its participation's own view. The charges must not depend on private data: the schedule is fixed in
// advance, or chosen without looking at the releases. Objects are not thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "muster/accounting/round_kinds.h"
#include "muster/composition/different_rounds.h"
#include "muster/composition/dominating_pair.h"
#include "muster/composition/round_curve.h"
#include "muster/composition/typed_rounds.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class RunningAccountant {
 public:
  explicit RunningAccountant(Delta delta, ChargedBy by = ChargedBy::smallest_bound)
      : RunningAccountant(delta, std::make_shared<RoundKinds>(by)) {}
  // Several accountants, for different deltas, may use the same `curves`, one after another. Each table may
  // take the fraction `share` of the work that `curves` allow it.
  RunningAccountant(Delta delta, std::shared_ptr<RoundKinds> curves, double share = 1)
      : delta_(delta), curves_(std::move(curves)), share_(share) {}

  // The first charge of a mechanism with a participation tabulates their curves; later charges of the same
  // kind take almost no time. A round without a proven bound that amplifies is charged its local guarantee.
  // Throws Error(plan) and charges nothing if all rounds together would be more than kMaxRounds.
  void charge(const Mechanism& mechanism, const Participation& participation, std::uint64_t rounds = 1);

  std::uint64_t rounds() const { return rounds_; }

  // Encloses the epsilon of everything charged so far, at the delta of the constructor. Before any charge it
  // is {0, 0}. `upper` is proven, or infinite if no bound is finite; some pair of neighbouring data sets
  // costs at least `lower`.
  numerics::Enclosure epsilon() const;
  // Encloses the delta of everything charged so far, at an epsilon >= 0.
  numerics::Enclosure delta(double epsilon) const;
  // These are estimates, on no proven side of the truth: the upper values of charging without types, but
  // with every numerical error turned downward. The difference between an estimate and this upper value is
  // numerical error, not looseness of the theorems.
  double epsilon_estimate() const { return estimates().epsilon_lower(delta_.value()); }
  double delta_estimate(double epsilon) const { return estimates().delta(epsilon, Ends::lower).lower; }
  // Returns the proven upper delta at an epsilon >= 0.
  double delta_upper(double epsilon) const;
  // Returns the same upper delta. If it exceeds the constructor's delta, it is also computed by the coarser
  // lattice or the convolution that gave epsilon().upper, and the smaller value is returned. A check of
  // epsilon().upper needs this, because either value may be much smaller than the other.
  double delta_upper_as_searched(double epsilon) const;

  // Returns the dominating pair of the only round that was charged, or null if not exactly one round was.
  const LossDistribution* only_round() const { return rounds_ == 1 ? &latest_.first->upper : nullptr; }

  // Forgets the charges but keeps the tables, so that charging the same kinds of rounds again takes almost no
  // time.
  void restart();

 private:
  struct Kind {
    const RoundKind* of;
    LossDistribution upper;
    LossDistribution forward;  // the dominated pair in its first order; `reverse` has the other order
    LossDistribution reverse;
    BoundTable curve;  // the tabulated curve that `upper` was made from
    // The estimated pair of `curve`, made when first needed.
    mutable std::optional<LossDistribution> estimate;
    mutable std::uint64_t rounds = 0;  // rounds of this kind charged so far
    mutable std::uint64_t place = 0;   // rounds of all kinds charged before the first of this kind
    const TypedRounds* typed() const { return of->typed.get(); }
  };
  DifferentRounds estimates() const;
  // A segment of consecutive rounds of one kind is given by the kind and the number of rounds.
  using Segment = std::pair<const Kind*, std::uint64_t>;
  // Segments are added up in an order that the charges alone decide, so that equal charges give equal bits.
  struct Earlier {
    bool operator()(const Segment& a, const Segment& b) const {
      return std::pair(a.first->place, a.second) < std::pair(b.first->place, b.second);
    }
  };
  bool one_typed_segment() const;
  std::optional<DifferentRounds> typed_uppers() const;
  const Kind& kind_of(const Mechanism& mechanism, const Participation& participation);

  // Invariants:
  // (1) rounds_ is at most kMaxRounds. It is the number of rounds of all segments in `ended_` and `latest_`,
  //     and the sum of `rounds` over `kinds_`.
  // (2) uppers_, forwards_ and reverses_ hold these rounds, each with the distribution of its kind.
  // (3) Kinds in segments point into `kinds_`, whose elements stay in place until the object is destroyed.
  Delta delta_;
  std::shared_ptr<RoundKinds> curves_;
  double share_ = 1;
  std::uint64_t rounds_ = 0;
  std::list<Kind> kinds_;
  std::map<Segment, std::uint64_t, Earlier> ended_;  // how many segments of each kind and length have ended
  Segment latest_{nullptr, 0};                       // the segment that has not ended
  DifferentRounds uppers_;
  DifferentRounds forwards_;
  DifferentRounds reverses_;
};

}  // namespace muster::accounting
