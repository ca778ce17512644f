// Task documents for tests, from a plan's text and overrides of its keys. The functions are pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "muster/service/task/plans_test.h"
#include "muster/service/task/task_document.h"

namespace muster::service {

using Overrides = std::vector<std::pair<std::string, std::string>>;

inline TaskSettings task_settings() {
  TaskSettings settings;
  settings.seconds = 600;
  settings.most_rounds = 1000;
  settings.aggregator.fill(0xa1);
  settings.issuer.fill(0x15);
  settings.shuffler.fill(0x5f);
  return settings;
}

inline TaskDocument task_of(const std::string& text, const Overrides& overrides = {},
                            const TaskSettings& settings = task_settings()) {
  protocols::PlanSource source = protocols::PlanSource::from_text(text, "task.toml");
  for (const auto& [key, value] : overrides) source.override_key(key, value);
  return TaskDocument::make(protocols::Plan::validate(source, protocols::Command::train), settings);
}

// The beginning of a plan of 12 devices; a model, a randomizer and, for gradients, a learning rate follow.
inline constexpr const char* kTwelve = R"(
[population]
clients = 12
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.5
[rounds]
count = 3
[privacy]
delta = 1e-5
)";

// The rest of such a plan: gradients of logistic regression.
inline constexpr const char* kGradients = R"(
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2
clip = 0.5
[model]
kind = "logistic"
)";

}  // namespace muster::service
