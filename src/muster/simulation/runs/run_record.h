// Reads a run's folder without disturbing the run: its plan, its logged rounds, and how it ended.
//
// read_run() takes no lock and writes nothing, so the run may still be going on. Every file is checked while
// it is read. For anything missing or damaged, read_run() throws Error(file) or Error(checkpoint), which
// names the file and, in metrics.jsonl and plan.txt, the line. But an unfinished run may lack result.json
// and have an incomplete last line in metrics.jsonl. read_run() may be called from any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/simulation/runs/checkpoint.h"
#include "muster/simulation/runs/metrics_file.h"
#include "muster/simulation/runs/result_file.h"

namespace muster::simulation {

struct RunRecord {
  std::filesystem::path folder;
  protocols::Plan plan;
  std::string hash;  // the hash of the plan; the checkpoint states the same hash
  std::vector<Measurement> logged;
  std::optional<RunResult> result;  // nullopt if the run is not finished
  // nullopt if an older version wrote the checkpoint, which then lacks the number of records.
  std::optional<double> clients_per_record;
  Digest data{};  // the digest of the training and the test examples (checkpoint.h)
};

RunRecord read_run(const std::filesystem::path& folder);

}  // namespace muster::simulation
