// What the entries of several covers share: for which mechanisms sums are computed, and how a curve and its
// assumptions become part of a RoundBound. Pure functions.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/core/types.h"

namespace muster::accounting {

// The largest epsilon0 for which sums are computed, because their terms are as large as e^epsilon0.
constexpr double kLargestEpsilon0 = 100;

inline constexpr const char* kSecretCoins = "coins are secret, independent of the data and of each other";

inline double count_of(ClientCount clients) { return static_cast<double>(clients.value()); }

std::vector<std::string> with_mechanism(const Mechanism& mechanism, std::vector<std::string> assumptions);

bool summable(const Mechanism& mechanism);

// Wraps a curve object as the function that a RoundBound holds.
template <typename Curve>
DeltaCurve curve_of(Curve curve) {
  const auto shared = std::make_shared<const Curve>(std::move(curve));
  return [shared](double epsilon) { return shared->delta(epsilon); };
}

}  // namespace muster::accounting
