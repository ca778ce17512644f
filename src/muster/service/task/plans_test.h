// Plans of the deployment's tests. The function is pure.
#pragma once

#include <cstdint>
#include <string>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::service {

// Built-in digits, a frozen network, 20 rounds.
inline constexpr const char* kDeployedPlan = R"(
name = "deployed"
[population]
clients = 2048
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.5
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2
clip = 0.5
[rounds]
count = 20
learning_rate = "inverse-sqrt:10"
average = 0.1
[model]
kind = "features+linear"
[privacy]
delta = 1e-5
)";

// A plan that needs no training: three rounds of a histogram of digits.
inline constexpr const char* kHistogramPlan = R"(
[population]
clients = 8
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.5
[rounds]
count = 3
[privacy]
delta = 1e-3
[model]
kind = "histogram"
[randomizer]
kind = "k-rr"
epsilon0 = 2
k = 10
)";

inline protocols::Plan deployed_plan(std::uint64_t clients = 2048) {
  std::string text = kDeployedPlan;
  text.replace(text.find("2048"), 4, std::to_string(clients));
  return protocols::Plan::validate(protocols::PlanSource::from_text(text, "deployed.toml"),
                                   protocols::Command::train);
}

}  // namespace muster::service
