// Computes two curves of the accountant's answer to a question, with upper and lower values. One is over
// the delta or the epsilon that the question fixes, and the other is over the number of rounds.
//
// Every point is a statement of its own, so its `upper` is proven. Between points, only monotonicity is
// known. The function is pure and computes the two curves concurrently.
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
  std::vector<CurvePoint>
      by_fixed;  // points on a logarithmic grid around question.fixed(), which is included
  std::vector<CurvePoint> by_rounds;  // points on a logarithmic grid from 1 to `rounds`, both included
};

// Computes the curves around `question` for `rounds` rounds. Throws Error(plan) for 0 rounds, and what
// Accountant::account throws. If the question fixes epsilon at 0, `by_fixed` has only this point.
PrivacyCurves privacy_curves(const Accountant& accountant, std::uint64_t rounds, const Question& question,
                             std::optional<View> view);

}  // namespace muster::accounting
