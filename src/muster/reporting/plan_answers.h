// Answers the questions that the command and the Python package ask about a plan, each from one function, so
// that both give the same numbers and refuse alike.
//
// Example:
//     const Question question{Question::Kind::epsilon_at_delta, delta_of(plan, "a.toml", "--delta", "why")};
//     statement_json(statement_of(plan, question, std::nullopt, Papers::left_out)).str();
//
// All functions are pure; they build an accountant, which may take seconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/privacy_curve.h"
#include "muster/accounting/statement.h"
#include "muster/plan/calibration/calibration.h"
#include "muster/plan/plan.h"
#include "muster/reporting/json.h"

namespace muster::reporting {

// Returns the plan's delta. If there is none, throws Error(plan) with the reason `why` it is needed, for
// example "calibrate needs it". `where` and `setter` name the places where it can be set: a file and a flag.
double delta_of(const protocols::Plan& plan, const std::string& where, const std::string& setter,
                const std::string& why);

// Describes a plan in one line: "ldp-sgd, epsilon0 = 2; 60000 clients, ... in each round; 6800 rounds". If
// clients hold several records, the line also says whom epsilon is then for (records_note in run_notes.h).
std::string plan_sentence(const protocols::Plan& plan);
// Returns the same line, followed by what the question fixes: "...; delta = 1e-05".
std::string heading(const protocols::Plan& plan, const accounting::Question& question);

// Whether the bounds that papers give are added for comparison. Most of them are as-published, not proven.
enum class Papers { left_out, added };

// Returns the statement about all rounds of the plan. Throws what Accountant::account throws.
accounting::Statement statement_of(const protocols::Plan& plan, const accounting::Question& question,
                                   std::optional<accounting::View> view, Papers papers);

// Returns the statements about several plans, in their order, computed on `threads` threads at once. Each
// plan has its question. Throws what statement_of throws for the first plan that it refuses.
std::vector<accounting::Statement> statements_of(const std::vector<protocols::Plan>& plans,
                                                 const std::vector<accounting::Question>& questions,
                                                 std::optional<accounting::View> view, Papers papers,
                                                 unsigned threads);

// Returns the plan's curves (accounting/privacy_curve.h). Throws Error(plan) if the plan's rounds are not all
// alike, and what privacy_curves throws.
accounting::PrivacyCurves curves_of(const protocols::Plan& plan, const accounting::Question& question,
                                    std::optional<accounting::View> view);
// Throws Error(plan) if the plan's rounds are not all alike, because a curve varies their number. `asked_by`
// is the flag or function that asks.
void require_one_stage(const protocols::Plan& plan, const std::string& asked_by);

// Returns the JSON of the statement with the additional key "value": the number that was found, or an object
// for the knob `accuracy`.
JsonObject calibration_json(const protocols::Calibration& found, protocols::Knob knob);
// Returns what was found in words: "epsilon0 = 2: the largest that keeps epsilon <= 1 at delta 1e-05".
std::string calibration_sentence(const protocols::Calibration& found, protocols::Knob knob,
                                 const protocols::Target& target);

}  // namespace muster::reporting
