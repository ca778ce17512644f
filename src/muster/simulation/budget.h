// Finds how many rounds a privacy budget allows. Thread-safe if `epsilon` is, which is called on the caller's
// thread.
#pragma once

#include <cstdint>
#include <functional>

namespace muster::simulation {

// Returns the largest T <= `rounds` with epsilon(T) <= budget, by bisection; epsilon must not decrease with
// the number of rounds. `epsilon` has been called with the returned T, unless T = 0. Throws Error(budget) if
// rounds >= 1 and the first round already exceeds the budget.
std::uint64_t affordable_rounds(const std::function<double(std::uint64_t)>& epsilon, std::uint64_t rounds,
                                double budget);

}  // namespace muster::simulation
