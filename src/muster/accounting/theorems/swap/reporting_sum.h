// Bounds delta by factor * mean of ( sum of the clients' terms )_+, the one computation behind the subset,
// check-in and slot theorems.
//
// With E = e^eps, f the local profile, and Y_i the centred term of reporting_law.h of a client that
// reports with probability `rate`, the expression is
//     factor * E * mean of ( Y_1 + ... + Y_count - threshold * (1 - 1/E) )_+
//     + factor * count * rate * f(inf).
// Where everybody may report, delta is at most this plus everybody(). A Gaussian profile is cut where it
// falls below 1e-44 or its loss passes 600, and the mass beyond is charged once, as part of f(inf) (part
// (c) of docs/theory/profile-only.md). From epsilon = 1 on, the bound of one_large_term.h is computed too,
// and the smaller of the two is taken; from epsilon = 300 on, e^eps is too large for a sum of terms and
// the bound of one_large_term.h stands alone. Immutable; call from any thread.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "muster/accounting/theorems/swap/one_large_term.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

struct SumShape {
  double factor;
  double count;         // number of terms, >= 1
  double rate;          // probability that a term is a report's, in (0, 1]
  double threshold;     // multiplies 1 - 1/E in the expression; at least the count
  double revealed = 0;  // probability that a client's coin is known: Y_i is then 1 - 1/E
  std::shared_ptr<const TermWeights> weights = nullptr;  // of the Y_i; all 1 if null
};

// The event that nobody is absent, so that there is nobody to swap the victim with; it has the given
// `probability`. Given the event, each of the `clients` - 1 others sends a message whose sender is unknown
// with probability `chance`; the senders of the other messages are known.
struct EverybodyReports {
  double clients, chance, probability;
};

class ReportingSum {
 public:
  explicit ReportingSum(const Mechanism& mechanism);
  explicit ReportingSum(Profile profile);
  // The smaller of 1 and the expression at the top: upper - estimate is numerical error alone. Never NaN.
  numerics::UpperAndEstimate delta(const SumShape& shape, double epsilon) const;
  // The variance of one term Y_i, without its weight.
  double variance_of_term(const SumShape& shape, double epsilon) const;
  // An upper bound of f(E), the divergence of one message alone.
  double local(double epsilon) const { return tail_.divergence(epsilon); }
  // What the event adds to delta: its probability times f(E). For an epsilon0-LDP mechanism, if this is not
  // negligible beside `sum`, the smaller of f(E) and the blanket of the clients whose messages have unknown
  // senders takes the place of f(E).
  numerics::UpperAndEstimate everybody(const EverybodyReports& event, double epsilon, double sum) const;

 private:
  numerics::UpperAndEstimate summed(const SumShape& shape, double epsilon) const;

  Profile profile_;
  LocalTail tail_;
  OneLargeTerm one_large_term_;
  std::optional<double> epsilon0_;  // of an epsilon0-LDP mechanism
};

// The sum at one shape, as the curve of a round.
class SumCurve {
 public:
  SumCurve(ReportingSum sum, SumShape shape) : sum_(std::move(sum)), shape_(std::move(shape)) {}
  numerics::UpperAndEstimate delta(double epsilon) const { return sum_.delta(shape_, epsilon); }

 private:
  ReportingSum sum_;
  SumShape shape_;
};

}  // namespace muster::accounting
