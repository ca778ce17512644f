// The reader of CSV files.
#include <cmath>
#include <fstream>

#include "muster/learning/data/csv.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace muster::fuzz {
namespace {

void require_consistent(const learning::Dataset& data) {
  const bool fits = data.size() > 0 && data.values.size() == data.size() * data.shape.channels;
  const bool finite = std::ranges::all_of(data.values, [](float value) { return std::isfinite(value); });
  const bool known = std::ranges::all_of(data.labels, [&](auto label) { return label < data.classes; });
  if (!fits || !finite || !known) {
    std::abort();
  }
}

}  // namespace

bool accepts(Input input) {
  static const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "data.csv";
  std::ofstream(file, std::ios::binary) << text_of(input);
  return accepted(
      [&] {
        const learning::DataSplit split = learning::load_csv(file);
        require_consistent(split.train);
        require_consistent(split.test);
      },
      {ErrorCode::data});
}

}  // namespace muster::fuzz
