#include "muster/learning/data/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/core/error.h"
#include "muster/learning/data/byte_file.h"

namespace muster::learning {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 22;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The text of a field for an error message: printable and short.
std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string out(text.substr(0, kShown));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
  }
  return text.size() > kShown ? out + "..." : out;
}

template <typename Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The float nearest to the number in `text` (0 for 1e-50). Empty if `text` is not a number or not a finite
// one.
std::optional<float> feature_of(std::string_view text) {
  float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) number = std::strtof(std::string(text).c_str(), nullptr);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// The lines of a file, from front to back.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path) : path_(path), file_(path) {}

  // Reads the next line without its '\n'; returns false after the last one.
  bool next(std::string& line) {
    line.clear();
    ++number_;
    for (;;) {
      const auto end = std::find(chunk_.begin() + at_, chunk_.begin() + size_, '\n');
      line.append(chunk_.begin() + at_, end);
      if (line.size() > kLongestLine) refuse("", "more than 4 MiB", "at most 4 MiB", "a line too long");
      at_ = end - chunk_.begin();
      if (at_ < size_) {
        ++at_;
        return true;
      }
      size_ = static_cast<std::ptrdiff_t>(
          file_.read(std::span(reinterpret_cast<std::uint8_t*>(chunk_.data()), chunk_.size())));
      at_ = 0;
      if (size_ == 0) return !line.empty();
    }
  }

  [[noreturn]] void refuse(const std::string& column, const std::string& found, const std::string& expected,
                           const std::string& message) const {
    throw Error(
        ErrorCode::data, path_.string(), found, expected,
        ", line " + std::to_string(number_) + (column.empty() ? "" : ", column ") + column + ": " + message);
  }

 private:
  std::filesystem::path path_;
  ByteFile file_;
  std::vector<char> chunk_ = std::vector<char>(1U << 16);
  std::ptrdiff_t at_ = 0;
  std::ptrdiff_t size_ = 0;
  std::size_t number_ = 0;
};

std::vector<std::string> header_of(Lines& lines) {
  std::string line;
  if (!lines.next(line)) lines.refuse("", "an empty file", "a header line", "no header");
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.size() < 2 || fields.size() > kMaxColumns) {
    lines.refuse("", std::to_string(fields.size()) + " columns", "2 to " + std::to_string(kMaxColumns),
                 "features, then the label");
  }
  if (std::ranges::all_of(fields, [](std::string_view f) { return parsed<double>(f).has_value(); })) {
    lines.refuse("", shown(line), "the names of the columns", "no header line");
  }
  std::vector<std::string> names;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    names.push_back(std::to_string(c + 1) + (fields[c].empty() ? "" : " (" + shown(fields[c]) + ")"));
  }
  return names;
}

void append(const Lines& lines, const std::vector<std::string>& columns, std::string_view line,
            Dataset& data) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.size() != columns.size()) {
    lines.refuse("", std::to_string(fields.size()) + " columns",
                 std::to_string(columns.size()) + ", as in the header", "columns do not match");
  }
  for (std::size_t c = 0; c + 1 < fields.size(); ++c) {
    const std::optional<float> value = feature_of(fields[c]);
    if (!value) {
      lines.refuse(columns[c], shown(fields[c]), "a finite number of size at most 3.4e38", "not a feature");
    }
    data.values.push_back(*value);
  }
  const std::optional<std::uint8_t> label = parsed<std::uint8_t>(fields.back());
  if (!label) {
    lines.refuse(columns.back(), shown(fields.back()), "an integer 0 to " + std::to_string(kMaxClasses - 1),
                 "not a class");
  }
  data.labels.push_back(*label);
}

}  // namespace

DataSplit load_csv(const std::filesystem::path& file) {
  Lines lines(file);
  const std::vector<std::string> columns = header_of(lines);
  DataSplit split;
  std::string line;
  for (std::size_t example = 0; lines.next(line); ++example) {
    if (example == kMaxExamples) {
      lines.refuse("", "more examples", "at most " + std::to_string(kMaxExamples), "too many examples");
    }
    append(lines, columns, line, example % kHeldOut == kHeldOut - 1 ? split.test : split.train);
  }
  if (split.test.size() == 0) {
    lines.refuse("", std::to_string(split.train.size()) + " examples", "at least " + std::to_string(kHeldOut),
                 "no test example: every sixth is one");
  }
  std::uint8_t largest = 1;
  for (const Dataset* part : {&split.train, &split.test}) {
    largest = std::max(largest, *std::ranges::max_element(part->labels));
  }
  for (Dataset* part : {&split.train, &split.test}) {
    part->shape = {1, 1, columns.size() - 1};
    part->classes = std::size_t{largest} + 1;
  }
  return split;
}

}  // namespace muster::learning
