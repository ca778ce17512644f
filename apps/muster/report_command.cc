// `muster report RUN_DIR`: what a training run did, learned and cost, as one web page.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "command.h"
#include "json.h"
#include "muster/accounting/accountant.h"
#include "muster/accounting/scheduled_accountant.h"
#include "muster/core/error.h"
#include "muster/simulation/atomic_file.h"
#include "report_html.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using accounting::Accountant;
using accounting::Question;

struct ReportFlags {
  CLI::Option* named = nullptr;
  std::string folder;
  std::string out;
  bool json = false;
};

// The proven epsilon if every client reported at this rate; of a rate of 0 nothing leaves any client.
std::optional<double> epsilon_at(const protocols::Plan& plan, double rate, std::uint64_t rounds) {
  if (rate <= 0) {
    return 0;
  }
  const Accountant accountant(plan.mechanism(),
                              protocols::at_rate(plan.participation(), Rate::of(std::min(1.0, rate))));
  try {
    return accountant.upper(rounds, {Question::Kind::epsilon_at_delta, plan.delta.value()});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::uncovered) {
      throw;
    }
    return std::nullopt;  // rates that the plan's protocol has no theorem for, such as 1
  }
}

accounting::Statement statement_of(const protocols::Plan& plan, std::uint64_t rounds) {
  const Question question{Question::Kind::epsilon_at_delta, plan.delta.value()};
  std::vector<accounting::Stage> stages;
  std::uint64_t left = rounds;
  for (accounting::Stage stage : plan.stages()) {
    stage.rounds = std::min(stage.rounds, left);
    left -= stage.rounds;
    if (stage.rounds > 0) {
      stages.push_back(stage);
    }
  }
  return stages.size() == 1
             ? Accountant(plan.mechanism(), stages.front().participation).account(rounds, question)
             : accounting::ScheduledAccountant(plan.mechanism(), stages).account(question);
}

ReportParts parts_of(const RunRecord& run, const WatchedRun& watched) {
  ReportParts parts{run, watched, std::nullopt, std::nullopt, std::nullopt};
  const std::uint64_t rounds = run.logged.empty() ? 0 : run.logged.back().round;
  if (rounds > 0) {
    const protocols::Plan& plan = run.plan;
    parts.statement = statement_of(plan, rounds);
    if (const auto estimate = watched.monitor.estimate()) {
      parts.epsilon_at_low = epsilon_at(plan, estimate->low, rounds);
      parts.epsilon_at_high = epsilon_at(plan, estimate->high, rounds);
    }
  }
  return parts;
}

int report(const ReportFlags& flags) {
  if (flags.named->count() == 0) {
    throw Error(ErrorCode::usage, "RUN_DIR", "", "the folder of a run", "report needs a run");
  }
  const RunRecord run = read_run(flags.folder);
  const WatchedRun watched = watch(run.plan, run.logged, run.folder / "metrics.jsonl");
  const fs::path out = flags.out.empty() ? run.folder / "report.html" : fs::path(flags.out);
  simulation::replace_file(out, report_html(parts_of(run, watched)));
  const auto& alarm = watched.monitor.alarm();
  if (flags.json) {
    fmt::print("{}\n", JsonObject()
                           .text("out", out.string())
                           .flag("finished", run.outcome.has_value())
                           .unsigned_integer("logged", run.logged.size())
                           .text("check_ins", !watched.monitor.blind().empty() ? "not watched"
                                              : alarm                          ? name_of(alarm->direction)
                                                                               : "as declared")
                           .str());
  } else {
    fmt::print("{}\n", out.string());
  }
  if (!run.outcome) {
    fmt::print(stderr, "muster: this run is not finished; the report says how far it had got\n");
  }
  if (alarm) {
    fmt::print(stderr, "muster: check-ins: {}: {}\n", name_of(alarm->direction), alarm->reason);
  }
  return 0;
}

}  // namespace

Command report_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "report", "Make a web page of a training run",
                                 "muster report runs/quickstart --out quickstart.html");
  auto flags = std::make_shared<ReportFlags>();
  flags->named =
      cli->add_option("RUN_DIR", flags->folder, "the folder of a run, finished or not")->type_name("DIR");
  cli->add_option("--out", flags->out, "the page [RUN_DIR/report.html]")->type_name("FILE");
  cli->add_flag("--json", flags->json, "print one JSON line instead of the page's path");
  return {cli, [flags] { return report(*flags); }};
}

}  // namespace muster::app
