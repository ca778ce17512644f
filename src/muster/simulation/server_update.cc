#include "muster/simulation/server_update.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace muster::simulation {
namespace {

void project(double radius, std::span<float> parameters) {
  double squares = 0;
  for (const float value : parameters) {
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const double norm = std::sqrt(squares);
  if (norm > radius) {
    const auto factor = static_cast<float>(radius / norm);
    for (float& value : parameters) {
      value *= factor;
    }
  }
}

}  // namespace

UpdateRule update_rule_of(const protocols::Plan& plan) {
  return {plan.momentum(), plan.average(), plan.weight_decay(), plan.projection(), plan.is_statistic()};
}

ModelState::ModelState(std::vector<float> initial)
    : parameters(std::move(initial)), momentum(parameters.size(), 0.0f), average(parameters) {}

void apply_update(const UpdateRule& rule, double learning_rate, std::span<const float> estimate,
                  ModelState& state) {
  ++state.updates;
  if (rule.running_mean) {
    for (std::size_t i = 0; i < state.parameters.size(); ++i) {
      const double value = state.parameters[i];
      state.parameters[i] = static_cast<float>(value + (static_cast<double>(estimate[i]) - value) /
                                                           static_cast<double>(state.updates));
    }
    return;
  }
  const auto rate = static_cast<float>(learning_rate);
  const auto keep = static_cast<float>(rule.momentum);
  const auto decay = static_cast<float>(rule.weight_decay);
  const std::size_t size = state.parameters.size();
  for (std::size_t i = 0; i < size; ++i) {
    const float direction = estimate[i] + decay * state.parameters[i];
    const float velocity = keep * state.momentum[i] + direction;
    state.momentum[i] = velocity;
    state.parameters[i] -= rate * velocity;
  }
  if (rule.projection) {
    project(*rule.projection, state.parameters);
  }
  if (rule.average > 0) {
    const auto weight = static_cast<float>(rule.average);
    for (std::size_t i = 0; i < size; ++i) {
      state.average[i] += weight * (state.parameters[i] - state.average[i]);
    }
  }
}

const std::vector<float>& reported_model(const UpdateRule& rule, const ModelState& state) {
  return rule.average > 0 ? state.average : state.parameters;
}

}  // namespace muster::simulation
