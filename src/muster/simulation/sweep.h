// Describes a sweep: one plan with every combination of values of some keys, each run with several seeds.
// The header has only types; there is nothing to call.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/simulation/runs/result_file.h"

namespace muster::simulation {

struct SweptKey {
  std::string key;                  // for example "randomizer.epsilon0"
  std::vector<std::string> values;  // the values as given
};

struct Combination {
  std::vector<std::pair<std::string, std::string>> set;  // a value for each key, in the order of the keys
  std::vector<protocols::Plan> plans;                    // one plan per seed
};

struct SweptRun {
  std::string folder;               // the folder's name inside the sweep's folder
  std::optional<RunResult> result;  // nullopt if the run failed or is not finished
  std::string failure;              // why the run failed; empty if it did not fail
};

struct Sweep {
  std::string folder;
  std::vector<SweptKey> keys;
  std::vector<Combination> combinations;
  std::vector<std::vector<SweptRun>> runs;  // indexed by combination and then by seed
  bool interrupted = false;
};

}  // namespace muster::simulation
