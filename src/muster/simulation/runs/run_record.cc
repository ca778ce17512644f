#include "muster/simulation/runs/run_record.h"

#include <fmt/format.h>

#include <system_error>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/simulation/population.h"
#include "muster/simulation/runs/checkpoint.h"
#include "muster/simulation/runs/plan_file.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;

void require_run(const fs::path& folder) {
  constexpr const char* kWanted = "the folder of a run, as muster train writes it";
  std::error_code failure;
  if (!fs::is_directory(folder, failure)) {
    throw Error(ErrorCode::file, folder.string(), "", kWanted,
                failure ? "cannot be read: " + failure.message() : "is not a folder");
  }
  if (!fs::exists(folder / kPlanFile, failure) && !failure) {
    throw Error(ErrorCode::file, folder.string(), "", kWanted,
                fmt::format("holds no run: it has no {}", kPlanFile));
  }
}

}  // namespace

RunRecord read_run(const fs::path& folder) {
  require_run(folder);
  RunRecord record{folder, read_plan(folder / kPlanFile), {}, {}, {}, {}, {}};
  record.hash = record.plan.hash();
  const fs::path file = folder / kCheckpointFile;
  const Checkpoint checkpoint = decode(read_file(file), file);
  if (checkpoint.plan_hash != record.hash) {
    throw Error(ErrorCode::checkpoint, file.string(), checkpoint.plan_hash, record.hash,
                "is of another plan than plan.txt beside it");
  }
  record.data = checkpoint.data;
  if (checkpoint.records > 0) {
    record.clients_per_record = clients_per_record(holdings_of(record.plan), checkpoint.records);
  }
  record.result = read_result(folder / kResultFile, record.plan, checkpoint);
  record.logged = read_metrics(folder / kMetricsFile, record.plan, record.result.has_value());
  const std::uint64_t logged_rounds = record.logged.empty() ? 0 : record.logged.back().round;
  // A finished run has logged its last round.
  if (record.result && record.result->rounds != logged_rounds) {
    throw Error(ErrorCode::file, (folder / kMetricsFile).string(), fmt::format("{}", logged_rounds),
                fmt::format("{}, as in result.json", record.result->rounds), "ends at another round");
  }
  return record;
}

}  // namespace muster::simulation
