#include "muster/simulation/runs/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/simulation/runs/metrics_table.h"
#include "muster/simulation/runs/plan_file.h"

namespace muster::simulation {
namespace {

// These files are replaced as a whole. Only metrics.jsonl is written by appending.
constexpr std::array<const char*, 5> kReplaced = {kPlanFile, kCheckpointFile, kMetricsTable, kModelFile,
                                                  kResultFile};

namespace fs = std::filesystem;

std::vector<fs::path> create_missing(const fs::path& path) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (fs::path at = path; !at.empty() && !fs::exists(at, ignored); at = at.parent_path()) {
    missing.insert(missing.begin(), at);
  }
  for (std::size_t i = 0; i < missing.size(); ++i) {
    std::error_code failure;
    fs::create_directory(missing[i], failure);
    if (failure) {
      for (std::size_t made = i; made > 0; --made) {
        fs::remove(missing[made - 1], ignored);
      }
      throw Error(ErrorCode::file, path.string(), "", "", "cannot be created: " + failure.message());
    }
  }
  return missing;
}

}  // namespace

std::string run_name(const protocols::Plan& plan) {
  return fmt::format("{}-{}", plan.name(), plan.hash().substr(0, 8));
}

bool RunFolder::is_own_name(const fs::path& name) {
  return name == kMetricsFile || std::ranges::any_of(kReplaced, [&name](const char* own) {
           return name == own || is_temporary_of(name, own);
         });
}

RunFolder::RunFolder(const fs::path& path)
    : path_(path.has_filename() ? path : path.parent_path()), created_(create_missing(path_)) {
  try {
    lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0) {
      throw_file_error(path_, "cannot be opened as a folder");
    }
    // On a file system without locks, nothing prevents a second run from writing here.
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw Error(ErrorCode::file, path_.string(), "", "", "is in use: another run is writing to it");
    }
    if (fs::exists(path_ / kCheckpointFile)) {
      found_ = fs::exists(path_ / kResultFile) ? Found::finished : Found::unfinished;
      begun_ = true;
      return;
    }
    // A run that was killed while it began may lack the checkpoint, but has neither a result nor a logged
    // round.
    if (fs::exists(path_ / kResultFile) ||
        (fs::is_regular_file(path_ / kMetricsFile) && fs::file_size(path_ / kMetricsFile) > 0)) {
      throw Error(ErrorCode::checkpoint, (path_ / kCheckpointFile).string(), "", "",
                  "is gone: its folder holds a run, but not where to continue it; give another folder");
    }
    // Files that a run leaves behind if it is killed while it begins are allowed.
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      if (!is_own_name(entry.path().filename())) {
        throw Error(ErrorCode::file, path_.string(), "", "an empty folder, or one that holds a run",
                    "is not empty and holds no run: there is " + entry.path().filename().string());
      }
    }
    if (::access(path_.c_str(), W_OK | X_OK) != 0) {
      throw_file_error(path_, "cannot be written");
    }
  } catch (const fs::filesystem_error& failure) {
    abandon();
    throw Error(ErrorCode::file, path_.string(), "", "", "cannot be read: " + failure.code().message());
  } catch (...) {
    abandon();
    throw;
  }
}

RunFolder::~RunFolder() { abandon(); }

void RunFolder::abandon() noexcept {
  if (metrics_ >= 0) {
    ::close(metrics_);
  }
  if (lock_ >= 0) {
    ::close(lock_);
  }
  if (begun_) {
    return;
  }
  std::error_code ignored;
  for (; !created_.empty(); created_.pop_back()) {
    fs::remove(created_.back(), ignored);
  }
}

void RunFolder::begin(const std::string& canonical_plan, const Checkpoint& first) {
  remove_temporaries();
  try {
    replace_file(path_ / kPlanFile, canonical_plan);
    open_metrics(0);
    save(first);
  } catch (...) {
    std::error_code ignored;
    for (const char* name : {kPlanFile, kMetricsFile, kCheckpointFile}) {
      fs::remove(path_ / name, ignored);
    }
    throw;
  }
  begun_ = true;
}

Checkpoint RunFolder::load(const std::string& plan_hash, Fidelity fidelity) const {
  const fs::path file = path_ / kCheckpointFile;
  Checkpoint checkpoint = decode(read_file(file), file);
  if (checkpoint.plan_hash != plan_hash) {
    throw Error(ErrorCode::checkpoint, file.string(), checkpoint.plan_hash, plan_hash,
                "is of a run of another plan: plan.txt beside it has its keys; resume with the same "
                "plan, or give another folder");
  }
  if (checkpoint.fidelity != fidelity) {
    throw Error(ErrorCode::checkpoint, file.string(), name_of(checkpoint.fidelity), name_of(fidelity),
                "is of a run of another fidelity; resume with the same fidelity, or give "
                "another folder");
  }
  return checkpoint;
}

void RunFolder::resume(const Checkpoint& from) {
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path_ / kMetricsFile, failure);
  if (from.metrics_bytes > 0 && (failure || size < from.metrics_bytes)) {
    throw Error(ErrorCode::checkpoint, (path_ / kMetricsFile).string(), "", "",
                "holds less than the checkpoint beside it knows of");
  }
  remove_temporaries();
  open_metrics(from.metrics_bytes);
}

void RunFolder::remove_temporaries() const {
  for (const char* name : kReplaced) {
    remove_temporaries_of(path_ / name);
  }
}

void RunFolder::open_metrics(std::uint64_t keep) {
  const fs::path file = path_ / kMetricsFile;
  metrics_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (metrics_ < 0 || ::ftruncate(metrics_, static_cast<off_t>(keep)) != 0) {
    throw_file_error(file, "cannot be written");
  }
  metrics_bytes_ = keep;
}

void RunFolder::append(const Measurement& measured) {
  metrics_bytes_ =
      append_whole(metrics_, metrics_bytes_, metrics_line(measured) + "\n", path_ / kMetricsFile);
}

void RunFolder::save(const Checkpoint& checkpoint) {
  // The metrics that a checkpoint counts must be on disk before the checkpoint is.
  if (::fsync(metrics_) != 0) {
    throw_file_error(path_ / kMetricsFile, "cannot be written");
  }
  replace_file(path_ / kCheckpointFile, encode(checkpoint));
}

void RunFolder::tabulate() { replace_file(path_ / kMetricsTable, metrics_table(path_ / kMetricsFile)); }

void RunFolder::finish(const RunResult& result, const StoredModel& model) {
  tabulate();
  replace_file(path_ / kModelFile, encode_model(model));
  replace_file(path_ / kResultFile, result_line(result) + "\n");
}

}  // namespace muster::simulation
