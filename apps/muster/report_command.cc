// `muster report RUN_DIR...`: writes a web page about a training run, or one that compares several, and a
// picture.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/experiments/shown_runs.h"
#include "muster/reporting/compared_runs.h"
#include "muster/reporting/json.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/report_html.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/runs_charts.h"
#include "muster/reporting/runs_html.h"
#include "muster/simulation/runs/run_record.h"
#include "say.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using experiments::ShownRun;

struct ReportFlags {
  std::vector<std::string> folders;
  std::string out;
  std::string svg;
  bool json = false;
};

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
  if (!outputs.page.empty())
    experiments::refuse_what_is_not_ours(outputs.page, "page", reporting::page::is_report);
  if (!outputs.picture.empty()) {
    experiments::refuse_what_is_not_ours(outputs.picture, "picture", reporting::is_main_picture);
  }
  return outputs;
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
  const std::vector<ShownRun> shown = experiments::shown_runs(std::move(records), say);
  const std::vector<reporting::ComparedRun> runs = compared(shown);
  if (!outputs.page.empty()) {
    replace_file(outputs.page,
                 shown.size() > 1 ? reporting::runs_html(runs) : experiments::page_of(shown.front()));
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
