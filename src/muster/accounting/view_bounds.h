// All theorems that hold in one view of a protocol, each carried from one round to any number of rounds and
// written as a row of a statement. Internal to the accountant.
//
// Thread rule: const methods may run concurrently.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/accounting/theorems/round_bound.h"
#include "muster/composition/composed_curve.h"
#include "muster/composition/typed_rounds.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/gate/gate.h"

namespace muster::accounting {

// One theorem's upper bound.
class ComposedUpper {
 public:
  explicit ComposedUpper(RoundBound round);

  // Whether the bound may be the smallest proven one. The others are only shown beside it.
  bool charged() const;
  // The bound, once it has passed the gate if it is proven; infinity if there is none.
  double upper(const Gate& gate, std::uint64_t rounds, const Question& question) const;
  // The same, but not checked by the gate and somewhat larger, with less work: see the rough_upper of
  // ComposedCurve and of TypedRounds.
  double rough_upper(std::uint64_t rounds, const Question& question) const;
  Bound bound(View view, const Gate& gate, std::uint64_t rounds, const Question& question) const;

 private:
  double delta_at(std::uint64_t rounds, double delta, double epsilon) const;
  double estimate(std::uint64_t rounds, const Question& question, double upper) const;
  bool uses_types(std::uint64_t rounds) const { return round_.types && rounds > 1; }

  RoundBound round_;
  ComposedCurve composed_;
  TypedRounds typed_;  // used where the bound has types, for more than one round
};

// The curves of one pair of data sets: a lower bound.
class ComposedLower {
 public:
  // `share`: the share of a full table's work that each table made here may take (composition/round_curve.h).
  ComposedLower(RoundPair pair, double share);

  // `upper`: a proven upper value of the same question, or none.
  Bound bound(View view, std::uint64_t rounds, const Question& question, std::optional<double> upper) const;

 private:
  RoundPair pair_;
  ComposedPair composed_;
};

struct ViewBounds {
  ViewBounds(const Mechanism& mechanism, const Participation& participation, View seen);

  View view;
  Gate gate;
  std::list<ComposedUpper> uppers;  // lists, because the tables inside cannot be moved
  std::list<ComposedLower> lowers;
  std::string missing;  // that of Applicable (theorems/cover.h)
};

}  // namespace muster::accounting
