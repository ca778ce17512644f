// Updates the server's model with a round's estimate. This is post-processing and costs no privacy.
//
// With the vectors of ModelState, theta = parameters, v = momentum and avg = average, an update is
//     d <- estimate + weight_decay theta
//     v <- momentum v + d
//     theta <- theta - learning_rate v
//     theta <- theta min(1, radius / |theta|)       where `projection` gives a radius
//     avg <- avg + average (theta - avg)
//
// or, for a statistic (`running_mean`), the mean of the estimates so far:
//     theta <- theta + (estimate - theta) / t, in the t-th update
//
// Every vector has as many floats as the model. The arithmetic is in single precision, except that the norm
// and each update of a running mean are computed in double; the norm is summed from the first coordinate to
// the last. The functions depend only on their arguments, so the bits are the same for any number of threads
// and in a resumed run. Updates of different models may run concurrently.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "muster/plan/plan.h"

namespace muster::simulation {

struct UpdateRule {
  double momentum = 0;               // in [0, 1)
  double average = 0;                // in [0, 1); 0 turns averaging off
  double weight_decay = 0;           // >= 0
  std::optional<double> projection;  // radius of the ball around the origin that theta is projected to
  bool running_mean = false;         // if true, the other fields are ignored
};

UpdateRule update_rule_of(const protocols::Plan& plan);

struct ModelState {
  ModelState() = default;
  explicit ModelState(std::vector<float> initial);

  std::vector<float> parameters;
  std::vector<float> momentum;  // momentum v; initially zeros
  std::vector<float> average;   // the running average; initially the initial parameters
  std::uint64_t updates = 0;    // number of updates so far
};

void apply_update(const UpdateRule& rule, double learning_rate, std::span<const float> estimate,
                  ModelState& state);

// Returns the model that is evaluated and reported: the average if averaging is on, else the parameters.
const std::vector<float>& reported_model(const UpdateRule& rule, const ModelState& state);

}  // namespace muster::simulation
