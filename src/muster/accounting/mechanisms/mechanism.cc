#include "muster/accounting/mechanisms/mechanism.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/core/error.h"

namespace muster::accounting {
namespace {

void require_positive(const char* key, double value) {
  if (!(value > 0 && std::isfinite(value))) {
    throw Error(ErrorCode::plan, key, fmt::format("{}", value), "a finite number > 0",
                "not a privacy parameter");
  }
}

}  // namespace

void validate(const Mechanism& mechanism) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    require_positive("randomizer.sigma", gaussian->sigma);
  } else if (const auto* pure = std::get_if<PureLocal>(&mechanism)) {
    require_positive("randomizer.epsilon0", pure->epsilon0);
  } else {
    require_positive("randomizer.epsilon0", std::get<LdpSgdLocal>(mechanism).epsilon0);
  }
}

std::string describe(const Mechanism& mechanism) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    return fmt::format("gaussian, sigma = {}", gaussian->sigma);
  }
  if (const auto* pure = std::get_if<PureLocal>(&mechanism)) {
    return fmt::format("any {}-LDP randomizer", pure->epsilon0);
  }
  return fmt::format("ldp-sgd, epsilon0 = {}", std::get<LdpSgdLocal>(mechanism).epsilon0);
}

}  // namespace muster::accounting
