#include "muster/accounting/bounds/swap/one_large_term.h"

#include <cmath>

#include "muster/accounting/bounds/binomial_blocks.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr double kFewerSilent = 1e-4;  // of the value: what an unlikely small number of silent terms may add
constexpr double kOutward = 1 + 1e-12;

}  // namespace

double one_large_term(const LocalTail& local, const LargeTermShape& shape, double epsilon) {
  const double gain = -std::expm1(-epsilon);  // (E - 1) / E
  // f(E + (S - N + a)(E - 1)), a the least number of silent terms, rounded inward.
  const auto carried_alone = [&](double silent) {
    const double above = numerics::larger(0.0, shape.threshold - shape.count) + silent;
    return local.divergence(epsilon + std::log1p(above * gain * (1 - 1e-15)) * (1 - 1e-15));
  };
  const double own = local.divergence(epsilon);
  const double others = shape.count - 1;
  double alone = own, fewer = 0;
  if (others > 0 && shape.silent > 0) {
    const double hoped = carried_alone(others * shape.silent);
    const double exponent = numerics::within(-std::log(kFewerSilent * hoped / own), 1.0, 690.0);
    const double silent = shape.silent < 1 ? binomial_low_end(others, shape.silent, exponent) : others;
    alone = carried_alone(silent);
    fewer = shape.silent < 1 ? std::exp(-exponent) * kOutward * own : 0;
  } else {
    alone = carried_alone(0);
  }
  const double two = others * shape.rate * own * local.alternative(epsilon);
  return numerics::as_upper_bound(shape.factor * shape.count * shape.rate * (alone + fewer + two) * kOutward);
}

}  // namespace muster::accounting
