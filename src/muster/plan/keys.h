// The one table of plan keys: what each is called, the flag that overrides it,
// what it may hold, and where it applies.
//
// Parsing, validation, the flags and --help of the command and docs/plan.md are all made from it. Names never
// change meaning: a new meaning is a new key. Values that the contract names and a command cannot handle yet
// are listed, so that they are refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "muster/plan/plan.h"

namespace muster::protocols {

enum class ValueType { name, data, integer, number, rate, schedule, learning_rate, choice };

// How far a value of a choice goes today. A description says what is charged, not how to run it.
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
  std::string_view flag;  // "--epsilon0"; empty: the key has none
  ValueType type;
  std::string_view fallback;  // the default, for people; empty: none
  std::string_view meaning;
  std::string_view commands;                  // "all", or the commands that read it
  std::vector<std::string_view> protocols;    // empty: any
  std::vector<std::string_view> randomizers;  // empty: any
  std::uint64_t least = 0, most = 0;          // integer
  double low = 0, high = 0;  // number; high = infinity: unbounded, and infinity itself refused
  bool low_included = false, high_included = false;
  std::vector<Choice> choices = {};
  std::vector<std::string_view> models = {};  // empty: any

  bool applies_to(Command command) const { return command == Command::train || commands == "all"; }
  // An empty model is one that the plan does not say.
  bool applies_to(std::string_view protocol, std::string_view randomizer, std::string_view model = {}) const;
  // What it may hold, for people: "number in (0, 1]". A choice may hold less for training.
  std::string allowed(Command command = Command::account) const;
  // The protocols, randomizers and models it applies to, for people; empty: all.
  std::string only_with() const;
};

// In the order of the documentation.
const std::vector<KeySpec>& plan_keys();
// nullptr when there is no such key.
const KeySpec* find_key(std::string_view key);
// As find_key, for a key that is known to be in the table; throws Error(internal) otherwise.
const KeySpec& spec_of(std::string_view key);

// The element of `candidates` closest to `word` in edits, for "did you mean"; empty when none is close.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);
std::string nearest_key(std::string_view word);

// The table as Markdown: docs/plan.md holds exactly this text.
std::string key_reference();

}  // namespace muster::protocols
