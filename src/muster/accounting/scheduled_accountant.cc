#include "muster/accounting/scheduled_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "muster/accounting/constant_accountant.h"
#include "muster/accounting/running_accountant.h"
#include "muster/accounting/theorems/applicable.h"
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

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

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

}  // namespace

ScheduledAccountant::ScheduledAccountant(const Mechanism& mechanism, std::vector<Stage> stages)
    : mechanism_(mechanism), stages_(std::move(stages)) {
  if (stages_.empty()) {
    throw Error(ErrorCode::internal, "stages", "", "at least one", "nothing to account for");
  }
  for (const Stage& stage : stages_) {
    validate(stage.participation);
    if (std::string(name_of(stage.participation)) != name_of(stages_.front().participation)) {
      throw Error(ErrorCode::internal, "stages", name_of(stage.participation),
                  name_of(stages_.front().participation), "stages of different protocols");
    }
    rounds_ += stage.rounds;
  }
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
    throw Error(ErrorCode::internal, "rounds", fmt::format("{}", rounds), fmt::format("at most {}", rounds_),
                "beyond the schedule");
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

Bound ScheduledAccountant::local_bound(std::uint64_t rounds, const Question& question, View view) const {
  const Stopwatch watch;
  const Rate highest = highest_rate(reached(rounds));
  Bound bound;
  bound.id = "local-composition";
  bound.view = view;
  bound.assumptions = {"no amplification: holds even if the shuffler colludes with the aggregator",
                       "every round charged at the schedule's highest rate"};
  add_assumptions(mechanism_, bound.assumptions);
  bound.citation = "optimal composition, mixed over the number of participations; docs/theory/local.md";
  const double value = question.asks_epsilon()
                           ? local_epsilon_upper(mechanism_, highest, rounds, question.fixed)
                           : local_delta_upper(mechanism_, highest, rounds, question.fixed);
  gate(rounds, view).check(bound.id, rounds, question, value);
  bound.upper = finite(value);
  bound.seconds = watch.seconds();
  return bound;
}

Bound ScheduledAccountant::composed_bound(std::uint64_t rounds, const Question& question, View view) const {
  const Stopwatch watch;
  const std::lock_guard lock(mutex_);
  double made_for = question.asks_epsilon() ? question.fixed : kFirstDelta;
  const RunningAccountant* account = &charged(rounds, Delta::of(made_for));
  Bound bound;
  bound.id = "different-rounds";
  bound.view = view;
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
  numerics::Enclosure answer = question.asks_epsilon() ? account->epsilon() : account->delta(question.fixed);
  for (int i = 0; i < kDeeper && !question.asks_epsilon() && answer.upper > 0 && answer.upper < made_for;
       ++i) {
    made_for = answer.upper;
    account = &charged(rounds, Delta::of(made_for));
    const numerics::Enclosure deeper = account->delta(question.fixed);
    answer = {numerics::larger(answer.lower, deeper.lower), numerics::smaller(answer.upper, deeper.upper)};
  }
  gate(rounds, view).check(bound.id, rounds, question, answer.upper, [&](double epsilon) {
    return account->delta_upper(epsilon);
  });
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
  if (rounds <= stages_.front().rounds) {
    return ConstantAccountant(mechanism_, stages_.front().participation).account(rounds, question, asked);
  }
  const View view = asked.value_or(own());
  if (view != own() && view != View::shuffler_colludes) {
    throw Error(ErrorCode::uncovered, "view", name_of(view),
                fmt::format("{}, shuffler-colludes", name_of(own())),
                "a schedule is accounted for in the protocol's own view");
  }
  Statement statement{question, rounds, {}, std::nullopt, rounds, {}};
  statement.all.push_back(local_bound(rounds, question, view));
  statement.local = statement.all.front().upper;
  statement.all.front().lower = gate(rounds, view).floor(question);
  if (view == own()) {
    statement.all.push_back(composed_bound(rounds, question, view));
    const double lower =
        numerics::larger(statement.all.front().lower.value_or(0), *statement.all.back().lower);
    for (Bound& bound : statement.all) bound.lower = lower;
    const auto [local, composed] = std::pair(statement.all[0].upper, statement.all[1].upper);
    if (composed && (!local || *composed <= *local)) std::swap(statement.all[0], statement.all[1]);
  }
  statement.best = statement.all.front();
  return statement;
}

std::optional<double> ScheduledAccountant::upper(std::uint64_t rounds, const Question& question) const {
  return question.asks_epsilon() ? finite(epsilon_upper(rounds, Delta::of(question.fixed)))
                                 : account(rounds, question, std::nullopt).best.upper;
}

double ScheduledAccountant::epsilon_upper(std::uint64_t rounds, Delta delta) const {
  if (rounds == 0) return 0;
  const Gate gate = this->gate(rounds, own());
  const Question question{Question::Kind::epsilon_at_delta, delta.value()};
  const double local = local_epsilon_upper(mechanism_, highest_rate(stages_), rounds, delta.value());
  gate.check("local-composition", rounds, question, local);
  const std::lock_guard lock(mutex_);
  const RunningAccountant& account = charged(rounds, delta);
  const double composed = account.epsilon().upper;
  gate.check("different-rounds", rounds, question, composed,
             [&](double epsilon) { return account.delta_upper(epsilon); });
  return numerics::smaller(local, composed);
}

}  // namespace muster::accounting
