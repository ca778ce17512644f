#include "muster/reporting/run_figures.h"

#include <algorithm>

namespace muster::reporting {

using simulation::RunRecord;

const char* step_word(const protocols::Plan& plan) { return plan.has_slots() ? "slot" : "round"; }

std::string state_of(const RunRecord& run) {
  if (!run.result) {
    return "unfinished";
  }
  return run.result->stopped == simulation::Stopped::budget ? "stopped before its privacy budget was passed"
                                                            : name_of(run.result->stopped);
}

std::optional<LatestFigures> latest(const RunRecord& run) {
  if (run.result) {
    const simulation::RunResult& end = *run.result;
    return LatestFigures{end.accuracy, end.epsilon,         end.rounds,      end.seconds,
                         end.loss,     end.client_accuracy, end.worst_decile};
  }
  if (run.logged.empty()) {
    return std::nullopt;
  }
  const simulation::Measurement& end = run.logged.back();
  return LatestFigures{end.accuracy, end.epsilon,         end.round,       end.seconds,
                       end.loss,     end.client_accuracy, end.worst_decile};
}

std::vector<std::size_t> drawn(std::size_t count) {
  constexpr std::size_t kMaxPoints = 1000;
  const std::size_t stride = std::max<std::size_t>(1, (count + kMaxPoints - 1) / kMaxPoints);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < count; ++i) {
    if ((count - 1 - i) % stride == 0) {
      kept.push_back(i);
    }
  }
  return kept;
}

}  // namespace muster::reporting
