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

std::optional<double> pure_epsilon0(const Mechanism& mechanism) {
  if (const auto* pure = std::get_if<PureLocal>(&mechanism)) {
    return pure->epsilon0;
  }
  if (const auto* sphere = std::get_if<LdpSgdLocal>(&mechanism)) {
    return sphere->epsilon0;
  }
  return std::nullopt;
}

void validate(const Mechanism& mechanism) {
  if (const std::optional<double> epsilon0 = pure_epsilon0(mechanism)) {
    require_positive("randomizer.epsilon0", *epsilon0);
  } else {
    require_positive("randomizer.sigma", std::get<GaussianLocal>(mechanism).sigma);
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
