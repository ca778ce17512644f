// Finds how many rounds a privacy budget allows. May be called from any thread; epsilon is called on it.
#pragma once

#include <cstdint>
#include <functional>

namespace muster::simulation {

// Returns the largest T <= `rounds` whose epsilon is at most `budget`, by bisection; epsilon must not
// decrease with rounds. epsilon(T) <= budget is evaluated for the answer itself. epsilon(0) is 0 and is
// not evaluated. Throws Error(budget) if rounds >= 1 and the first round already exceeds the budget.
std::uint64_t affordable_rounds(const std::function<double(std::uint64_t)>& epsilon, std::uint64_t rounds,
                                double budget);

}  // namespace muster::simulation
