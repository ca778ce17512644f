#include "plan_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "say.h"

namespace muster::app {
namespace {

// Returns a text such as "; k-rr only" or "; not gaussian", which says for which choices of `key`, among
// those that the command supports, a flag applies; "" if it applies to all. `names` lists the choices for
// which the flag applies, and is empty if it applies to all.
std::string only_text(std::string_view key, const std::vector<std::string_view>& names,
                      protocols::Command command) {
  std::vector<std::string_view> with, without;
  for (const protocols::Choice& option : protocols::spec_of(key).choices()) {
    if (option.works_with(command)) {
      const bool named = names.empty() || std::ranges::find(names, option.name) != names.end();
      (named ? with : without).push_back(option.name);
    }
  }
  if (without.empty()) {
    return "";
  }
  return without.size() < with.size() ? fmt::format("; not {}", fmt::join(without, ", "))
                                      : fmt::format("; {} only", fmt::join(with, ", "));
}

// Returns whether the key's flag is a list of names to compare in this command.
bool is_list(std::string_view key, protocols::Command command) {
  return command == protocols::Command::compare &&
         (key == "participation.protocol" || key == "randomizer.kind");
}

// Returns whether the command solves for the key's value, so that the plan's own value is not used.
bool is_solved(std::string_view key, protocols::Command command) {
  return command == protocols::Command::compare &&
         (key == "randomizer.epsilon0" || key == "randomizer.sigma");
}

std::string help_text(const protocols::KeySpec& spec, protocols::Command command) {
  if (is_list(spec.key, command)) {
    return fmt::format("compare these alone, a,b,... of: {} [all that apply]", spec.allowed(command));
  }
  std::string text = fmt::format("{}: {}", spec.meaning, spec.allowed(command));
  text += only_text("participation.protocol", spec.protocols, command);
  text += only_text("randomizer.kind", spec.randomizers, command);
  text += only_text("model.kind", spec.models, command);
  const std::string fallback = spec.shown_default();
  return fallback.empty() ? text : fmt::format("{} [{}]", text, fallback);
}

// Returns whether --help shows the key's flag: the key must apply to the command, which must not solve for
// it, and to some protocol and some randomizer that the command supports.
bool shown(const protocols::KeySpec& spec, protocols::Command command) {
  const auto reachable = [command](std::string_view key, const std::vector<std::string_view>& names) {
    return names.empty() || std::ranges::any_of(protocols::spec_of(key).choices(), [&](const auto& option) {
             return option.works_with(command) && std::ranges::find(names, option.name) != names.end();
           });
  };
  return spec.applies_to(command) && !is_solved(spec.key, command) &&
         reachable("participation.protocol", spec.protocols) &&
         reachable("randomizer.kind", spec.randomizers);
}

bool needs_plan(protocols::Command command) {
  return command == protocols::Command::train || command == protocols::Command::compare;
}

}  // namespace

PlanFlags::PlanFlags(CLI::App& cli, protocols::Command command) : command_(command) {
  const bool needs_file = needs_plan(command);
  file_option_ =
      cli.add_option("PLAN", file_,
                     needs_file ? "the plan, a TOML file" : "the plan, a TOML file; flags alone will do")
          ->type_name("FILE");
  // Hidden flags come first, because CLI11 ends its help with an empty line if the last group is hidden.
  for (const bool is_shown : {false, true}) {
    for (const protocols::KeySpec& spec : protocols::plan_keys()) {
      if (spec.flag.empty() || shown(spec, command) != is_shown) continue;
      const std::string key(spec.key);
      options_[key] = cli.add_option(std::string(spec.flag), typed_[key], help_text(spec, command))
                          ->type_name(std::string(spec.placeholder()))
                          ->group(is_shown ? "Plan (each flag overrides the key of the plan)" : "");
    }
  }
}

bool PlanFlags::given(std::string_view key) const {
  const auto option = options_.find(key);
  return option != options_.end() && option->second->count() > 0;
}

std::string PlanFlags::text(std::string_view key) const { return given(key) ? typed_.find(key)->second : ""; }

protocols::PlanSource PlanFlags::source() const {
  const bool named = file_option_->count() > 0;
  if (!named && needs_plan(command_)) {
    throw Error(ErrorCode::usage, Reason::missing, "PLAN", "", "a TOML file",
                fmt::format("is missing: {} needs a plan, such as plans/quickstart.toml", name_of(command_)));
  }
  protocols::PlanSource source =
      file_.empty() ? protocols::PlanSource() : protocols::PlanSource::from_file(file_);
  for (const protocols::KeySpec& spec : protocols::plan_keys()) {
    if (given(spec.key) && !is_list(spec.key, command_)) {
      source.override_key(spec.key, typed_.find(spec.key)->second);
    }
  }
  return source;
}

protocols::Plan PlanFlags::plan(const std::vector<std::string_view>& solved_for) const {
  return protocols::Plan::validate(source(), command_, solved_for);
}

void say_left_out(const protocols::Plan& plan) {
  for (const std::string& sentence : plan.left_out()) say(sentence);
}

}  // namespace muster::app
