#include "tests/reference/local.h"

#include <algorithm>
#include <cmath>

#include "tests/reference/binomials.h"

namespace muster::reference {

Interval gaussian_delta(const Real& mu, const Real& log_ratio) {
  const Real y = log_ratio / mu;
  const Real delta = upper_normal(y - mu / Real(2.0)) - exp(log_ratio) * upper_normal(y + mu / Real(2.0));
  if (!delta.finite()) return {0, 1};
  return {std::max(0.0L, delta.below()), std::min(1.0L, std::max(0.0L, delta.above()))};
}

Interval response_delta(double epsilon0, double rounds, double epsilon) {
  constexpr long double kUlp = 0x1p-63L;
  // With j true answers among T the loss is (2j - T) epsilon0.
  const long double e0 = epsilon0, eps = epsilon, total = rounds;
  const Real all = Real(1.0) + exp(-Real(epsilon0)), p = Real(1.0) / all, q = exp(-Real(epsilon0)) / all;
  const long double positive = std::max(0.0L, std::floor((total + eps / e0) / 2) - 1);
  if (positive > total) return {0, 0};
  const auto first =
      static_cast<long double>(std::max(static_cast<double>(positive), far_below_mean(rounds, p, q)));
  Binomials law(rounds, p, q, static_cast<double>(first));
  long double low = 0, high = 0, last = 0;
  const long double mean = total * p.above();
  if (first > positive)
    high = mass_below(rounds, p, q, static_cast<double>(first), law.value() * (1 + law.error()));
  if (law.value() == 0) return {0, 1};
  long double j = first;
  for (; j <= total; j += 1, law.next()) {
    const long double over = (2 * j - total) * e0 - eps;
    last = law.value();
    if (over > 0) {
      const long double share = -std::expm1(-over);
      const long double room =
          law.error() + 8 * kUlp + 4 * kUlp * (std::fabs((2 * j - total) * e0) + eps) / over;
      low += last * share * std::max(0.0L, 1 - room);
      high += last * std::min(1.0L, share * (1 + room)) * (1 + law.error());
    }
    if (j > mean && last < high * 1e-25L) break;
    if (j - first > 5e6L) return {low * (1 - 1e-12L), 1};
  }
  // Beyond the mean, the remaining terms fall at least geometrically.
  const long double ratio = j < total ? (total - j) / (j + 1) * (p / q).above() : 0;
  if (j < total) high += ratio < 1 ? last * ratio / (1 - ratio) * 2 : 1;
  return {low * (1 - 1e-15L), std::min(1.0L, high * (1 + 1e-15L))};
}

}  // namespace muster::reference
