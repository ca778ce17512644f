// Reads rows of numbers: a header line, then one example per line, with numeric features and the class in
// the last column.
//
// The file is comma-separated, without quoting. The first line has a name for each column, and lines end with
// \n or \r\n. Blanks around a field are ignored. Features are finite decimal numbers, kept as floats and not
// normalised. The label is an integer 0..255. The number of classes is one more than the largest label in the
// file, but at least 2. Every sixth example line (the 6th, the 12th, ...) goes to the test set, so a file
// with fewer than six is refused. The file may be gzip-compressed. Any input gives either a data set or an
// Error(data) that names the file and, where they apply, the line (the header is line 1), the column and the
// value. Thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>

#include "muster/learning/dataset.h"

namespace muster::learning {

inline constexpr std::size_t kHeldOut = 6;  // every sixth example line is a test example
inline constexpr std::size_t kMaxColumns = 65'536;

DataSplit load_csv(const std::filesystem::path& file);

}  // namespace muster::learning
