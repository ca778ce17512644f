// Two-sided curves of the accountant's answer: epsilon as a function of delta and of the number of rounds, or
// delta as a function of epsilon and of the number of rounds.
//
// Every point is a statement of its own, so `upper` is proven at each. Between points nothing more is known
// than that the curves are monotone. Pure function; the two curves are computed concurrently.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/accounting/accountant.h"

namespace muster::accounting {

struct CurvePoint {
  std::uint64_t rounds;
  double fixed;                 // delta, or epsilon when the question fixes that
  std::optional<double> upper;  // in the quantity asked for; nullopt if there is none
  std::optional<double> lower;
  std::optional<double> local;
};

struct PrivacyCurves {
  Question question;
  std::uint64_t rounds;
  std::vector<CurvePoint> by_fixed;   // around question.fixed, on a logarithmic grid that holds it
  std::vector<CurvePoint> by_rounds;  // 1 .. rounds, on a logarithmic grid that holds both
};

// rounds >= 1. If epsilon is fixed to 0, which is on no logarithmic grid, `by_fixed` has that one point.
PrivacyCurves privacy_curves(const Accountant& accountant, std::uint64_t rounds, const Question& question,
                             std::optional<View> view);

}  // namespace muster::accounting
