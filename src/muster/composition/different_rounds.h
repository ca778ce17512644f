// Composes rounds with different discrete pairs: a list of pairs, each with its number of rounds.
//
// All pairs must come from curves tabulated with `nested` lattices (round_curve.h), so that the finest
// lattice contains the losses of all pairs. Dominating pairs compose adaptively (Theorem 20,
// docs/theory/composition.md): the bound holds even if a round depends on what earlier rounds released, as
// long as the sequence of pairs is fixed in advance. While pairs are added, an object belongs to one thread;
// afterwards, const methods may run concurrently.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "muster/composition/composed_delta.h"
#include "muster/composition/dominating_pair.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class DifferentRounds {
 public:
  // The pair is not copied and must outlive this object. Adding the same pair again adds to its number of
  // rounds.
  void add(const LossDistribution& pair, std::uint64_t rounds);

  // Encloses the hockey-stick divergence at epsilon of the composition of these discrete pairs;
  // {0, 0} before any round.
  numerics::Enclosure delta(double epsilon, Ends ends = Ends::both) const;
  // An upper bound on delta at `epsilon`, computed as in the search of epsilon_upper(target)
  // (composed_delta_as_searched).
  double delta_as_searched(double target, double epsilon) const;
  // An upper and a lower bound on the epsilon at which delta is `target`, as in LossDistribution; 0 before
  // any round.
  double epsilon_upper(double target) const;
  double epsilon_lower(double target) const;

 private:
  struct Part {
    const LossDistribution* pair;
    std::uint64_t rounds;
  };
  struct Losses {
    std::vector<RepeatedLoss> parts;
    double spacing;  // the spacing of the finest lattice among the pairs
  };
  Losses losses() const;
  std::list<Part> parts_;
};

}  // namespace muster::accounting
