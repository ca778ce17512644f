// What the server does with a round's estimate: post-processing, free of privacy.
//
//     d <- estimate + weight_decay theta
//     v <- momentum v + d
//     theta <- theta - learning_rate v
//     theta <- theta min(1, radius / |theta|)       where `projection` gives a radius
//     avg <- avg + average (theta - avg)
//
// or, for a statistic (`running_mean`), the mean of the estimates so far:
//     theta <- theta + (estimate - theta) / t, in the t-th update
//
// Every vector has as many floats as the model; arithmetic is single precision but for the norm, which is
// summed in double from the first coordinate to the last. Functions of their arguments alone, so every thread
// count and every resumed run computes the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace muster::simulation {

struct UpdateRule {
  double momentum = 0;               // [0, 1)
  double average = 0;                // [0, 1), 0: off
  double weight_decay = 0;           // >= 0
  std::optional<double> projection;  // radius of the ball around the origin
  bool running_mean = false;         // the others are not read
};

struct ModelState {
  ModelState() = default;
  explicit ModelState(std::vector<float> initial);

  std::vector<float> parameters;
  std::vector<float> momentum;  // zeros at first
  std::vector<float> average;   // the initial parameters at first
  std::uint64_t updates = 0;    // so far
};

void apply_update(const UpdateRule& rule, double learning_rate, std::span<const float> estimate,
                  ModelState& state);

// The model that is evaluated and reported: the average when averaging is on, else the parameters.
const std::vector<float>& reported_model(const UpdateRule& rule, const ModelState& state);

}  // namespace muster::simulation
