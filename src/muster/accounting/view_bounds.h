// Composes each theorem that holds in one view of a protocol over any number of rounds, and returns it as a
// Bound of a statement. The classes are internal to the accountants.
//
// Const methods may run concurrently.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/composition/composed_curve.h"
#include "muster/composition/typed_rounds.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/gate/gate.h"
#include "muster/theorems/round_bound.h"

namespace muster::accounting {

// Composes one theorem's upper bound.
class ComposedUpper {
 public:
  explicit ComposedUpper(RoundBound round);

  // Returns whether the bound is proven and not provably at least as large as another bound of the list. A
  // bound that is not charged is only shown.
  bool charged() const;
  // Returns the upper value, or infinity if no finite value is known. The gate checks it if the bound is
  // proven.
  double upper(const Gate& gate, std::uint64_t rounds, const Question& question) const;
  // Returns a somewhat larger upper value for less work, which the gate does not check
  // (ComposedCurve::rough_upper and TypedRounds::rough_upper).
  double rough_upper(std::uint64_t rounds, const Question& question) const;
  Bound bound(View view, const Gate& gate, std::uint64_t rounds, const Question& question) const;
  // Returns the bound without values, for a bound that is not charged and would take too much work.
  Bound left_out(View view) const;
  // Returns the largest work (numerics/work.h) that a call of bound() took so far. A call that repeats a
  // question takes less, because the tables exist already. ConstantAccountant decides by the largest work
  // which bounds to leave out, so a repeated question leaves out the same ones.
  double most_work() const { return most_work_; }

 private:
  double delta_at(std::uint64_t rounds, double delta, double epsilon) const;
  double estimate(std::uint64_t rounds, const Question& question, double upper) const;
  bool uses_types(std::uint64_t rounds) const { return round_.types && rounds > 1; }

  RoundBound round_;
  ComposedCurve composed_;
  TypedRounds typed_;  // used where the bound has types, for more than one round
  mutable std::atomic<double> most_work_ = 0;
};

// Composes a lower bound, from the curves of one pair of data sets.
class ComposedLower {
 public:
  // `share` is the largest Nodes::share of a table (composition/round_curve.h).
  ComposedLower(RoundPair pair, double share);

  // `upper` is a proven upper value for the same question, or nullopt.
  Bound bound(View view, std::uint64_t rounds, const Question& question, std::optional<double> upper) const;

 private:
  RoundPair pair_;
  ComposedPair composed_;
};

struct ViewBounds {
  ViewBounds(const Mechanism& mechanism, const Participation& participation, View seen);

  View view;
  Gate gate;
  std::list<ComposedUpper> uppers;  // a list, because a ComposedUpper cannot be moved
  std::list<ComposedLower> lowers;
  std::string missing;  // why no theorem covers this view; see Applicable in theorems/cover.h
};

}  // namespace muster::accounting
