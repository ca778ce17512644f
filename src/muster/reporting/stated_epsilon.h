// Compares the epsilon stated in a run's files with what the accountant proves today.
//
// A file may have been edited, or written by a version with an error. So every epsilon that is shown is
// computed again from the plan and the rounds, and a file that states a smaller one is refused. A file that
// states a larger one was written by a version with looser bounds; today's value replaces it. A stated value
// counts as smaller if it falls short of today's value by more than the sum of two allowances. One is 10^-9
// of today's value, for rounding differences between machines. The other is the numerical error of today's
// value, unless that error exceeds a tenth of the value. The functions may be called from any thread; they
// call `notes` on that thread, and `epsilon` on several threads at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"
#include "muster/reporting/run_notes.h"
#include "muster/simulation/runs/checkpoint.h"
#include "muster/simulation/runs/metrics_file.h"
#include "muster/simulation/runs/result_file.h"

namespace muster::reporting {

// A function that returns the proven upper epsilon of a number of rounds, or infinity if none is proven.
// Several threads may call it at once.
using EpsilonOfRounds = std::function<double(std::uint64_t)>;

// Returns all bounds for the first `rounds` >= 1 rounds of a plan, at its delta.
accounting::Statement statement_of(const protocols::Plan& plan, std::uint64_t rounds);

// Replaces each stated epsilon by today's and returns how many were larger. Throws Error(file), which names
// `file` and (for `logged`) the line, if one is smaller. Reports its progress to `notes` every 20 seconds.
std::uint64_t restate(const protocols::Plan& plan, const EpsilonOfRounds& epsilon,
                      const std::filesystem::path& file, std::vector<simulation::Measurement>& logged,
                      const NoteSink& notes);
std::uint64_t restate(const protocols::Plan& plan, const EpsilonOfRounds& epsilon,
                      const std::filesystem::path& file, simulation::RunResult& result);

// Before an unfinished run continues, checks the lines that it has logged up to its checkpoint. Throws
// Error(file) if they cannot be read or if one states too small an epsilon.
void check_logged(const protocols::Plan& plan, const EpsilonOfRounds& epsilon,
                  const std::filesystem::path& folder, const simulation::Checkpoint& checkpoint,
                  const NoteSink& notes);
// Returns the result of a finished run with today's epsilon, after checking its logged rounds as well. Tells
// `notes` how many stated epsilons were larger, if any.
simulation::RunResult finished_result(const protocols::Plan& plan, const EpsilonOfRounds& epsilon,
                                      const std::filesystem::path& folder,
                                      const simulation::Checkpoint& checkpoint, const NoteSink& notes);

}  // namespace muster::reporting
