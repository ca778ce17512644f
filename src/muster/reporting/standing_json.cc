#include <fmt/format.h>

#include <algorithm>

#include "muster/reporting/task_standing.h"

namespace muster::reporting {
namespace {

JsonObject counts_json(const NamedCounts& counts) {
  JsonObject object;
  for (const auto& [reason, count] : counts) object.unsigned_integer(reason, count);
  return object;
}

JsonObject amount_json(const TaskStanding::Amount& amount) {
  return JsonObject().number("epsilon", amount.epsilon).number("delta", amount.delta);
}

JsonObject last_json(const TaskStanding& now, const StandingRound& last) {
  const StandingRound::Counted& counted = *last.counted;
  return JsonObject()
      .unsigned_integer("round", last.round)
      .unsigned_integer("heard", counted.heard)
      .unsigned_integer("needed", now.needed)
      .raw("enrolled", now.enrolled ? fmt::format("{}", *now.enrolled) : "null")
      .unsigned_integer("check_ins", counted.check_ins)
      .raw("band", counted.band ? fmt::format("[{},{}]", counted.band->low, counted.band->high) : "null")
      .object("rejected", counts_json(counted.rejected));
}

JsonObject rounds_json(const TaskStanding::Rounds& rounds) {
  return JsonObject()
      .unsigned_integer("released", rounds.released)
      .unsigned_integer("spent", rounds.spent)
      .unsigned_integer("void", rounds.voided)
      .unsigned_integer("opened", rounds.opened)
      .unsigned_integer("planned", rounds.planned)
      .unsigned_integer("most", rounds.most);
}

}  // namespace

std::optional<double> TaskStanding::accuracy() const {
  const auto found = std::ranges::find_if(
      past.rbegin(), past.rend(), [](const StandingRound& each) { return each.accuracy.has_value(); });
  return found == past.rend() ? std::nullopt : found->accuracy;
}

const StandingRound* TaskStanding::last() const {
  const auto found = std::ranges::find_if(past.rbegin(), past.rend(),
                                          [](const StandingRound& each) { return each.counted.has_value(); });
  return found == past.rend() ? nullptr : &*found;
}

JsonObject standing_json(const TaskStanding& now) {
  JsonObject object;
  object.text("task", now.task)
      .text("plan", now.plan)
      .text("state", now.state)
      .text("reason", now.reason)
      .object("rounds", rounds_json(now.rounds))
      .object("epsilon", JsonObject().number("upper", now.epsilon_upper).number("lower", now.epsilon_lower))
      .number("epsilon_planned", now.epsilon_planned)
      .number("delta", now.delta)
      .text("validity", now.validity)
      .text("neighbouring", now.neighbouring)
      .text("view", now.view)
      .text("bound", now.bound)
      .object("local", JsonObject()
                           .number("epsilon", now.local)
                           .number("delta", now.delta)
                           .unsigned_integer("rounds", now.local_rounds));
  if (now.population) {
    object.object(
        "population",
        amount_json(now.population->reserved).object("budget", amount_json(now.population->budget)));
  } else {
    object.raw("population", "null");
  }
  object.texts("assumptions", now.assumptions).number("accuracy", now.accuracy());
  if (const StandingRound* last = now.last()) {
    object.object("last", last_json(now, *last));
  } else {
    object.raw("last", "null");
  }
  object.object(
      "rejected",
      JsonObject().object("uploads", counts_json(now.uploads)).object("reports", counts_json(now.reports)));
  return now.alarm ? object.text("alarm", *now.alarm) : object.raw("alarm", "null");
}

}  // namespace muster::reporting
