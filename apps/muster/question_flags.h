// Reads the question that account and calibrate answer about a plan: the values of --epsilon, --view and
// --delta.
#pragma once

#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"
#include "muster/plan/values.h"
#include "plan_flags.h"

namespace muster::app {

// Returns `text`, the value of `flag`, as a number. Throws Error(plan) unless the number is finite and > 0,
// or 0 if `zero_allowed`.
double number_flag(const std::string& flag, const std::string& text, bool zero_allowed);
// Does the same for numbers of a range.
double number_flag(const std::string& flag, const std::string& text, const protocols::Interval& range);

// The flag --view. The object must outlive the parsing and must not be moved.
class ViewFlag {
 public:
  void add_to(CLI::App& cli);
  // Returns one of the four views, or nullopt if the flag was not given, which means the protocol's own view.
  std::optional<accounting::View> view() const;

 private:
  const CLI::Option* option_ = nullptr;
  std::string text_;
};

// Returns the plan's delta. If there is none, throws Error(plan) with the reason `why` it is needed, for
// example "calibrate needs it".
double delta_of(const protocols::Plan& plan, const PlanFlags& flags, const std::string& why);

}  // namespace muster::app
