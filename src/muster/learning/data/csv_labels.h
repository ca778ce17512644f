// Finds the classes of a CSV file's examples, from labels that are numbers or text.
//
// The first label decides for the whole file. If it is an integer from 0 to 255, then all labels must be such
// integers, and the number of classes is one more than the largest label, but at least 2. Otherwise all
// labels must be text (UTF-8 without control characters, at most 100 bytes, and not a number). The classes
// are then the labels of the training examples in the order of their bytes, and there must be 2 to 256
// classes. A missing value is not a label. The classes are public: the stored model contains their names.
//
// Call number() for each label, then settle(). An object belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "muster/learning/data/csv_file.h"
#include "muster/learning/dataset.h"

namespace muster::learning {

// Returns whether a field stands for a missing value: it is empty, NA or N/A, or a number that is not finite.
bool is_missing(std::string_view field);

class CsvLabels {
 public:
  CsvLabels() = default;
  // For examples whose classes are known: they are `names` or, if `names` is empty, the numbers below
  // `classes`.
  CsvLabels(std::size_t classes, const std::vector<std::string>& names);

  // Returns the number of the class that the current line states in this column. If labels are text, the
  // number is provisional, and settle() replaces it.
  std::uint8_t number(const CsvFile& file, std::size_t column, bool training);
  // Sets the classes of the training and the test examples. Classes of text are numbered in the order of
  // their bytes. Refuses a class of text that no training example has, and a header line that is an example.
  void settle(const CsvFile& file, std::size_t column, DataSplit& split) const;

 private:
  struct Class {
    std::uint8_t number;
    std::size_t line;  // the line of the first example of the class
    bool trained;
  };

  std::uint8_t number_of_text(const CsvFile& file, std::size_t column, std::string_view label, bool training);
  [[noreturn]] void refuse(const CsvFile& file, std::size_t column, const std::string& message) const;

  enum class Kind { unknown, numbers, text } kind_ = Kind::unknown;
  bool closed_ = false;                                // whether the classes are known
  std::size_t limit_ = kMaxClasses;                    // labels that are numbers must be below this limit
  std::map<std::string, Class, std::less<>> classes_;  // the classes of labels that are text
};

}  // namespace muster::learning
