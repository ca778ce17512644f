#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/plan/plan.h"

namespace muster::protocols {
namespace {

constexpr const char* kKey = "rounds.learning_rate";

double checked(double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, kKey, fmt::format("{}", value), "number > 0",
                "is not a learning rate");
  }
  return value;
}

}  // namespace

LearningRate LearningRate::constant(double value) { return piecewise({{1, value}}); }

LearningRate LearningRate::piecewise(Schedule::Steps steps) {
  LearningRate rate;
  rate.schedule_ = Schedule::piecewise(std::move(steps), kKey);
  std::ranges::for_each(rate.schedule_.steps(), [](const auto& step) { checked(step.second); });
  return rate;
}

LearningRate LearningRate::inverse_sqrt(double value) {
  LearningRate rate = constant(value);
  rate.inverse_sqrt_ = true;
  return rate;
}

double LearningRate::at(std::uint64_t round) const {
  const double value = schedule_.at(round);
  return inverse_sqrt_ ? value / std::sqrt(static_cast<double>(round)) : value;
}

std::string LearningRate::canonical() const {
  return (inverse_sqrt_ ? "inverse-sqrt:" : "") + schedule_.canonical();
}

}  // namespace muster::protocols
