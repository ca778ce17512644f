#include "question_flags.h"

#include <fmt/format.h>

#include "muster/core/error.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/plan/keys.h"

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
  std::string names;
  for (const View view :
       {View::shuffler_honest, View::shuffler_colludes, View::sum_only, View::server_trusted}) {
    if (text_ == name_of(view)) {
      return view;
    }
    names += (names.empty() ? "" : " | ") + std::string(name_of(view));
  }
  throw Error(ErrorCode::plan, Reason::unknown, "--view", text_, names, "is an unknown view");
}

double delta_of(const protocols::Plan& plan, const PlanFlags& flags, const std::string& why) {
  if (!plan.delta()) {
    throw Error(ErrorCode::plan, Reason::missing, "privacy.delta", "",
                protocols::spec_of("privacy.delta").allowed(),
                fmt::format("is missing: {}; set it in {} or with --delta", why, flags.source().where()));
  }
  return *plan.delta();
}

std::string plan_sentence(const protocols::Plan& plan) {
  std::string text = accounting::describe(plan.mechanism());
  for (const accounting::Stage& stage : plan.stages()) {
    text += fmt::format("; {}; {} {}{}", accounting::describe(stage.participation), stage.rounds,
                        plan.has_slots() ? "run" : "round", stage.rounds == 1 ? "" : "s");
  }
  return text;
}

}  // namespace muster::app
