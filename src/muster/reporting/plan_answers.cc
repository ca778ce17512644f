#include "muster/reporting/plan_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <utility>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/core/interrupt.h"
#include "muster/core/number_text.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/papers/comparisons.h"
#include "muster/plan/keys.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/statement_text.h"

namespace muster::reporting {
namespace {

using accounting::Question;
using protocols::Calibration;
using protocols::Knob;
using protocols::Plan;

bool whole(Knob knob) { return knob == Knob::rounds || knob == Knob::clients || knob == Knob::minimum; }
bool largest(Knob knob) { return knob == Knob::rounds || knob == Knob::rate || knob == Knob::epsilon0; }

// Returns the noise parameter that Knob::accuracy chooses together with the rate: "epsilon0" or "sigma".
const char* noise_of(const Calibration& found) { return found.plan.sigma() ? "sigma" : "epsilon0"; }

// Returns a note that says, approximately, which percentage of rounds will be destroyed because they have
// fewer reports than the required minimum. If the minimum is near or above the expected number of reports,
// the plan meets its target only because such rounds are destroyed. The note is empty if fewer than one round
// in a thousand is destroyed.
std::string destroyed(const Plan& plan) {
  const double rate = plan.rate() * (1 - plan.dropout().at(1)),
               expected = rate * static_cast<double>(plan.clients());
  const double deviation = std::sqrt(std::max(expected * (1 - rate), 1e-300));
  const double below = (static_cast<double>(plan.minimum()) - 0.5 - expected) / deviation;
  const double share = 0.5 * std::erfc(-below / std::sqrt(2.0));
  constexpr double kWorthSaying = 1e-3;
  return share < kWorthSaying
             ? ""
             : fmt::format("; about {:.2g} % of rounds will have fewer reports", 100 * share);
}

}  // namespace

double delta_of(const Plan& plan, const std::string& where, const std::string& setter,
                const std::string& why) {
  if (!plan.delta()) {
    throw Error(ErrorCode::plan, Reason::missing, "privacy.delta", "",
                protocols::spec_of("privacy.delta").allowed(),
                fmt::format("is missing: {}; set it in {} or with {}", why, where, setter));
  }
  return *plan.delta();
}

std::string plan_sentence(const Plan& plan) {
  std::string text = accounting::describe(plan.mechanism());
  for (const accounting::Stage& stage : plan.stages()) {
    text += fmt::format("; {}; {}", accounting::describe(stage.participation),
                        count_text(stage.rounds, plan.has_slots() ? "run" : "round"));
  }
  const std::string held = records_note(plan);
  return held.empty() ? text : fmt::format("{}; {}", text, held);
}

std::string heading(const Plan& plan, const Question& question) {
  return fmt::format("{}; {} = {}", plan_sentence(plan), question.asks_epsilon() ? "delta" : "epsilon",
                     question.fixed());
}

accounting::Statement statement_of(const Plan& plan, const Question& question,
                                   std::optional<accounting::View> view, Papers papers) {
  const std::vector<accounting::Stage> stages = plan.stages();
  const accounting::Accountant accountant(plan.mechanism(), stages);
  accounting::Statement statement = accountant.account(question, view);
  if (papers == Papers::left_out) return statement;
  return accountant.merge(std::move(statement), accounting::comparisons(plan.mechanism(), stages, question));
}

std::vector<accounting::Statement> statements_of(const std::vector<Plan>& plans,
                                                 const std::vector<Question>& questions,
                                                 std::optional<accounting::View> view, Papers papers,
                                                 unsigned threads) {
  struct Answer {
    std::optional<accounting::Statement> statement;
    std::exception_ptr refusal;
  };
  std::vector<Answer> answers(plans.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&, interrupt = InterruptScope::current()] {
    const InterruptScope scope(interrupt);
    for (std::size_t i = next++; i < plans.size() && !interrupt.requested(); i = next++) {
      try {
        answers[i].statement = statement_of(plans[i], questions.at(i), view, papers);
      } catch (...) {
        answers[i].refusal = std::current_exception();
      }
    }
  };
  {
    std::vector<std::future<void>> workers;
    for (unsigned i = 1; i < threads && i < plans.size(); ++i) {
      workers.push_back(std::async(std::launch::async, work));
    }
    work();
  }
  InterruptScope::current().check();
  std::vector<accounting::Statement> statements;
  for (Answer& answer : answers) {
    if (answer.refusal) std::rethrow_exception(answer.refusal);
    statements.push_back(std::move(*answer.statement));
  }
  return statements;
}

void require_one_stage(const Plan& plan, const std::string& asked_by) {
  if (plan.stages().size() == 1) return;
  throw plan.source().with_place(Error(
      ErrorCode::plan, Reason::contradiction, "participation.dropout", plan.dropout().canonical(),
      fmt::format("one number with {}", asked_by),
      fmt::format("does not go with {}, which moves the number of rounds that a schedule fixes", asked_by)));
}

accounting::PrivacyCurves curves_of(const Plan& plan, const Question& question,
                                    std::optional<accounting::View> view) {
  require_one_stage(plan, "--curve");
  const accounting::Accountant accountant(plan.mechanism(), plan.stages());
  return protocols::naming_places(
      plan.source(), [&] { return accounting::privacy_curves(accountant, plan.rounds(), question, view); });
}

JsonObject calibration_json(const Calibration& found, Knob knob) {
  JsonObject json = statement_json(found.statement);
  if (knob == Knob::accuracy) {
    return json.object("value", JsonObject()
                                    .number(noise_of(found), found.value)
                                    .number("rate", found.plan.rate())
                                    .number("variance", found.variance));
  }
  return whole(knob) ? json.unsigned_integer("value", static_cast<std::uint64_t>(found.value))
                     : json.number("value", found.value);
}

std::string calibration_sentence(const Calibration& found, Knob knob, const protocols::Target& target) {
  const std::string keeps = fmt::format("keeps epsilon <= {} at delta {}", target.epsilon, target.delta);
  if (knob == Knob::accuracy) {
    return fmt::format(
        "{} = {}, rate = {}: the least variance of a round's mean, {:.3g} squared clips a coordinate, that "
        "{}",
        noise_of(found), number_text(found.value), number_text(found.plan.rate()), *found.variance, keeps);
  }
  return fmt::format("{} = {}: the {} {}that {}", name_of(knob), number_text(found.value),
                     largest(knob) ? "largest" : "smallest", found.at_end ? "considered, " : "", keeps) +
         (knob == Knob::minimum ? destroyed(found.plan) : "");
}

}  // namespace muster::reporting
