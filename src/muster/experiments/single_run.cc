#include "muster/experiments/single_run.h"

#include <fmt/format.h>

#include "muster/core/error.h"
#include "muster/reporting/stated_epsilon.h"
#include "muster/simulation/population.h"
#include "muster/simulation/runs/plan_file.h"

namespace muster::experiments {

using simulation::RunFolder;

std::unique_ptr<RunFolder> open_run(const std::filesystem::path& path, const protocols::Plan& plan,
                                    simulation::Fidelity fidelity, bool resume, const Choices& choices) {
  auto folder = std::make_unique<RunFolder>(
      path.empty() ? std::filesystem::path("runs") / simulation::run_name(plan) : path);
  if (folder->found() != RunFolder::Found::fresh && !resume) {
    const bool finished = folder->found() == RunFolder::Found::finished;
    throw Error(
        ErrorCode::file, folder->path().string(), "", "",
        fmt::format("holds {} run; {} {}, {} starts another", finished ? "a finished" : "an unfinished",
                    choices.resume, finished ? "shows its result" : "continues it", choices.another));
  }
  if (folder->found() == RunFolder::Found::unfinished) {
    // A run of another plan or fidelity is refused before the data are loaded, which may take long.
    simulation::require_plan(folder->path() / simulation::kPlanFile, plan);
    static_cast<void>(folder->load(plan.hash(), fidelity));
  }
  return folder;
}

void before_training(const protocols::Plan& plan, simulation::Fidelity fidelity, const RunFolder& folder,
                     const simulation::Prepared& prepared, const reporting::NoteSink& notes) {
  if (folder.found() == RunFolder::Found::unfinished) {
    reporting::check_logged(plan, prepared.parts.epsilon, folder.path(), folder.load(plan.hash(), fidelity),
                            notes);
  }
  notes(reporting::classes_note(prepared.data.train.class_names));
  notes(reporting::unamplified_note(prepared.parts.unamplified));
  notes(reporting::records_note(plan));
  notes(reporting::sharing_note(
      plan, simulation::clients_per_record(simulation::holdings_of(plan), prepared.data.train.size())));
}

simulation::RunResult finished_before(const protocols::Plan& plan, simulation::Fidelity fidelity,
                                      const RunFolder& folder, const reporting::NoteSink& notes) {
  simulation::require_plan(folder.path() / simulation::kPlanFile, plan);
  const simulation::Checkpoint checkpoint = folder.load(plan.hash(), fidelity);
  return reporting::finished_result(plan, simulation::epsilon_of(plan), folder.path(), checkpoint, notes);
}

}  // namespace muster::experiments
