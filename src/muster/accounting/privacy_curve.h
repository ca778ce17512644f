// How the answer moves with the question: epsilon over delta and over rounds, or delta over epsilon and over
// rounds, two-sided.
//
// Every point is a statement of the accountant of its own, so `upper` is proven at each; between points the
// curves are monotone and nothing more is said. Pure function; the two curves are computed side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/accounting/accountant.h"

namespace muster::accounting {

struct CurvePoint {
  std::uint64_t rounds;
  double fixed;                 // delta, or epsilon when the question fixes that
  std::optional<double> upper;  // in the quantity asked; nullopt: none
  std::optional<double> lower;
  std::optional<double> local;
};

struct PrivacyCurves {
  Question question;
  std::uint64_t rounds;
  std::vector<CurvePoint> by_fixed;   // around the asked value, on a logarithmic grid that holds it
  std::vector<CurvePoint> by_rounds;  // 1 .. rounds, on a logarithmic grid that holds both
};

// rounds >= 1. Epsilon 0 has no neighbours on a logarithmic grid: `by_fixed` then holds one point.
PrivacyCurves privacy_curves(const Accountant& accountant, std::uint64_t rounds, const Question& question,
                             std::optional<View> view);

}  // namespace muster::accounting
