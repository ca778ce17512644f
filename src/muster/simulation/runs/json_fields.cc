#include "muster/simulation/runs/json_fields.h"

#include <fmt/format.h>

#include <limits>

#include "muster/simulation/runs/json_object.h"

namespace muster::simulation {
namespace {

constexpr int kOneLine = -1;
constexpr double kMaxNumber = 1e300;  // a file that states a larger epsilon or loss is damaged

}  // namespace

void JsonFieldWriter::number(const char* key, std::optional<double> value, double low, double high) {
  if (value) {
    number(key, *value, low, high);
  }
}

void JsonFieldWriter::number_or_null(const char* key, std::optional<double> value) {
  if (value) {
    number_or_null(key, *value);
  }
}

void JsonFieldWriter::count(const char* key, std::optional<std::uint64_t> value) {
  if (value) {
    count(key, *value);
  }
}

std::string JsonFieldWriter::str() const {
  return json_.dump(kOneLine, ' ', false, nlohmann::json::error_handler_t::replace);
}

JsonFieldReader::JsonFieldReader(const std::string& text) : json_(json_object_of<nlohmann::json>(text)) {}

void JsonFieldReader::refuse(const char* key, const std::string& why) {
  throw std::invalid_argument(fmt::format("\"{}\" {}", key, why));
}

const nlohmann::json& JsonFieldReader::at(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) {
    throw std::invalid_argument(fmt::format("no \"{}\"", key));
  }
  return *found;
}

void JsonFieldReader::number(const char* key, double& value, double low, double high) const {
  if (!at(key).is_number()) {
    refuse(key, "is not a number");
  }
  value = at(key).get<double>();
  if (!(value >= low && value <= high)) {
    refuse(key, fmt::format("is {}, outside [{}, {}]", value, low, high));
  }
}

void JsonFieldReader::number(const char* key, std::optional<double>& value, double low, double high) const {
  value.reset();
  if (json_.contains(key)) {
    number(key, value.emplace(), low, high);
  }
}

void JsonFieldReader::number_or_null(const char* key, double& value) const {
  if (at(key).is_null()) {
    value = std::numeric_limits<double>::infinity();
  } else {
    number(key, value, 0, kMaxNumber);
  }
}

void JsonFieldReader::number_or_null(const char* key, std::optional<double>& value) const {
  value.reset();
  if (json_.contains(key)) {
    number_or_null(key, value.emplace());
  }
}

void JsonFieldReader::count(const char* key, std::uint64_t& value) const {
  if (!at(key).is_number_unsigned()) {
    refuse(key, "is not a count");
  }
  value = at(key).get<std::uint64_t>();
}

void JsonFieldReader::count(const char* key, std::optional<std::uint64_t>& value) const {
  value.reset();
  if (json_.contains(key)) {
    count(key, value.emplace());
  }
}

void JsonFieldReader::text(const char* key, std::string& value) const {
  if (!at(key).is_string()) {
    refuse(key, "is not text");
  }
  value = at(key).get<std::string>();
}

}  // namespace muster::simulation
