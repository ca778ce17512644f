#include "tests/reference/engine.h"

#include <ctime>
#include <exception>
#include <limits>
#include <utility>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/papers/comparisons.h"

namespace muster::reference {

double Answer::upper() const {
  return statement.best.upper.value_or(std::numeric_limits<double>::infinity());
}

double Answer::lower() const { return statement.best.lower.value_or(0); }

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Answer caught(const std::function<accounting::Statement()>& body) {
  Answer answer;
  const double before = processor_seconds();
  try {
    answer.statement = body();
  } catch (const Error& error) {
    const bool refused = error.code() == ErrorCode::plan || error.code() == ErrorCode::uncovered;
    answer.kind = refused ? Answer::Kind::refused : Answer::Kind::died;
    answer.message = error.what();
  } catch (const std::exception& error) {
    answer.kind = Answer::Kind::died;
    answer.message = error.what();
  }
  answer.seconds = processor_seconds() - before;
  return answer;
}

Answer Engine::ask(const Question& question) {
  const std::string command = command_line(question);
  announce(command);
  Answer answer = caught([&] {
    const protocols::Plan plan = plan_of(question);
    const std::vector<accounting::Stage> stages = plan.stages();
    const accounting::Accountant accountant(plan.mechanism(), stages);
    accounting::Statement statement = accountant.account(asked(question), question.view);
    if (!question.all) return statement;
    return accountant.merge(std::move(statement),
                            accounting::comparisons(plan.mechanism(), stages, asked(question)));
  });
  if (answer.seconds > slowest_) {
    slowest_ = answer.seconds;
    slowest_command_ = command;
  }
  return answer;
}

}  // namespace muster::reference
