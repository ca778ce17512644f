#include "question_flags.h"

#include <fmt/format.h>

#include <limits>

#include "muster/core/error.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/plan/keys.h"
#include "muster/plan/values.h"

namespace muster::app {

using accounting::View;

double number_flag(const std::string& flag, const std::string& text, bool zero_allowed) {
  const protocols::KeySpec spec = {.key = flag,
                                   .flag = flag,
                                   .type = protocols::ValueType::number,
                                   .fallback = "",
                                   .meaning = "",
                                   .commands = "",
                                   .protocols = {},
                                   .randomizers = {},
                                   .low = 0,
                                   .high = std::numeric_limits<double>::infinity(),
                                   .low_included = zero_allowed};
  const protocols::RawValue raw = {
      .value = text, .text = text, .origin = {.flag = flag, .file = "", .line = 0, .column = 0}};
  return std::get<double>(protocols::typed_value(spec, raw, protocols::Command::account));
}

std::optional<View> view_flag(const std::string& text, bool given) {
  if (!given) {
    return std::nullopt;
  }
  std::string names;
  for (const View view :
       {View::shuffler_honest, View::shuffler_colludes, View::sum_only, View::server_trusted}) {
    if (text == name_of(view)) {
      return view;
    }
    names += (names.empty() ? "" : " | ") + std::string(name_of(view));
  }
  throw Error(ErrorCode::plan, "--view", text, names, "is an unknown view");
}

double delta_of(const protocols::Plan& plan, const std::string& why) {
  if (!plan.delta) {
    throw Error(ErrorCode::plan, "privacy.delta", "", protocols::spec_of("privacy.delta").allowed(), why);
  }
  return *plan.delta;
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
