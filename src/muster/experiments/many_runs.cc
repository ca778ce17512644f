#include "muster/experiments/many_runs.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "muster/reporting/watched_run.h"
#include "muster/simulation/budget.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/runs/plan_file.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/setup.h"
#include "muster/simulation/workload.h"

namespace muster::experiments {

using protocols::Plan;
using simulation::RunFolder;
using simulation::RunResult;

ManyRuns::ManyRuns(const ManyRunsOptions& options, MakeObserver make_observer, reporting::NoteSink notes)
    : options_(options), make_observer_(std::move(make_observer)), notes_(std::move(notes)) {}

reporting::EpsilonOfRounds ManyRuns::charge_of(const Plan& plan) { return charges_.of(plan).epsilon; }

const learning::DataSplit& ManyRuns::data_of(const Plan& plan) {
  const std::string wanted = simulation::data_identity(plan);
  if (const auto known = unreadable_.find(wanted); known != unreadable_.end()) throw Error(known->second);
  if (!data_ || wanted != data_identity_) {
    data_.reset();
    try {
      data_ = simulation::load_data(plan);
    } catch (const Error& error) {
      unreadable_.emplace(wanted, error);
      throw;
    }
    notes_(reporting::classes_note(data_->train.class_names));
    data_identity_ = wanted;
  }
  return *data_;
}

bool ManyRuns::is_unreadable(const Plan& plan) const {
  return unreadable_.contains(simulation::data_identity(plan));
}

void ManyRuns::check(const Plan& plan) {
  simulation::check_fidelity(plan, options_.fidelity);
  simulation::refuse_too_costly(plan, simulation::resources_here(options_.threads));
  const reporting::EpsilonOfRounds epsilon = charge_of(plan);
  if (plan.budget()) {
    static_cast<void>(simulation::affordable_rounds(epsilon, plan.rounds(), *plan.budget()));
  }
}

RunResult ManyRuns::run(const Plan& plan, const std::filesystem::path& path, const std::string& which) {
  RunFolder folder(path);
  if (folder.found() != RunFolder::Found::fresh) simulation::require_plan(path / simulation::kPlanFile, plan);
  const auto [epsilon, unamplified] = charges_.of(plan);
  if (folder.found() == RunFolder::Found::unfinished) {
    reporting::check_logged(plan, epsilon, path, folder.load(plan.hash(), options_.fidelity), notes_);
  }
  if (folder.found() != RunFolder::Found::finished) {
    const learning::DataSplit& data = data_of(plan);
    simulation::TrainingParts parts =
        simulation::assemble(plan, data, simulation::Accounting::elsewhere, options_.fidelity);
    parts.epsilon = epsilon;
    note_once(reporting::unamplified_note(unamplified));
    const std::unique_ptr<simulation::TrainingObserver> observer = make_observer_(plan, which);
    RunResult result =
        simulation::train(plan, parts, data, folder, {options_.threads, options_.interrupt}, *observer);
    if (result.stopped == simulation::Stopped::interrupted) {
      note_records(plan, result);
      return result;
    }
  }
  RunResult result =
      reporting::finished_result(plan, epsilon, path, folder.load(plan.hash(), options_.fidelity), notes_);
  if (const std::uint64_t neutral = result.neutral.value_or(0); neutral > 0) {
    notes_(fmt::format("{}: {}", which, reporting::neutral_note(neutral)));
  }
  notes_(reporting::alarm_note(plan, path));
  note_records(plan, result);
  return result;
}

void ManyRuns::note_once(const std::string& note) {
  if (!note.empty() && noted_.insert(note).second) notes_(note);
}

void ManyRuns::note_records(const Plan& plan, const RunResult& result) {
  note_once(reporting::records_note(plan));
  note_once(reporting::sharing_note(plan, result.clients_per_record.value_or(1)));
}

bool ManyRuns::run_all(const std::vector<PlannedRun>& runs, const std::filesystem::path& folder,
                       const ResultSink& results) {
  const bool share_data = !shared_data(runs).empty();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (options_.interrupt != nullptr && *options_.interrupt) return false;
    const Plan& plan = runs[i].plan;
    simulation::SweptRun& into = *runs[i].into;
    const std::string which = fmt::format("run {} of {}", i + 1, runs.size());
    try {
      RunResult result = run(plan, folder / into.folder, which);
      results(result);
      if (result.stopped == simulation::Stopped::interrupted) return false;
      into.result = std::move(result);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data || (share_data && is_unreadable(plan))) throw;
      into.failure = error.what();
      notes_(fmt::format("{} failed: {}", which, error.what()));
    }
  }
  return true;
}

}  // namespace muster::experiments
