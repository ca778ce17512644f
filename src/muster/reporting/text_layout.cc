#include "muster/reporting/text_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace muster::reporting {
namespace {

constexpr std::size_t kGap = 2;  // spaces between two columns

std::vector<std::size_t> widths_of(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const TableRow& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  return widths;
}

}  // namespace

std::string aligned(const std::vector<TableRow>& rows, Align align) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const bool to_the_right = align == Align::right && column + 1 < row.size();
      line += to_the_right ? fmt::format("{:>{}}", row[column], widths[column])
                           : fmt::format("{:<{}}", row[column], widths[column]);
      line += std::string(kGap, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::size_t width_of(const std::vector<TableRow>& rows) {
  const std::vector<std::size_t> widths = widths_of(rows);
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

std::string wrapped(std::string_view text, std::string_view first, std::string_view rest, std::size_t width) {
  std::string lines, line(first);
  bool begun = false;  // whether the line holds a word
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (begun && line.size() + 1 + word.size() > width) {
      lines += line + "\n";
      line = rest;
      begun = false;
    }
    line += begun ? fmt::format(" {}", word) : std::string(word);
    begun = true;
  }
  return lines + line + "\n";
}

}  // namespace muster::reporting
