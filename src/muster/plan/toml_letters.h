// Finds a non-ASCII character where TOML does not allow one.
//
// TOML allows such characters only in strings and comments. If the parser of toml++ 3.3 meets one elsewhere,
// it tests whether the character is a blank. This test reaches code that is declared unreachable, which is
// undefined behaviour. So such a text is refused before it is parsed. The function is pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace muster::protocols {

// Returns the offset of the first non-ASCII byte outside strings and comments, or nullopt if there is none. A
// byte order mark at the beginning is allowed. An unclosed string is assumed to end with its line or, if it
// may span lines, with the text; the parser will refuse it.
std::optional<std::size_t> beyond_ascii_outside_text(std::string_view toml);

}  // namespace muster::protocols
