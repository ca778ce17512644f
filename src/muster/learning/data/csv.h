// Rows of numbers: a header line, then one example a line, numeric
// features and, in the last column, the class.
//
// Comma-separated, a name for each column in the first line, lines ended by \n or \r\n, blanks around a field
// ignored, no quoting. Features are finite decimal numbers, kept as floats and not normalised; the label is
// an integer 0..255, and the number of classes is one more than the largest label of the file. Of the example
// lines every sixth (the 6th, the 12th, ...) is held out for the test set. The file may be gzip-compressed.
// Decoding is total: whatever the bytes, the result is a data set or an Error(data) that names the file, the
// line (the header is line 1), the column and the value. Pure reading; any thread.
#pragma once

#include <filesystem>

#include "muster/learning/dataset.h"

namespace muster::learning {

inline constexpr std::size_t kHeldOut = 6;  // every sixth line is a test example
inline constexpr std::size_t kMostColumns = 65'536;

DataSplit load_csv(const std::filesystem::path& file);

}  // namespace muster::learning
