// Finds how many rounds a privacy budget allows. The function calls `epsilon` on the caller's thread only, so
// it is thread-safe if `epsilon` is.
#pragma once

#include <cstdint>
#include <functional>

namespace muster::simulation {

// Returns the largest T <= `rounds` with epsilon(T) <= budget, where epsilon(T) is the epsilon of T rounds.
// It is found by bisection, so `epsilon` must not decrease with the number of rounds. `epsilon` has been
// called with the returned T, unless `rounds` is 0. Throws Error(budget) if rounds >= 1 and the first round
// already exceeds the budget.
std::uint64_t affordable_rounds(const std::function<double(std::uint64_t)>& epsilon, std::uint64_t rounds,
                                double budget);

}  // namespace muster::simulation
