// Reads CSV files: a header line, then one example per line, with numeric features and a class.
//
// Features are finite decimal numbers, kept as floats and not normalised; a missing value is refused. Classes
// are numbers or text (csv_labels.h), and fields may be quoted (csv_file.h). A column may name the owners of
// the examples, as numbers or text; a missing owner is refused. Any input gives either a data set or an
// Error(data) that names the file and, as far as they apply, the line (the header is line 1), the column and
// the value. The functions are thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "muster/learning/dataset.h"

namespace muster::learning {

// Every sixth example line is a test example, unless a layout says otherwise.
inline constexpr std::size_t kHeldOut = 6;

// Says which columns hold something other than features, and where the test examples are. At most one of
// `split` and `test` may be set.
struct CsvLayout {
  std::string label = {};  // the name of the column that holds the class; if empty, the last column
  std::string split = {};  // the name of the column that says `train` or `test`; empty if there is none
  std::string owner = {};  // the name of the column that names each example's owner; empty if there is none
  // A file that holds only test examples, with the same header. If empty, the test examples are in the main
  // file.
  std::filesystem::path test = {};
};

// Returns the training and test examples, at least one of each. If the layout has neither a split column nor
// a test file, the 6th, the 12th, ... example line is a test example.
DataSplit load_csv(const std::filesystem::path& path, const CsvLayout& layout = {});

// Returns all examples of layout.test (at least one), for a model with `classes` classes. `class_names` are
// the names of these classes if labels are text. A class that the model does not have is refused.
Dataset load_csv_test(const CsvLayout& layout, std::size_t classes,
                      const std::vector<std::string>& class_names);

}  // namespace muster::learning
