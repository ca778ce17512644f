// Prints a note for the user on stderr. One thread at a time may call the function.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace muster::app {

// `note` is one line without a line end; an empty one is not printed.
inline void say(const std::string& note) {
  if (!note.empty()) {
    fmt::print(stderr, "muster: {}\n", note);
  }
}

}  // namespace muster::app
