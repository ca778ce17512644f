// Extends a one-round bound to any number of rounds. Its tables are built when first needed, and kept.
//
// One round is answered by the curve itself. For more rounds, the curve is tabulated down to a tail that is
// negligible for the question (what lies beyond becomes mass at infinite loss), turned into a dominating pair
// and composed (dominating_pair.h). Thread rule: const methods may run concurrently.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "muster/composition/dominating_pair.h"
#include "muster/composition/round_curve.h"
#include "muster/describe/question.h"

namespace muster::accounting {

// What a table must resolve. `visited`: how far out nodes must be dense, in standard deviations of a round's
// loss. `tail`: the value of delta at which the table ends; larger losses are charged as infinite.
struct Resolution {
  double visited;
  double tail;
  // The argument `refined` of LossDistribution::estimated.
  int refined() const { return visited > 4 ? 2 : visited > 1 ? 4 : 8; }
};

// Tables of one curve, one per resolution, each built when first asked for.
template <typename Built>
class Resolutions {
 public:
  // The coarsest resolution that suffices. Its tail times `rounds` is at most a millionth of `delta`, unless
  // even the smallest of the tails is too large for that. It covers five deviations of the total loss, which
  // are 5 / sqrt(rounds) deviations of one round's.
  static Resolution wanted(std::uint64_t rounds, double delta) {
    return {kVisited[visited_slot(rounds)], kTails[tail_slot(rounds, delta)]};
  }
  template <typename Build>
  const Built& at(std::uint64_t rounds, double delta, Build&& build) const {
    const std::size_t slot = visited_slot(rounds) * kTails.size() + tail_slot(rounds, delta);
    std::call_once(once_[slot], [&] { tables_[slot].emplace(build(wanted(rounds, delta))); });
    return *tables_[slot];
  }

 private:
  static constexpr std::array<double, 6> kTails{1e-12, 1e-14, 1e-16, 1e-22, 1e-30, 1e-42};
  static constexpr std::array<double, 3> kVisited{5, 2.5, 0.5};
  static std::size_t tail_slot(std::uint64_t rounds, double delta) {
    std::size_t tail = 0;
    while (tail + 1 < kTails.size() && 1e6 * kTails[tail] * static_cast<double>(rounds) > delta) {
      ++tail;
    }
    return tail;
  }
  static std::size_t visited_slot(std::uint64_t rounds) {
    std::size_t visited = 0;
    while (visited + 1 < kVisited.size() &&
           kVisited[visited + 1] * std::sqrt(static_cast<double>(rounds)) >= 5) {
      ++visited;
    }
    return visited;
  }
  mutable std::array<std::once_flag, 18> once_;
  mutable std::array<std::optional<Built>, 18> tables_;
};

// The composition of an upper bound that holds for both orders of the pair of data sets.
class ComposedCurve {
 public:
  // `share`: the share of a full table's work that each table made here may take (round_curve.h).
  explicit ComposedCurve(BoundCurve delta, double knot = 0, double share = 1)
      : curve_(std::move(delta), {}), knot_(knot), share_(share) {}

  // The bound on the quantity asked for; infinity if the tail charged as infinite loss is larger than the
  // delta in question. rounds >= 1.
  double upper(std::uint64_t rounds, const Question& question) const;
  // An upper bound from a quarter of the nodes or fewer, to start a search. It is about a relative 1e-3
  // larger than upper(), and no table is kept. For one round, or if delta is asked for, it is upper() itself.
  double rough_upper(std::uint64_t rounds, const Question& question) const;
  // The upper bound on delta at an epsilon, from the table that answers questions at `delta`.
  double delta_at(std::uint64_t rounds, double delta, double epsilon) const;
  // An estimate, on no proven side of the truth: the value of upper() with every numerical error turned
  // downward. Its distance from upper() is the bound's numerical error. `upper` is this object's answer to
  // the question.
  double estimate(std::uint64_t rounds, const Question& question, double upper) const;

 private:
  struct Table {
    BoundTable curve;
    LossDistribution dominating;
  };
  const Table& table(std::uint64_t rounds, double delta) const;
  double delta_upper(std::uint64_t rounds, double epsilon) const;

  Tabulator<numerics::UpperAndEstimate> curve_;
  double knot_;
  double share_;
  Resolutions<Table> tables_;
  Resolutions<LossDistribution> rough_;
  Resolutions<LossDistribution> estimated_;
};

// The composition of one pair of data sets whose curves are enclosed: a lower bound, the larger one of both
// orders of the pair.
class ComposedPair {
 public:
  // `share`: the share of a full table's work that each table made here may take (round_curve.h).
  ComposedPair(PairCurve forward, PairCurve reverse, double share = 1)
      : pair_(std::move(forward), std::move(reverse)), share_(share) {}

  // The lower bound on the quantity asked for; 0 where nothing is known. `upper`: if the question is for
  // delta, an upper bound on the answer, by which the first table is chosen.
  double lower(std::uint64_t rounds, const Question& question, double upper = 1) const;

 private:
  Tabulator<numerics::Enclosure> pair_;
  double share_;
  Resolutions<std::array<LossDistribution, 2>> tables_;
};

}  // namespace muster::accounting
