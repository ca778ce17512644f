#include "count_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "muster/core/error.h"

namespace muster::app {
namespace {

// Returns what is wrong with a text that should be an integer from `least` to `most`, or nullptr.
const char* fault_of(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    return "is not an integer written in digits";
  }
  // The parser would read such a number as octal later.
  if (digits.starts_with('0') && digits.size() > 1) return "begins with a zero";
  std::uint64_t count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  return failure != std::errc() || count < least || count > most ? "is out of range" : nullptr;
}

// Returns a check that the value is an integer from `least` to `most`. Its error states `allowed`.
CLI::Validator count_between(const std::string& flag, std::uint64_t least, std::uint64_t most,
                             const std::string& allowed) {
  return {[flag, least, most, allowed](const std::string& text) -> std::string {
            if (const char* fault = fault_of(text, least, most)) {
              throw Error(ErrorCode::usage, Reason::out_of_range, flag, text, allowed, fault);
            }
            return "";
          },
          ""};
}

CLI::Validator count_between(const std::string& flag, std::uint64_t least, std::uint64_t most) {
  return count_between(flag, least, most, fmt::format("integer {}..{}", least, most));
}

}  // namespace

CLI::Option* add_threads(CLI::App& cli, unsigned& threads, const std::string& when) {
  return cli
      .add_option("--threads", threads,
                  when + "worker threads; the result does not depend on them: integer 1..1024 [all cores]")
      ->type_name("INTEGER")
      ->check(count_between("--threads", 1, 1024));
}

CLI::Option* add_seeds(CLI::App& cli, std::uint64_t& seeds, const std::string& when) {
  return cli
      .add_option("--seeds", seeds,
                  when + "train with so many seeds, from the plan's on: integer 1..1000 [1]")
      ->type_name("INTEGER")
      ->check(count_between("--seeds", 1, 1000));
}

CLI::Option* add_count(CLI::App& cli, const std::string& flag, std::uint64_t& count, std::uint64_t least,
                       std::uint64_t most, const std::string& help) {
  return cli.add_option(flag, count, help)->type_name("INTEGER")->check(count_between(flag, least, most));
}

CLI::Option* add_count_of_task(CLI::App& cli, const std::string& flag, std::uint64_t& count,
                               const std::string& allowed, const std::string& help) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();  // the largest TOML integer
  return cli.add_option(flag, count, help)
      ->type_name("INTEGER")
      ->check(count_between(flag, 0, kMost, allowed));
}

}  // namespace muster::app
