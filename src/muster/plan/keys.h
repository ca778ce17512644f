// The table of plan keys. One row describes a key completely: its name and flag, its allowed values, the
// field that they fill, where it applies, and whether it is needed.
//
// Reading, validation, defaults, the canonical text, the flags and --help of the command, and docs/plan.md
// all come from the rows. A new key needs a row in key_table.cc, a field with its default and an accessor in
// plan.h, and the code that uses it. CONTRIBUTING.md explains how to update docs/plan.md, the manual pages
// and the expected output of --help. A name never changes its meaning: a new meaning needs a new key. The
// table is made once, on the first call, and never changes, so any thread may call the functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/plan/value_kinds.h"

namespace muster::protocols {

// Says which commands refuse a plan that lacks the key, provided that the key applies to the plan's protocol,
// randomizer and model.
enum class Needed { no, always, to_train };

// Says when the canonical text, which is hashed, states a key that has a value.
enum class Written {
  always,          // with every protocol, randomizer and model that the key applies to
  unless_default,  // for a key that was added later, so that older plans keep their hash
  with_any_model,  // even with models that the key does not apply to, so that the first plans keep their hash
};

struct KeySpec {
  using Names = std::vector<std::string_view>;

  std::string_view key;        // for example "randomizer.epsilon0"
  std::string_view flag = {};  // for example "--epsilon0"; empty if the key has no flag
  std::string_view meaning;
  ValueKind values;
  std::string_view commands = "all";  // which commands read the key: "all" or "train"
  Names protocols = {};               // the protocols that the key applies to; empty: all
  Names randomizers = {};             // the randomizers that the key applies to; empty: all
  Names models = {};                  // the models that the key applies to; empty: all
  Needed needed = Needed::no;
  Written written = Written::always;
  // For a default that depends on other keys: `fallback` describes it to users, and `fill` sets the field in
  // `values` from the stated values in `plan`. Other defaults are the initial values of PlanValues.
  std::string_view fallback = {};
  void (*fill)(const Plan& plan, PlanValues& values) = nullptr;

  // A plan that is compared may also be trained, so a comparison takes every key of training.
  bool applies_to(Command command) const {
    return command == Command::train || command == Command::compare || commands == "all";
  }
  // An empty `model` stands for a plan that states no model; then `models` does not limit the key.
  bool applies_to(std::string_view protocol, std::string_view randomizer, std::string_view model = {}) const;
  bool applies_to_model(std::string_view model) const;

  // Throws Error(plan) for a wrong type, a value out of range, or a choice that the command does not support.
  void read(const RawValue& raw, Command command, PlanValues& into) const;
  // Returns the key's value as the plan's canonical text states it; nullopt if there is no value, or if the
  // text leaves the key out because it does not apply or because of `written`.
  std::optional<std::string> canonical(const PlanValues& from) const;

  // These return texts for users: the allowed values, such as "number in (0, 1]" (training may support fewer
  // choices); the placeholder of a value in --help, such as "NUMBER"; the default, empty if there is none;
  // and the protocols, randomizers and models that the key applies to, empty if it applies to all.
  std::string allowed(Command command = Command::account) const;
  std::string_view placeholder() const;
  std::string shown_default() const;
  std::string only_with() const;

  // Returns the options of a key whose value is one of several names; empty for other keys.
  const std::vector<Choice>& choices() const;
  // Whether a flag may state an array, such as [[1, 0.5], [100, 0.25]], as a file does.
  bool takes_arrays() const;
};

// Returns all keys, in the order of the documentation.
const std::vector<KeySpec>& plan_keys();
// Returns nullptr if there is no such key.
const KeySpec* find_key(std::string_view key);
// Like find_key, for a key that must be in the table; throws Error(internal) otherwise.
const KeySpec& spec_of(std::string_view key);

// Returns the name that a key has as an argument in code: "learning_rate" for "rounds.learning_rate". It is
// the key's flag, without the leading dashes and with underscores in place of the other dashes; for a key
// without a flag, it is the last part of the key.
std::string keyword_of(const KeySpec& spec);
// Returns the keyword that the user probably meant by `word`, or an empty text if none is close.
std::string nearest_keyword(std::string_view word);

// Returns the key that the user probably meant by `word`, or an empty text if none is close.
std::string nearest_key(std::string_view word);

// Returns the table of keys as Markdown. docs/plan.md contains exactly this text.
std::string key_reference();

}  // namespace muster::protocols
