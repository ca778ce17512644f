// Extends a bound for one round to any number of rounds. Tables are built when first needed, and kept.
//
// For one round, the curve itself gives the answer. For more rounds, the curve is tabulated up to an epsilon
// at which delta is negligible for the question; larger losses are charged as infinite. The table is turned
// into a dominating pair and composed (dominating_pair.h). docs/theory/composition.md, "The order of calls",
// lists every step from here to an epsilon. Thread rule: const methods may run concurrently.
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

// The resolution of a table. `dense_up_to`: the epsilon up to which nodes are dense, in standard deviations
// of a round's loss. `tail`: the value of delta at which the table ends; larger losses are charged as
// infinite.
struct Resolution {
  double dense_up_to;
  double tail;
  // The argument `refined` of LossDistribution::estimated.
  int refined() const { return dense_up_to > 4 ? 2 : dense_up_to > 1 ? 4 : 8; }
  // The fraction of a full table's work that this table may take. A table with one of the smallest tails has
  // many nodes far from the bulk, where each takes the most work.
  double share() const { return tail < 1e-42 ? 0.2 : 1; }
};

// The tables of one curve, one for each resolution. A table is built when it is first needed.
template <typename Built>
class Resolutions {
 public:
  // The coarsest resolution that suffices. Its tail times `rounds` is at most a millionth of `delta`, or the
  // tail is the smallest available. Nodes are dense up to at least 5 / sqrt(rounds) deviations of a round's
  // loss, which is one round's share of five deviations of the total loss.
  static Resolution wanted(std::uint64_t rounds, double delta) {
    return {kDenseUpTo[density_slot(rounds)], kTails[tail_slot(rounds, delta)]};
  }
  template <typename Build>
  const Built& at(std::uint64_t rounds, double delta, Build&& build) const {
    const std::size_t slot = density_slot(rounds) * kTails.size() + tail_slot(rounds, delta);
    std::call_once(once_[slot], [&] { tables_[slot].emplace(build(wanted(rounds, delta))); });
    return *tables_[slot];
  }

 private:
  static constexpr std::array<double, 10> kTails{1e-12, 1e-14, 1e-16,  1e-22,  1e-30,
                                                 1e-42, 1e-70, 1e-120, 1e-200, 1e-307};
  static constexpr std::array<double, 3> kDenseUpTo{5, 2.5, 0.5};
  static std::size_t tail_slot(std::uint64_t rounds, double delta) {
    std::size_t tail = 0;
    while (tail + 1 < kTails.size() && 1e6 * kTails[tail] * static_cast<double>(rounds) > delta) {
      ++tail;
    }
    return tail;
  }
  static std::size_t density_slot(std::uint64_t rounds) {
    std::size_t slot = 0;
    while (slot + 1 < kDenseUpTo.size() &&
           kDenseUpTo[slot + 1] * std::sqrt(static_cast<double>(rounds)) >= 5) {
      ++slot;
    }
    return slot;
  }
  static constexpr std::size_t kTables = kDenseUpTo.size() * kTails.size();
  mutable std::array<std::once_flag, kTables> once_;
  mutable std::array<std::optional<Built>, kTables> tables_;
};

// Bounds the composition of rounds that all have the same upper bound. The bound of a round must hold for
// both orders of every pair of neighbouring data sets.
class ComposedCurve {
 public:
  // `knot` and `fine_if_large` are those of the tables' Nodes (round_curve.h), and `share` is the largest
  // Nodes::share of a table.
  explicit ComposedCurve(BoundCurve delta, double knot = 0, double share = 1, bool fine_if_large = false)
      : curve_(std::move(delta), {}), knot_(knot), share_(share), fine_if_large_(fine_if_large) {}

  // The upper bound on the quantity asked for, for `rounds` >= 1. An epsilon is infinite if the mass
  // charged as infinite loss is larger than the given delta.
  double upper(std::uint64_t rounds, const Question& question) const;
  // An upper bound from at most a quarter of the nodes, to start a search. It is larger than upper() by about
  // a relative 1e-3, and its table is not kept. For one round, or if delta is asked for, it is upper()
  // itself.
  double rough_upper(std::uint64_t rounds, const Question& question) const;
  // An upper bound on delta at `epsilon`, from the table that upper() uses if `delta` is given. Where
  // integrals take too much work, the bound depends on the choice of a coarser lattice or of cells. If it
  // is larger than `delta`, the choice that the search for the epsilon of `delta` makes is tried as well.
  double delta_at(std::uint64_t rounds, double delta, double epsilon) const;
  // An estimate, which is neither a proven upper nor a proven lower bound: the value of upper() with every
  // numerical error taken with the opposite sign. Its distance from upper() is the bound's numerical error.
  // `upper` is this object's answer to the question.
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
  bool fine_if_large_;
  Resolutions<Table> tables_;
  Resolutions<LossDistribution> rough_;
  Resolutions<LossDistribution> estimated_;
};

// Bounds the composition of rounds from below, for one pair of data sets, from enclosed minorants of the
// pair's two curves (enclosed_minorant.h). Of the two orders of the pair, the one with the larger value gives
// the answer.
class ComposedPair {
 public:
  // `share` is the largest Nodes::share of a table (round_curve.h).
  ComposedPair(PairCurve forward, PairCurve reverse, double share = 1)
      : pair_(std::move(forward), std::move(reverse)), share_(share) {}

  // The lower bound on the quantity asked for; 0 if no better bound is known. `upper`: if delta is asked for,
  // an upper bound on the answer, which selects the first table.
  double lower(std::uint64_t rounds, const Question& question, double upper = 1) const;

 private:
  Tabulator<EnclosedMinorant> pair_;
  double share_;
  Resolutions<std::array<LossDistribution, 2>> tables_;
};

}  // namespace muster::accounting
