// `muster report RUN_DIR`: writes a web page about a training run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "command.h"
#include "muster/accounting/accountant.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/reporting/json.h"
#include "muster/reporting/report_html.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/stated_epsilon.h"
#include "muster/reporting/watched_run.h"
#include "muster/simulation/runs/plan_file.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/runs/run_record.h"
#include "muster/simulation/setup.h"
#include "say.h"

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

// Returns the proven epsilon if every client reported at this rate, or nullopt if no theorem bounds it.
// Epsilon is 0 at rate 0, where nothing leaves any client.
std::optional<double> epsilon_at(const protocols::Plan& plan, double rate, std::uint64_t rounds) {
  if (rate <= 0) {
    return 0;
  }
  const Accountant accountant(plan.mechanism(),
                              protocols::at_rate(plan.participation(), Rate::of(std::min(1.0, rate))));
  try {
    return accountant.upper(rounds, {Question::Kind::epsilon_at_delta, plan.delta().value()});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::uncovered) {
      throw;
    }
    // No theorem covers the plan's protocol at this rate; that happens at rate 1, for example.
    return std::nullopt;
  }
}

reporting::ReportParts parts_of(const simulation::RunRecord& run, const reporting::WatchedRun& watched,
                                std::uint64_t larger) {
  reporting::ReportParts parts{run, watched, larger, std::nullopt, std::nullopt, std::nullopt};
  const std::uint64_t rounds = run.logged.empty() ? 0 : run.logged.back().round;
  if (rounds > 0) {
    const protocols::Plan& plan = run.plan;
    parts.statement = reporting::statement_of(plan, rounds);
    if (const auto estimate = watched.monitor.estimate()) {
      parts.epsilon_at_low = epsilon_at(plan, estimate->low, rounds);
      parts.epsilon_at_high = epsilon_at(plan, estimate->high, rounds);
    }
  }
  return parts;
}

// Throws Error(file) unless `out` may be written: only a page of an earlier report may be replaced, and in
// the folder of a run no file may be created under a name that runs use.
void refuse_what_is_no_report(const fs::path& out) {
  std::error_code failure;
  const fs::path folder = out.parent_path();
  if (simulation::RunFolder::is_own_name(out.filename()) &&
      fs::exists(folder / simulation::kPlanFile, failure)) {
    throw Error(ErrorCode::file, out.string(), "", "a name that no run uses, such as report.html",
                "is a file of the run in this folder, and no place for a page");
  }
  if (fs::is_regular_file(out, failure) && !reporting::is_report(read_file(out))) {
    throw Error(ErrorCode::file, out.string(), "", "a new file, or a page that muster report made",
                "exists and is no report of muster: it stays as it is");
  }
}

// Replaces the epsilon of every logged round and of the result by what this version computes. Returns how
// many of the values in the run's files were larger.
std::uint64_t restate(simulation::RunRecord& run) {
  const reporting::EpsilonOfRounds epsilon = simulation::epsilon_of(run.plan);
  std::uint64_t larger =
      reporting::restate(run.plan, epsilon, run.folder / simulation::kMetricsFile, run.logged, say);
  if (run.result) {
    larger += reporting::restate(run.plan, epsilon, run.folder / simulation::kResultFile, *run.result);
  }
  return larger;
}

int report(const ReportFlags& flags) {
  if (flags.named->count() == 0) {
    throw Error(ErrorCode::usage, Reason::missing, "RUN_DIR", "", "the folder of a run",
                "is missing: report needs the folder of a run, such as runs/quickstart");
  }
  simulation::RunRecord run = simulation::read_run(flags.folder);
  const fs::path out = flags.out.empty() ? run.folder / "report.html" : fs::path(flags.out);
  refuse_what_is_no_report(out);
  const reporting::WatchedRun watched =
      reporting::watch(run.plan, run.logged, run.folder / simulation::kMetricsFile);
  const std::uint64_t larger = restate(run);
  replace_file(out, reporting::report_html(parts_of(run, watched, larger)));
  const auto& alarm = watched.monitor.alarm();
  if (flags.json) {
    fmt::print("{}\n", reporting::JsonObject()
                           .text("out", out.string())
                           .flag("finished", run.result.has_value())
                           .unsigned_integer("logged", run.logged.size())
                           .text("check_ins", !watched.monitor.blind().empty() ? "not watched"
                                              : alarm                          ? name_of(alarm->direction)
                                                                               : "as declared")
                           .unsigned_integer("restated", larger)
                           .str());
  } else {
    fmt::print("{}\n", out.string());
  }
  if (!run.result) {
    say("this run is not finished; the report says how far it had got");
  }
  if (larger > 0) {
    say(reporting::larger_note(larger));
  }
  if (alarm) {
    say(fmt::format("check-ins: {}: {}", name_of(alarm->direction), alarm->reason));
  }
  return 0;
}

}  // namespace

Subcommand report_command(CLI::App& root) {
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
