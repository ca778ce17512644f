// Lays out text for a terminal of 80 columns: aligned tables and wrapped paragraphs. All functions are pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::reporting {

// The width, in characters, that tables and paragraphs keep to.
inline constexpr std::size_t kTextWidth = 80;

using TableRow = std::vector<std::string>;

enum class Align { left, right };

// Returns one line per row, each with a line end. Columns are as wide as their longest cell and two spaces
// apart; the last one is always aligned left. At least one row is required, and all must be equally long.
std::string aligned(const std::vector<TableRow>& rows, Align align = Align::left);
// Returns the length of the longest line that aligned() makes of these rows.
std::size_t width_of(const std::vector<TableRow>& rows);

// Returns the words of `text` in lines of at most `width` characters, each with a line end. The first line
// begins with `first` and the others with `rest`. A word that is longer than a line has a line to itself.
std::string wrapped(std::string_view text, std::string_view first = "", std::string_view rest = "",
                    std::size_t width = kTextWidth);

}  // namespace muster::reporting
