#include "muster/experiments/shown_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "muster/accounting/accountant.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/experiments/charges.h"
#include "muster/reporting/report_html.h"
#include "muster/reporting/stated_epsilon.h"
#include "muster/simulation/runs/plan_file.h"
#include "muster/simulation/runs/run_folder.h"

namespace muster::experiments {
namespace {

namespace fs = std::filesystem;
using accounting::Accountant;
using accounting::Question;

// Returns the proven epsilon if every client reported at this rate, or nullopt if no theorem bounds it.
// At rate 0, epsilon is 0, because no client sends anything.
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

// Replaces the epsilon of every logged round and of the result by what this version computes. Returns how
// many of the values in the run's files were larger.
std::uint64_t restate(simulation::RunRecord& run, const reporting::EpsilonOfRounds& epsilon,
                      const reporting::NoteSink& notes) {
  std::uint64_t larger =
      reporting::restate(run.plan, epsilon, run.folder / simulation::kMetricsFile, run.logged, notes);
  if (run.result) {
    larger += reporting::restate(run.plan, epsilon, run.folder / simulation::kResultFile, *run.result);
  }
  return larger;
}

}  // namespace

std::vector<ShownRun> shown_runs(std::vector<simulation::RunRecord> records,
                                 const reporting::NoteSink& notes) {
  std::vector<ShownRun> shown;
  Charges charges;
  for (simulation::RunRecord& run : records) {
    reporting::WatchedRun watched =
        reporting::watch(run.plan, run.logged, run.folder / simulation::kMetricsFile);
    const std::uint64_t larger = restate(run, charges.of(run.plan).epsilon, notes);
    shown.push_back({std::move(run), std::move(watched), larger});
  }
  return shown;
}

std::string page_of(const ShownRun& shown) { return reporting::report_html(parts_of(shown)); }

void refuse_what_is_not_ours(const fs::path& out, const char* kind, bool (*is_ours)(std::string_view)) {
  std::error_code failure;
  const fs::path folder = out.parent_path();
  if (simulation::RunFolder::is_own_name(out.filename()) &&
      fs::exists(folder / simulation::kPlanFile, failure)) {
    throw Error(ErrorCode::file, out.string(), "", "a name that no run uses, such as report.html",
                fmt::format("is a file of the run in this folder, and no place for a {}", kind));
  }
  if (fs::exists(out, failure) && !fs::is_regular_file(out, failure)) {
    throw Error(ErrorCode::file, out.string(), "", "a file", "cannot be written: it is not a regular file");
  }
  if (fs::is_regular_file(out, failure) && !is_ours(read_file(out))) {
    throw Error(ErrorCode::file, out.string(), "",
                fmt::format("a new file, or a {} that muster report made", kind),
                fmt::format("exists and is no {} of muster report: it stays as it is", kind));
  }
}

}  // namespace muster::experiments
