// `muster report RUN_DIR...`: writes a web page about a training run, or one that compares several, and a
// picture.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.h"
#include "muster/accounting/accountant.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/experiments/charges.h"
#include "muster/reporting/compared_runs.h"
#include "muster/reporting/json.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/report_html.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/runs_charts.h"
#include "muster/reporting/runs_html.h"
#include "muster/reporting/stated_epsilon.h"
#include "muster/reporting/watched_run.h"
#include "muster/simulation/runs/plan_file.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/runs/run_record.h"
#include "say.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using accounting::Accountant;
using accounting::Question;

struct ReportFlags {
  std::vector<std::string> folders;
  std::string out;
  std::string svg;
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

// A run as it is shown: with the epsilons that are proven today.
struct ShownRun {
  simulation::RunRecord record;
  reporting::WatchedRun watched;
  std::uint64_t larger;  // how many of the epsilons in the run's files are larger
};

reporting::ReportParts parts_of(const ShownRun& shown) {
  const simulation::RunRecord& run = shown.record;
  reporting::ReportParts parts{run, shown.watched, shown.larger, std::nullopt, std::nullopt, std::nullopt};
  const std::uint64_t rounds = run.logged.empty() ? 0 : run.logged.back().round;
  if (rounds > 0) {
    const protocols::Plan& plan = run.plan;
    parts.statement = reporting::statement_of(plan, rounds);
    if (const auto estimate = shown.watched.monitor.estimate()) {
      parts.epsilon_at_low = epsilon_at(plan, estimate->low, rounds);
      parts.epsilon_at_high = epsilon_at(plan, estimate->high, rounds);
    }
  }
  return parts;
}

// Throws Error(usage) unless there are 1 to kMostRuns folders and none is named twice, however it is written.
void require_different_folders(const std::vector<std::string>& folders) {
  if (folders.empty()) {
    throw Error(ErrorCode::usage, Reason::missing, "RUN_DIR", "", "the folder of a run",
                "is missing: report needs the folder of a run, such as runs/quickstart");
  }
  if (folders.size() > reporting::kMostRuns) {
    throw Error(ErrorCode::usage, Reason::out_of_range, "RUN_DIR", folders[reporting::kMostRuns],
                fmt::format("1 to {} folders", reporting::kMostRuns), "is one folder too many to compare");
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code failure;  // a folder that does not exist is refused when it is read
      if (folders[i] == folders[j] || fs::equivalent(folders[i], folders[j], failure)) {
        throw Error(ErrorCode::usage, Reason::contradiction, "RUN_DIR", folders[i], "each run once",
                    folders[i] == folders[j] ? "is named twice"
                                             : fmt::format("is the same folder as {}", folders[j]));
      }
    }
  }
}

// The files to write; an empty path stands for none.
struct Outputs {
  fs::path page;
  fs::path picture;
};

// Throws Error(file) unless `out` may be written: only what `is_ours` recognises may be replaced, and in the
// folder of a run no file may be created under a name that runs use. `kind` is "page" or "picture".
void refuse_what_is_not_ours(const fs::path& out, const char* kind, bool (*is_ours)(std::string_view)) {
  std::error_code failure;
  const fs::path folder = out.parent_path();
  if (simulation::RunFolder::is_own_name(out.filename()) &&
      fs::exists(folder / simulation::kPlanFile, failure)) {
    throw Error(ErrorCode::file, out.string(), "", "a name that no run uses, such as report.html",
                fmt::format("is a file of the run in this folder, and no place for a {}", kind));
  }
  if (fs::is_regular_file(out, failure) && !is_ours(read_file(out))) {
    throw Error(ErrorCode::file, out.string(), "",
                fmt::format("a new file, or a {} that muster report made", kind),
                fmt::format("exists and is no {} of muster report: it stays as it is", kind));
  }
}

// Returns what to write. Throws Error(usage) if that is unclear, and Error(file) if a file would be
// overwritten that is no earlier page or picture.
Outputs outputs_of(const ReportFlags& flags) {
  Outputs outputs{flags.out, flags.svg};
  if (flags.out.empty() && flags.svg.empty()) {
    if (flags.folders.size() > 1) {
      throw Error(ErrorCode::usage, Reason::missing, "--out", "", "a file, such as runs.html",
                  "is missing: a page of several runs has no folder of its own to go to");
    }
    outputs.page = fs::path(flags.folders.front()) / "report.html";
  }
  const auto whole = [](const fs::path& path) {
    std::error_code failure;  // a path that cannot be resolved is refused when it is written
    const fs::path found = fs::weakly_canonical(fs::absolute(path, failure), failure);
    return failure ? path : found;
  };
  if (!outputs.page.empty() && !outputs.picture.empty() && whole(outputs.page) == whole(outputs.picture)) {
    throw Error(ErrorCode::usage, Reason::contradiction, "--svg", flags.svg, "another file than --out",
                "is where the page goes");
  }
  if (!outputs.page.empty()) refuse_what_is_not_ours(outputs.page, "page", reporting::is_report);
  if (!outputs.picture.empty()) {
    refuse_what_is_not_ours(outputs.picture, "picture", reporting::is_main_picture);
  }
  return outputs;
}

// Replaces the epsilon of every logged round and of the result by what this version computes. Returns how
// many of the values in the run's files were larger.
std::uint64_t restate(simulation::RunRecord& run, const reporting::EpsilonOfRounds& epsilon) {
  std::uint64_t larger =
      reporting::restate(run.plan, epsilon, run.folder / simulation::kMetricsFile, run.logged, say);
  if (run.result) {
    larger += reporting::restate(run.plan, epsilon, run.folder / simulation::kResultFile, *run.result);
  }
  return larger;
}

std::vector<ShownRun> shown_runs(std::vector<simulation::RunRecord> records) {
  std::vector<ShownRun> shown;
  experiments::Charges charges;
  for (simulation::RunRecord& run : records) {
    reporting::WatchedRun watched =
        reporting::watch(run.plan, run.logged, run.folder / simulation::kMetricsFile);
    const std::uint64_t larger = restate(run, charges.of(run.plan));
    shown.push_back({std::move(run), std::move(watched), larger});
  }
  return shown;
}

std::vector<reporting::ComparedRun> compared(const std::vector<ShownRun>& shown) {
  std::vector<fs::path> folders;
  for (const ShownRun& run : shown) folders.push_back(run.record.folder);
  const std::vector<std::string> labels = reporting::run_labels(folders);
  std::vector<reporting::ComparedRun> runs;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    runs.push_back({labels[i], shown[i].record, shown[i].watched, shown[i].larger});
  }
  return runs;
}

// Prints one JSON line for each run. Lines of several runs begin with the run's folder.
void print_lines(const std::vector<ShownRun>& shown, const Outputs& outputs) {
  for (const ShownRun& run : shown) {
    const protocols::CheckInMonitor& monitor = run.watched.monitor;
    reporting::JsonObject line;
    if (shown.size() > 1) line.text("run", run.record.folder.string());
    if (!outputs.page.empty()) line.text("out", outputs.page.string());
    if (!outputs.picture.empty()) line.text("svg", outputs.picture.string());
    fmt::print("{}\n", line.flag("finished", run.record.result.has_value())
                           .unsigned_integer("logged", run.record.logged.size())
                           .text("check_ins", !monitor.blind().empty() ? "not watched"
                                              : monitor.alarm()        ? name_of(monitor.alarm()->direction)
                                                                       : "as declared")
                           .unsigned_integer("restated", run.larger)
                           .str());
  }
}

void say_notes(const std::vector<ShownRun>& shown) {
  for (const ShownRun& run : shown) {
    const std::string which = shown.size() > 1 ? run.record.folder.string() + ": " : "";
    if (!run.record.result) {
      say(which + "this run is not finished; the report says how far it had got");
    }
    if (run.larger > 0) {
      say(which + reporting::larger_note(run.larger));
    }
    if (const auto& alarm = run.watched.monitor.alarm()) {
      say(fmt::format("{}check-ins: {}: {}", which, name_of(alarm->direction), alarm->reason));
    }
  }
}

int report(const ReportFlags& flags) {
  require_different_folders(flags.folders);
  std::vector<simulation::RunRecord> records;
  for (const std::string& folder : flags.folders) records.push_back(simulation::read_run(folder));
  const Outputs outputs = outputs_of(flags);
  const std::vector<ShownRun> shown = shown_runs(std::move(records));
  const std::vector<reporting::ComparedRun> runs = compared(shown);
  if (!outputs.page.empty()) {
    replace_file(outputs.page, shown.size() > 1 ? reporting::runs_html(runs)
                                                : reporting::report_html(parts_of(shown.front())));
  }
  if (!outputs.picture.empty()) replace_file(outputs.picture, reporting::main_picture(runs));
  if (flags.json) {
    print_lines(shown, outputs);
  } else {
    for (const fs::path& file : {outputs.page, outputs.picture}) {
      if (!file.empty()) fmt::print("{}\n", file.string());
    }
  }
  say_notes(shown);
  return 0;
}

}  // namespace

Subcommand report_command(CLI::App& root) {
  CLI::App* cli =
      add_subcommand(root, "report", "Make a web page of a training run, or of several",
                     "muster report runs/people runs/people-local --out people.html --svg people.svg");
  auto flags = std::make_shared<ReportFlags>();
  cli->add_option("RUN_DIR", flags->folders,
                  "the folder of a run, finished or not; with 2 to 8 folders, the page compares the runs")
      ->type_name("DIR");
  cli->add_option("--out", flags->out, "the page [RUN_DIR/report.html; of several runs, or with --svg, none]")
      ->type_name("FILE");
  cli->add_option(
         "--svg", flags->svg,
         "the main picture alone: accuracy by client if all runs logged it, else accuracy by round [none]")
      ->type_name("FILE");
  cli->add_flag("--json", flags->json, "print one JSON line a run instead of the names of files");
  return {cli, [flags] { return report(*flags); }};
}

}  // namespace muster::app
