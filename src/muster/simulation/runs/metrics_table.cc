#include "muster/simulation/runs/metrics_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/simulation/runs/json_object.h"
#include "muster/simulation/runs/metrics_file.h"

namespace muster::simulation {
namespace {

using nlohmann::ordered_json;

std::vector<ordered_json> objects_of(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  std::vector<ordered_json> objects;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    try {
      objects.push_back(json_object_of<ordered_json>(text.substr(at, end - at)));
    } catch (const std::invalid_argument& wrong) {
      throw Error(ErrorCode::file, file.string(), "", "",
                  fmt::format(", line {}: {}", objects.size() + 1, wrong.what()));
    }
  }
  return objects;
}

std::vector<std::string> columns_of(const std::vector<ordered_json>& objects) {
  std::vector<std::string> columns;
  for (const ordered_json& object : objects) {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(columns, key) == columns.end()) {
        columns.push_back(key);
      }
    }
  }
  return columns;
}

// Quotes text by the rules of RFC 4180: only text with a comma, a quote or a line end is quoted, and the
// quotes inside it are doubled.
std::string field_of(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) {
    return text;
  }
  std::string quoted;
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return fmt::format("\"{}\"", quoted);
}

std::string text_of(const ordered_json& object, const std::string& column) {
  const auto found = object.find(column);
  if (found == object.end() || found->is_null()) {
    return "";
  }
  return field_of(found->is_string() ? found->get<std::string>()
                                     : found->dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

std::string metrics_table(const std::filesystem::path& metrics_file) {
  const std::vector<ordered_json> objects = objects_of(metrics_file);
  // If nothing was logged, the table has the columns that every line would have.
  const std::vector<std::string> columns =
      columns_of(objects.empty() ? std::vector{ordered_json::parse(metrics_line({}))} : objects);
  std::string table;
  const auto add = [&table, &columns](const auto& text) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      table += c == 0 ? "" : ",";
      table += text(columns[c]);
    }
    table += "\n";
  };
  add(field_of);
  for (const ordered_json& object : objects) {
    add([&object](const std::string& column) { return text_of(object, column); });
  }
  return table;
}

}  // namespace muster::simulation
