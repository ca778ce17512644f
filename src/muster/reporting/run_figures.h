// The numbers of a run that its pages and charts show: how far it got, and its logged rounds as points. The
// functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/reporting/chart_svg.h"
#include "muster/simulation/runs/run_record.h"

namespace muster::reporting {

// Returns "slot" for a plan whose rounds are runs of slots, and "round" for any other.
const char* step_word(const protocols::Plan& plan);

// Returns how the run ended, in words for people, or "unfinished".
std::string state_of(const simulation::RunRecord& run);

// The result of a finished run, or the last logged round of an unfinished one.
struct LatestFigures {
  double accuracy, epsilon;
  std::uint64_t rounds;
  double seconds;
  std::optional<double> loss, client_accuracy, worst_decile;
};
// Returns nullopt if the run is not finished and has logged no round.
std::optional<LatestFigures> latest(const simulation::RunRecord& run);

// Returns the places of the logged rounds that a chart shows, ascending: the last one and, if there are more
// than 1000, every k-th before it, for the smallest k that leaves at most 1000.
std::vector<std::size_t> drawn(std::size_t count);

// Returns a point for each drawn round: its step, and `value` of its place in the log.
template <typename Value>
std::vector<DataPoint> points_over(const simulation::RunRecord& run, const Value& value) {
  std::vector<DataPoint> points;
  for (const std::size_t i : drawn(run.logged.size())) {
    points.push_back({static_cast<double>(run.logged[i].step()), value(i)});
  }
  return points;
}

}  // namespace muster::reporting
