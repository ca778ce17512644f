// A question's verdict as lines of text: what a job tells its parent, and what the log of a long run keeps.
//
// Lines, fields apart by tabs: "asking COMMAND" before each question put to the engine; "check
// NAME" for each check that applied; "finding KIND NAME DETAIL COMMANDS..."; at the end
// "verdict STATUS RATIO SECONDS COMMAND".
#pragma once

#include <string>

#include "tests/reference/finding.h"
#include "tests/reference/pool.h"

namespace muster::reference {

std::string text_of(const Verdict& verdict);

// Reads what a job wrote. A job that was ended from outside becomes a
// finding of its own: out of time, or died.
Verdict verdict_of(const Finished& finished, double limit_seconds);

// One line without breaks or tabs.
std::string one_line(std::string text);

}  // namespace muster::reference
