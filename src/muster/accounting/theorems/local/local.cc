#include "muster/accounting/theorems/local/local.h"

#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "muster/core/error.h"

namespace muster::accounting {
double local_delta_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double epsilon) {
  if (!(epsilon >= 0)) {
    throw Error(ErrorCode::usage, Reason::out_of_range, "epsilon", std::to_string(epsilon), "epsilon >= 0",
                "is not a privacy loss");
  }
  if (rounds == 0 || std::isinf(epsilon)) return 0;
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  return epsilon0 ? local_detail::pure_delta_upper(*epsilon0, rate.value(), rounds, epsilon)
                  : local_detail::gaussian_delta_upper(std::get<GaussianLocal>(mechanism).mu(), rate.value(),
                                                       rounds, epsilon);
}

double local_epsilon_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double delta) {
  Delta::of(delta);
  if (rounds == 0) return 0;
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  return epsilon0 ? local_detail::pure_epsilon_upper(*epsilon0, rate.value(), rounds, delta)
                  : local_detail::gaussian_epsilon_upper(std::get<GaussianLocal>(mechanism).mu(),
                                                         rate.value(), rounds, delta);
}

double local_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, const Question& question) {
  return question.asks_epsilon() ? local_epsilon_upper(mechanism, rate, rounds, question.fixed())
                                 : local_delta_upper(mechanism, rate, rounds, question.fixed());
}

}  // namespace muster::accounting
