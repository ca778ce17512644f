#include "muster/papers/conversions/local_rdp.h"

#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;

}  // namespace

double pure_rdp_upper(double epsilon, double order) {
  // The likelihood ratio r of binary randomized response has
  //     E r^l - 1 = (e^{l eps} - e^eps) (1 - e^{-l eps}) / (e^eps + 1)
  // at order l. The function expm1 gives both differences without cancellation.
  const double m = (order - 1) * epsilon;
  const double share = -std::expm1(-order * epsilon) / (1 + std::exp(-epsilon));
  const double moment = m < 600 ? std::log1p(std::expm1(m) * share) : m + std::log(share);
  return numerics::smaller(epsilon,
                           moment / (order - 1) * (1 + 32 * kUnit) + 8 * kUnit * (m < 600 ? 0 : epsilon));
}

double gaussian_rdp_upper(double mu, double order) { return order * mu * mu / 2 * (1 + 4 * kUnit); }

}  // namespace muster::accounting
