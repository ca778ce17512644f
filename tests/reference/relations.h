// Relations that must hold between answers even if the right answer is unknown: order, agreement and
// consistency.
//
// The reason for each relation stands beside it, and the relation is checked only where the reason applies.
// For example, a smaller rate may cost MORE where only sums or the models of a slot run are seen, because
// fewer reports hide less. Two answers may be out of order by at most the numerical error of the answer that
// should be smaller. Call the functions on one thread only.
#pragma once

#include <string>
#include <vector>

#include "tests/reference/engine.h"
#include "tests/reference/finding.h"
#include "tests/reference/generator.h"
#include "tests/reference/question.h"

namespace muster::reference {

// One question with its answer, and the verdict to which findings are added.
struct Case {
  const Question& question;
  const Answer& base;
  Engine& engine;
  Draws& draws;
  Verdict& verdict;
};

struct Relation {
  const char* name;
  bool (*applies)(const Question& question);
  void (*check)(const Case& c, const char* name);
};

// Returns the relations that compare questions with one
// another, and those that compare the library's accountants.
std::vector<Relation> relations_between_questions();
std::vector<Relation> relations_between_accountants();

// `smaller` must not cost more than `larger`. Adds a finding if it does, by more than its own numerical
// error.
void expect_no_more(const Case& c, const char* name, const Question& smaller_question, const Answer& smaller,
                    const Question& larger_question, const Answer& larger);

// Asks the question, and adds a finding if the engine died. Returns false if there is no answer to compare.
bool ask(const Case& c, const Question& question, Answer& answer);

}  // namespace muster::reference
