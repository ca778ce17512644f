#include "muster/learning/data/csv_labels.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "muster/core/utf8.h"

namespace muster::learning {
namespace {

constexpr std::size_t kLongestLabel = 100;

// Returns whether `text` is a number, even one that is too large for a double.
bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

std::optional<std::size_t> integer_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

bool is_missing(std::string_view field) {
  double number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  const bool stated =
      error == std::errc() && end == field.data() + field.size();  // true for nan and inf, but not for 1e400
  return field.empty() || field == "NA" || field == "N/A" || (stated && !std::isfinite(number));
}

CsvLabels::CsvLabels(std::size_t classes, const std::vector<std::string>& names)
    : kind_(names.empty() ? Kind::numbers : Kind::text),
      closed_(true),
      limit_(std::min(classes, kMaxClasses)) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    classes_.emplace(names[c], Class{static_cast<std::uint8_t>(c), 0, true});
  }
}

void CsvLabels::refuse(const CsvFile& file, std::size_t column, const std::string& message) const {
  const std::string numbers = "an integer 0 to " + std::to_string(limit_ - 1);
  std::string expected = kind_ == Kind::numbers ? numbers
                         : closed_              ? "a class of the training examples"
                         : kind_ == Kind::text  ? "text, as before"
                                                : numbers + ", or text";
  file.refuse(column, file.fields()[column], expected, message);
}

std::uint8_t CsvLabels::number(const CsvFile& file, std::size_t column, bool training) {
  const std::string_view label = file.fields()[column];
  if (is_missing(label)) refuse(file, column, "a missing value is no class");
  const std::optional<std::size_t> integer = integer_in(label);
  if (kind_ == Kind::unknown) {
    kind_ = integer && *integer < limit_ ? Kind::numbers : is_number(label) ? Kind::unknown : Kind::text;
  }
  if (kind_ == Kind::text && (closed_ || !is_number(label)))
    return number_of_text(file, column, label, training);
  if (kind_ != Kind::numbers || !integer || *integer >= limit_) refuse(file, column, "not a class");
  return static_cast<std::uint8_t>(*integer);
}

std::uint8_t CsvLabels::number_of_text(const CsvFile& file, std::size_t column, std::string_view label,
                                       bool training) {
  if (const auto known = classes_.find(label); known != classes_.end()) {
    known->second.trained |= training;
    return known->second.number;
  }
  if (closed_) refuse(file, column, "not a class");
  if (label.size() > kLongestLabel || !is_printable(label)) {
    file.refuse(column, label, "at most 100 bytes of UTF-8 without control characters",
                "not the name of a class");
  }
  if (classes_.size() == kMaxClasses) {
    file.refuse(column, label, "at most " + std::to_string(kMaxClasses) + " classes", "one class too many");
  }
  const auto number = static_cast<std::uint8_t>(classes_.size());
  classes_.emplace(label, Class{number, file.line(), training});
  return number;
}

void CsvLabels::settle(const CsvFile& file, std::size_t column, DataSplit& split) const {
  std::array<std::uint8_t, kMaxClasses> final_number{};
  std::vector<std::string> names;
  for (const auto& [name, found] : classes_) {
    if (!found.trained) {
      file.refuse_at(found.line, file.column_text(column), shown(name), "a class of the training examples",
                     "a class that no training example has");
    }
    final_number[found.number] = static_cast<std::uint8_t>(names.size());
    names.push_back(name);
  }
  if (names.size() == 1) {
    file.refuse("the class " + shown(names.front()) + " alone", "at least 2 classes", "nothing to learn");
  }
  // If the file has no header, its first line is an example, which has numbers and a class.
  bool headless = classes_.contains(file.names()[column]);
  for (std::size_t c = 0; c < file.names().size(); ++c) headless &= c == column || is_number(file.names()[c]);
  if (headless) {
    file.refuse_at(1, file.column_text(column), "a class", "the names of the columns", "no header line");
  }
  std::size_t count = std::max<std::size_t>(2, names.size());
  for (const Dataset* part : {&split.train, &split.test}) {
    for (const std::uint8_t label : part->labels) count = std::max(count, std::size_t{label} + 1);
  }
  for (Dataset* part : {&split.train, &split.test}) {
    part->classes = count;
    part->class_names = names;
    if (kind_ != Kind::text) continue;
    for (std::uint8_t& label : part->labels) label = final_number[label];
  }
}

}  // namespace muster::learning
