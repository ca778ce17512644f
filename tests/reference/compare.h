// Compares an answer of the engine with the reference: no upper value may lie below a certified lower bound
// (reference.h), and no lower value above an upper bound that holds for every data set (theorem.h).
//
// Call the functions on one thread only.
#pragma once

#include <optional>
#include <vector>

#include "tests/reference/engine.h"
#include "tests/reference/finding.h"
#include "tests/reference/question.h"
#include "tests/reference/reference.h"

namespace muster::reference {

// Returns the question in the reference's own terms, with one entry for each stage. The result is empty if
// the reference does not cover the question.
std::vector<Repetition> experiments_of(const Question& question);

// Adds the findings and the names of the checks that applied to the verdict, and sets Verdict::ratio and
// Verdict::compare_seconds.
void compare(const Question& question, const Answer& answer, Verdict& verdict);

}  // namespace muster::reference
