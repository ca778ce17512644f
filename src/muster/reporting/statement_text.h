// A privacy statement as `muster account` prints it: the JSON line of the contract, and a table for people.
#pragma once

#include <string>

#include "muster/accounting/statement.h"
#include "muster/reporting/json.h"

namespace muster::app {

// Keys in the contract's order: the best bound at the top level, then "local" and "all".
JsonObject statement_json(const accounting::Statement& statement);

// Best first. Upper values are rounded up and lower values down, so no printed epsilon is too small. What
// every bound assumes is said once. `with_time` adds what each bound took to compute.
std::string statement_table(const accounting::Statement& statement, bool with_time = false);

// `value` to 6 significant digits, never below it (round_up) or never above it.
std::string rounded_up(double value);
std::string rounded_down(double value);

}  // namespace muster::app
