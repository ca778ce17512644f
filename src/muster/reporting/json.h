// One JSON object on one line, keys in the order they were added: what --json prints.
//
// Doubles carry 17 significant digits, so that they read back as the same double; what is absent or not
// finite is null. Text that is not UTF-8 (a path may be any bytes) has its bad bytes replaced by U+FFFD.
//
// Example:
//     JsonObject().number("epsilon", 0.5).integer("rounds", 10).str();   // {"epsilon":0.5,"rounds":10}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::app {

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
  std::string str() const;

 private:
  JsonObject& raw(std::string_view key, const std::string& json);
  std::string body_;
};

}  // namespace muster::app
