// Holds the curves of every kind of round that a schedule or a list of launches has. A kind of round is a
// mechanism with a participation. This file is internal to RunningAccountant and ComposedRounds.
//
// A kind's curve is the minimum of the proven bounds that cover it, including the local guarantee, or only
// the local guarantee (ChargedBy). The curves, and the values that tables took from them, are kept, so that
// tables for another delta take only the work of their new nodes. Objects are not thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <memory>

#include "muster/composition/round_curve.h"
#include "muster/composition/typed_rounds.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// The bound by which a round is charged: the smallest of its proven bounds, or only the local guarantee,
// which holds even if the shuffler colludes.
enum class ChargedBy { smallest_bound, local_guarantee };

struct RoundKind {
  RoundKind(const Mechanism& of, const Participation& with, ChargedBy by);

  Mechanism mechanism;
  Participation participation;
  std::unique_ptr<Tabulator<numerics::UpperAndEstimate>> upper;
  // The curves of a pair of data sets, which bound the cost from below; null if no such pair is known.
  std::unique_ptr<Tabulator<EnclosedMinorant>> pair;
  std::unique_ptr<TypedRounds> typed;  // null unless one of the bounds has types
};

class RoundKinds {
 public:
  // `expected` is the number of kinds that will be asked for. The work of their tables is limited so that an
  // answer about all of them takes a few seconds.
  explicit RoundKinds(ChargedBy by, std::size_t expected = 1);

  // Returns the kind of this mechanism with this participation, and makes it on the first call. The reference
  // is valid as long as this object.
  const RoundKind& of(const Mechanism& mechanism, const Participation& participation);

  // Return the shares of the work of a full table that the table of one kind's upper curve and that of its
  // pair may take (Nodes::share in composition/round_curve.h).
  double share_of_upper() const { return share_of_upper_; }
  double share_of_pair() const { return share_of_pair_; }

 private:
  ChargedBy by_;
  double share_of_upper_, share_of_pair_;
  std::list<RoundKind> kinds_;
};

}  // namespace muster::accounting
