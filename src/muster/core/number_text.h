// Text for numbers as a person writes them: in descriptions, assumptions, errors, tables and pages. Pure
// functions.
#pragma once

#include <string>

namespace muster {

// A number that was computed, with at most 15 significant digits: 0.01 * (1 - 0.3) has 0.006999999999999999 as
// its shortest exact text, and is printed as "0.007". A number that was typed is printed by "{}", exactly.
std::string number_text(double value);

// `value` with 6 significant digits: rounded_up is never below it, rounded_down never above it. For what is
// guaranteed, whose side matters.
std::string rounded_up(double value);
std::string rounded_down(double value);

// Four decimals, rounded up, so that the printed value is never below the proven one; "none" if it is infinite.
std::string epsilon_text(double epsilon);

// A duration as text, rounded up: "52 s", "3 min 20 s", "2 h 5 min", "33 days".
std::string duration_text(double seconds);

}  // namespace muster
