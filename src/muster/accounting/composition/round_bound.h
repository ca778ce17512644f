// One theorem applied to one round: a curve, and everything that must be said of it before it is composed.
//
// A round is one execution of the protocol in which each client takes part at most once (for the slot
// protocols: one whole run). Composition needs the curve alone; the statement printed for users is made from
// the rest. Immutable; the functions may be called from any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "muster/accounting/composition/typed_rounds.h"
#include "muster/accounting/statement.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Encloses one and the same formula at epsilon >= 0; never throws, never NaN.
using DeltaCurve = std::function<numerics::Enclosure(double epsilon)>;

// `delta(epsilon).upper` bounds the hockey-stick divergence of every ordered pair of neighbours.
struct RoundBound {
  std::string id;
  std::string citation;
  std::vector<std::string> assumptions;
  DeltaCurve delta;
  Validity validity = Validity::proven;
  Neighbouring neighbouring = Neighbouring::replace_one;
  double knot = 0;  // epsilon between the curve's kinks where it is nearly linear in between; 0: smooth
  // Where it is not empty, many rounds are charged by what a round can be, not by the curve's own pair.
  TypesOf types = {};
  bool is_dominated = false;  // provably no smaller than another bound of the same list
};

// One pair of neighbouring data sets, exactly: both orientations. `lower` ends are valid lower bounds.
struct RoundPair {
  std::string id;
  std::string citation;
  std::vector<std::string> assumptions;
  DeltaCurve forward;
  DeltaCurve reverse;
};

}  // namespace muster::accounting
