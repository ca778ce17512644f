// Rounds that are not alike, composed: a list of discrete pairs and how often each was played.
//
// All pairs come from curves tabulated with `nested` lattices (round_curve.h), so that their losses
// share the finest one. Dominating pairs compose adaptively: the bound holds when a round's
// protocol is chosen from what earlier ones released, as long as the sequence of pairs is fixed in
// advance. Not thread-safe while adding.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "muster/accounting/composition/composed_delta.h"
#include "muster/accounting/composition/dominating_pair.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class DifferentRounds {
 public:
  // The pair is referred to, not copied: it must outlive this object. Adding a pair again adds to its count.
  void add(const LossDistribution& pair, std::uint64_t rounds);

  // Enclosure of these discrete pairs' composition at epsilon; {0, 0} before any round.
  numerics::Enclosure delta(double epsilon, Ends ends = Ends::both) const;
  // As LossDistribution's.
  double epsilon_upper(double target) const;
  double epsilon_lower(double target) const;

 private:
  struct Part {
    const LossDistribution* pair;
    std::uint64_t rounds;
  };
  struct Losses {
    std::vector<RepeatedLoss> parts;
    double spacing;  // the finest
  };
  Losses losses() const;
  std::list<Part> parts_;
};

}  // namespace muster::accounting
