// The results of a sweep: for each combination, the accuracy over its seeds and the epsilon.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/simulation/runs/result_file.h"

namespace muster::reporting {

struct SweptKey {
  std::string key;                  // "randomizer.epsilon0"
  std::vector<std::string> values;  // as given
};

struct Combination {
  std::vector<std::pair<std::string, std::string>> set;  // a value for each key, in the order of the keys
  std::vector<protocols::Plan> plans;                    // one per seed
};

struct SweptRun {
  std::string folder;                           // the folder's name within that of the sweep
  std::optional<simulation::RunResult> result;  // nothing if the run is not finished or failed
  std::string failure;                          // why the run failed; empty if it did not
};

struct Sweep {
  std::string folder;
  std::vector<SweptKey> keys;
  std::vector<Combination> combinations;
  std::vector<std::vector<SweptRun>> runs;  // [combination][seed]
  bool interrupted = false;
};

// One JSON object on one line, always with the same keys. --json prints it last, and
// summary.json contains it.
std::string summary_json(const Sweep& sweep);
// A table with one line per combination: its values, the accuracy (mean, lowest and highest over seeds),
// epsilon, seeds, time. If the values do not fit into 80 columns, they are listed below the table by number.
std::string summary_table(const Sweep& sweep);
// A chart of accuracy against epsilon, with whiskers from the lowest to the highest seed.
std::string summary_svg(const Sweep& sweep);

}  // namespace muster::reporting
