#include "muster/accounting/bounds/random_allocation.h"

#include <algorithm>

#include "muster/numerics/crossing.h"

namespace muster::accounting {
namespace {

constexpr double kLargestEpsilon = 700;  // beyond, e^epsilon overflows

}  // namespace

numerics::Enclosure RandomAllocation::delta(double epsilon) const {
  const numerics::Enclosure forward = pair_.forward(epsilon);
  const numerics::Enclosure reverse = pair_.reverse(epsilon);
  return {std::max(forward.lower, reverse.lower), std::max(forward.upper, reverse.upper)};
}

numerics::Enclosure RandomAllocation::epsilon(double delta) const {
  const auto upper = [this](double e) { return this->delta(e).upper; };
  const auto lower = [this](double e) { return this->delta(e).lower; };
  return {numerics::crossing_from_below(lower, delta, kLargestEpsilon),
          numerics::crossing_from_above(upper, delta, kLargestEpsilon)};
}

}  // namespace muster::accounting
