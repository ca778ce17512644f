#include "count_flag.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

#include "muster/core/error.h"

namespace muster::app {

CLI::Validator count_up_to(const char* flag, std::uint64_t most) {
  return {[flag, most](const std::string& text) -> std::string {
            std::uint64_t count = 0;
            const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
            // A leading zero is refused, because the parser would read the number as octal later.
            if (failure != std::errc() || end != text.data() + text.size() || text.starts_with('0') ||
                count > most) {
              throw Error(ErrorCode::usage, Reason::out_of_range, flag, text,
                          fmt::format("integer 1..{}", most), "is out of range, or not an integer");
            }
            return "";
          },
          ""};
}

}  // namespace muster::app
