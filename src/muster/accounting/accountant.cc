#include "muster/accounting/accountant.h"

#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "muster/accounting/constant_accountant.h"
#include "muster/accounting/scheduled_accountant.h"
#include "muster/accounting/sorted_bounds.h"
#include "muster/core/error.h"
#include "muster/gate/gate.h"

namespace muster::accounting {

struct Accountant::State {
  State(const Mechanism& mechanism, const Participation& participation)
      : charged(std::in_place_type<ConstantAccountant>, mechanism, participation) {}
  State(const Mechanism& mechanism, std::vector<Stage> stages)
      : charged(std::in_place_type<ScheduledAccountant>, mechanism, std::move(stages)) {}

  template <typename Ask>
  auto ask(const Ask& question) const {
    return std::visit(question, charged);
  }

  std::variant<ConstantAccountant, ScheduledAccountant> charged;
  std::optional<std::uint64_t> rounds;  // of all stages together; empty if there are no stages
};

Accountant::Accountant(const Mechanism& mechanism, const Participation& participation)
    : state_(std::make_unique<State>(mechanism, participation)) {}

Accountant::Accountant(const Mechanism& mechanism, std::vector<Stage> stages) {
  const std::uint64_t rounds = total_rounds(stages);
  state_ = stages.size() == 1 ? std::make_unique<State>(mechanism, stages.front().participation)
                              : std::make_unique<State>(mechanism, std::move(stages));
  state_->rounds = rounds;
}

Accountant::~Accountant() = default;
Accountant::Accountant(Accountant&&) noexcept = default;
Accountant& Accountant::operator=(Accountant&&) noexcept = default;

std::optional<double> Accountant::upper(std::uint64_t rounds, const Question& question) const {
  validate_rounds(rounds);
  return state_->ask([&](const auto& by) { return by.upper(rounds, question); });
}

std::optional<double> Accountant::rough_upper(std::uint64_t rounds, const Question& question) const {
  validate_rounds(rounds);
  return state_->ask([&](const auto& by) { return by.rough_upper(rounds, question); });
}

double Accountant::epsilon_upper(std::uint64_t rounds, Delta delta) const {
  return upper(rounds, {Question::Kind::epsilon_at_delta, delta.value()})
      .value_or(std::numeric_limits<double>::infinity());
}

std::string Accountant::unamplified() const {
  return state_->ask([](const auto& by) { return by.unamplified(); });
}

Statement Accountant::account(std::uint64_t rounds, const Question& question,
                              std::optional<View> asked) const {
  validate_rounds(rounds);
  return state_->ask([&](const auto& by) { return by.account(rounds, question, asked); });
}

Statement Accountant::account(const Question& question, std::optional<View> asked) const {
  if (!state_->rounds) {
    throw Error(ErrorCode::plan, Reason::missing, "rounds", "", "a number of rounds",
                "must be given, since this accountant was made without stages");
  }
  return account(*state_->rounds, question, asked);
}

Statement Accountant::merge(Statement statement, std::vector<Bound> others) const {
  if (statement.rounds == 0 || others.empty()) return statement;
  const View view = statement.best.view;
  const Gate gate = state_->ask([&](const auto& by) { return by.gate(statement.rounds, view); });
  const double lower = lower_of(statement);  // the lower values of `others` are not used
  const bool sees_more =
      view == View::shuffler_colludes && view != state_->ask([](const auto& by) { return by.own(); });
  for (Bound& bound : others) {
    const bool proven = bound.validity == Validity::proven;
    if (proven && sees_more) continue;
    if (proven && bound.upper) gate.check(bound.id, statement.rounds, statement.question, *bound.upper);
    bound.view = view;
    statement.all.push_back(std::move(bound));
  }
  sort_bounds(statement, lower);
  return statement;
}

}  // namespace muster::accounting
