// The folder of one training run, and what is on disk at every moment.
//
//     plan.txt       the plan after overrides, one key a line
//     metrics.jsonl  one JSON object a logged round
//     checkpoint     the state to continue from (checkpoint.h); there from the start
//     result.json    the final JSON object: its presence means the run is finished
//
// Opening locks the folder against a second process. Call order: open; then begin (found() == fresh) or
// resume (unfinished); then append_metrics and save in any order; then finish. A folder that
// open() created is removed again when the run never began. Every failure of the system is Error(file); what
// was whole before is whole after. Belongs to one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "muster/simulation/runs/checkpoint.h"

namespace muster::simulation {

class RunFolder {
 public:
  enum class Found { fresh, unfinished, finished };

  // Creates missing folders. A folder that holds other things than a run, or that another process is writing
  // to, is Error(file); one that holds what a run logged or its result, but no checkpoint, is
  // Error(checkpoint).
  explicit RunFolder(const std::filesystem::path& path);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // Whether a run's folder holds a file of this name, while one of them is being replaced included.
  static bool is_own_name(const std::filesystem::path& name);

  const std::filesystem::path& path() const { return path_; }
  Found found() const { return found_; }

  // Writes plan, empty metrics and the first checkpoint; on failure nothing of it stays.
  void begin(const std::string& canonical_plan, const Checkpoint& first);
  // The checkpoint; one of another plan is Error(checkpoint) naming both hashes, and so is one of another
  // fidelity. Reading changes nothing on disk.
  Checkpoint load(const std::string& plan_hash, Fidelity fidelity) const;
  // Cuts the metrics back to those of `from`, so that the run continues as if it had never gone further.
  void resume(const Checkpoint& from);

  void append_metrics(const std::string& line);  // without its end of line
  std::uint64_t metrics_bytes() const { return metrics_bytes_; }
  void save(const Checkpoint& checkpoint);
  void finish(const std::string& result);

 private:
  void open_metrics(std::uint64_t keep);
  void abandon() noexcept;  // closes, and removes what it created for a run that never began

  std::filesystem::path path_;
  std::vector<std::filesystem::path> created_;  // folders made by the constructor, outermost first
  Found found_ = Found::fresh;
  bool begun_ = false;
  int lock_ = -1;
  int metrics_ = -1;
  std::uint64_t metrics_bytes_ = 0;
};

}  // namespace muster::simulation
