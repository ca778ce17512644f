#include "muster/plan/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/printable.h"
#include "muster/plan/plan.h"
#include "muster/plan/text_file.h"
#include "muster/plan/values.h"

namespace muster::protocols {
namespace {

using accounting::Channel;
using accounting::ProfileLocal;
using accounting::TabulatedProfile;

constexpr std::string_view kHeader = "alpha,divergence";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// The largest number of lines that are read. A table has fewer rows, but comments and empty lines count.
constexpr std::size_t kMaxLines = 10'000;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// Returns the start of a text, in a form that can be shown.
std::string shown(std::string_view text) {
  constexpr std::size_t kEnough = 40;
  std::string start = printable(text.substr(0, kEnough));
  std::ranges::replace_if(
      start, [](char c) { return static_cast<unsigned char>(c) > '~'; }, '?');
  return text.size() > kEnough ? start + "..." : start;
}

// A line that is neither empty nor a comment.
struct Line {
  std::size_t number;
  std::string_view text;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : name_(printable(name)) {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    for (std::size_t number = 1; !text.empty(); ++number) {
      if (number > kMaxLines)
        refuse(number, "", fmt::format("at most {} lines", kMaxLines), "the file has more lines");
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      if (const std::string_view rest = trimmed(line); !rest.empty() && rest.front() != '#') {
        lines_.push_back({number, rest});
      }
    }
  }

  ProfileLocal profile() const {
    if (lines_.empty()) {
      refuse(1, "", forms(), "the file has no rows");
    }
    std::string header;
    for (const char c : lines_.front().text) {
      if (c != ' ' && c != '\t') header += c;
    }
    if (header == kHeader) return table();
    if (!parse_number(trimmed(header.substr(0, header.find(','))))) {
      refuse(lines_.front().number, shown(lines_.front().text), forms(),
             "is neither the header of a table nor the first row of a channel");
    }
    // No channel has a row of 1 and a second number beyond rounding error, because its probabilities would
    // sum to more than 1. So this is the first row of a table without its header.
    const std::vector<std::string_view> first = cells(lines_.front(), Channel::kMaxOutputs);
    if (first.size() == 2 && parse_number(first[0]) == 1 &&
        parse_number(first[1]).value_or(0) > Channel::kMaxSumError) {
      refuse(lines_.front().number, shown(lines_.front().text), forms(),
             fmt::format("is the row of a table, which begins with the line {}", kHeader));
    }
    return channel();
  }

 private:
  static std::string forms() {
    return fmt::format("the line {} and rows below it, or the rows of a channel matrix", kHeader);
  }

  std::string place(std::size_t number) const { return fmt::format("{}, line {}", name_, number); }

  [[noreturn]] void refuse(std::size_t number, const std::string& value, const std::string& allowed,
                           const std::string& message) const {
    throw Error::in_words(ErrorCode::plan, Reason::malformed, "randomizer.profile", value, allowed,
                          fmt::format("{}: {}{}{}; allowed: {}", place(number), value,
                                      value.empty() ? "" : " ", message, allowed));
  }

  std::vector<std::string_view> cells(const Line& line, std::size_t most) const {
    std::vector<std::string_view> list;
    for (std::string_view rest = line.text;;) {
      const std::size_t comma = rest.find(',');
      list.push_back(trimmed(rest.substr(0, comma)));
      if (comma == rest.npos) return list;
      if (list.size() == most)
        refuse(line.number, "", fmt::format("at most {} columns", most), "the row has more columns");
      rest.remove_prefix(comma + 1);
    }
  }

  double number(const Line& line, std::string_view cell, std::size_t column) const {
    const std::optional<double> value = parse_number(cell);
    if (!value) {
      refuse(line.number, cell.empty() ? "an empty cell" : shown(cell), "a finite number",
             fmt::format("in column {} is no number", column + 1));
    }
    return *value + 0.0;  // turns -0 into 0
  }

  ProfileLocal table() const {
    std::vector<TabulatedProfile::Point> points;
    double infinite = std::numeric_limits<double>::infinity();
    bool ended = false;
    for (std::size_t i = 1; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      const std::vector<std::string_view> both = cells(line, 2);
      if (both.size() != 2) {
        refuse(line.number, shown(line.text), "two numbers with a comma", "is no row of a table");
      }
      if (ended) refuse(line.number, shown(line.text), "nothing", "follows the row of alpha = inf");
      if (both[0] == "inf") {
        infinite = number(line, both[1], 1);
        ended = true;
      } else {
        points.push_back({number(line, both[0], 0), number(line, both[1], 1)});
      }
    }
    return ProfileLocal(TabulatedProfile::of_table(points, infinite, [this](std::size_t row) {
      return place(lines_[std::min(row + 1, lines_.size() - 1)].number);
    }));
  }

  ProfileLocal channel() const {
    const auto place_of = [this](std::size_t row) {
      return place(lines_[std::min(row, lines_.size() - 1)].number);
    };
    std::vector<std::vector<double>> rows;
    for (const Line& line : lines_) {
      std::vector<double> row;
      for (const std::string_view cell : cells(line, Channel::kMaxOutputs)) {
        row.push_back(number(line, cell, row.size()));
      }
      rows.push_back(std::move(row));
    }
    return ProfileLocal(Channel(std::move(rows), place_of));
  }

  std::string name_;
  std::vector<Line> lines_;
};

}  // namespace

ProfileFile read_profile_file(const std::string& path) {
  return profile_file_of(path, read_text_file(path, {.name = "profile", .mebibytes = 4}));
}

ProfileFile profile_file_of(const std::string& path, std::string text) {
  std::string hash = hash_of(text);
  accounting::ProfileLocal mechanism = profile_of_text(text, path);
  return {path, std::move(hash), std::move(text), std::move(mechanism)};
}

ProfileLocal profile_of_text(std::string_view text, const std::string& name) {
  return Reader(text, name).profile();
}

}  // namespace muster::protocols
