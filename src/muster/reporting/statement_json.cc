#include "muster/accounting/statement.h"
#include "muster/reporting/statement_text.h"

namespace muster::reporting {
namespace {

using accounting::Bound;
using accounting::Statement;

JsonObject both_sides(const Bound& bound) {
  return JsonObject().number("upper", bound.upper).number("lower", bound.lower);
}

// Returns the question and its answer, in the order epsilon, delta, rounds.
JsonObject head(const Statement& statement, const Bound& bound) {
  JsonObject json;
  if (statement.question.asks_epsilon()) {
    json.object("epsilon", both_sides(bound)).number("delta", statement.question.fixed());
  } else {
    json.number("epsilon", statement.question.fixed()).object("delta", both_sides(bound));
  }
  return json.unsigned_integer("rounds", statement.rounds);
}

JsonObject bound_json(const Statement& statement, const Bound& bound) {
  return head(statement, bound)
      .text("bound", bound.id)
      .text("validity", name_of(bound.validity))
      .text("neighbouring", name_of(bound.neighbouring))
      .text("view", name_of(bound.view))
      .number("numerical_error", bound.numerical_error)
      .texts("assumptions", bound.assumptions)
      .text("citation", bound.citation)
      .number("seconds", bound.seconds);
}

JsonObject local_json(const Statement& statement) {
  JsonObject json;
  if (statement.question.asks_epsilon()) {
    json.number("epsilon", statement.local_upper).number("delta", statement.question.fixed());
  } else {
    json.number("epsilon", statement.question.fixed()).number("delta", statement.local_upper);
  }
  return json.unsigned_integer("rounds", statement.local_rounds);
}

}  // namespace

JsonObject statement_json(const Statement& statement) {
  std::vector<JsonObject> all;
  for (const Bound& bound : statement.all) {
    all.push_back(bound_json(statement, bound));
  }
  return bound_json(statement, statement.best).object("local", local_json(statement)).objects("all", all);
}

}  // namespace muster::reporting
