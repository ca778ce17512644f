// Two curves of the accountant's answer, each with upper and lower values: for epsilon, one over delta and
// one over the number of rounds; for delta, one over epsilon and one over the number of rounds.
//
// Every point is a statement of its own, so its `upper` is proven. Between points, only monotonicity is
// known. Pure function; the two curves are computed concurrently.
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
  View view;                  // of every point, as is the neighbouring relation
  Neighbouring neighbouring;  // all upper values are proven for it
  std::vector<CurvePoint>
      by_fixed;  // points on a logarithmic grid around question.fixed(), which is included
  std::vector<CurvePoint> by_rounds;  // points on a logarithmic grid from 1 to `rounds`, both included
};

// Throws Error(plan) for 0 rounds, and what Accountant::account throws. If the fixed epsilon is 0, `by_fixed`
// has only this point.
PrivacyCurves privacy_curves(const Accountant& accountant, std::uint64_t rounds, const Question& question,
                             std::optional<View> view);

}  // namespace muster::accounting
