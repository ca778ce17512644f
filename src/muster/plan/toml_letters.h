// Finds a character beyond ASCII that stands where TOML allows none.
//
// TOML allows such characters in strings and comments alone. When the parser of toml++ 3.3 meets one
// elsewhere, it tests whether it is a blank, and that test reaches code that is declared unreachable, which
// is undefined behaviour. So the plan refuses such a text before it is parsed. Pure function.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace muster::protocols {

// The offset of the first byte beyond ASCII that is outside of strings and comments, a byte order mark at the
// beginning excepted. A string that is not closed is taken to end with its line, or with the text if it may
// span lines: the parser will refuse it.
std::optional<std::size_t> beyond_ascii_outside_text(std::string_view toml);

}  // namespace muster::protocols
