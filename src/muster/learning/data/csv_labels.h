// The classes of a CSV file's examples, from labels that are numbers or text.
//
// The first label decides for the whole file: if it is an integer 0 to 255 then all are, and the number of classes is
// one more than the largest label, but at least 2. Otherwise all are text (UTF-8 without control characters, at most
// 100 bytes, and no number), and the classes are the labels of the training examples in the order of their bytes, 2 to
// 256. A missing value is no label. The classes are public: whoever has the model has their names.
//
// Call order: number() for each label, then settle(). Belongs to one thread.
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

// Whether a field stands for a value that is not there: it is empty, NA or N/A, or a number that is not finite.
bool is_missing(std::string_view field);

class CsvLabels {
 public:
  CsvLabels() = default;
  // For examples whose classes are known: `names`, or the numbers below `classes` if there are none.
  CsvLabels(std::size_t classes, const std::vector<std::string>& names);

  // The number of the class that the current line states in this column. For text it is preliminary until settle().
  std::uint8_t number(const CsvFile& file, std::size_t column, bool training);
  // Sets the classes of both parts, and numbers text in its order. Refuses a class of text that no training example
  // has, and a header line that is an example.
  void settle(const CsvFile& file, std::size_t column, DataSplit& split) const;

 private:
  struct Class {
    std::uint8_t number;
    std::size_t line;  // where it stands first
    bool trained;
  };

  std::uint8_t number_of_text(const CsvFile& file, std::size_t column, std::string_view label, bool training);
  [[noreturn]] void refuse(const CsvFile& file, std::size_t column, const std::string& message) const;

  enum class Kind { unknown, numbers, text } kind_ = Kind::unknown;
  bool closed_ = false;                                // whether the classes are known
  std::size_t limit_ = kMaxClasses;                    // a number is below it
  std::map<std::string, Class, std::less<>> classes_;  // of text
};

}  // namespace muster::learning
