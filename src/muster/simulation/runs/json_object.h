// Parses the JSON object of a stored file, within limits that no file of muster comes near.
//
// nlohmann's parser does not recurse, but the code that copies or writes a value does, so a hostile file of
// deeply nested values would overflow the stack. An ordered object is searched from its beginning for each
// name, so many names would take a time that grows with the square of their number. The function may be
// called from any thread.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace muster::simulation {

inline constexpr int kMaxJsonDepth = 100;    // levels of nested objects and arrays, the outermost included
inline constexpr int kMaxJsonFields = 1000;  // in all objects together

// Returns the object as nlohmann::json or as nlohmann::ordered_json. Throws std::invalid_argument for text
// that is not one JSON object, or is beyond the limits.
template <typename Json>
Json json_object_of(const std::string& text) {
  using Event = typename Json::parse_event_t;
  int fields = 0;
  const auto within_limits = [&fields](int depth, Event event, const Json&) {
    if ((event == Event::object_start || event == Event::array_start) && depth >= kMaxJsonDepth) {
      throw std::invalid_argument(fmt::format("nested more than {} deep", kMaxJsonDepth));
    }
    if (event == Event::key && ++fields > kMaxJsonFields) {
      throw std::invalid_argument(fmt::format("more than {} fields", kMaxJsonFields));
    }
    return true;
  };
  Json json = Json::parse(text, within_limits, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw std::invalid_argument("not a JSON object");
  }
  return json;
}

}  // namespace muster::simulation
