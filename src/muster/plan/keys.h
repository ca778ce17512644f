// The table of plan keys: their names, the flags that override them, the values they may hold, and
// where they apply.
//
// Parsing, validation, the flags and --help of the command, and docs/plan.md are all generated from it. A
// name never changes its meaning: a new meaning needs a new key. Values that are documented but that a
// command does not support yet are listed, so that they are refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "muster/plan/plan.h"

namespace muster::protocols {

enum class ValueType { name, data, integer, number, rate, schedule, learning_rate, choice };

// How far a value of a choice is supported. An accounted value can be charged but not trained with.
enum class Support { none, accounted, trained };

struct Choice {
  std::string_view name;
  Support support;
  bool works_with(Command command) const {
    return command == Command::train ? support == Support::trained : support != Support::none;
  }
};

struct KeySpec {
  std::string_view key;   // "randomizer.epsilon0"
  std::string_view flag;  // "--epsilon0"; empty if the key has no flag
  ValueType type;
  std::string_view fallback;  // the default as shown to users; empty if there is none
  std::string_view meaning;
  std::string_view commands;                  // "all", or the commands that read it
  std::vector<std::string_view> protocols;    // empty: any
  std::vector<std::string_view> randomizers;  // empty: any
  std::uint64_t min = 0, max = 0;             // the range of an integer
  // The range of a number. If high is infinity, there is no upper limit, but infinity itself is refused.
  double low = 0, high = 0;
  bool low_included = false, high_included = false;
  std::vector<Choice> choices = {};
  std::vector<std::string_view> models = {};  // empty: any

  bool applies_to(Command command) const { return command == Command::train || commands == "all"; }
  // An empty model means that the plan does not state one.
  bool applies_to(std::string_view protocol, std::string_view randomizer, std::string_view model = {}) const;
  // The values allowed, as shown to users: "number in (0, 1]". Training may support fewer choices.
  std::string allowed(Command command = Command::account) const;
  // The protocols, randomizers and models that the key applies to, as shown to users; empty if all.
  std::string only_with() const;
};

// All keys, in the order of the documentation.
const std::vector<KeySpec>& plan_keys();
// Returns nullptr if there is no such key.
const KeySpec* find_key(std::string_view key);
// As find_key, for a key that is known to be in the table; throws Error(internal) otherwise.
const KeySpec& spec_of(std::string_view key);

// The key that `word` may stand for; empty if none is close.
std::string nearest_key(std::string_view word);

// The table as Markdown; docs/plan.md contains exactly this text.
std::string key_reference();

}  // namespace muster::protocols
