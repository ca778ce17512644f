// Declares flags that are no plan keys and take a count.
//
// A value that is no integer in the range is refused by Error(usage), in the same form as the errors of plan
// keys. The variables given to these functions must outlive parsing. `when` begins the help text, for example
// "with --train: ".
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace muster::app {

// Declares `--threads N`, with N = 1..1024.
CLI::Option* add_threads(CLI::App& cli, unsigned& threads, const std::string& when = "");
// Declares `--seeds N`, with N = 1..1000.
CLI::Option* add_seeds(CLI::App& cli, std::uint64_t& seeds, const std::string& when = "");
// Declares `flag`, which takes an integer from `least` to `most`.
CLI::Option* add_count(CLI::App& cli, const std::string& flag, std::uint64_t& count, std::uint64_t least,
                       std::uint64_t most, const std::string& help);
// Declares `flag`, which takes an integer whose range depends on a plan and is checked with it. The
// error of the parser states `allowed`.
CLI::Option* add_count_of_task(CLI::App& cli, const std::string& flag, std::uint64_t& count,
                               const std::string& allowed, const std::string& help);

}  // namespace muster::app
