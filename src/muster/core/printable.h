// Makes text that comes from a file or a flag safe to show.
//
// A control character in a message could cut off its line, or move the cursor and change the state of a
// terminal. The function is pure and may be called from any thread.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// Returns the text with each control character of ASCII replaced by its escape, such as "\x1b".
std::string printable(std::string_view text);

}  // namespace muster
