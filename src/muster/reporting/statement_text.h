// Formats a privacy statement for `muster account`: as the documented JSON line, and as a table for people.
// The functions are pure.
#pragma once

#include <cstdint>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/reporting/json.h"

namespace muster::reporting {

// The case for which a Statement gives `local_upper`. Text and pages name it in the same words for every
// protocol, because the guarantee of a client's own noise holds whoever sees the messages.
inline constexpr const char* kLocalCase = "if nobody else is trusted";
// Returns the words with which a sentence begins: "If nobody else is trusted, over 6800 rounds".
std::string local_case_over(std::uint64_t rounds);

// Returns the JSON object of `muster account --json`, whose keys are in the documented order
// (docs/accounting.md): the best bound at the top level, then "local" and "all".
JsonObject statement_json(const accounting::Statement& statement);

// Returns the table of all bounds, in which the best bound comes first. Upper values are rounded up and lower
// values down, so no printed epsilon is too small. Notes below the table give the theorem and the assumptions
// of each bound; assumptions shared by all bounds are listed once. Lines have at most 80 characters: a column
// that does not fit into the table moves to the notes. `with_time` adds the time that each bound took to
// compute.
std::string statement_table(const accounting::Statement& statement, bool with_time = false);

}  // namespace muster::reporting
