// One JSON object on one line, with keys in the order in which they were added, as --json prints it.
//
// Doubles have 17 significant digits, so that they parse to the same double; absent and non-finite values
// are null. In text that is not UTF-8 (a path may be any bytes), invalid bytes are replaced by U+FFFD.
//
// Example:
//     JsonObject().number("epsilon", 0.5).integer("rounds", 10).str();   // {"epsilon":0.5,"rounds":10}
//
// A JsonObject belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::reporting {

class JsonObject {
 public:
  JsonObject& number(std::string_view key, std::optional<double> value);
  JsonObject& integer(std::string_view key, std::int64_t value);
  JsonObject& unsigned_integer(std::string_view key, std::uint64_t value);
  JsonObject& flag(std::string_view key, bool value);
  JsonObject& text(std::string_view key, std::string_view value);
  JsonObject& texts(std::string_view key, const std::vector<std::string>& values);
  JsonObject& object(std::string_view key, const JsonObject& value);
  JsonObject& objects(std::string_view key, const std::vector<JsonObject>& values);
  // `json` is a value in JSON, such as "null".
  JsonObject& raw(std::string_view key, const std::string& json);
  std::string str() const;

 private:
  std::string body_;
};

}  // namespace muster::reporting
