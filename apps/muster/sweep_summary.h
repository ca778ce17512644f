// What a sweep found: for each combination the accuracy over its seeds, and what it cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/reporting/run_record.h"
#include "sweep.h"

namespace muster::app {

struct SweptRun {
  std::string folder;              // its name, below the sweep's
  std::optional<Outcome> outcome;  // nothing: not finished, or failed
  std::string failure;             // why it failed; empty: it did not
};

struct Sweep {
  std::string folder;
  std::vector<Knob> knobs;
  std::vector<Combination> combinations;
  std::vector<std::vector<SweptRun>> runs;  // of each combination, one a seed
  bool interrupted = false;
};

// One JSON object on one line, the same keys always: what --json prints last, and summary.json holds.
std::string summary_json(const Sweep& sweep);
// A line a combination: its values, accuracy (the mean over seeds, the lowest, the highest),
// epsilon, seeds, time.
std::string summary_table(const Sweep& sweep);
// Accuracy against epsilon; a whisker from the lowest to the highest seed.
std::string summary_svg(const Sweep& sweep);

}  // namespace muster::app
