#include "muster/accounting/bounds/local.h"

#include <cmath>
#include <variant>

#include "muster/core/error.h"

namespace muster::accounting {
namespace {

// Pure mechanisms are known by epsilon0, the Gaussian by mu.
struct Delta1 {
  double rate;
  std::uint64_t rounds;
  double epsilon;
  double operator()(const PureLocal& m) const {
    return local_detail::pure_delta(m.epsilon0, rate, rounds, epsilon);
  }
  double operator()(const LdpSgdLocal& m) const {
    return local_detail::pure_delta(m.epsilon0, rate, rounds, epsilon);
  }
  double operator()(const GaussianLocal& m) const {
    return local_detail::gaussian_delta(m.mu(), rate, rounds, epsilon);
  }
};

struct Epsilon1 {
  double rate;
  std::uint64_t rounds;
  double delta;
  double operator()(const PureLocal& m) const {
    return local_detail::pure_epsilon(m.epsilon0, rate, rounds, delta);
  }
  double operator()(const LdpSgdLocal& m) const {
    return local_detail::pure_epsilon(m.epsilon0, rate, rounds, delta);
  }
  double operator()(const GaussianLocal& m) const {
    return local_detail::gaussian_epsilon(m.mu(), rate, rounds, delta);
  }
};

}  // namespace

double local_delta_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double epsilon) {
  validate(mechanism);
  if (!(epsilon >= 0)) {
    throw Error(ErrorCode::usage, "epsilon", std::to_string(epsilon), "epsilon >= 0", "not a privacy loss");
  }
  if (rounds == 0 || std::isinf(epsilon)) return 0;
  return std::visit(Delta1{rate.value(), rounds, epsilon}, mechanism);
}

double local_epsilon_upper(const Mechanism& mechanism, Rate rate, std::uint64_t rounds, double delta) {
  validate(mechanism);
  Delta::of(delta);
  if (rounds == 0) return 0;
  return std::visit(Epsilon1{rate.value(), rounds, delta}, mechanism);
}

}  // namespace muster::accounting
