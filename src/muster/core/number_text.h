// Formats numbers for people, in descriptions, assumptions, errors, tables and pages. All functions are pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// A computed number with at most 15 significant digits. For example, 0.01 * (1 - 0.3) is printed as "0.007",
// although the shortest text that reads back as the same double is 0.006999999999999999. For a number that
// the user typed, use fmt's "{}" instead, which loses no digit.
std::string number_text(double value);

// `value` with 6 significant digits: rounded_up is never below it, rounded_down never above it. Guarantees
// are printed with these functions, rounded to the safe side.
std::string rounded_up(double value);
std::string rounded_down(double value);

// `epsilon` with four decimals, rounded up so that the text is never below it; "none" if `epsilon` is not
// finite.
std::string epsilon_text(double epsilon);

// "1 round", "2 rounds": a count with its noun, whose plural ends in s.
std::string count_text(std::uint64_t count, std::string_view noun);

// A duration as text: "52 s", "3 min 20 s", "2 h 5 min", "33 days". The seconds are first rounded up to a
// whole number; units smaller than those shown are then dropped.
std::string duration_text(double seconds);

}  // namespace muster
