// This target is the reader of metrics.jsonl, and the table that is made of it. An input is such a file, of a
// run of stored_run.h, and it is accepted if the reader accepts it as the file of a finished run. The reader
// must then also accept it as the file of a run that goes on, of which it leaves out an incomplete last line.
// The rounds of lines that were read must increase. The lines must be read back equal after they are written,
// and their table must have a row for each.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/simulation/runs/metrics_file.h"
#include "muster/simulation/runs/metrics_table.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/stored_run.h"
#include "tests/support/temporary_folder.h"

namespace muster::fuzz {
namespace {

using Lines = std::vector<simulation::Measurement>;

std::optional<Lines> lines_of(const std::filesystem::path& file, const protocols::Plan& plan, bool finished) {
  std::optional<Lines> lines;
  accepted([&] { lines = simulation::read_metrics(file, plan, finished); }, {ErrorCode::file});
  return lines;
}

void require_growth(const Lines& lines, const StoredRun& run) {
  simulation::Measurement before;
  for (const simulation::Measurement& line : lines) {
    const bool grows = line.step() > before.step() && line.messages >= before.messages &&
                       line.neutral.value_or(0) >= before.neutral.value_or(0);
    if (!grows || line.step() > run.steps || line.check_ins > line.messages - before.messages) {
      std::abort();
    }
    before = line;
  }
}

// The target fails if this function throws an Error.
void require_reads_again(const Lines& lines, const protocols::Plan& plan, const std::filesystem::path& file) {
  std::string text;
  for (const simulation::Measurement& line : lines) {
    text += simulation::metrics_line(line) + "\n";
  }
  store(file, text);
  const Lines again = simulation::read_metrics(file, plan, true);
  std::string written;
  for (const simulation::Measurement& line : again) {
    written += simulation::metrics_line(line) + "\n";
  }
  if (again != lines || written != text) {
    std::abort();
  }
}

// Returns the number of rows of a table: the ends of lines outside quotes.
std::ptrdiff_t rows_of(const std::string& table) {
  bool quoted = false;
  return std::ranges::count_if(table, [&](char c) {
    quoted ^= c == '"';
    return c == '\n' && !quoted;
  });
}

}  // namespace

bool accepts(Input input) {
  static const testing::TemporaryFolder folder;
  const StoredRun& run = taken_run(input);
  const std::filesystem::path file = folder.path() / simulation::kMetricsFile;
  store(file, text_of(input));
  std::optional<std::string> table;
  accepted([&] { table = simulation::metrics_table(file); }, {ErrorCode::file});
  const std::optional<Lines> going_on = lines_of(file, run.plan, false);
  const std::optional<Lines> finished = lines_of(file, run.plan, true);
  if (finished && finished != going_on) {
    std::abort();
  }
  if (going_on) {
    if (!table || rows_of(*table) != static_cast<std::ptrdiff_t>(going_on->size()) + 1) {
      std::abort();
    }
    require_growth(*going_on, run);
    require_reads_again(*going_on, run.plan, folder.path() / "written.jsonl");
  }
  return finished.has_value();
}

}  // namespace muster::fuzz
