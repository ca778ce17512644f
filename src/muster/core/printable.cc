#include "muster/core/printable.h"

#include <fmt/format.h>

namespace muster {

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    shown += control ? fmt::format("\\x{:02x}", c) : std::string(1, c);
  }
  return shown;
}

}  // namespace muster
