#include "muster/simulation/budget.h"

#include <fmt/format.h>

#include "muster/core/error.h"
#include "muster/core/number_text.h"

namespace muster::simulation {

std::uint64_t affordable_rounds(const std::function<double(std::uint64_t)>& epsilon, std::uint64_t rounds,
                                double budget) {
  if (rounds == 0 || epsilon(rounds) <= budget) {
    return rounds;
  }
  const double first = rounds == 1 ? epsilon(rounds) : epsilon(1);
  if (!(first <= budget) || rounds == 1) {
    throw Error(ErrorCode::budget, "privacy.budget", fmt::format("{}", budget),
                fmt::format("at least {}", rounded_up(first)),
                fmt::format("is less than the first round costs, which is epsilon = {}", rounded_up(first)));
  }
  std::uint64_t affordable = 1;      // epsilon(affordable) <= budget
  std::uint64_t excessive = rounds;  // epsilon(excessive) is above the budget
  while (excessive - affordable > 1) {
    const std::uint64_t middle = affordable + (excessive - affordable) / 2;
    (epsilon(middle) <= budget ? affordable : excessive) = middle;
  }
  return affordable;
}

}  // namespace muster::simulation
