#include "muster/reporting/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace muster::reporting {
namespace {

std::string json_string(std::string_view text) {
  constexpr int kOneLine = -1;
  return nlohmann::json(text).dump(kOneLine, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

JsonObject& JsonObject::raw(std::string_view key, const std::string& json) {
  body_ += fmt::format("{}{}:{}", body_.empty() ? "" : ",", json_string(key), json);
  return *this;
}

std::string JsonObject::str() const { return fmt::format("{{{}}}", body_); }

JsonObject& JsonObject::number(std::string_view key, std::optional<double> value) {
  return raw(key, value && std::isfinite(*value) ? fmt::format("{:.17g}", *value) : "null");
}

JsonObject& JsonObject::integer(std::string_view key, std::int64_t value) {
  return raw(key, fmt::format("{}", value));
}

JsonObject& JsonObject::unsigned_integer(std::string_view key, std::uint64_t value) {
  return raw(key, fmt::format("{}", value));
}

JsonObject& JsonObject::flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }

JsonObject& JsonObject::text(std::string_view key, std::string_view value) {
  return raw(key, json_string(value));
}

JsonObject& JsonObject::texts(std::string_view key, const std::vector<std::string>& values) {
  std::vector<std::string> list;
  std::ranges::transform(values, std::back_inserter(list), json_string);
  return raw(key, fmt::format("[{}]", fmt::join(list, ",")));
}

JsonObject& JsonObject::object(std::string_view key, const JsonObject& value) {
  return raw(key, value.str());
}

JsonObject& JsonObject::objects(std::string_view key, const std::vector<JsonObject>& values) {
  std::vector<std::string> list;
  std::ranges::transform(values, std::back_inserter(list), &JsonObject::str);
  return raw(key, fmt::format("[{}]", fmt::join(list, ",")));
}

}  // namespace muster::reporting
