#include "count_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

#include "muster/core/error.h"

namespace muster::app {
namespace {

// Checks that the value is an integer from `least` to `most`.
CLI::Validator count_between(const std::string& flag, std::uint64_t least, std::uint64_t most) {
  return {[flag, least, most](const std::string& text) -> std::string {
            std::uint64_t count = 0;
            const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
            // A leading zero is refused, because the parser would read the number as octal later.
            if (failure != std::errc() || end != text.data() + text.size() ||
                (text.starts_with('0') && text != "0") || count < least || count > most) {
              throw Error(ErrorCode::usage, Reason::out_of_range, flag, text,
                          fmt::format("integer {}..{}", least, most), "is out of range, or not an integer");
            }
            return "";
          },
          ""};
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

}  // namespace muster::app
