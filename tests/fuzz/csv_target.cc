// This target is the reader of CSV files.
//
// An input is a CSV file. If its first byte is 1, a description of the layout follows this byte and precedes
// the file. The description has three lines: the name of the label column, the name of the split column, and
// the number of bytes, from the beginning of the rest, that are a separate test file (0 if there is no such
// file).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>

#include "muster/learning/data/csv.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace muster::fuzz {
namespace {

void require_consistent(const learning::Dataset& data) {
  const bool fits = data.size() > 0 && data.values.size() == data.size() * data.shape.channels;
  const bool finite = std::ranges::all_of(data.values, [](float value) { return std::isfinite(value); });
  const bool known = std::ranges::all_of(data.labels, [&](auto label) { return label < data.classes; });
  const bool named = data.class_names.empty() || data.class_names.size() == data.classes;
  if (!fits || !finite || !known || !named) {
    std::abort();
  }
}

// Removes the first line from the text, and returns it without its end.
std::string taken_line(std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

}  // namespace

bool accepts(Input input) {
  static const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "data.csv";
  std::string text = text_of(input);
  learning::CsvLayout layout;
  if (text.starts_with('\1')) {
    text.erase(0, 1);
    layout.label = taken_line(text);
    layout.split = taken_line(text);
    const std::string digits = taken_line(text);
    std::size_t test = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), test);
    if (test > 0) {
      layout.test = folder.path() / "test.csv";
      std::ofstream(layout.test, std::ios::binary) << text.substr(0, test);
      text.erase(0, test);
    }
  }
  std::ofstream(file, std::ios::binary) << text;
  return accepted(
      [&] {
        const learning::DataSplit split = learning::load_csv(file, layout);
        require_consistent(split.train);
        require_consistent(split.test);
      },
      {ErrorCode::data});
}

}  // namespace muster::fuzz
