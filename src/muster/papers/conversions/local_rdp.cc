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
  // `share` is wrong by at most six roundings: three from its numerator, two from its denominator and one
  // from the quotient. expm1(m) is wrong by at most 3 + m: the rounding of the product m changes it by at
  // most 1 + m, and expm1 itself adds two. So the product z of expm1(m) and `share` is wrong by at most
  // 10 + m roundings. That changes log1p(z) by at most 10.2 roundings of itself, because (10 + m)
  // z / ((1 + z) log1p(z)) is at most 10.2. log1p adds two, and the quotient and the last product add one
  // each. The sum is 14.2, and the first factor below covers 32.
  // From m = 600 on, m is wrong by at most one rounding of itself. The logarithm of `share`, which is at
  // least 1/2, is wrong by at most eight roundings of 1. The sum, the quotient, the last product and the last
  // sum add one each. Together these are at most six roundings of the moment, which the first factor covers,
  // too.
  const double moment = m < 600 ? std::log1p(std::expm1(m) * share) : m + std::log(share);
  return numerics::smaller(
      epsilon, moment / (order - 1) * (1 + 32 * kUnitRoundoff) + 8 * kUnitRoundoff * (m < 600 ? 0 : epsilon));
}

// kThreeRoundings covers the two products; the division by 2 is exact.
double gaussian_rdp_upper(double mu, double order) {
  return order * mu * mu / 2 * (1 + numerics::kThreeRoundings);
}

}  // namespace muster::accounting
