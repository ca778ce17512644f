#include "muster/experiments/experiment_folder.h"

#include <fmt/format.h>

#include <set>
#include <system_error>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/plan.h"

namespace muster::experiments {

namespace fs = std::filesystem;

fs::path usual_folder(const std::vector<PlannedRun>& runs, const std::string& kind) {
  std::string hashes;
  for (const PlannedRun& run : runs) hashes += run.plan.hash();
  return fs::path("runs") /
         fmt::format("{}-{}-{}", runs.front().plan.name(), kind, protocols::hash_of(hashes).substr(0, 8));
}

void check_folder(const fs::path& folder, const std::vector<PlannedRun>& runs, const std::string& kind,
                  bool resume, const Choices& choices) {
  std::error_code failure;
  if (!fs::exists(folder, failure)) return;
  std::set<std::string> own = {kSummaryFile, kSummaryPicture};
  for (const PlannedRun& run : runs) own.insert(run.into->folder);
  fs::directory_iterator entries(folder, failure);
  if (failure) {
    throw Error(ErrorCode::file, folder.string(), "", "a folder", "cannot be read: " + failure.message());
  }
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (!own.contains(name) && !is_temporary_of(name, kSummaryFile) &&
        !is_temporary_of(name, kSummaryPicture)) {
      throw Error(ErrorCode::file, folder.string(), "",
                  fmt::format("an empty folder, or one of this very {}", kind),
                  "holds something else: " + name);
    }
    if (!resume) {
      throw Error(ErrorCode::file, folder.string(), "", "",
                  fmt::format("holds runs of this {}; {} continues it, {} starts another", kind,
                              choices.resume, choices.another));
    }
  }
}

void leave_summary(const fs::path& folder, const std::string& json, const std::string& picture) {
  std::error_code failure;
  if (!fs::exists(folder, failure)) return;
  replace_file(folder / kSummaryFile, json + "\n");
  replace_file(folder / kSummaryPicture, picture);
}

}  // namespace muster::experiments
