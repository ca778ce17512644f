#include "muster/learning/data/csv_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <system_error>

#include "muster/core/error.h"

namespace muster::learning {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 22;
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string out(text.substr(0, kShown));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
  }
  return text.size() > kShown ? out + "..." : out;
}

CsvFile::CsvFile(const std::filesystem::path& path) : path_(path), file_(path) {
  if (!next_line()) refuse("an empty file", "a header line", "no header");
  if (text_.starts_with(kByteOrderMark)) text_.erase(0, kByteOrderMark.size());
  split_line();
  if (fields_.size() < 2 || fields_.size() > kMaxColumns) {
    refuse(std::to_string(fields_.size()) + " columns", "2 to " + std::to_string(kMaxColumns),
           "features, then the label");
  }
  if (std::ranges::all_of(fields_, is_number)) {
    refuse(shown(text_), "the names of the columns", "no header line");
  }
  names_.assign(fields_.begin(), fields_.end());
}

bool CsvFile::next() {
  if (!next_line()) return false;
  split_line();
  if (fields_.size() != names_.size()) {
    refuse(std::to_string(fields_.size()) + " columns", std::to_string(names_.size()) + ", as in the header",
           "columns do not match");
  }
  return true;
}

bool CsvFile::next_line() {
  text_.clear();
  ++line_;
  for (;;) {
    const auto end = std::find(chunk_.begin() + at_, chunk_.begin() + size_, '\n');
    text_.append(chunk_.begin() + at_, end);
    if (text_.size() > kLongestLine) refuse("more than 4 MiB", "at most 4 MiB", "a line too long");
    at_ = end - chunk_.begin();
    if (at_ < size_) {
      ++at_;
      return true;
    }
    size_ = static_cast<std::ptrdiff_t>(
        file_.read(std::span(reinterpret_cast<std::uint8_t*>(chunk_.data()), chunk_.size())));
    at_ = 0;
    if (size_ == 0) return !text_.empty();
  }
}

void CsvFile::split_line() {
  fields_.clear();
  for (std::size_t at = 0;; ++at) {
    const std::size_t first = std::min(text_.find_first_not_of(kBlanks, at), text_.size());
    at = first < text_.size() && text_[first] == '"' ? quoted_field(first + 1) : plain_field(at);
    if (at >= text_.size()) return;
  }
}

// plain_field() and quoted_field() add the field whose text begins at `at`. They return the position of the
// comma after the field, or the length of the line if there is none.
std::size_t CsvFile::plain_field(std::size_t at) {
  const std::size_t end = std::min(text_.find(',', at), text_.size());
  std::string_view field = std::string_view(text_).substr(at, end - at);
  field.remove_prefix(std::min(field.find_first_not_of(kBlanks), field.size()));
  field = field.substr(0, field.find_last_not_of(kBlanks) + 1);
  if (field.find('"') != field.npos) {
    refuse_at(line_, column_text(fields_.size()), shown(field),
              "a field in quotes, with each quote in it doubled",
              "a quote in a field that has no quotes around it");
  }
  fields_.push_back(field);
  return end;
}

std::size_t CsvFile::quoted_field(std::size_t at) {
  std::size_t length = 0;  // length of the field so far, copied to `at` with its doubled quotes made single
  std::size_t from = at;
  for (;; ++from, ++length) {
    if (from >= text_.size()) {
      refuse_at(line_, column_text(fields_.size()), shown(std::string_view(text_).substr(at, length)),
                "a quote at the end of the field, on the same line",
                "a field in quotes that does not end on its line");
    }
    if (text_[from] == '"') {
      if (from + 1 >= text_.size() || text_[from + 1] != '"') break;
      ++from;
    }
    text_[at + length] = text_[from];
  }
  fields_.push_back(std::string_view(text_).substr(at, length));
  const std::size_t next = std::min(text_.find_first_not_of(kBlanks, from + 1), text_.size());
  if (next < text_.size() && text_[next] != ',') {
    refuse_at(line_, column_text(fields_.size() - 1), shown(std::string_view(text_).substr(next)),
              "a comma after a field in quotes", "text after a closing quote");
  }
  return next;
}

std::string CsvFile::column_text(std::size_t column) const {
  std::string text = std::to_string(column + 1);
  if (column < names_.size() && !names_[column].empty()) text += " (" + shown(names_[column]) + ")";
  return text;
}

void CsvFile::refuse(std::size_t column, std::string_view found, const std::string& expected,
                     const std::string& message) const {
  refuse_at(line_, column_text(column), shown(found), expected, message);
}

void CsvFile::refuse(const std::string& found, const std::string& expected,
                     const std::string& message) const {
  refuse_at(line_, "", found, expected, message);
}

void CsvFile::refuse_at(std::size_t line, const std::string& column, const std::string& found,
                        const std::string& expected, const std::string& message) const {
  throw Error(
      ErrorCode::data, path_.string(), found, expected,
      ", line " + std::to_string(line) + (column.empty() ? "" : ", column " + column) + ": " + message);
}

}  // namespace muster::learning
