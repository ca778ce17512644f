// A plan before its values have types: every key that is written, with its value as written and its position.
//
// A source is read from TOML, or stated value by value in code, then overridden key by key with the text of
// flags or with values. Syntax errors, duplicates and numbers that the parser cannot represent are refused
// with file, line and column. Plan::validate checks whether a key exists and applies, and whether its value
// is in range. A plan file is at most 1 MiB.
//
// Example:
//     PlanSource source = PlanSource::from_file("plans/quickstart.toml");
//     source.override_key("rounds.count", "100");
//     source.find("rounds.count")->origin.describe();   // "--rounds"
//
// A PlanSource belongs to one thread while it is changed; its const methods may run concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "muster/core/error.h"

namespace muster::protocols {

struct ProfileFile;  // profile_file.h

struct Origin {
  // What overrode the key, such as the flag "--rounds"; file, line and column are then empty.
  std::string flag;
  std::string file;
  // 0 if `file` has no lines: it then is the name of an argument, such as "rounds=".
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  // Whether a caller of the library, or the canonical text of a plan, stated the value. Such a value is for
  // every command that will read the plan, although it may be written like the value of a flag.
  bool in_code = false;

  bool is_flag() const { return !flag.empty(); }
  // Whether the value is for one command only, which refuses it if it does not use the key.
  bool is_for_one_command() const { return is_flag() && !in_code; }
  // Whether a number may be written as text, as in a flag.
  bool takes_text() const { return is_flag() || in_code; }
  // Returns "plans/a.toml, line 4, column 9", or what overrode the key, or the name of the argument.
  std::string describe() const;
};

// A date, a time or a table or, from code, an object of another kind. No key accepts it.
struct OtherValue {
  std::string kind = "a table, a date or a time";
};

struct RawValue {
  using Other = OtherValue;
  std::variant<Other, bool, std::int64_t, double, std::string, std::vector<RawValue>> value;
  std::string text;  // the value as shown in error messages
  Origin origin;
  // The file that the value names, once a plan has read it (value_kinds.h, ProfilePath).
  std::shared_ptr<const ProfileFile> profile = nullptr;
};

class PlanSource {
 public:
  // A source without a file, for a plan that consists of flags only.
  PlanSource() = default;
  // Throws Error(file) if the file cannot be read and Error(plan) if it is not TOML.
  static PlanSource from_file(const std::string& path);
  static PlanSource from_text(std::string_view toml, const std::string& name);
  // Reads the canonical text of a plan ("key = value" lines), from which Plan::validate makes the same plan
  // again. Throws Error(file) for a line of another form or without a key of a plan, and for more lines than
  // there are keys; throws Error(plan) if an array is not TOML. Some texts that are not canonical, such as
  // lines in another order, are read as well.
  static PlanSource from_canonical(std::string_view text, const std::string& name);

  // Makes a source again from what file() and entries() of another returned.
  static PlanSource of_entries(std::string file, std::vector<std::pair<std::string, RawValue>> entries);

  // Throws Error(usage) for a key that is unknown or has no flag, and Error(plan) if `text` is an array that
  // is not TOML. Errors name `given_by` as the origin of the value or, if it is empty, the key's own flag.
  void override_key(std::string_view key, const std::string& text, const std::string& given_by = "");
  // Whether an override gives `key` a value that the file does not give it.
  bool changes(std::string_view key) const;
  // States a key as a caller of the library does, with a value that has a type already. The origin of `raw`
  // is ignored. Errors name the argument that the key has in code, such as `rounds=` (keyword_of). With
  // `overrides`, the value overrides what the source states, as a flag would; but a key that the command does
  // not use is not refused. Throws Error(plan) for text that is an array but not TOML.
  void state(std::string_view key, RawValue raw, bool overrides);
  // Call this for the source of a valid plan. Drops the values that the plan left out. From now on, the other
  // values count as stated in the source and not as overridden, so that a later override of the protocol or
  // the randomizer can leave them out (Plan::validate).
  void settle();
  // Lets errors name arguments in code, such as `rounds=`, where they otherwise name flags.
  void name_arguments() { names_arguments_ = true; }
  bool names_arguments() const { return names_arguments_; }
  // Returns the flag of a key or, after name_arguments(), its argument.
  std::string setter_of(std::string_view key) const;

  // Lets Plan::validate leave out `key`, instead of refusing it, in a plan to which the key does not apply.
  void allow_leaving_out(std::string_view key);
  bool may_leave_out(std::string_view key) const;
  // Keeps the file that the value of `key` names, so that plans made from this source do not read it again.
  // Does nothing if the key is not stated.
  void keep_file(std::string_view key, const std::shared_ptr<const ProfileFile>& file);

  // Returns an error that also says where the source states the key of `error`, as in
  // "participation.subset = 5000 (a.toml, line 6, column 10) is out of range". Returns an equal error if the
  // source does not state the key, or if the error is not about a plan.
  Error with_place(const Error& error) const;

  // Returns the place where a missing key can be set: the file's name, or "the plan" if there is no file.
  std::string where() const { return file_.empty() ? "the plan" : file_; }
  const std::string& file() const { return file_; }  // empty if there is no file
  const RawValue* find(std::string_view key) const;  // nullptr if the source does not state the key
  // All entries in the order written; overrides come last.
  const std::vector<std::pair<std::string, RawValue>>& entries() const { return entries_; }

 private:
  std::string file_;
  std::vector<std::pair<std::string, RawValue>> entries_;
  // The keys of the file that were overridden, each with the text of the file's value.
  std::vector<std::pair<std::string, std::string>> overridden_;
  std::vector<std::string> may_be_left_out_;
  bool names_arguments_ = false;
};

// Returns an error that also says where its key is stated, as in "rounds.batch = 7 (--batch) makes a step
// reach into the next run". Returns an equal error if it names the place already, or has no key.
Error placed(const Error& error, const std::string& place);

// Returns call(), whose errors are about a plan that was made from `source`. An Error that `call` throws is
// thrown again with its place (PlanSource::with_place), because the code that detects the error sees only
// values.
template <typename Call>
auto naming_places(const PlanSource& source, Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const Error& error) {
    throw source.with_place(error);
  }
}

}  // namespace muster::protocols
