// What must hold between answers, whatever the right answer is: order, agreement and consistency.
//
// Each relation rests on a theorem, named beside it, and is checked only where that theorem orders the
// answers (a smaller rate may cost MORE where only sums or the models of a slot run are seen: fewer
// reports hide less). Two answers are ordered up to the numerical error of the one that should be
// smaller. Single thread.
#pragma once

#include <string>
#include <vector>

#include "tests/reference/engine.h"
#include "tests/reference/finding.h"
#include "tests/reference/generator.h"
#include "tests/reference/question.h"

namespace muster::reference {

// One question with its answer, and where findings go.
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

// The relations that compare questions with one another, and those that compare the library's accountants.
std::vector<Relation> relations_between_questions();
std::vector<Relation> relations_between_accountants();

// `smaller` must not cost more than `larger`. Adds a finding where it does, beyond its own numerical error.
void expect_no_more(const Case& c, const char* name, const Question& smaller_question, const Answer& smaller,
                    const Question& larger_question, const Answer& larger);

// Asks the question, and adds a finding if the engine died. False if there is no answer to compare.
bool ask(const Case& c, const Question& question, Answer& answer);

}  // namespace muster::reference
