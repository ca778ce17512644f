#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/protocols/plan.h"

namespace muster::protocols {
namespace {

double checked(double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(ErrorCode::plan, "rounds.learning_rate", fmt::format("{}", value), "number > 0",
                "not a learning rate");
  }
  return value;
}

}  // namespace

LearningRate LearningRate::constant(double value) { return piecewise({{1, value}}); }

LearningRate LearningRate::piecewise(std::vector<std::pair<std::uint64_t, double>> steps) {
  const auto not_later = [](const auto& a, const auto& b) { return b.first <= a.first; };
  if (steps.empty() || steps.front().first != 1 ||
      std::ranges::adjacent_find(steps, not_later) != steps.end()) {
    throw Error(ErrorCode::plan, "rounds.learning_rate", "",
                "[[1, value], [round, value], ...], rounds increasing", "not a schedule");
  }
  std::ranges::for_each(steps, [](const auto& step) { checked(step.second); });
  LearningRate rate;
  rate.steps_ = std::move(steps);
  return rate;
}

LearningRate LearningRate::inverse_sqrt(double value) {
  LearningRate rate = constant(value);
  rate.inverse_sqrt_ = true;
  return rate;
}

double LearningRate::at(std::uint64_t round) const {
  if (round == 0 || steps_.empty()) {
    throw Error(ErrorCode::internal, "rounds.learning_rate", "", "round >= 1",
                "asked before the first round");
  }
  if (inverse_sqrt_) {
    return steps_.front().second / std::sqrt(static_cast<double>(round));
  }
  const auto after = std::ranges::upper_bound(steps_, round, {}, [](const auto& step) { return step.first; });
  return std::prev(after)->second;
}

std::string LearningRate::canonical() const {
  if (inverse_sqrt_) {
    return fmt::format("inverse-sqrt:{}", steps_.front().second);
  }
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
