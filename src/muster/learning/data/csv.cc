#include "muster/learning/data/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "muster/learning/data/csv_file.h"
#include "muster/learning/data/csv_labels.h"

namespace muster::learning {
namespace {

// Returns the float nearest to the number in `text` (0 for 1e-50), or nullopt if `text` is no finite number.
std::optional<float> feature_of(std::string_view text) {
  float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) number = std::strtof(std::string(text).c_str(), nullptr);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += text.empty() ? "" : ",";
    text += name;
  }
  return text;
}

// Returns the index of the column with this name. Throws Error(data) unless exactly one column has the name.
std::size_t column_named(const CsvFile& file, const std::string& name) {
  const auto& names = file.names();
  const auto count = std::ranges::count(names, name);
  if (count != 1) {
    file.refuse_at(1, "", shown(joined(names)), "one column " + shown(name),
                   count == 0 ? "a column is missing" : "several columns of one name");
  }
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

// Numbers the owners of examples in the order in which they appear.
class Owners {
 public:
  // Returns the number of the owner that the current line names in this column.
  std::uint32_t number(const CsvFile& file, std::size_t column) {
    const std::string_view name = file.fields()[column];
    if (is_missing(name))
      file.refuse(column, name, "the owner of the example", "a missing value is no owner");
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    return numbers_.emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

// Says what the columns of a file hold: the class, the features and, if the layout names them, the split and
// the owner.
class Columns {
 public:
  Columns(const CsvFile& file, const CsvLayout& layout) {
    if (!layout.split.empty()) split_ = column_named(file, layout.split);
    if (!layout.owner.empty()) owner_ = column_named(file, layout.owner);
    label_ = layout.label.empty() ? file.names().size() - 1 : column_named(file, layout.label);
    for (const auto& [other, holds] : {std::pair(split_, "the split"), std::pair(owner_, "the owner")}) {
      if (other == label_) {
        file.refuse_at(1, file.column_text(label_), holds, "the class",
                       std::string("one column for the class and ") + holds);
      }
    }
    if (owner_ && owner_ == split_) {
      file.refuse_at(1, file.column_text(*owner_), "the owner", "the split",
                     "one column for the split and the owner");
    }
    if (features(file) == 0) file.refuse_at(1, "", "none", "at least one column", "no features");
  }

  std::size_t label() const { return label_; }
  std::size_t features(const CsvFile& file) const {
    return file.names().size() - 1 - (split_ ? 1 : 0) - (owner_ ? 1 : 0);
  }

  // Returns whether the current line is a test example, or nullopt if the file has no split column.
  std::optional<bool> says_test(const CsvFile& file) const {
    if (!split_) return std::nullopt;
    const std::string_view word = file.fields()[*split_];
    if (word != "train" && word != "test") {
      file.refuse(
          *split_, word, "train | test",
          is_missing(word) ? "a missing value says not where the example belongs" : "not a part of the data");
    }
    return word == "test";
  }

  std::optional<std::size_t> owner() const { return owner_; }

  // Adds the current line to `data`, without its owner.
  void append(const CsvFile& file, bool training, CsvLabels& labels, Dataset& data) const {
    for (std::size_t c = 0; c < file.fields().size(); ++c) {
      if (c == label_ || c == split_ || c == owner_) continue;
      const std::string_view field = file.fields()[c];
      const std::optional<float> value = feature_of(field);
      if (!value) {
        file.refuse(c, field, "a finite number of size at most 3.4e38",
                    is_missing(field) ? "a missing value is no feature" : "not a feature");
      }
      data.values.push_back(*value);
    }
    data.labels.push_back(labels.number(file, label_, training));
  }

 private:
  std::size_t label_ = 0;
  std::optional<std::size_t> split_;
  std::optional<std::size_t> owner_;
};

void refuse_too_many(const CsvFile& file, std::size_t examples) {
  if (examples == kMaxExamples) {
    file.refuse("more examples", "at most " + std::to_string(kMaxExamples), "too many examples");
  }
}

// Adds the examples of layout.test. `names` are the column names of the training file, or empty if there is
// none.
void append_test_file(const CsvLayout& layout, const std::vector<std::string>& names, CsvLabels& labels,
                      Dataset& test) {
  CsvFile file(layout.test);
  if (!names.empty() && file.names() != names) {
    const auto differs = std::ranges::mismatch(file.names(), names).in1 - file.names().begin();
    file.refuse_at(1, file.column_text(static_cast<std::size_t>(differs)), shown(joined(file.names())),
                   shown(joined(names)), "another header than that of the training file");
  }
  const Columns columns(file, layout);
  while (file.next()) {
    refuse_too_many(file, test.size());
    columns.append(file, false, labels, test);
  }
  if (test.size() == 0) file.refuse("0 examples", "at least 1", "no test example");
  test.shape = {1, 1, columns.features(file)};
}

// Refuses a file without training or test examples. If the test examples have a file of their own,
// append_test_file() checks that file.
void require_both(const CsvFile& file, const CsvLayout& layout, const DataSplit& split) {
  if (layout.test.empty() && layout.split.empty() && split.test.size() == 0) {
    file.refuse(std::to_string(split.train.size()) + " examples", "at least " + std::to_string(kHeldOut),
                "no test example: every sixth is one");
  }
  if (split.train.size() == 0) file.refuse("0 training examples", "at least 1", "no training example");
  if (layout.test.empty() && split.test.size() == 0) {
    file.refuse("0 test examples", "at least 1", "no test example");
  }
}

}  // namespace

DataSplit load_csv(const std::filesystem::path& path, const CsvLayout& layout) {
  CsvFile file(path);
  const Columns columns(file, layout);
  CsvLabels labels;
  Owners owners;
  DataSplit split;
  for (std::size_t example = 0; file.next(); ++example) {
    refuse_too_many(file, example);
    const bool sixth = layout.test.empty() && example % kHeldOut == kHeldOut - 1;
    const bool test = columns.says_test(file).value_or(sixth);
    columns.append(file, !test, labels, test ? split.test : split.train);
    if (columns.owner() && !test) split.train.owners.push_back(owners.number(file, *columns.owner()));
  }
  require_both(file, layout, split);
  labels.settle(file, columns.label(), split);
  split.train.shape = split.test.shape = {1, 1, columns.features(file)};
  if (!layout.test.empty()) {
    CsvLabels known(split.train.classes, split.train.class_names);
    append_test_file(layout, file.names(), known, split.test);
  }
  return split;
}

Dataset load_csv_test(const CsvLayout& layout, std::size_t classes,
                      const std::vector<std::string>& class_names) {
  CsvLabels known(classes, class_names);
  Dataset test;
  append_test_file(layout, {}, known, test);
  test.classes = classes;
  test.class_names = class_names;
  return test;
}

}  // namespace muster::learning
