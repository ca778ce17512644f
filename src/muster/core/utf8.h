// Finds the characters of UTF-8 text. A path, or a field of a file, may be any bytes, and HTML, SVG and JSON
// may hold only valid UTF-8. The function is pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster {

// Returns the number of bytes of the character at the beginning of `text`, or 0 if `text` begins with a
// control character or with no valid character.
std::size_t utf8_length(std::string_view text);

}  // namespace muster
