// factor * E( sum of the clients' terms )_+ : the one computation behind
// the subset, check-in and slot theorems.
//
//     delta(eps) <= factor * E * E( Y_1 + ... + Y_count - threshold * (1 - 1/E) )_+
//                   + factor * count * rate * f(inf),
// Y_i the centred term of reporting_law.h at `rate`, f the local profile, E = e^eps. A Gaussian
// profile is cut where it falls below 1e-44 or its loss passes 600, and the mass beyond charged
// once (part (c) of docs/theory/profile-only.md). Where one large term decides, and wherever e^eps
// is too large for a sum of terms, the bound of one_large_term.h holds: the smaller of the two is
// taken. Immutable; call from any thread.
#pragma once

#include <memory>
#include <optional>

#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/profile.h"
#include "muster/accounting/theorems/swap/one_large_term.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

struct SumShape {
  double factor;
  double count;         // terms, >= 1
  double rate;          // the chance that a term is not zero, (0, 1]
  double threshold;     // per E - 1, at least the count
  double revealed = 0;  // the chance that a term is E - 1 for certain: a client whose coin is known
  std::shared_ptr<const TermWeights> weights = nullptr;  // on each term; none: 1
};

// The event that nobody is absent, and so nobody's place hides the victim: of the `clients` - 1 others each
// is among the messages of unknown sender with this chance (the rest are known), it has this probability.
struct EverybodyReports {
  double clients, chance, probability;
};

class ReportingSum {
 public:
  explicit ReportingSum(const Mechanism& mechanism);
  explicit ReportingSum(Profile profile);
  // Two-sided: upper - lower is numerical error alone. Never NaN, `upper` at most 1.
  numerics::Enclosure delta(const SumShape& shape, double epsilon) const;
  // Of one term Y_i, without its weight.
  double variance_of_term(const SumShape& shape, double epsilon) const;
  // f(E), from above: what one message alone gives away.
  double local(double epsilon) const { return tail_.divergence(epsilon); }
  // What the event adds, probability times f(E), or times the blanket of a shuffle of all who are left where
  // the randomizer has one and it matters beside `sum`.
  numerics::Enclosure everybody(const EverybodyReports& event, double epsilon, double sum) const;

 private:
  numerics::Enclosure summed(const SumShape& shape, double epsilon) const;

  Profile profile_;
  LocalTail tail_;
  OneLargeTerm one_large_term_;
  std::optional<double> epsilon0_;  // of a pure mechanism
};

}  // namespace muster::accounting
