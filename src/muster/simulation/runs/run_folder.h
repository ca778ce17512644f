// Manages the folder of one training run, which holds these files:
//
//     plan.txt       the plan after overrides, one key per line (plan_file.h)
//     metrics.jsonl  one JSON object per logged round (metrics_file.h)
//     metrics.csv    the same as a table (metrics_table.h); it exists once the run has stopped
//     checkpoint     the state to continue from (checkpoint.h); it exists from the start
//     model.safetensors  the trained model (model_file.h); it exists once the run is finished
//     result.json    the final JSON object (result_file.h); it exists once the run is finished
//
// The constructor locks the folder against a second process. After it, call begin() if found() == fresh, or
// resume() if unfinished; then append() and save() in any order; then finish(), or tabulate() if the run is
// interrupted. A folder that the constructor created is removed again if the run never began. A failed system
// call is thrown as Error(file), and files that were complete before the failure are complete after it. A
// RunFolder belongs to one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "muster/simulation/runs/checkpoint.h"
#include "muster/simulation/runs/metrics_file.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/runs/result_file.h"

namespace muster::simulation {

// Returns the default name of a plan's run folder: the plan's name, a hyphen, and the first 8 digits of its
// hash.
std::string run_name(const protocols::Plan& plan);

class RunFolder {
 public:
  enum class Found { fresh, unfinished, finished };

  // Creates missing folders. Throws Error(file) for a folder that holds other files but no run, or that
  // another process is writing to, and Error(checkpoint) for a folder that holds logged rounds or a result
  // but no checkpoint.
  explicit RunFolder(const std::filesystem::path& path);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // Returns whether `name` is that of a file of a run, or of a temporary file that is to replace one.
  static bool is_own_name(const std::filesystem::path& name);

  const std::filesystem::path& path() const { return path_; }
  Found found() const { return found_; }

  // Writes the plan, empty metrics and the first checkpoint. On failure, all of them are removed.
  void begin(const std::string& canonical_plan, const Checkpoint& first);
  // Reads the checkpoint and changes nothing on disk. Throws Error(checkpoint) if it belongs to another plan
  // (naming both hashes) or to another fidelity.
  Checkpoint load(const std::string& plan_hash, Fidelity fidelity) const;
  // Cuts the metrics back to the length that `from` states, as if the run had never gone further.
  void resume(const Checkpoint& from);

  void append(const Measurement& measured);
  std::uint64_t metrics_bytes() const { return metrics_bytes_; }
  void save(const Checkpoint& checkpoint);
  // Writes metrics.csv again from metrics.jsonl. Call it after save(), so that the table holds no more rounds
  // than the checkpoint. Throws Error(file) if metrics.jsonl has been damaged.
  void tabulate();
  // Writes the table and the trained model, and then the result, so a folder with a result has all three.
  void finish(const RunResult& result, const StoredModel& model);

 private:
  void open_metrics(std::uint64_t keep);
  // Removes the temporary files that a killed process left. The lock ensures that no other process uses them.
  void remove_temporaries() const;
  // Closes the files, and removes the folders created for a run that never began.
  void abandon() noexcept;

  std::filesystem::path path_;
  std::vector<std::filesystem::path> created_;  // folders made by the constructor, outermost first
  Found found_ = Found::fresh;
  bool begun_ = false;
  int lock_ = -1;
  int metrics_ = -1;
  std::uint64_t metrics_bytes_ = 0;
};

}  // namespace muster::simulation
