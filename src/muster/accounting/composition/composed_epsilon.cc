#include "muster/accounting/composition/composed_epsilon.h"

#include <limits>
#include <optional>

#include "muster/accounting/composition/convolved_near.h"
#include "muster/accounting/composition/loss_integral.h"
#include "muster/numerics/crossing.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr double kLargestEpsilon = 1e20;

// The integral's answers; none from the first on that was too long, or left much open.
class Integrals {
 public:
  Integrals(Parts parts, double spacing) : parts_(parts), spacing_(spacing) {}
  bool gave_up() const { return gave_up_; }
  std::optional<numerics::Enclosure> at(double epsilon) {
    std::optional<numerics::Enclosure> value;
    if (!gave_up_) {
      value = composed_delta_by_integral(parts_, spacing_, epsilon);
      gave_up_ = !value;
    }
    return value;
  }

 private:
  Parts parts_;
  double spacing_;
  bool gave_up_ = false;
};

}  // namespace

double composed_epsilon_upper(Parts parts, double spacing, double target) {
  const double at_infinity = mass_at_infinity(parts);
  if (at_infinity > target) {
    return std::numeric_limits<double>::infinity();
  }
  const double start = expected_epsilon(parts, spacing, target);
  Integrals integrals(parts, spacing);
  const double found = numerics::crossing_from_above(
      [&](double epsilon) {
        const auto value = integrals.at(epsilon);
        return value ? value->upper : 1.0;
      },
      target, kLargestEpsilon, start);
  if (!integrals.gave_up()) {
    return found;
  }
  const ConvolvedLosses losses = convolved_near(parts, spacing, target, ConvolvedLosses::Side::above);
  const double convolved = numerics::crossing_from_above(
      [&](double epsilon) { return with_infinite_losses(losses.delta(epsilon), at_infinity); }, target,
      kLargestEpsilon, start);
  const double left = (target - at_infinity * (1 + 1e-12)) * (1 - 1e-12);
  return left > 0 ? numerics::smaller(convolved, chernoff_epsilon(parts, spacing, left)) : convolved;
}

double composed_epsilon_lower(Parts parts, double spacing, double target) {
  const double start = expected_epsilon(parts, spacing, target);
  Integrals integrals(parts, spacing);
  const double found = numerics::crossing_from_below(
      [&](double epsilon) {
        const auto value = integrals.at(epsilon);
        return value ? value->lower : 0.0;
      },
      target, kLargestEpsilon, start);
  if (!integrals.gave_up()) {
    return found;
  }
  const ConvolvedLosses losses = convolved_near(parts, spacing, target, ConvolvedLosses::Side::below);
  return numerics::crossing_from_below([&](double epsilon) { return losses.delta(epsilon); }, target,
                                       kLargestEpsilon, start);
}

}  // namespace muster::accounting
