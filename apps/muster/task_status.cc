#include "task_status.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <variant>

#include "deployment_text.h"
#include "muster/core/number_text.h"
#include "muster/reporting/text_layout.h"
#include "muster/service/task/planned_rounds.h"
#include "muster/wire/hex.h"
#include "muster/wire/manifest.h"

namespace muster::app {
namespace {

using accounting::Question;
using reporting::JsonObject;
using service::EndEntry;
using service::Ledger;

constexpr std::array<const char*, wire::kRejectReasons> kUploadReasons = {"length", "version",  "layer",
                                                                          "token",  "repeated", "late"};

// The shuffler's word about the round that ended last, with its name in `outcome`.
std::optional<wire::Manifest> last_manifest(const Ledger& ledger, const wire::IdentityKey& shuffler) {
  std::optional<wire::Manifest> last;
  for (auto entry = ledger.entries().rbegin(); entry != ledger.entries().rend() && !last; ++entry) {
    if (const auto* released = std::get_if<service::ReleaseEntry>(&*entry)) {
      last = wire::read_manifest(released->manifest, shuffler);
    } else if (const auto* spent = std::get_if<service::SpentEntry>(&*entry)) {
      last = wire::read_manifest(spent->manifest, shuffler);
    } else if (const auto* voided = std::get_if<service::VoidEntry>(&*entry)) {
      last = wire::read_manifest(voided->manifest, shuffler);
    }
  }
  return last;
}

std::string number_json(const std::optional<std::uint64_t>& number) {
  return number ? fmt::format("{}", *number) : "null";
}

JsonObject uploads_json(const std::array<std::uint64_t, wire::kRejectReasons>& uploads) {
  JsonObject object;
  for (std::size_t i = 0; i < uploads.size(); ++i) object.unsigned_integer(kUploadReasons[i], uploads[i]);
  return object;
}

JsonObject reports_json(const service::ReportCounts& reports) {
  return JsonObject()
      .unsigned_integer("sealed", reports.sealed)
      .unsigned_integer("length", reports.length)
      .unsigned_integer("sign", reports.sign)
      .unsigned_integer("range", reports.range)
      .unsigned_integer("padding", reports.padding);
}

JsonObject last_json(const wire::Manifest& manifest, std::uint64_t needed, const Situation& now) {
  JsonObject object;
  object.unsigned_integer("round", manifest.round)
      .unsigned_integer("heard", manifest.heard)
      .unsigned_integer("needed", needed)
      .raw("enrolled", number_json(now.enrolled))
      .unsigned_integer("check_ins", manifest.reports);
  // A void round is not compared with the declared rate: nobody knows how many of its uploads were reports.
  const bool released = manifest.outcome == wire::Manifest::Outcome::released;
  const auto& band = now.check_ins.last_band();
  object.raw("band", released && band ? fmt::format("[{},{}]", band->low, band->high) : "null");
  return object.object("rejected", uploads_json(manifest.rejected));
}

JsonObject amount_json(const service::PopulationBudget::Amount& amount) {
  return JsonObject().number("epsilon", amount.epsilon).number("delta", amount.delta);
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
  // Those of the planned rounds, of the charged ones and of the opened ones are needed at a time.
  if (statements_.size() > 8) statements_.clear();
  const Question question{Question::Kind::epsilon_at_delta, task_.plan().delta().value()};
  return statements_.emplace(rounds, accountant_.account(rounds, question)).first->second;
}

JsonObject TaskStatus::json(const Ledger& ledger, const Situation& now) {
  const Ledger::Counts& counts = ledger.counts();
  const accounting::Statement planned = statement(planned_), charged = statement(counts.charged()),
                              opened = statement(counts.opened);
  JsonObject object;
  object.text("task", wire::hex_of(task_.name()))
      .text("plan", task_.plan().hash())
      .text("state", now.state)
      .text("reason", now.reason)
      .object("rounds", counts_json(counts)
                            .unsigned_integer("planned", planned_)
                            .unsigned_integer("most", task_.settings().most_rounds))
      .object("epsilon", JsonObject().number("upper", charged.best.upper).number("lower", charged.best.lower))
      .number("epsilon_planned", planned.best.upper);
  add_guarantee(object, task_.plan());
  object.text("bound", planned.best.id)
      .object("local", JsonObject()
                           .number("epsilon", opened.local_upper)
                           .number("delta", task_.plan().delta())
                           .unsigned_integer("rounds", opened.local_rounds));
  if (now.population) {
    object.object(
        "population",
        amount_json(now.population->reserved).object("budget", amount_json(now.population->budget)));
  } else {
    object.raw("population", "null");
  }
  object.texts("assumptions", planned.best.assumptions).number("accuracy", now.accuracy);
  if (const auto manifest = last_manifest(ledger, task_.settings().shuffler)) {
    object.object("last", last_json(*manifest, task_.needed(), now));
  } else {
    object.raw("last", "null");
  }
  object.object("rejected", JsonObject()
                                .object("uploads", uploads_json(now.rejected.uploads))
                                .object("reports", reports_json(now.rejected.reports)));
  if (const auto& alarm = now.check_ins.alarm()) return object.text("alarm", alarm->reason);
  return object.raw("alarm", "null");
}

std::string TaskStatus::words(const Ledger& ledger, const Situation& now) {
  const Ledger::Counts& counts = ledger.counts();
  const double local = statement(counts.opened).local_upper.value_or(std::numeric_limits<double>::infinity());
  std::string text;
  const auto line = [&](const char* name, const std::string& what) {
    text += reporting::wrapped(what, fmt::format("{:<10}", name), std::string(10, ' '));
  };
  line("task", wire::hex_of(task_.name()));
  line("state", fmt::format("{}: {}", now.state, now.reason));
  line("rounds", counts_text(counts, task_));
  line("epsilon", guarantee_text(ledger.epsilon(), task_.plan()));
  line("local", local_text(local, counts.opened, task_.plan()));
  if (now.accuracy) line("accuracy", fmt::format("{:.4f} on the test set", *now.accuracy));
  if (const auto manifest = last_manifest(ledger, task_.settings().shuffler)) {
    line("last", fmt::format("round {}: {} devices were heard, {} are needed, {} checked in", manifest->round,
                             manifest->heard, task_.needed(), manifest->reports));
  }
  if (const auto& alarm = now.check_ins.alarm()) line("alarm", alarm->reason);
  if (task_.settings().randomness == service::Randomness::seeded) line("warning", kSeededWarning);
  return text;
}

}  // namespace muster::app
