// Finds letters of a TOML text that stand where TOML has none.
//
// TOML allows characters beyond ASCII in strings and comments alone. The parser of toml++ 3.3 asks of one that
// stands elsewhere whether it is a blank, and answers by a path that it declares unreachable, which is undefined
// behaviour. So such a text is refused before it is parsed. Pure function.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace muster::protocols {

// The offset of the first byte beyond ASCII that is outside of strings and comments, a byte order mark at the
// beginning excepted. A string that does not end is taken to end with its line, or with the text if it may
// span lines: the parser will refuse it.
std::optional<std::size_t> beyond_ascii_outside_text(std::string_view toml);

}  // namespace muster::protocols
