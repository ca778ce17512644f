#include "muster/core/utf8.h"

namespace muster {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead >= 0x20 && lead < 0x7F) return 1;
  // The conditions on the second byte exclude overlong forms, the control characters U+0080 to U+009F,
  // surrogates and values above U+10FFFF.
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) && (lead != 0xC2 || byte(1) >= 0xA0) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool fits = (lead != 0xE0 || byte(1) >= 0xA0) && (lead != 0xED || byte(1) < 0xA0);
    return fits && follows(1) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool fits = (lead != 0xF0 || byte(1) >= 0x90) && (lead != 0xF4 || byte(1) < 0x90);
    return fits && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace muster
