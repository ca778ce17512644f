// Numbers as people read them. Pure functions; call from any thread.
#pragma once

#include <string>

namespace muster::app {

// "52 s", "3 min 20 s", "2 h 5 min", "33 days".
std::string duration_text(double seconds);

// Four decimals, rounded up: what is printed is never below what was proven.
std::string epsilon_text(double epsilon);

}  // namespace muster::app
