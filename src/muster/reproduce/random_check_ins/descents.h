// Runs the two protocols of random check-ins on a convex task and returns how far the released model is from
// the best one.
//
// A run is the paper's Algorithm 1 (fixed window, one client or a dummy at each slot) or Algorithm 2
// (averaged updates), in which a client computes one gradient on one record. The roll calls and the
// randomizer `gaussian` are those that training uses. New clients with new records take part in each run. The
// model starts at 0 and is projected on the ball after each step, because the theorems assume that all models
// lie in a set of diameter R. Runs with equal arguments and seeds are equal. The functions may be called from
// any thread.
#pragma once

#include <cstdint>
#include <functional>

#include "muster/reproduce/estimates.h"
#include "muster/reproduce/random_check_ins/convex_task.h"

namespace muster::reproduce {

enum class SlotUpdates { fixed_window, averaged };
enum class Released { last_model, average_of_models };

struct Descent {
  SlotUpdates updates = SlotUpdates::fixed_window;
  std::uint64_t clients = 0, slots = 0;  // n and m
  double check_in = 1;                   // p0
  double sigma = 1;                      // the noise's standard deviation of each coordinate of a message
  std::function<double(double step)> learning_rate;  // steps count from 1
  Released released = Released::last_model;
};

// Returns the excess risk of one run.
double excess_risk(const ConvexTask& task, const Descent& descent, std::uint64_t seed);

// Returns the mean excess risk over the runs of seeds 1 to `runs`.
Estimate mean_excess_risk(const ConvexTask& task, const Descent& descent, std::uint64_t runs);

}  // namespace muster::reproduce
