#include "muster/gate/sampled_floor.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "muster/core/error.h"
#include "muster/gate/floor_arithmetic.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

constexpr double kInward = 1 - numerics::kEightMillionRoundings;
constexpr double kRelativeMargin = 1e-9;  // the relative rounding error that is allowed for in a delta

// An upper bound of P(Z > x) for a standard normal Z.
double upper_normal(double x) { return std::exp(log_upper_normal(x)) / kInward; }

double at_threshold(double mu, double rate, Instead instead, double epsilon, double t) {
  // `gap` is a lower bound of P(sum > t) - P'(sum > t). `other` is an upper bound of P'(sum > t), up to the
  // rounding that the factor kInward covers.
  const double apart = instead == Instead::nothing ? 0 : mu;
  const double gap = rate * normal_gap(t + apart, mu + apart) * kInward;
  const double other = (1 - rate) * upper_normal(t) + rate * upper_normal(t + apart);
  return gap - std::expm1(epsilon) * other / kInward;
}

}  // namespace

double sampled_floor_delta(double sigma, double rate, Instead instead, double epsilon) {
  const double mu = 1 / sigma * (1 - numerics::kThreeRoundings);
  const double middle = instead == Instead::nothing ? mu / 2 : 0;
  double best = 0;
  const auto add = [&](double t) { best = larger_known(best, at_threshold(mu, rate, instead, epsilon, t)); };
  // The thresholds tried first lie between middle - 1 and middle + crossing + 4. If the neighbouring data set
  // lacks the record, the likelihood ratio P/P' is E at middle + crossing.
  constexpr int kSteps = 64;
  const double crossing = std::log1p(std::expm1(epsilon) / rate) / mu;
  for (int i = 0; i <= kSteps; ++i) add(middle - 1 + (crossing + 5) * i / kSteps);
  // Thresholds t that the noise exceeds with probability at most rate e^{-epsilon - less}.
  for (const double less : {0.0, 1.0, 3.0, 6.0, 12.0}) add(std::sqrt(2 * (epsilon - std::log(rate) + less)));
  return best > 0 ? smaller_known(best, 1) : 0;
}

void check_sampled_epsilon(double sigma, double rate, Instead instead, double delta, double upper) {
  if (std::isinf(upper) && upper > 0) return;
  const auto fail = [&](const std::string& allowed, const char* what) {
    throw Error(ErrorCode::internal, "sampled-gaussian", fmt::format("{:.17g}", upper), allowed,
                fmt::format("{}: this is a defect, and nothing is reported", what));
  };
  if (!(upper >= 0)) fail("a number >= 0", "not a bound");
  const double floor = sampled_floor_delta(sigma, rate, instead, upper);
  if (!(floor <= delta * (1 + kRelativeMargin))) {
    fail(fmt::format("delta {:.6g} at this epsilon is at least {:.6g}", delta, floor),
         "a bound fell below its independent floor");
  }
}

}  // namespace muster::accounting
