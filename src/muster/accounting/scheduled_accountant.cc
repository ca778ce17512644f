#include "muster/accounting/scheduled_accountant.h"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

#include "muster/accounting/sorted_bounds.h"
#include "muster/accounting/timed.h"
#include "muster/accounting/uncovered_rounds.h"
#include "muster/core/error.h"
#include "muster/numerics/ordered.h"
#include "muster/theorems/entry.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {
namespace {

// Returns, for each number k of stages, the local cost at the highest rate at which a client sends messages
// in the first k stages.
std::vector<LocalCost> local_costs(const Mechanism& mechanism, const std::vector<Stage>& stages) {
  std::vector<LocalCost> costs;
  double highest = 0;
  for (const Stage& stage : stages) {
    const double rate = message_rate(stage.participation).value();
    // Costs of one rate share their tables.
    costs.push_back(rate > highest ? LocalCost(mechanism, Rate::of(rate)) : costs.back());
    highest = numerics::larger(highest, rate);
  }
  return costs;
}

// Returns the stages that have rounds, or the first stage if none has.
std::vector<Stage> valid_stages(std::vector<Stage> stages) {
  if (stages.empty()) {
    throw Error(ErrorCode::plan, Reason::missing, "stages", "", "one stage or more", "is empty");
  }
  const Stage first = stages.front();
  for (const Stage& stage : stages) {
    if (std::string(name_of(stage.participation)) != name_of(first.participation)) {
      throw Error(ErrorCode::plan, Reason::contradiction, "stages", name_of(stage.participation),
                  name_of(first.participation), "is not the first stage's protocol");
    }
  }
  std::erase_if(stages, [](const Stage& stage) { return stage.rounds == 0; });
  return stages.empty() ? std::vector<Stage>{first} : stages;
}

}  // namespace

ScheduledAccountant::ScheduledAccountant(const Mechanism& mechanism, std::vector<Stage> stages)
    : mechanism_(mechanism),
      stages_(valid_stages(std::move(stages))),
      rounds_(total_rounds(stages_)),
      first_(mechanism, stages_.front().participation),
      composed_(charged(rounds_)),
      local_(local_costs(mechanism, stages_)) {}

std::string ScheduledAccountant::unamplified() const {
  std::string all;
  for (const std::string& text : uncovered_rounds(charged(rounds_))) all += (all.empty() ? "" : "; ") + text;
  return all;
}

std::vector<Stage> ScheduledAccountant::reached(std::uint64_t rounds) const {
  std::vector<Stage> stages;
  std::uint64_t left = rounds;
  for (const Stage& stage : stages_) {
    const std::uint64_t now = numerics::smaller(left, stage.rounds);
    if (now > 0) stages.push_back({stage.participation, now});
    left -= now;
  }
  if (left > 0) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "rounds", fmt::format("{}", rounds),
                fmt::format("at most {}", rounds_), "is more than all stages have");
  }
  return stages;
}

std::vector<ChargedRounds> ScheduledAccountant::charged(std::uint64_t rounds) const {
  std::vector<ChargedRounds> list;
  for (const Stage& stage : reached(rounds)) list.push_back({mechanism_, stage.participation, stage.rounds});
  return list;
}

Gate ScheduledAccountant::gate(std::uint64_t rounds, View view) const {
  std::vector<Participation> played;
  for (const Stage& stage : reached(rounds)) played.push_back(stage.participation);
  return {mechanism_, std::move(played), view};
}

const LocalCost& ScheduledAccountant::local(std::uint64_t rounds) const {
  const std::size_t stages = reached(rounds).size();
  return local_[stages == 0 ? 0 : stages - 1];
}

double ScheduledAccountant::checked_local(std::uint64_t rounds, const Question& question, View view) const {
  const double value = local(rounds).upper(rounds, question);
  gate(rounds, view).check("local-composition", rounds, question, value);
  return value;
}

Bound ScheduledAccountant::local_bound(std::uint64_t rounds, const Question& question, View view) const {
  const Stopwatch watch;
  Bound bound;
  bound.id = "local-composition";
  bound.validity = Validity::proven;
  bound.view = view;
  bound.assumptions = {kNoAmplification, "every round charged at the highest rate among them"};
  add_assumptions(mechanism_, bound.assumptions);
  bound.citation = "optimal composition, mixed over the number of participations; docs/theory/local.md";
  bound.upper = finite(checked_local(rounds, question, view));
  bound.lower = gate(rounds, view).floor(question);
  bound.seconds = watch.seconds();
  return bound;
}

ComposedRounds::Check ScheduledAccountant::check(std::uint64_t rounds, const Question& question) const {
  return [this, rounds, question](double upper, const std::function<double(double)>& delta_at) {
    gate(rounds, own()).check("different-rounds", rounds, question, upper, delta_at);
  };
}

Bound ScheduledAccountant::composed_bound(std::uint64_t rounds, const Question& question) const {
  return timed([&] {
    Bound bound;
    bound.id = "different-rounds";
    bound.validity = Validity::proven;
    bound.view = own();
    bound.citation = fmt::format(
        "each round's smallest proven bound, their dominating pairs composed over {} stages; "
        "docs/theory/composition.md",
        reached(rounds).size());
    bound.assumptions = {"the schedule is fixed in advance, or chosen without looking at the releases"};
    composed_.answer(bound, charged(rounds), question, check(rounds, question));
    return bound;
  });
}

Statement ScheduledAccountant::account(std::uint64_t rounds, const Question& question,
                                       std::optional<View> asked) const {
  if (only_first(rounds)) return first_.account(rounds, question, asked);
  const View view = asked.value_or(own());
  if (view != own() && view != View::shuffler_colludes) {
    throw Error(ErrorCode::uncovered, "view", name_of(view),
                fmt::format("{}, shuffler-colludes", name_of(own())),
                "a schedule is accounted for in the protocol's own view");
  }
  Statement statement{question, rounds, {}, std::nullopt, rounds, {}};
  if (view == own()) statement.all.push_back(composed_bound(rounds, question));
  statement.all.push_back(local_bound(rounds, question, view));
  statement.local_upper = statement.all.back().upper;
  sort_bounds(statement, lower_of(statement));
  return statement;
}

std::optional<double> ScheduledAccountant::upper(std::uint64_t rounds, const Question& question) const {
  if (only_first(rounds)) return first_.upper(rounds, question);
  const double local = checked_local(rounds, question, own());
  return finite(
      numerics::smaller(local, composed_.upper(charged(rounds), question, check(rounds, question))));
}

}  // namespace muster::accounting
