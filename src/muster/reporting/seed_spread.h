// Computes statistics of runs that differ only in their seed, for the summary of a sweep or a comparison. The
// functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/reporting/json.h"
#include "muster/reporting/text_layout.h"
#include "muster/simulation/sweep.h"

namespace muster::reporting {

// Statistics over the finished runs. If there are none, `finished` is 0 and the other numbers mean nothing.
struct SeedSpread {
  std::uint64_t finished = 0;
  double mean = 0, lowest = 1, highest = 0;  // accuracy
  double epsilon = 0;         // the largest over seeds; epsilons differ only if a budget stops some runs
  std::uint64_t neutral = 0;  // neutral answers of all seeds together
  double seconds = 0;         // seconds per run, on average
};

SeedSpread spread_of(const std::vector<simulation::SweptRun>& runs);

// Returns the value, or nullopt if no run is finished.
std::optional<double> if_any(const SeedSpread& spread, double value);

// Returns {"mean":..,"min":..,"max":..}, with null if no run is finished.
JsonObject accuracy_json(const SeedSpread& spread);

// Returns the cells for the mean, the lowest and the highest accuracy, each "-" if no run is finished.
TableRow accuracy_cells(const SeedSpread& spread);

// The numbers of all runs, of finished runs, and of failed runs.
struct RunCounts {
  std::uint64_t runs = 0, finished = 0, failed = 0;
  void add(const std::vector<simulation::SweptRun>& more);
};

}  // namespace muster::reporting
