// This target is the reader of result.json. An input is such a file, of a run of stored_run.h. A result that
// is accepted must fit the plan and the checkpoint of its run, and must be read back equal after it is
// written.
#include <filesystem>
#include <optional>

#include "muster/core/error.h"
#include "muster/simulation/runs/result_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/stored_run.h"
#include "tests/support/temporary_folder.h"

namespace muster::fuzz {
namespace {

using Result = std::optional<simulation::RunResult>;

simulation::Checkpoint checkpoint_of(const StoredRun& run) {
  simulation::Checkpoint checkpoint;
  checkpoint.plan_hash = run.plan.hash();
  checkpoint.round = run.steps;
  return checkpoint;
}

void require_fits(const simulation::RunResult& result, const StoredRun& run) {
  const bool in_slots = run.plan.has_slots();
  if (result.delta != run.plan.delta() || result.rounds != 24 || result.slots.has_value() != in_slots ||
      result.slots.value_or(run.steps) != run.steps) {
    std::abort();
  }
}

// The target fails if this function throws an Error.
void require_reads_again(const Result& result, const StoredRun& run, const std::filesystem::path& file) {
  const std::string line = simulation::result_line(*result) + "\n";
  store(file, line);
  const Result again = simulation::read_result(file, run.plan, checkpoint_of(run));
  if (again != result || simulation::result_line(*again) + "\n" != line) {
    std::abort();
  }
}

}  // namespace

bool accepts(Input input) {
  static const testing::TemporaryFolder folder;
  const StoredRun& run = taken_run(input);
  const std::filesystem::path file = folder.path() / simulation::kResultFile;
  store(file, text_of(input));
  Result result;
  const bool read = accepted([&] { result = simulation::read_result(file, run.plan, checkpoint_of(run)); },
                             {ErrorCode::file});
  // The file is there, so a reader that found none is as wrong as one that found another run's result.
  if (read != result.has_value()) {
    std::abort();
  }
  if (result) {
    require_fits(*result, run);
    require_reads_again(result, run, folder.path() / "written.json");
  }
  return read;
}

}  // namespace muster::fuzz
