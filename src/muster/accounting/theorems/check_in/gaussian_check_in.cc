#include "muster/accounting/theorems/check_in/gaussian_check_in.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "muster/accounting/theorems/swap/gaussian_two_types.h"
#include "muster/core/number_text.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

// The diameter of a ball that holds all records, in noise deviations. Clipped records lie within 1/sigma
// of the origin; a set of smaller diameter lies in a ball of sqrt 2 times its diameter (Jung).
double ball_of(const GaussianLocal& mechanism) {
  const double root = std::sqrt(2.0) * (1 + 1e-15);
  return numerics::larger(mechanism.mu(), numerics::smaller(2 / mechanism.sigma, mechanism.mu() * root));
}

RoundBound bound_of(const GaussianLocal& mechanism, GaussianTwoTypesCurve curve, const char* choice,
                    std::string who) {
  RoundBound bound;
  bound.id = "gaussian-two-types";
  bound.citation =
      "the worst of two types of other clients and a certified correction, Gaussian in any dimension; "
      "docs/theory/gaussian-two-types.md";
  bound.assumptions = {choice, std::move(who),
                       "one round at a time: not inside a slot protocol, where later rounds see earlier ones",
                       fmt::format("records in a ball of diameter {} noise deviations, in any dimension",
                                   number_text(ball_of(mechanism)))};
  add_assumptions(mechanism, bound.assumptions);
  bound.delta = [shared = std::make_shared<const GaussianTwoTypesCurve>(std::move(curve))](double epsilon) {
    return shared->delta(epsilon);
  };
  return bound;
}

}  // namespace

bool add_two_types_of_check_in(const Mechanism& mechanism, const std::shared_ptr<const ReportingSum>& local,
                               double n, double rate, std::vector<RoundBound>& uppers) {
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  if (gaussian == nullptr || !two_types_cover(ball_of(*gaussian), n * rate, n * (1 - rate))) return false;
  uppers.push_back(bound_of(
      *gaussian, GaussianTwoTypesCurve::check_in(local, ball_of(*gaussian), n, rate),
      "coins are secret, independent of the data and of each other",
      fmt::format("{} honest clients, each at effective rate {}", number_text(n), number_text(rate))));
  return ball_of(*gaussian) <= gaussian->mu();
}

bool add_two_types_of_subset(const Mechanism& mechanism, const std::shared_ptr<const ReportingSum>& local,
                             double n, double k, std::vector<RoundBound>& uppers) {
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  if (gaussian == nullptr ||
      !two_types_cover(ball_of(*gaussian), k, std::numeric_limits<double>::infinity())) {
    return false;
  }
  uppers.push_back(bound_of(
      *gaussian, GaussianTwoTypesCurve::subset(local, ball_of(*gaussian), n, k),
      "the subset is uniform, independent of the data, and secret from the server",
      fmt::format("{} honest clients, exactly {} of them reporting", number_text(n), number_text(k))));
  return ball_of(*gaussian) <= gaussian->mu();
}

}  // namespace muster::accounting
