// The verdict on a question as lines of text, which a job sends to its parent and the log of a
// long run keeps.
//
// The fields of a line are separated by tabs. The lines are "asking COMMAND" before each question to the
// engine, "check NAME" for each check that applied, "finding KIND NAME DETAIL COMMANDS..." for each finding,
// and at the end "verdict STATUS RATIO SECONDS COMPARE_SECONDS COMMAND".
#pragma once

#include <string>

#include "tests/reference/finding.h"
#include "tests/reference/pool.h"

namespace muster::reference {

std::string text_of(const Verdict& verdict);

// Reads what a job wrote. A job that was killed becomes a finding: it ran out of time, or it died.
Verdict verdict_of(const Finished& finished, double limit_seconds);

// Returns the text on one line: line breaks and tabs become blanks.
std::string one_line(std::string text);

}  // namespace muster::reference
