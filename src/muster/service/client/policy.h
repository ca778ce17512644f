// What a device demands of a task before it takes part. The bounds are its own, and no server can change
// them.
//
// The functions are pure and may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>

#include "muster/service/task/task_document.h"

namespace muster::service {

struct Policy {
  double max_epsilon = 0;         // of all planned rounds at the task's delta; positive, perhaps infinite
  double max_delta = 0;           // at a delta near 1, every task has a small epsilon
  double max_epsilon0 = 0;        // of one message alone; a message of `gaussian` has an infinite one
  std::uint64_t min_clients = 0;  // honest devices that the task's theorem counts on
  std::uint64_t max_rounds = 0;   // rounds that the task may open, and so how often a device may be asked
  bool allow_seeded = false;  // whether coins and noise may follow from the plan's public seed: tests alone
};

// The epsilon of a number of rounds of a plan. Takes seconds where it builds the accountant's curves.
using EpsilonOfRounds = std::function<double(const protocols::Plan& plan, std::uint64_t rounds)>;

// What the accountant charges.
double charged_epsilon(const protocols::Plan& plan, std::uint64_t rounds);

// Throws Error(plan), naming the key of the policy, its value and what the task would need, for a task that
// the policy does not allow, and for a bound that is not a number; and whatever `epsilon` throws.
void check_policy(const TaskDocument& task, const Policy& policy,
                  const EpsilonOfRounds& epsilon = charged_epsilon);

}  // namespace muster::service
