// Prepares runs that were read from their folders for people: with the epsilons that are proven today.
//
// Example:
//     const std::vector<ShownRun> shown = shown_runs({simulation::read_run("runs/a")}, notes);
//     refuse_what_is_not_ours("a.html", "page", reporting::page::is_report);
//     replace_file("a.html", page_of(shown.front()));
//
// Call shown_runs() from one thread; it may take seconds, because it builds accountants. The others may be
// called from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "muster/reporting/run_notes.h"
#include "muster/reporting/watched_run.h"
#include "muster/simulation/runs/run_record.h"

namespace muster::experiments {

struct ShownRun {
  simulation::RunRecord record;
  reporting::WatchedRun watched;
  std::uint64_t larger;  // how many of the epsilons in the run's files are larger than today's
};

// Returns the runs with the epsilons that are proven today. Throws Error(file) if an epsilon in a run's files
// is smaller than what is proven today, or if its check-ins are impossible.
std::vector<ShownRun> shown_runs(std::vector<simulation::RunRecord> records,
                                 const reporting::NoteSink& notes);

// Returns the web page of one run (reporting/report_html.h).
std::string page_of(const ShownRun& shown);

// Throws Error(file) unless `out` may be written: only what `is_ours` recognises may be replaced, and in the
// folder of a run no file may be created under a name that runs use. `kind` is "page" or "picture".
void refuse_what_is_not_ours(const std::filesystem::path& out, const char* kind,
                             bool (*is_ours)(std::string_view));

}  // namespace muster::experiments
