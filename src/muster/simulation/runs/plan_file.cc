#include "muster/simulation/runs/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/source.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Error damaged(const fs::path& file, const std::string& why) {
  return {ErrorCode::file, file.string(), "", "", why};
}

// The canonical text writes values as flags do, except for a range of rates: "[0.1, 0.2]", not "0.1:0.2".
std::string as_typed(const protocols::KeySpec& spec, const std::string& value) {
  if (spec.type != protocols::ValueType::rate || !value.starts_with('[') || !value.ends_with(']')) {
    return value;
  }
  const std::string range = value.substr(1, value.size() - 2);
  const std::size_t comma = range.find(", ");
  return comma == range.npos ? range : fmt::format("{}:{}", range.substr(0, comma), range.substr(comma + 2));
}

using Entries = std::vector<std::pair<std::string, std::string>>;

// The keys and their values as typed.
Entries entries_of(const std::string& text, const fs::path& file) {
  Entries entries;
  std::size_t at = 0;
  for (std::size_t number = 1; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos) {
      throw damaged(file, fmt::format(", line {}: not \"key = value\"", number));
    }
    const std::string key = line.substr(0, equals);
    std::string value = line.substr(equals + 3);
    if (key != "name") {
      const protocols::KeySpec* spec = protocols::find_key(key);
      if (spec == nullptr || spec->flag.empty()) {
        throw damaged(file, fmt::format(", line {}: no key of a plan: {}", number, key));
      }
      value = as_typed(*spec, value);
    }
    entries.emplace_back(key, std::move(value));
  }
  return entries;
}

protocols::PlanSource source_of(const Entries& entries, const fs::path& file) {
  protocols::PlanSource source;
  for (const auto& [key, value] : entries) {
    if (key == "name") {
      // No flag sets a name, so it is read as a plan file of one line.
      source =
          protocols::PlanSource::from_text(fmt::format("name = {}\n", Json(value).dump()), file.string());
    }
  }
  for (const auto& [key, value] : entries) {
    if (key != "name") {
      source.override_key(key, value);
    }
  }
  return source;
}

}  // namespace

protocols::Plan read_plan(const fs::path& file) {
  const std::string text = read_file(file);
  const Entries entries = entries_of(text, file);
  try {
    protocols::Plan plan = protocols::Plan::validate(source_of(entries, file), protocols::Command::train);
    if (plan.canonical() != text) {
      throw damaged(file, "is not as a plan is written: has it been edited?");
    }
    return plan;
  } catch (const Json::exception&) {
    throw damaged(file, "is not text in UTF-8");
  } catch (const Error& error) {
    if (error.code() == ErrorCode::file) {
      throw;
    }
    throw damaged(file, fmt::format("is not a plan that trains: {}", error.what()));
  }
}

}  // namespace muster::simulation
