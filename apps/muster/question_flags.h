// The question about a plan, as account and calibrate ask it: the values of --epsilon, --view and
// --delta, and the sentence that opens the answer.
#pragma once

#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"
#include "plan_flags.h"

namespace muster::app {

// `text`, the value of `flag`, as a number. Throws Error(plan) unless it is finite and > 0, or 0 if
// `zero_allowed`.
double number_flag(const std::string& flag, const std::string& text, bool zero_allowed);

// The flag --view. It must outlive the parsing and not be moved.
class ViewFlag {
 public:
  void add_to(CLI::App& cli);
  // One of the four views; nullopt if the flag was not given, which means the protocol's own view.
  std::optional<accounting::View> view() const;

 private:
  const CLI::Option* option_ = nullptr;
  std::string text_;
};

// The plan's delta. If there is none, throws Error(plan) with the reason `why` it is needed, for example
// "calibrate needs it".
double delta_of(const protocols::Plan& plan, const PlanFlags& flags, const std::string& why);

// Describes a plan in one line: "ldp-sgd, epsilon0 = 2; 60000 clients, ... in each round; 6800 rounds".
std::string plan_sentence(const protocols::Plan& plan);

}  // namespace muster::app
