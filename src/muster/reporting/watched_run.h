// Compares the check-ins that a run logged with the rate that its plan declares. The functions share nothing
// between calls and may be called from any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/protocols/monitor/check_in_monitor.h"
#include "muster/simulation/runs/metrics_file.h"

namespace muster::reporting {

// The monitor after all logged rounds, and for each logged round the band with which its check-ins were
// compared (nullopt if that round was not watched).
struct WatchedRun {
  protocols::CheckInMonitor monitor;
  std::vector<std::optional<protocols::CountBand>> bands;
};
// Throws Error(file), which names `file`, if the counts are impossible under the plan.
WatchedRun watch(const protocols::Plan& plan, const std::vector<simulation::Measurement>& logged,
                 const std::filesystem::path& file);

// Returns a note (run_notes.h) on the run in `folder` if the monitor raised an alarm, or if the logged
// check-ins cannot be compared with the declared rate. Returns an empty text otherwise.
std::string alarm_note(const protocols::Plan& plan, const std::filesystem::path& folder);

}  // namespace muster::reporting
