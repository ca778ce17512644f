#include "muster/plan/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "muster/core/error.h"

namespace muster::protocols {

Schedule Schedule::piecewise(Steps steps, const char* key) {
  const auto not_later = [](const auto& a, const auto& b) { return b.first <= a.first; };
  if (steps.empty() || steps.front().first != 1 ||
      std::ranges::adjacent_find(steps, not_later) != steps.end()) {
    throw Error(ErrorCode::plan, Reason::malformed, key, "",
                "[[1, value], [round, value], ...], rounds increasing", "is not a schedule");
  }
  Schedule schedule(0);
  schedule.steps_ = std::move(steps);
  return schedule;
}

double Schedule::at(std::uint64_t round) const {
  if (round == 0) {
    throw Error(ErrorCode::internal, "schedule", "0", "round >= 1", "asked before the first round");
  }
  const auto after = std::ranges::upper_bound(steps_, round, {}, [](const auto& step) { return step.first; });
  return std::prev(after)->second;
}

bool Schedule::constant() const {
  return std::ranges::all_of(steps_, [&](const auto& step) { return step.second == steps_.front().second; });
}

std::string Schedule::canonical() const {
  if (steps_.size() == 1) {
    return fmt::format("{}", steps_.front().second);
  }
  std::string text;
  for (const auto& [round, value] : steps_) {
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", round, value);
  }
  return "[" + text + "]";
}

}  // namespace muster::protocols
