// Reads a run's folder without disturbing the run: its plan, its logged rounds, and how it ended.
//
// It takes no lock and writes nothing, so the run may still be going on. Every file is checked while it
// is read; anything missing or damaged is an Error(file) or Error(checkpoint) that names the file and, in
// metrics.jsonl, the line.
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

namespace muster::reporting {

struct LoggedLine {
  std::uint64_t step;  // rounds done; in slot protocols, slots of all runs together
  std::uint64_t round;
  double accuracy;
  std::optional<double> epsilon;  // nothing if none is proven
  std::uint64_t check_ins;        // in the last step
  std::uint64_t messages;         // in all steps
  std::uint64_t neutral;          // of these messages; 0 if an older version did not count them
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
  std::optional<double> clients_per_record;  // nothing if an older version wrote the file
  std::string text;                          // the line as it is in the file
};

// Reads result.json and checks that it fits this plan and the rounds and fidelity of its checkpoint.
// Returns nothing if there is no such file. The epsilon is the one stated in the file (stated_epsilon.h).
std::optional<Outcome> read_outcome(const std::filesystem::path& file, const protocols::Plan& plan,
                                    const simulation::Checkpoint& checkpoint);

struct RunRecord {
  std::filesystem::path folder;
  protocols::Plan plan;
  std::string plan_text;  // the content of plan.txt
  std::string hash;       // of the plan; the checkpoint has the same
  std::vector<LoggedLine> logged;
  std::optional<Outcome> outcome;  // nothing if the run is not finished
  // Nothing if the run is of an older version, which did not save it.
  std::optional<double> clients_per_record;
};

// The default name of a plan's run folder: NAME-HASH8.
std::string run_name(const protocols::Plan& plan);

RunRecord read_run(const std::filesystem::path& folder);

// Reads the logged rounds of a run of this plan, with the epsilons stated in the file (stated_epsilon.h).
// If `finished`, the last line must be complete; otherwise an incomplete last line, which may still be
// being written, is left out. At most `most` bytes of the file are read.
std::vector<LoggedLine> read_metrics(const std::filesystem::path& file, const protocols::Plan& plan,
                                     bool finished,
                                     std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// The monitor after all logged rounds, and the band with which each logged round was compared (nothing if
// that round was not watched).
struct WatchedRun {
  protocols::CheckInMonitor monitor;
  std::vector<std::optional<protocols::CountBand>> bands;
};
// `file` is what the Error(file) names if the counts are impossible.
WatchedRun watch(const protocols::Plan& plan, const std::vector<LoggedLine>& logged,
                 const std::filesystem::path& file);

// After a run, prints a line on stderr if the monitor raised an alarm or could not decide.
void warn_of_alarm(const protocols::Plan& plan, const std::filesystem::path& folder);

}  // namespace muster::reporting
