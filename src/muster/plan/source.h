// A plan before it is typed: every key that was written, with the value as written and where it stands.
//
// Read from TOML (syntax errors, duplicates and numbers the parser cannot hold are refused with file, line
// and column), then overridden key by key with the text of flags. Whether a key exists, applies and has a
// value in range is for Plan::validate. A plan file is at most 1 MiB.
//
// Example:
//     PlanSource source = PlanSource::from_file("plans/quickstart.toml");
//     source.override_key("rounds.count", "100");
//     source.find("rounds.count")->origin.describe();   // "--rounds"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster::protocols {

struct Origin {
  std::string flag;  // "--rounds" for an override; then the rest is empty
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool is_flag() const { return !flag.empty(); }
  std::string describe() const;  // "plans/a.toml, line 4, column 9", or the flag
};

struct RawValue {
  struct Other {};  // a date, a time or a table: no key takes one
  std::variant<Other, bool, std::int64_t, double, std::string, std::vector<RawValue>> value;
  std::string text;  // for error messages
  Origin origin;
};

class PlanSource {
 public:
  // No file: flags alone make the plan.
  PlanSource() = default;
  // Throws Error(file) when it cannot be read, Error(plan) when it is not TOML.
  static PlanSource from_file(const std::string& path);
  static PlanSource from_text(std::string_view toml, const std::string& name);

  // Throws Error(usage) for a key that is unknown or has no flag. `given_by`: what errors name as the source
  // of the value, the key's own flag when empty.
  void override_key(std::string_view key, const std::string& text, const std::string& given_by = "");

  const RawValue* find(std::string_view key) const;
  // In the order written, overrides last.
  const std::vector<std::pair<std::string, RawValue>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, RawValue>> entries_;
};

}  // namespace muster::protocols
