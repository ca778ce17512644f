#include "muster/accounting/round_kinds.h"

#include <algorithm>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/theorems/applicable.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {
namespace {

// The tables of all kinds' upper curves together may take kAllUppers times the work of a full table, and the
// tables of all kinds' pairs kAllPairs times that work.
constexpr double kAllUppers = 0.4;
constexpr double kAllPairs = 0.25;

}  // namespace

RoundKind::RoundKind(const Mechanism& of, const Participation& with, ChargedBy by)
    : mechanism(of), participation(with) {
  const Applicable list =
      by == ChargedBy::local_guarantee ? Applicable{} : applicable(mechanism, participation);
  std::vector<BoundCurve> proven;
  for (const RoundBound& bound : list.uppers) {
    if (bound.validity != Validity::proven) continue;
    if (!bound.is_dominated) proven.push_back(bound.delta);
    if (bound.types) typed = std::make_unique<TypedRounds>(bound.types);
  }
  const auto least = [of, proven, rate = message_rate(with)](double epsilon) {
    const double local = local_delta_upper(of, rate, 1, epsilon);
    numerics::UpperAndEstimate best{.upper = local, .estimate = local};
    for (const BoundCurve& curve : proven) {
      const numerics::UpperAndEstimate next = curve(epsilon);
      best = {.upper = numerics::smaller(best.upper, next.upper),
              .estimate = numerics::smaller(best.estimate, next.estimate)};
    }
    return best;
  };
  upper = std::make_unique<Tabulator<numerics::UpperAndEstimate>>(least, BoundCurve());
  if (!list.lowers.empty()) {
    pair = std::make_unique<Tabulator<EnclosedMinorant>>(list.lowers.front().forward,
                                                         list.lowers.front().reverse);
  }
}

RoundKinds::RoundKinds(ChargedBy by, std::size_t expected)
    : by_(by),
      share_of_upper_(numerics::smaller(1.0, kAllUppers / static_cast<double>(expected))),
      share_of_pair_(numerics::smaller(1.0, kAllPairs / static_cast<double>(expected))) {}

const RoundKind& RoundKinds::of(const Mechanism& mechanism, const Participation& participation) {
  const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const RoundKind& kind) {
    return kind.mechanism == mechanism && kind.participation == participation;
  });
  return known != kinds_.end() ? *known : kinds_.emplace_back(mechanism, participation, by_);
}

}  // namespace muster::accounting
