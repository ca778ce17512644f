// Bounds delta by factor * mean of ( sum of the clients' terms )_+, which the subset, check-in and slot
// theorems share.
//
// With E = e^eps, f the local profile, and Y_i the centred term of reporting_law.h of a client that
// reports with probability `rate`, the expression is
//     factor * E * mean of ( Y_1 + ... + Y_count - threshold * (1 - 1/E) )_+
//     + factor * count * rate * f(inf).
// Where everybody may report, delta is at most this plus everybody(). A Gaussian profile is cut where
// it falls below 1e-44 or its loss exceeds 600. The mass beyond is charged once, as part of f(inf)
// (part (c) of docs/theory/profile-only.md). From epsilon = 1 on, the bound of one_large_term.h is computed
// first. Unless its upper end and its estimate are within a relative 1e-3 of each other, the sum is computed
// too, and the smaller bound is used. From epsilon = 300 on, e^eps is too large for a sum of terms, and
// only the bound of one_large_term.h is used. Objects are immutable and may be used from any thread.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "muster/describe/mechanism.h"
#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/theorems/swap/one_large_term.h"

namespace muster::accounting {

struct SumShape {
  double factor;        // multiplies the mean in the expression
  double count;         // number of terms, >= 1
  double rate;          // probability that a term is a report's, in (0, 1]
  double threshold;     // multiplies 1 - 1/E in the expression; at least the count
  double revealed = 0;  // probability that a client's coin is known: Y_i is then 1 - 1/E
  // The law of the weights of the Y_i; all weights are 1 if null.
  std::shared_ptr<const TermWeights> weights = nullptr;
};

// Describes the event that nobody is absent, so that there is nobody to swap the victim with. It has the
// given `probability`. Given this event, each of the `clients` - 1 others is an unknown sender with
// probability `chance`; the senders of the other messages are known.
struct EverybodyReports {
  double clients, chance, probability;
};

class ReportingSum {
 public:
  explicit ReportingSum(const Mechanism& mechanism);
  explicit ReportingSum(Profile profile);
  // Returns the smaller of 1 and the expression at the top of this file, at epsilon >= 0. The difference
  // upper - estimate is only numerical error, and neither value is NaN.
  numerics::UpperAndEstimate delta(const SumShape& shape, double epsilon) const;
  // Returns the variance of one term Y_i, without its weight.
  double variance_of_term(const SumShape& shape, double epsilon) const;
  // Returns an upper bound of f(E), the divergence of a single message.
  double local(double epsilon) const { return tail_.divergence(epsilon); }
  // Returns the charge for the event, which is its probability times f(E). If this is not negligible beside
  // `sum`, and the mechanism is epsilon0-LDP, f(E) is replaced by the smaller of f(E) and the blanket of the
  // unknown senders.
  numerics::UpperAndEstimate everybody(const EverybodyReports& event, double epsilon, double sum) const;

 private:
  numerics::UpperAndEstimate summed(const SumShape& shape, double epsilon) const;

  Profile profile_;
  LocalTail tail_;
  OneLargeTerm one_large_term_;
  std::optional<double> epsilon0_;  // nullopt if the mechanism is not epsilon0-LDP
};

// Represents the curve of a round, which is the bound by a ReportingSum of one shape as a function of
// epsilon.
class SumCurve {
 public:
  SumCurve(ReportingSum sum, SumShape shape) : sum_(std::move(sum)), shape_(std::move(shape)) {}
  numerics::UpperAndEstimate delta(double epsilon) const { return sum_.delta(shape_, epsilon); }

 private:
  ReportingSum sum_;
  SumShape shape_;
};

}  // namespace muster::accounting
