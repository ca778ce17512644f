#include "muster/accounting/scheduled_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "muster/accounting/running_accountant.h"
#include "muster/accounting/sorted_bounds.h"
#include "muster/accounting/theorems/applicable.h"
#include "muster/accounting/theorems/entry.h"
#include "muster/accounting/theorems/local/local.h"
#include "muster/accounting/timed.h"
#include "muster/core/error.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

// If delta is asked for: the delta that the first tables are made for (mass beyond is charged as infinite
// loss), and how often tables are made again for the delta that was found.
constexpr double kFirstDelta = 1e-12;
constexpr int kDeeper = 4;

// The largest rate at which a client sends messages.
Rate highest_rate(const std::vector<Stage>& stages) {
  double highest = 0;
  for (const Stage& stage : stages) {
    highest = numerics::larger(highest, message_rate(stage.participation).value());
  }
  return Rate::of(highest);
}

void add_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(text);
  }
}

// The stages that have rounds; if none has, the first.
std::vector<Stage> valid_stages(std::vector<Stage> stages) {
  if (stages.empty()) {
    throw Error(ErrorCode::plan, "stages", "", "one stage or more", "is empty");
  }
  const Stage first = stages.front();
  for (const Stage& stage : stages) {
    validate(stage.participation);
    if (std::string(name_of(stage.participation)) != name_of(first.participation)) {
      throw Error(ErrorCode::plan, "stages", name_of(stage.participation), name_of(first.participation),
                  "is not the first stage's protocol");
    }
  }
  std::erase_if(stages, [](const Stage& stage) { return stage.rounds == 0; });
  return stages.empty() ? std::vector<Stage>{first} : stages;
}

}  // namespace

ScheduledAccountant::ScheduledAccountant(const Mechanism& mechanism, std::vector<Stage> stages)
    : mechanism_(mechanism),
      stages_(valid_stages(std::move(stages))),
      first_(mechanism, stages_.front().participation) {
  rounds_ = total_rounds(stages_);
}

ScheduledAccountant::~ScheduledAccountant() = default;

std::vector<Stage> ScheduledAccountant::reached(std::uint64_t rounds) const {
  std::vector<Stage> stages;
  std::uint64_t left = rounds;
  for (const Stage& stage : stages_) {
    const std::uint64_t now = numerics::smaller(left, stage.rounds);
    if (now > 0) stages.push_back({stage.participation, now});
    left -= now;
  }
  if (left > 0) {
    throw Error(ErrorCode::plan, "rounds", fmt::format("{}", rounds), fmt::format("at most {}", rounds_),
                "is more than all stages have");
  }
  return stages;
}

RunningAccountant& ScheduledAccountant::charged(std::uint64_t rounds, Delta delta) const {
  if (running_ == nullptr || delta_ != delta.value()) {
    running_ = std::make_unique<RunningAccountant>(delta);
    delta_ = delta.value();
  }
  running_->restart();
  for (const Stage& stage : reached(rounds)) {
    running_->charge(mechanism_, stage.participation, stage.rounds);
  }
  return *running_;
}

Gate ScheduledAccountant::gate(std::uint64_t rounds, View view) const {
  std::vector<Participation> played;
  for (const Stage& stage : reached(rounds)) played.push_back(stage.participation);
  return {mechanism_, std::move(played), view};
}

double ScheduledAccountant::checked_local(std::uint64_t rounds, const Question& question, View view) const {
  const double value = local_upper(mechanism_, highest_rate(reached(rounds)), rounds, question);
  gate(rounds, view).check("local-composition", rounds, question, value);
  return value;
}

Bound ScheduledAccountant::local_bound(std::uint64_t rounds, const Question& question, View view) const {
  const Stopwatch watch;
  Bound bound;
  bound.id = "local-composition";
  bound.view = view;
  bound.assumptions = {kNoAmplification, "every round charged at the highest rate among them"};
  add_assumptions(mechanism_, bound.assumptions);
  bound.citation = "optimal composition, mixed over the number of participations; docs/theory/local.md";
  bound.upper = finite(checked_local(rounds, question, view));
  bound.lower = gate(rounds, view).floor(question);
  bound.seconds = watch.seconds();
  return bound;
}

std::pair<numerics::Enclosure, const RunningAccountant*> ScheduledAccountant::composed(
    std::uint64_t rounds, const Question& question) const {
  double made_for = question.asks_epsilon() ? question.fixed : kFirstDelta;
  const RunningAccountant* account = &charged(rounds, Delta::of(made_for));
  numerics::Enclosure answer = question.asks_epsilon() ? account->epsilon() : account->delta(question.fixed);
  for (int i = 0; i < kDeeper && !question.asks_epsilon() && answer.upper > 0 && answer.upper < made_for;
       ++i) {
    made_for = answer.upper;
    account = &charged(rounds, Delta::of(made_for));
    const numerics::Enclosure deeper = account->delta(question.fixed);
    answer = {numerics::larger(answer.lower, deeper.lower), numerics::smaller(answer.upper, deeper.upper)};
  }
  gate(rounds, own()).check("different-rounds", rounds, question, answer.upper, [&](double epsilon) {
    return account->delta_upper(epsilon);
  });
  return {answer, account};
}

Bound ScheduledAccountant::composed_bound(std::uint64_t rounds, const Question& question) const {
  const Stopwatch watch;
  Bound bound;
  bound.id = "different-rounds";
  bound.view = own();
  const std::vector<Stage> stages = reached(rounds);
  bound.citation = fmt::format(
      "each round's smallest proven bound, their dominating pairs composed over {} stages; "
      "docs/theory/composition.md",
      stages.size());
  bound.assumptions = {"the schedule is fixed in advance, or chosen without looking at the releases"};
  for (const Stage& stage : stages) {
    for (const RoundBound& upper : applicable(mechanism_, stage.participation).uppers) {
      if (upper.validity == Validity::proven && !upper.is_dominated)
        add_new(bound.assumptions, upper.assumptions);
    }
  }
  const std::lock_guard lock(mutex_);
  const auto [answer, account] = composed(rounds, question);
  bound.upper = finite(answer.upper);
  bound.lower = answer.lower;
  if (bound.upper) {
    const double below =
        question.asks_epsilon() ? account->epsilon_from_below() : account->delta_from_below(question.fixed);
    bound.numerical_error = numerics::larger(0.0, *bound.upper - numerics::larger(below, answer.lower));
  }
  bound.seconds = watch.seconds();
  return bound;
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
  statement.local = statement.all.back().upper;
  sort_bounds(statement, lower_of(statement));
  return statement;
}

std::optional<double> ScheduledAccountant::upper(std::uint64_t rounds, const Question& question) const {
  if (only_first(rounds)) return first_.upper(rounds, question);
  const double local = checked_local(rounds, question, own());
  const std::lock_guard lock(mutex_);
  return finite(numerics::smaller(local, composed(rounds, question).first.upper));
}

}  // namespace muster::accounting
