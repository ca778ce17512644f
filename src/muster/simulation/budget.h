// How many rounds a privacy budget pays for.
#pragma once

#include <cstdint>
#include <functional>

namespace muster::simulation {

// The most rounds T <= `rounds` whose epsilon stays within `budget`, found once by bisection: epsilon(T) <=
// budget is checked for the answer itself, and epsilon never decreases with rounds. epsilon(0) is 0 and is
// not asked. Error(budget) when rounds >= 1 and already the first one passes the budget.
std::uint64_t affordable_rounds(const std::function<double(std::uint64_t)>& epsilon, std::uint64_t rounds,
                                double budget);

}  // namespace muster::simulation
