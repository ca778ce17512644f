// Plan::validate reads the keys of a source according to the table of keys, then checks conditions on several
// keys together. Plan::with does the same for a source with one key overridden.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "muster/core/error.h"
#include "muster/plan/data_layout.h"
#include "muster/plan/keys.h"
#include "muster/plan/plan.h"
#include "muster/plan/randomizer_table.h"
#include "muster/plan/runnable_rounds.h"
#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

// The command that will use the plan, and the keys that calibration solves for, which need no value.
struct Purpose {
  Command command;
  const std::vector<std::string_view>& solved_for;

  bool solves_for(std::string_view key) const {
    return std::ranges::find(solved_for, key) != solved_for.end();
  }
};

void refuse_unknown_keys(const PlanSource& source) {
  for (const auto& [key, raw] : source.entries()) {
    if (find_key(key) != nullptr) {
      continue;
    }
    const std::string close = nearest_key(key);
    const std::string section = key.substr(0, key.find('.') + 1);
    std::string allowed;
    for (const KeySpec& spec : plan_keys()) {
      if (!section.empty() && spec.key.starts_with(section)) {
        allowed += (allowed.empty() ? "" : " | ") + std::string(spec.key);
      }
    }
    refuse(Reason::unknown, key, raw, allowed.empty() ? close : allowed,
           close.empty() ? "is an unknown key" : fmt::format("is an unknown key; did you mean {}?", close));
  }
}

[[noreturn]] void refuse_missing(const KeySpec& spec, const std::string& needed_by, Command command,
                                 const PlanSource& source) {
  const std::string how = spec.flag.empty() ? ""
                                            : fmt::format("; set it in {} or with {}", source.where(),
                                                          source.setter_of(spec.key));
  throw Error(ErrorCode::plan, Reason::missing, std::string(spec.key), "", spec.allowed(command),
              fmt::format("is missing: {} needs it{}", needed_by, how));
}

// The protocol, randomizer and model of a plan, whose names decide which other keys apply.
struct Deciding {
  std::string protocol;
  std::string randomizer;
  std::string model;  // empty if not stated

  bool fits(const KeySpec& spec) const { return spec.applies_to(protocol, randomizer, model); }
};

// Returns what needs a key that every plan must state, as shown to users: the command or, for a plan that
// code makes before any command uses it, "a plan".
std::string needed_by(const PlanSource& source, Command command) {
  return source.names_arguments() && command == Command::account ? "a plan" : name_of(command);
}

bool is_needed(const KeySpec& spec, Command command) {
  return spec.needed == Needed::always || (spec.needed == Needed::to_train && command == Command::train);
}

Deciding read_deciding_keys(const PlanSource& source, Command command, PlanValues& values) {
  for (const char* key : {"participation.protocol", "randomizer.kind", "model.kind"}) {
    const KeySpec& spec = spec_of(key);
    if (const RawValue* raw = source.find(key); raw != nullptr) {
      spec.read(*raw, command, values);
    } else if (is_needed(spec, command)) {
      refuse_missing(spec, needed_by(source, command), command, source);
    }
  }
  return {name_of(values.protocol), name_of(values.randomizer),
          source.find("model.kind") == nullptr ? "" : name_of(values.model)};
}

std::string why_inapplicable(const Deciding& deciding) {
  return fmt::format("does not apply to protocol {} with randomizer {}", deciding.protocol,
                     deciding.randomizer);
}

// Whether a key that does not apply to the protocol and the randomizer is left out instead of refused. This
// holds if the file states the key and an override chose another protocol or randomizer, or if
// PlanSource::allow_leaving_out marked the key.
bool is_left_out(const PlanSource& source, std::string_view key, const RawValue& raw) {
  const bool changed = source.changes("participation.protocol") || source.changes("randomizer.kind");
  return source.may_leave_out(key) || (changed && !raw.origin.is_flag());
}

// Checks that every key applies, and reads its value. Skips the keys that calibration solves for. Returns a
// sentence for each key that was left out.
std::vector<std::string> read_values(const PlanSource& source, const Purpose& purpose,
                                     const Deciding& deciding, PlanValues& values) {
  std::vector<std::string> left_out;
  for (const auto& [key, raw] : source.entries()) {
    const KeySpec& spec = spec_of(key);
    // A plan may contain keys that the command does not use, because the same plan is accounted and trained.
    // A flag for such a key is refused, however.
    if (raw.origin.is_for_one_command() && !spec.applies_to(purpose.command)) {
      refuse(Reason::inapplicable, key, raw, "with " + std::string(spec.commands),
             fmt::format("does not apply to {}", name_of(purpose.command)));
    }
    if (purpose.solves_for(key)) {
      if (raw.origin.is_for_one_command()) {
        refuse(Reason::inapplicable, key, raw, "",
               fmt::format("is what {} is asked for", name_of(purpose.command)));
      }
      continue;
    }
    if (!spec.applies_to(deciding.protocol, deciding.randomizer)) {
      if (!is_left_out(source, key, raw)) {
        refuse(Reason::inapplicable, key, raw, spec.only_with(), why_inapplicable(deciding));
      }
      left_out.push_back(fmt::format("{} = {} ({}) {}, and is left out", key, raw.text, raw.origin.describe(),
                                     why_inapplicable(deciding)));
      continue;
    }
    if (!deciding.fits(spec)) {
      refuse(Reason::inapplicable, key, raw, spec.only_with(),
             fmt::format("does not apply to model {}", deciding.model));
    }
    spec.read(raw, purpose.command, values);
  }
  return left_out;
}

// Returns what needs the key, as shown to users: the protocol, the randomizer or the command. Returns an
// empty text if nothing needs the key.
std::string needed_by(const KeySpec& spec, const PlanSource& source, Command command,
                      const Deciding& deciding) {
  if (!is_needed(spec, command) || !deciding.fits(spec)) {
    return "";
  }
  if (spec.needed == Needed::always && !spec.protocols.empty()) {
    return "protocol " + deciding.protocol;
  }
  if (spec.needed == Needed::always && !spec.randomizers.empty()) {
    return "randomizer " + deciding.randomizer;
  }
  return needed_by(source, command);
}

bool is_absent(const KeySpec& spec, const PlanSource& source, const Purpose& purpose) {
  return source.find(spec.key) == nullptr && !purpose.solves_for(spec.key);
}

void refuse_missing_keys(const PlanSource& source, const Purpose& purpose, const Deciding& deciding) {
  for (const KeySpec& spec : plan_keys()) {
    const std::string by = needed_by(spec, source, purpose.command, deciding);
    if (!by.empty() && is_absent(spec, source, purpose)) {
      refuse_missing(spec, by, purpose.command, source);
    }
  }
}

// Throws Error(plan) if the source states the key.
void refuse_stated(const PlanSource& source, const char* key, const std::string& allowed,
                   const std::string& message) {
  if (const RawValue* raw = source.find(key); raw != nullptr) {
    refuse(Reason::contradiction, key, *raw, allowed, message);
  }
}

void check_randomizer_serves_model(const PlanSource& source, const Plan& plan) {
  const Randomizes randomizes = spec_of(plan.randomizer()).randomizes;
  if (randomizes == Randomizes::one_answer && plan.model() != ModelKind::histogram) {
    refuse_stated(source, "randomizer.kind", vector_randomizers(),
                  fmt::format("is for histograms, not for {}", name_of(plan.model())));
  }
  if (randomizes == Randomizes::one_number && plan.model() != ModelKind::mean) {
    refuse_stated(source, "randomizer.kind", vector_randomizers(),
                  fmt::format("is for the mean of one number, not for {}", name_of(plan.model())));
  }
}

void check_public_data_is_not_private(const PlanSource& source, const Plan& plan) {
  if (plan.model() == ModelKind::features_linear && plan.public_data() != "digits" &&
      plan.public_data() == plan.data()) {
    refuse_stated(source, "model.public_data", "another data set",
                  "is population.data, too: what clients hold is not public");
  }
}

void check_layout_of_data(const PlanSource& source, const Plan& plan) {
  if (const std::optional<Misfit> misfit = misfit_of_layout(plan.values())) {
    refuse_stated(source, misfit->key, misfit->allowed, misfit->message);
  }
}

// Refuses local steps without a step size, and a step size or batch without local steps.
void check_local_steps(const PlanSource& source, const Plan& plan) {
  if (plan.local_steps() == 0) {
    const std::string message = "is for local steps, of which the plan has none";
    refuse_stated(source, "rounds.local_rate", "with rounds.local_steps >= 1", message);
    refuse_stated(source, "rounds.local_batch", "with rounds.local_steps >= 1", message);
  } else if (!plan.local_rate()) {
    refuse_missing(spec_of("rounds.local_rate"), "rounds.local_steps", Command::train, source);
  }
}

// Refuses several records per client for a randomizer whose answer is the category of one record.
void check_answers_are_of_one_record(const PlanSource& source, const Plan& plan) {
  if (plan.holds_several() && spec_of(plan.randomizer()).randomizes == Randomizes::one_answer) {
    refuse_stated(source, "population.records", "1",
                  fmt::format("does not go with randomizer {}, whose answer is the category of one record",
                              name_of(plan.randomizer())));
  }
}

// Refuses a subset or minimum above the number of clients, and an effective rate that is 0 in floating point.
// The descriptions that stages() makes check both.
void check_clients_suffice(const Plan& plan) { static_cast<void>(plan.stages()); }

void check_keys_together(const PlanSource& source, Command command, bool complete, const Plan& plan) {
  if (command == Command::compare && source.find("model.kind") != nullptr) {
    check_randomizer_serves_model(source, plan);
  }
  if (command == Command::train) {
    check_randomizer_serves_model(source, plan);
    check_public_data_is_not_private(source, plan);
    check_layout_of_data(source, plan);
    check_rounds_can_run(plan);
    check_local_steps(source, plan);
    check_answers_are_of_one_record(source, plan);
  }
  if (complete) check_clients_suffice(plan);
}

}  // namespace

Plan::Plan(PlanValues values, PlanSource source, Command command,
           const std::vector<std::string_view>& solved_for)
    : values_(std::move(values)),
      source_(std::move(source)),
      command_(command),
      solved_for_(solved_for.begin(), solved_for.end()) {}

Plan Plan::validate(const PlanSource& source, Command command,
                    const std::vector<std::string_view>& solved_for) {
  const Purpose purpose{command, solved_for};
  PlanValues values;
  refuse_unknown_keys(source);
  const Deciding deciding = read_deciding_keys(source, command, values);
  std::vector<std::string> left_out = read_values(source, purpose, deciding, values);
  refuse_missing_keys(source, purpose, deciding);
  Plan plan(std::move(values), source, command, solved_for);
  plan.left_out_ = std::move(left_out);
  if (plan.profile() != nullptr) plan.source_.keep_file("randomizer.profile", plan.profile());
  for (const KeySpec& spec : plan_keys()) {
    if (spec.fill != nullptr && is_absent(spec, source, purpose)) {
      spec.fill(plan, plan.values_);
    }
  }
  naming_places(source, [&] { check_keys_together(source, command, solved_for.empty(), plan); });
  return plan;
}

Plan Plan::with(std::string_view key, std::string_view text) const {
  PlanSource source = source_;
  source.override_key(key, std::string(text));
  std::vector<std::string_view> solved_for(solved_for_.begin(), solved_for_.end());
  std::erase(solved_for, key);
  return validate(source, command_, solved_for);
}

}  // namespace muster::protocols
