// Does the steps of one training run besides training: opens the folder that it is allowed to use, makes the
// checks and notes before its first round, and returns the result of a run that was finished before.
//
// Example:
//     const auto folder = open_run(path, plan, fidelity, resume);
//     if (folder->found() == RunFolder::Found::finished) {
//       return finished_before(plan, fidelity, *folder, notes);
//     }
//     const simulation::Prepared prepared = simulation::prepare(plan, Accounting::charged, fidelity);
//     before_training(plan, fidelity, *folder, prepared, notes);
//     return simulation::train(plan, prepared.parts, prepared.data, *folder, options, observer);
//
// Call the functions from the thread that the RunFolder belongs to.
#pragma once

#include <filesystem>
#include <memory>

#include "muster/experiments/choices.h"
#include "muster/plan/plan.h"
#include "muster/reporting/run_notes.h"
#include "muster/simulation/fidelity.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/setup.h"

namespace muster::experiments {

// Returns the folder to train in: `path` or, if empty, runs/NAME-HASH8. Throws Error(file) if it holds
// a run that `resume` does not ask for, what RunFolder throws and, for the run of another plan or fidelity,
// what require_plan and RunFolder::load throw. Errors name the user's two choices in the words of `choices`.
std::unique_ptr<simulation::RunFolder> open_run(const std::filesystem::path& path,
                                                const protocols::Plan& plan, simulation::Fidelity fidelity,
                                                bool resume, const Choices& choices = {});

// Makes the checks and the notes that come between loading the data and the first round.
void before_training(const protocols::Plan& plan, simulation::Fidelity fidelity,
                     const simulation::RunFolder& folder, const simulation::Prepared& prepared,
                     const reporting::NoteSink& notes);

// Returns the result of the finished run in the folder, with the epsilon that is proven today.
simulation::RunResult finished_before(const protocols::Plan& plan, simulation::Fidelity fidelity,
                                      const simulation::RunFolder& folder, const reporting::NoteSink& notes);

}  // namespace muster::experiments
