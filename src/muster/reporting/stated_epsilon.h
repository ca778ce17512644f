// What a run's files state of its epsilon, held against what the accountant says today.
//
// A file may have been edited, or be of a version that erred; so what people see is worked out anew, from the
// plan and the rounds, and a file that states less is refused. One that states more is of a version with
// looser bounds: today's value takes its place. Less is less than today's value by more than its numerical
// error (of a tenth of it at most) and a part in 10^9, which the last digits of another machine may make.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"
#include "muster/reporting/run_record.h"
#include "muster/simulation/runs/checkpoint.h"

namespace muster::app {

// Proven upper epsilon of so many rounds, infinite where there is none; may be called from several threads.
using EpsilonOfRounds = std::function<double(std::uint64_t)>;

// Every bound of the first `rounds` >= 1 rounds of a plan, at its delta.
accounting::Statement statement_of(const protocols::Plan& plan, std::uint64_t rounds);

// Puts today's epsilon in the place of each that is stated; returns how many were larger. Error(file), naming
// `file` and the line, for one that is less.
std::uint64_t restate(const protocols::Plan& plan, const EpsilonOfRounds& epsilon,
                      const std::filesystem::path& file, std::vector<LoggedLine>& logged);
std::uint64_t restate(const protocols::Plan& plan, const EpsilonOfRounds& epsilon,
                      const std::filesystem::path& file, Outcome& outcome);

// Before an unfinished run goes on: what it has logged up to its checkpoint is sound, or Error(file).
void check_logged(const protocols::Plan& plan, const EpsilonOfRounds& epsilon,
                  const std::filesystem::path& folder, const simulation::Checkpoint& checkpoint);
// The result of a finished run with today's epsilon, its logged rounds checked as well. A line on stderr
// where an older version stated more.
Outcome finished_outcome(const protocols::Plan& plan, const EpsilonOfRounds& epsilon,
                         const std::filesystem::path& folder, const simulation::Checkpoint& checkpoint);

}  // namespace muster::app
