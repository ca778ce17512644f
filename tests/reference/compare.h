// An answer of the engine against the reference: never below a certified lower
// value, no lower value above the truth.
//
// Single thread.
#pragma once

#include <optional>
#include <vector>

#include "tests/reference/engine.h"
#include "tests/reference/finding.h"
#include "tests/reference/question.h"
#include "tests/reference/reference.h"

namespace muster::reference {

// The question in the reference's own terms; empty where it has nothing to say.
std::vector<Repetition> experiments_of(const Question& question);

// Adds findings and the ratio to the verdict.
void compare(const Question& question, const Answer& answer, Verdict& verdict);

}  // namespace muster::reference
