// Computes two curves of the accountant's answer to a question, with upper and lower values. One is over
// the delta or the epsilon that the question fixes, and the other is over the number of rounds.
//
// Every point is a statement of its own, so its `upper` is proven. Between points, only monotonicity is
// known. The functions are pure; privacy_curves computes the two curves concurrently.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/accounting/accountant.h"

namespace muster::accounting {

struct CurvePoint {
  std::uint64_t rounds;
  double fixed;                 // the delta or the epsilon that the point's question fixes
  std::optional<double> upper;  // upper, lower and local_upper are those of the point's Statement
  std::optional<double> lower;
  std::optional<double> local_upper;
};

struct PrivacyCurves {
  Question question;
  std::uint64_t rounds;
  View view;                  // the view of the adversary, at every point
  Neighbouring neighbouring;  // the relation for which all upper values are proven
  // One of the two lists may be empty, if only the other curve was asked for.
  std::vector<CurvePoint> by_fixed;   // over the delta or epsilon that the question fixes, ascending
  std::vector<CurvePoint> by_rounds;  // over the number of rounds, ascending
};

// Returns the logarithmic grid on which privacy_curves computes: of deltas or epsilons around the one that
// the question fixes, which is included (only this one if it is an epsilon of 0); and of numbers of rounds
// from 1 to `rounds`, both included. Throws Error(plan) for 0 rounds.
std::vector<double> grid_around(const Question& question);
std::vector<std::uint64_t> grid_up_to(std::uint64_t rounds);

// Compute one curve alone, at the given points, of which there must be one at least. Throw what
// Accountant::account throws. The curve's `rounds` and `question` are those of the last point.
PrivacyCurves curve_over_rounds(const Accountant& accountant, const std::vector<std::uint64_t>& counts,
                                const Question& question, std::optional<View> view);
PrivacyCurves curve_over_fixed(const Accountant& accountant, std::uint64_t rounds, Question::Kind kind,
                               const std::vector<double>& fixed, std::optional<View> view);

// Computes both curves on their grids, for `rounds` rounds. Throws Error(plan) for 0 rounds, and what
// Accountant::account throws.
PrivacyCurves privacy_curves(const Accountant& accountant, std::uint64_t rounds, const Question& question,
                             std::optional<View> view);

}  // namespace muster::accounting
