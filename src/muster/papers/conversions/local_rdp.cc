#include "muster/papers/conversions/local_rdp.h"

#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::kUnitRoundoff;

}  // namespace

double pure_rdp_upper(double epsilon, double order) {
  // The likelihood ratio r of binary randomized response has
  //     E r^l - 1 = (e^{l eps} - e^eps) (1 - e^{-l eps}) / (e^eps + 1)
  // at order l. The function expm1 gives both differences without cancellation.
  const double m = (order - 1) * epsilon;
  const double share = -std::expm1(-order * epsilon) / (1 + std::exp(-epsilon));
  //
  // `share` takes six roundings: three of the difference above, two of the sum below and one of the quotient.
  // expm1(m) takes 1 + m by the product m and two of its own, so its product z with `share` takes 10 + m.
  // They change log1p(z) by at most 10.2 roundings of itself, because (10 + m) z / ((1 + z) log1p(z)) is at
  // most 10.2. With two of log1p, the quotient and the last product, that is 14.2. From m = 600 on, m takes
  // one, the logarithm of `share`, which is at least 1/2, eight of 1, and the sum, the quotient and the last
  // product and sum one each: six of the moment, which the first factor covers.
  const double moment = m < 600 ? std::log1p(std::expm1(m) * share) : m + std::log(share);
  return numerics::smaller(
      epsilon, moment / (order - 1) * (1 + 32 * kUnitRoundoff) + 8 * kUnitRoundoff * (m < 600 ? 0 : epsilon));
}

// Two products.
double gaussian_rdp_upper(double mu, double order) {
  return order * mu * mu / 2 * (1 + numerics::kThreeRoundings);
}

}  // namespace muster::accounting
