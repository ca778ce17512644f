// The two runs whose files the targets `metrics` and `result` read: one of check-ins, and one in slots.
//
// An input of these targets is a file of the run of check-ins. If its first byte is 1, then this byte stands
// before a file of the run in slots. Both runs are finished: 24 rounds of check-ins, and 24 runs of 10 slots.
// Calls may run concurrently.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

struct StoredRun {
  protocols::Plan plan;
  std::uint64_t steps;  // the rounds or slots that are done
};

inline StoredRun run_with(const std::string& participation, std::uint64_t steps) {
  const std::string text = "participation = {" + participation + R"(}
population = {clients = 1000, data = "digits"}
randomizer = {kind = "ldp-sgd", epsilon0 = 2, clip = 0.1}
rounds = {count = 24, learning_rate = 0.5}
model.kind = "logistic"
privacy.delta = 1e-5
)";
  const auto source = protocols::PlanSource::from_text(text, "plan.toml");
  return {protocols::Plan::validate(source, protocols::Command::train), steps};
}

// Returns the run that the input is a file of, and removes the byte that chose it.
inline const StoredRun& taken_run(Input& input) {
  static const StoredRun check_ins = run_with("protocol = 'shuffled-check-in', rate = 0.1", 24);
  static const StoredRun slots =
      run_with("protocol = 'random-check-in-averaged', rate = 0.1, slots = 10", 240);
  if (input.empty() || input[0] != 1) {
    return check_ins;
  }
  input = input.subspan(1);
  return slots;
}

inline void store(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace muster::fuzz
