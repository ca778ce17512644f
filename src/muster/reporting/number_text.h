// Text for numbers in human-readable form. All functions are pure and thread-safe.
#pragma once

#include <string>

namespace muster::reporting {

// A duration as text, rounded up: "52 s", "3 min 20 s", "2 h 5 min", "33 days".
std::string duration_text(double seconds);

// Four decimals, rounded up, so that the printed value is never below the proven one.
std::string epsilon_text(double epsilon);

}  // namespace muster::reporting
