#include "muster/simulation/runs/plan_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/source.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;

Error damaged(const fs::path& file, const std::string& why) {
  return {ErrorCode::file, file.string(), "", "", why};
}

// Returns the lines "key = value" of a plan's text by their keys. A line of another form is its own key. If
// an edited file states a key twice, its lines are joined.
std::map<std::string, std::string> lines_by_key(std::string_view text) {
  std::map<std::string, std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::string& stated = lines[std::string(line.substr(0, line.find(" = ")))];
    stated += stated.empty() ? std::string(line) : fmt::format(", {}", line);
  }
  return lines;
}

// Returns the lines of the keys in `differ`, or "no KEY" for a key that `lines` lacks: "rounds.count = 5, no
// rounds.average".
std::string stated(const std::set<std::string>& differ, const std::map<std::string, std::string>& lines) {
  constexpr std::size_t kShown = 6;  // a plan of another kind may differ in every key
  std::vector<std::string> shown;
  for (const std::string& key : differ) {
    if (shown.size() == kShown) {
      shown.push_back(fmt::format("and {} more", differ.size() - kShown));
      break;
    }
    const auto line = lines.find(key);
    shown.push_back(line == lines.end() ? "no " + key : line->second);
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

}  // namespace

protocols::Plan read_plan(const fs::path& file) {
  const std::string text = read_file(file);
  try {
    const auto source = protocols::PlanSource::from_canonical(text, file.string());
    protocols::Plan plan = protocols::Plan::validate(source, protocols::Command::train);
    if (plan.canonical() != text) {
      throw damaged(file, "is not as a plan is written: has it been edited?");
    }
    return plan;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::file) {
      throw;
    }
    throw damaged(file, fmt::format("is not a plan that trains: {}", error.what()));
  }
}

void require_plan(const fs::path& file, const protocols::Plan& plan) {
  const auto found = lines_by_key(read_file(file));
  const auto wanted = lines_by_key(plan.canonical());
  std::set<std::string> differ;
  for (const auto& [key, line] : found) {
    if (const auto same = wanted.find(key); same == wanted.end() || same->second != line) differ.insert(key);
  }
  for (const auto& [key, line] : wanted) {
    if (!found.contains(key)) differ.insert(key);
  }
  if (!differ.empty()) {
    throw Error(ErrorCode::checkpoint, file.string(), stated(differ, found), stated(differ, wanted),
                "is of a run of another plan: resume with the same plan, or give another folder");
  }
}

}  // namespace muster::simulation
