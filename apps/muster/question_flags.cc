#include "question_flags.h"

#include "muster/plan/keys.h"
#include "muster/reporting/plan_answers.h"

namespace muster::app {

using accounting::View;

double number_flag(const std::string& flag, const std::string& text, bool zero_allowed) {
  return number_flag(flag, text, zero_allowed ? protocols::kNotNegative : protocols::kPositive);
}

double number_flag(const std::string& flag, const std::string& text, const protocols::Interval& range) {
  const protocols::RawValue raw = {
      .value = text, .text = text, .origin = {.flag = flag, .file = "", .line = 0, .column = 0}};
  return protocols::number_value({flag, raw, protocols::Command::account, range.text()}, range);
}

void ViewFlag::add_to(CLI::App& cli) {
  option_ = cli.add_option("--view", text_,
                           "what the adversary sees: shuffler-honest | shuffler-colludes | sum-only | "
                           "server-trusted [the protocol's own]")
                ->type_name("TEXT");
}

std::optional<View> ViewFlag::view() const {
  if (option_->count() == 0) {
    return std::nullopt;
  }
  return accounting::view_named(text_, "--view");
}

double delta_of(const protocols::Plan& plan, const PlanFlags& flags, const std::string& why) {
  return reporting::delta_of(plan, flags.source().where(), "--delta", why);
}

}  // namespace muster::app
