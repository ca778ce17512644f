#include "muster/reporting/seed_spread.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::reporting {

using simulation::SweptRun;

SeedSpread spread_of(const std::vector<SweptRun>& runs) {
  SeedSpread spread;
  for (const SweptRun& run : runs) {
    if (!run.result) {
      continue;
    }
    ++spread.finished;
    spread.mean += run.result->accuracy;
    spread.lowest = std::min(spread.lowest, run.result->accuracy);
    spread.highest = std::max(spread.highest, run.result->accuracy);
    spread.seconds += run.result->seconds;
    spread.neutral += run.result->neutral.value_or(0);
    spread.epsilon = std::max(spread.epsilon, run.result->epsilon);
  }
  if (spread.finished > 0) {
    spread.mean /= static_cast<double>(spread.finished);
    spread.seconds /= static_cast<double>(spread.finished);
  }
  return spread;
}

std::optional<double> if_any(const SeedSpread& spread, double value) {
  return spread.finished > 0 ? std::optional(value) : std::nullopt;
}

JsonObject accuracy_json(const SeedSpread& spread) {
  return JsonObject()
      .number("mean", if_any(spread, spread.mean))
      .number("min", if_any(spread, spread.lowest))
      .number("max", if_any(spread, spread.highest));
}

TableRow accuracy_cells(const SeedSpread& spread) {
  TableRow cells;
  for (const double value : {spread.mean, spread.lowest, spread.highest}) {
    cells.push_back(spread.finished > 0 ? fmt::format("{:.4f}", value) : "-");
  }
  return cells;
}

void RunCounts::add(const std::vector<SweptRun>& more) {
  runs += more.size();
  finished += static_cast<std::uint64_t>(
      std::ranges::count_if(more, [](const SweptRun& run) { return run.result.has_value(); }));
  failed += static_cast<std::uint64_t>(
      std::ranges::count_if(more, [](const SweptRun& run) { return !run.failure.empty(); }));
}

}  // namespace muster::reporting
