// Describes one theorem applied to one round: its curve, and everything else that composition and the
// printed statement need.
//
// A round is one execution of the protocol in which each client takes part at most once. For slot
// protocols, it is one whole run. The curves and other function objects in these structs may be called from
// any thread.
#pragma once

#include <string>
#include <vector>

#include "muster/composition/round_curve.h"
#include "muster/composition/typed_rounds.h"
#include "muster/describe/neighbouring.h"
#include "muster/describe/validity.h"

namespace muster::accounting {

// Describes an upper bound for one round. `delta(epsilon).upper` bounds the hockey-stick divergence of
// every ordered pair of neighbours, and the gap to `delta(epsilon).estimate` is the bound's numerical
// error.
struct RoundBound {
  std::string id;
  // Only a bound that is marked as proven is charged; any other is only shown.
  Validity validity = Validity::as_published;
  std::string citation;
  std::vector<std::string> assumptions;
  BoundCurve delta;
  Neighbouring neighbouring = Neighbouring::replace_one;
  // For a curve that is nearly linear between its kinks, a distance in epsilon near whose multiples the kinks
  // lie (knot_of() in entry.h); 0 if the curve is smooth.
  double knot = 0;
  // If not empty, two or more rounds are charged by types (composition/round_types.h) instead of by the
  // curve's dominating pair.
  TypesOf types = {};
  bool is_dominated = false;  // whether it is provably at least as large as another bound of the list
  // The largest share of a full table's work that a table of this bound may take (Nodes::share in
  // composition/round_curve.h).
  double share = 1;
  // Whether the lattice of a table of this bound is finer where losses are large (composition/round_curve.h).
  bool fine_if_large = false;
};

// Describes the curves of one pair of neighbouring data sets in both orders, by their minorants.
struct RoundPair {
  std::string id;
  std::string citation;
  std::vector<std::string> assumptions;
  PairCurve forward;
  PairCurve reverse;
};

}  // namespace muster::accounting
