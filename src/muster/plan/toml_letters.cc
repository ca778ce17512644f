#include "muster/plan/toml_letters.h"

#include <algorithm>

namespace muster::protocols {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Returns the offset after the string that begins at `at`. `quote` is the character " or ' at that offset.
std::size_t behind_string(std::string_view toml, std::size_t at, char quote) {
  const std::string_view rest = toml.substr(at);
  const bool spans_lines = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
  const std::size_t marks = spans_lines ? 3 : 1;
  std::size_t seen = 0;  // the number of consecutive quotes up to and including character i
  for (std::size_t i = at + marks; i < toml.size(); ++i) {
    if (toml[i] == '\\' && quote == '"') {
      seen = 0;
      ++i;  // skips the escaped character
    } else if (toml[i] == '\n' && !spans_lines) {
      return i;
    } else {
      seen = toml[i] == quote ? seen + 1 : 0;
    }
    if (seen == marks) {
      // A multi-line string may end in up to two quotes of its own, just before its three closing quotes.
      const std::size_t last = spans_lines ? std::min(i + 2, toml.size() - 1) : i;
      while (i < last && toml[i + 1] == quote) {
        ++i;
      }
      return i + 1;
    }
  }
  return toml.size();
}

// Whether a string can begin at `at`. A quote within a bare word does not begin a string; the parser reads
// such a word to its end and then refuses it.
bool begins_string(std::string_view toml, std::size_t at) {
  const bool is_quote = toml[at] == '"' || toml[at] == '\'';
  return is_quote && (at == 0 || std::string_view(" \t\r\n=[{,.").find(toml[at - 1]) != toml.npos);
}

}  // namespace

std::optional<std::size_t> beyond_ascii_outside_text(std::string_view toml) {
  if (toml.starts_with(kByteOrderMark)) {
    const auto found = beyond_ascii_outside_text(toml.substr(kByteOrderMark.size()));
    return found ? std::optional(*found + kByteOrderMark.size()) : std::nullopt;
  }
  std::size_t at = 0;
  while (at < toml.size()) {
    const char c = toml[at];
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
    } else if (begins_string(toml, at)) {
      at = behind_string(toml, at, c);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return at;
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace muster::protocols
