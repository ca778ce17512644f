#include "muster/theorems/applicable.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <variant>

#include "muster/core/error.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

// The smallest rate for which amplification is computed. At this rate, 1e12 clients together send one report
// in a thousand rounds, so there is nothing to hide a message among.
constexpr double kMinRate = 1e-15;

// Ranks the views: at a larger rank, the adversary sees more.
int seen_in(View view) {
  switch (view) {
    case View::shuffler_colludes:
      return 3;
    case View::shuffler_honest:
      return 2;
    case View::sum_only:
      return 1;
    case View::server_trusted:
      break;
  }
  return 0;
}

// Caps a bound by the local divergence times the probability that the victim sends a message. The cap is
// valid because the round only processes that message further, and because the divergence is convex. Where
// the cap is positive, the result is at least the smallest normal double, so that a value that underflows
// does not become 0.
BoundCurve capped(BoundCurve delta, const Mechanism& mechanism, double rate) {
  return [delta = std::move(delta), mechanism, rate](double epsilon) {
    constexpr double kMinNormal = std::numeric_limits<double>::min();
    const double local = numerics::as_upper_bound(rate * local_divergence_upper(mechanism, epsilon) *
                                                  (1 + numerics::kThreeRoundings));
    const numerics::UpperAndEstimate own_bound = delta(epsilon);
    double upper = numerics::as_upper_bound(own_bound.upper, local);
    if (local > 0) upper = numerics::larger(upper, kMinNormal);
    return numerics::UpperAndEstimate{.upper = upper,
                                      .estimate = numerics::as_lower_bound(own_bound.estimate, upper)};
  };
}

// Returns whether an adversary with this view sees only sums of messages, while the participation's own
// list of bounds is for an adversary who sees the messages themselves. This is never so for an aggregated
// check-in, whose list is for its sums. Of the slot protocols, averaged slots show sums in their models,
// and the other ones show each message.
bool shows_sums_alone(const Participation& participation, View view) {
  if (const auto* slots = std::get_if<RandomCheckIn>(&participation)) {
    return slots->kind() == RandomCheckIn::Kind::averaged && view == View::server_trusted;
  }
  return own_view(participation) == View::shuffler_honest && sees_sums_alone(view);
}

}  // namespace

Applicable applicable(const Mechanism& mechanism, const Participation& participation,
                      std::optional<View> asked) {
  const View own = own_view(participation), view = asked.value_or(own);
  if (seen_in(view) > seen_in(own) && view != View::shuffler_colludes) {
    throw Error(ErrorCode::uncovered, "view", name_of(view),
                fmt::format("{}, shuffler-colludes", name_of(own)),
                fmt::format("no theorem covers {} in this view", name_of(participation)));
  }
  Applicable list;
  if (min_message_rate(participation).value() < kMinRate) {
    list.missing = fmt::format("amplification is not computed for effective rates below {}", kMinRate);
    return list;
  }
  std::visit([&](const auto& p) { cover(mechanism, p, list); }, participation);
  if (view == View::shuffler_colludes) list.uppers.clear();
  if (shows_sums_alone(participation, view)) cover_sum(mechanism, participation, list);
  for (RoundBound& bound : list.uppers) {
    bound.delta = capped(std::move(bound.delta), mechanism, message_rate(participation).value());
  }
  return list;
}

}  // namespace muster::accounting
