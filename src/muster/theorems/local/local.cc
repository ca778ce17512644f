#include "muster/theorems/local/local.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "muster/core/error.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

bool is_profile(const Mechanism& mechanism) { return std::holds_alternative<ProfileLocal>(mechanism); }

// The curve of one round of a randomizer that is given by its profile, rounded up.
numerics::UpperAndEstimate of_profile(const Mechanism& mechanism, Rate rate, double epsilon) {
  const double delta = rate.value() * local_divergence_upper(mechanism, epsilon);
  return {.upper = numerics::as_upper_bound(delta * (1 + numerics::kThreeRoundings)), .estimate = delta};
}

// The bound in closed form, of a Gaussian or of an epsilon0-LDP message.
double closed_upper(const Mechanism& mechanism, double rate, std::uint64_t rounds, const Question& question) {
  const double fixed = question.fixed();
  if (const std::optional<double> epsilon0 = pure_epsilon0(mechanism)) {
    return question.asks_epsilon() ? local_detail::pure_epsilon_upper(*epsilon0, rate, rounds, fixed)
                                   : local_detail::pure_delta_upper(*epsilon0, rate, rounds, fixed);
  }
  const double mu = std::get<GaussianLocal>(mechanism).mu();
  return question.asks_epsilon() ? local_detail::gaussian_epsilon_upper(mu, rate, rounds, fixed)
                                 : local_detail::gaussian_delta_upper(mu, rate, rounds, fixed);
}

}  // namespace

LocalCost::LocalCost(Mechanism mechanism, Rate rate) : mechanism_(std::move(mechanism)), rate_(rate) {
  if (!is_profile(mechanism_)) return;
  composed_ = std::make_shared<const ComposedCurve>(
      [of = mechanism_, rate](double epsilon) { return of_profile(of, rate, epsilon); });
}

double LocalCost::upper(std::uint64_t rounds, const Question& question) const {
  if (rounds == 0 || std::isinf(question.fixed())) return 0;
  if (composed_ == nullptr) return closed_upper(mechanism_, rate_.value(), rounds, question);
  const double composed = composed_->upper(rounds, question);
  // The curve of one round is never above that of an epsilon0-LDP message.
  if (rounds == 1 || !pure_epsilon0(mechanism_)) return composed;
  return numerics::smaller(composed, closed_upper(mechanism_, rate_.value(), rounds, question));
}

double local_delta_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double epsilon) {
  if (!(epsilon >= 0)) {
    throw Error(ErrorCode::usage, Reason::out_of_range, "epsilon", std::to_string(epsilon), "epsilon >= 0",
                "is not a privacy loss");
  }
  // A single round needs no tables, and its delta may be asked for at many epsilons.
  if (is_profile(mechanism) && rounds == 1 && std::isfinite(epsilon)) {
    return of_profile(mechanism, rate, epsilon).upper;
  }
  return local_upper(mechanism, rate, rounds, {Question::Kind::delta_at_epsilon, epsilon});
}

double local_epsilon_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double delta) {
  return local_upper(mechanism, rate, rounds, {Question::Kind::epsilon_at_delta, delta});
}

double local_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, const Question& question) {
  return LocalCost(mechanism, rate).upper(rounds, question);
}

}  // namespace muster::accounting
