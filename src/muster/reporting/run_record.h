// What a run's folder says, read without disturbing it: its plan, its logged rounds, and how it ended.
//
// Takes no lock and writes nothing, so the run may be under way. Every file is checked as it is read; what is
// missing or damaged is Error(file) or Error(checkpoint) that names the file, and the line of metrics.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/protocols/monitor/check_in_monitor.h"
#include "muster/simulation/runs/checkpoint.h"

namespace muster::app {

struct LoggedLine {
  std::uint64_t step;  // rounds done; in slot protocols slots, of all runs together
  std::uint64_t round;
  double accuracy;
  std::optional<double> epsilon;  // nothing: none is proven
  std::uint64_t check_ins;        // of the last step
  std::uint64_t messages;         // of all steps
  std::uint64_t neutral;          // of these; 0 where an older version did not count them
  double seconds;
};

struct Outcome {
  double accuracy = 0;
  std::optional<double> epsilon;
  std::uint64_t rounds = 0;
  double seconds = 0;
  double examples_per_second = 0;
  std::string fidelity;
  std::string stopped;
  std::uint64_t neutral = 0;
  std::optional<double> clients_per_record;  // nothing: of an older version
  std::string text;                          // the line itself
};

// result.json of a finished run of this plan, and of the rounds and the fidelity of its checkpoint; nothing
// while there is none. Its epsilon is as stated (stated_epsilon.h).
std::optional<Outcome> read_outcome(const std::filesystem::path& file, const protocols::Plan& plan,
                                    const simulation::Checkpoint& checkpoint);

struct RunRecord {
  std::filesystem::path folder;
  protocols::Plan plan;
  std::string plan_text;  // of plan.txt
  std::string hash;       // of the plan, and of the checkpoint beside it
  std::vector<LoggedLine> logged;
  std::optional<Outcome> outcome;            // nothing: the run is not finished
  std::optional<double> clients_per_record;  // nothing: of an older version, which did not keep it
};

// NAME-HASH8 after the plan: what its folder is called unless another is asked for.
std::string run_name(const protocols::Plan& plan);

RunRecord read_run(const std::filesystem::path& folder);

// The logged rounds of a run of this plan, their epsilons as stated (stated_epsilon.h). `finished`: the last
// line must be whole; of a run under way it may still be being written, and is then left out. `most`: bytes
// of the file that are read.
std::vector<LoggedLine> read_metrics(const std::filesystem::path& file, const protocols::Plan& plan,
                                     bool finished,
                                     std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// The monitor after all logged rounds, and the band each logged round
// was held against (nothing: not watched).
struct WatchedRun {
  protocols::CheckInMonitor monitor;
  std::vector<std::optional<protocols::CountBand>> bands;
};
// `file` is named by the Error(file) of counts that cannot be.
WatchedRun watch(const protocols::Plan& plan, const std::vector<LoggedLine>& logged,
                 const std::filesystem::path& file);

// After a run: a line on stderr when the alarm is on, or cannot be decided.
void warn_of_alarm(const protocols::Plan& plan, const std::filesystem::path& folder);

}  // namespace muster::app
