#include "muster/accounting/sorted_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "muster/core/error.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::smaller;

// Orders bounds by validity (proven, conditional, as published), and bounds of one validity by their upper
// value. A missing upper value counts as infinity.
bool comes_before(const Bound& a, const Bound& b) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return std::make_pair(a.validity, a.upper.value_or(kNone)) <
         std::make_pair(b.validity, b.upper.value_or(kNone));
}

}  // namespace

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

double lower_of(const Statement& statement) {
  double lower = 0;
  for (const Bound& bound : statement.all) lower = larger(lower, bound.lower.value_or(0));
  return lower;
}

void sort_bounds(Statement& statement, double lower) {
  for (Bound& bound : statement.all) {
    if (bound.validity == Validity::proven && bound.upper) {
      bound.lower = lower;
      bound.numerical_error = smaller(bound.numerical_error, larger(0.0, *bound.upper - lower));
      if (!(lower <= *bound.upper)) {
        throw Error(ErrorCode::internal, bound.id, fmt::format("{:.17g}", *bound.upper),
                    fmt::format(">= {:.17g}", lower),
                    "an upper bound fell below a lower one: this is a defect, and nothing is reported");
      }
    }
  }
  std::stable_sort(statement.all.begin(), statement.all.end(), comes_before);
  statement.best = statement.all.front();
  statement.best.lower = lower;
  if (!statement.best.upper) {
    statement.best.assumptions.push_back("no finite upper bound: every theorem's tail passes this delta");
  }
}

}  // namespace muster::accounting
