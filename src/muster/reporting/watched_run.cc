#include "muster/reporting/watched_run.h"

#include <fmt/format.h>

#include "muster/core/error.h"

namespace muster::reporting {

namespace fs = std::filesystem;

WatchedRun watch(const protocols::Plan& plan, const std::vector<simulation::Measurement>& logged,
                 const fs::path& file) {
  WatchedRun watched{protocols::CheckInMonitor(plan.stages()), {}};
  std::uint64_t steps = 0, messages = 0;
  for (std::size_t i = 0; i < logged.size(); ++i) {
    const simulation::Measurement& line = logged[i];
    try {
      // The monitor first gets the rounds since the previous line, and then the logged round alone.
      watched.monitor.watch(line.step() - steps - 1, line.messages - messages - line.check_ins);
      watched.bands.push_back(watched.monitor.band(1));
      watched.monitor.watch(1, line.check_ins);
    } catch (const Error& error) {
      throw Error(ErrorCode::file, file.string(), "", "", fmt::format(", line {}: {}", i + 1, error.what()));
    }
    steps = line.step();
    messages = line.messages;
  }
  return watched;
}

std::string alarm_note(const protocols::Plan& plan, const fs::path& folder) {
  const fs::path file = folder / simulation::kMetricsFile;
  try {
    const WatchedRun watched = watch(plan, simulation::read_metrics(file, plan, true), file);
    if (const auto& alarm = watched.monitor.alarm()) {
      return fmt::format("{} check-ins: {}; the declared rate is what is charged (muster report says more)",
                         name_of(alarm->direction), alarm->reason);
    }
    return "";
  } catch (const Error& error) {  // only a note, because the run itself is complete
    return fmt::format("check-ins cannot be held against the declared rate: {}", error.what());
  }
}

}  // namespace muster::reporting
