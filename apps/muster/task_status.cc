#include "task_status.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <variant>

#include "deployment_text.h"
#include "muster/describe/participation.h"
#include "muster/reporting/text_layout.h"
#include "muster/service/task/planned_rounds.h"
#include "muster/theorems/local/local.h"
#include "muster/wire/hex.h"
#include "muster/wire/manifest.h"

namespace muster::app {
namespace {

using accounting::Question;
using reporting::StandingRound;
using reporting::TaskStanding;
using service::EndEntry;
using service::Ledger;

reporting::NamedCounts uploads_of(const std::array<std::uint64_t, wire::kRejectReasons>& uploads) {
  reporting::NamedCounts counts;
  for (std::size_t i = 0; i < uploads.size(); ++i) {
    counts.emplace_back(name_of(static_cast<wire::Rejected>(i)), uploads[i]);
  }
  return counts;
}

reporting::NamedCounts reports_of(const service::ReportCounts& reports) {
  return {{"sealed", reports.sealed},
          {"length", reports.length},
          {"sign", reports.sign},
          {"range", reports.range},
          {"padding", reports.padding}};
}

}  // namespace

std::string state_name(service::Progress::State state, const Ledger& ledger) {
  using State = service::Progress::State;
  if (ledger.ended()) {
    const auto why = std::get<EndEntry>(ledger.entries().back()).why;
    return why == EndEntry::Why::done || why == EndEntry::Why::budget ? name_of(why) : "stopped";
  }
  return state == State::open ? "open" : state == State::closing ? "closing" : "waiting";
}

TaskStatus::TaskStatus(const service::TaskDocument& task)
    : task_(task), accountant_(task.plan().mechanism(), task.plan().stages()) {
  const Delta delta = Delta::of(task.plan().delta().value());
  planned_ = service::planned_rounds(
      task.plan(), [&](std::uint64_t rounds) { return accountant_.epsilon_upper(rounds, delta); });
}

const accounting::Statement& TaskStatus::statement(std::uint64_t rounds) {
  const auto found = statements_.find(rounds);
  if (found != statements_.end()) return found->second;
  // At any time, the statements for the planned, the charged and the opened rounds are needed, and few
  // others.
  if (statements_.size() > 8) statements_.clear();
  const Question question{Question::Kind::epsilon_at_delta, task_.plan().delta().value()};
  return statements_.emplace(rounds, accountant_.account(rounds, question)).first->second;
}

double TaskStatus::local(std::uint64_t opened) {
  const auto found = locals_.find(opened);
  if (found != locals_.end()) return found->second;
  const protocols::Plan& plan = task_.plan();
  const double epsilon = accounting::local_upper(plan.mechanism(), message_rate(plan.participation()), opened,
                                                 {Question::Kind::epsilon_at_delta, plan.delta().value()});
  return locals_.emplace(opened, epsilon).first->second;
}

StandingRound TaskStatus::standing_round(const service::PastRound& past) {
  StandingRound round{.round = past.round,
                      .outcome = past.outcome,
                      .reason = past.reason,
                      .epsilon = past.epsilon,
                      .local = local(past.opened)};
  if (const auto& manifest = past.manifest) {
    round.counted = {.heard = manifest->heard,
                     .check_ins = manifest->reports,
                     .band = past.band,
                     .rejected = uploads_of(manifest->rejected)};
  }
  return round;
}

TaskStanding TaskStatus::standing(const Ledger& ledger, const service::RoundHistory& history,
                                  const Situation& now) {
  const Ledger::Counts& counts = ledger.counts();
  const accounting::Statement planned = statement(planned_), charged = statement(counts.charged()),
                              opened = statement(counts.opened);
  TaskStanding standing{.name = task_.plan().name(),
                        .task = wire::hex_of(task_.name()),
                        .plan = task_.plan().hash(),
                        .state = now.state,
                        .reason = now.reason,
                        .is_over = ledger.ended(),
                        .is_seeded = task_.settings().randomness == service::Randomness::seeded,
                        .seconds = task_.settings().seconds,
                        .rounds = {counts.released, counts.spent, counts.voided, counts.opened, planned_,
                                   task_.settings().most_rounds},
                        .epsilon_upper = charged.best.upper,
                        .epsilon_lower = charged.best.lower,
                        .epsilon_planned = planned.best.upper,
                        .local = opened.local_upper,
                        .local_rounds = opened.local_rounds,
                        .delta = task_.plan().delta().value(),
                        .validity = name_of(accounting::Accountant::kValidity),
                        .neighbouring = name_of(accounting::Accountant::kNeighbouring),
                        .view = name_of(accounting::own_view(task_.plan().participation())),
                        .bound = planned.best.id,
                        .assumptions = planned.best.assumptions,
                        .population = now.population,
                        .needed = task_.needed(),
                        .enrolled = now.enrolled,
                        .uploads = uploads_of(now.rejected.uploads),
                        .reports = reports_of(now.rejected.reports)};
  for (const service::PastRound& past : history.rounds()) {
    standing.past.push_back(standing_round(past));
    const auto measured = now.accuracies.find(past.round);
    if (measured != now.accuracies.end()) standing.past.back().accuracy = measured->second;
  }
  if (const auto& alarm = history.check_ins().alarm()) standing.alarm = alarm->reason;
  return standing;
}

std::string TaskStatus::words(const TaskStanding& now) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::string text;
  const auto line = [&](const char* label, const std::string& what) { text += labelled(label, what); };
  line("task", now.task);
  line("state", fmt::format("{}: {}", now.state, now.reason));
  line("rounds",
       counts_text({now.rounds.opened, now.rounds.released, now.rounds.spent, now.rounds.voided}, task_));
  line("epsilon", guarantee_text(now.epsilon_upper.value_or(kNone), task_.plan()));
  line("local", local_text(now.local.value_or(kNone), now.rounds.opened, task_.plan()));
  if (const auto accuracy = now.accuracy())
    line("accuracy", fmt::format("{:.4f} on the test set", *accuracy));
  if (const StandingRound* last = now.last()) {
    const auto& counted = *last->counted;
    line("last",
         fmt::format("round {}: {}", last->round,
                     heard_text(counted.heard, now.needed,
                                last->shows_check_ins() ? std::optional(counted.check_ins) : std::nullopt)));
  }
  if (now.alarm) line("alarm", *now.alarm);
  if (now.is_seeded) line("warning", kSeededWarning);
  return text;
}

}  // namespace muster::app
