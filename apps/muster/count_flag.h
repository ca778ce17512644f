// Checks the value of a flag that is no plan key and takes a count, such as --threads.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace muster::app {

// Returns the check that the value is an integer from 1 to `most`. It throws Error(usage), in the same form as
// the errors of plan keys.
CLI::Validator count_up_to(const char* flag, std::uint64_t most);

}  // namespace muster::app
