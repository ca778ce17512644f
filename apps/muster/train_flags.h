// Holds the flags of `muster train`, for a single run or a sweep, and declares those that other commands have,
// too. The variables that are given to these functions must outlive parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/simulation/ranks.h"
#include "plan_flags.h"

namespace muster::app {

// Declares `--threads N` and `--seeds N`. Their errors have the same form as those of plan keys. `when` begins
// the help text, for example "with --train: ".
CLI::Option* add_threads(CLI::App& cli, unsigned& threads, const std::string& when = "");
CLI::Option* add_seeds(CLI::App& cli, std::uint64_t& seeds, const std::string& when = "");

struct TrainFlags {
  explicit TrainFlags(CLI::App& cli) : plan(cli, protocols::Command::train) {}
  PlanFlags plan;
  std::string out;
  std::string fidelity = "message";
  unsigned threads = simulation::usual_threads();
  bool resume = false;
  bool json = false;
  std::vector<std::string> sweeps;  // for example "randomizer.epsilon0=1,2,4"
  std::uint64_t seeds = 1;
  CLI::Option* asks_seeds = nullptr;

  bool is_sweep() const { return !sweeps.empty() || asks_seeds->count() > 0; }
};

}  // namespace muster::app
