#include "tests/reference/real.h"

#include <cmath>
#include <limits>

namespace muster::reference {

Real positive_part(const Real& x) {
  if (x.surely_positive()) return x;
  if (x.surely_negative()) return Real(0.0);
  Real result;
  // (x + |x|) / 2 encloses the numbers from 0 to the upper end.
  Real twice = x;
  arb_abs(result.ball_, x.ball_);
  arb_add(twice.ball_, twice.ball_, result.ball_, Real::kBits);
  arb_mul_2exp_si(twice.ball_, twice.ball_, -1);
  return twice;
}

long double Real::end(bool upper) const {
  constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
  if (!finite()) return upper ? kInfinity : -kInfinity;
  arf_t x, high, low;
  arf_init(x);
  arf_init(high);
  arf_init(low);
  if (upper) {
    arb_get_ubound_arf(x, ball_, kBits);
  } else {
    arb_get_lbound_arf(x, ball_, kBits);
  }
  long double value = 0;
  const slong exponent = arf_is_zero(x) ? 0 : arf_abs_bound_lt_2exp_si(x);
  if (exponent > std::numeric_limits<long double>::max_exponent) {
    constexpr long double kMost = std::numeric_limits<long double>::max();
    value = arf_sgn(x) > 0 ? (upper ? kInfinity : kMost) : (upper ? -kMost : -kInfinity);
  } else if (!arf_is_zero(x)) {
    // x = y 2^e with 1/2 <= |y| < 1, and y as the sum of two doubles.
    arf_mul_2exp_si(x, x, -exponent);
    arf_set_d(high, arf_get_d(x, ARF_RND_DOWN));
    arf_sub(low, x, high, ARF_PREC_EXACT, ARF_RND_DOWN);
    value = static_cast<long double>(arf_get_d(high, ARF_RND_DOWN)) +
            static_cast<long double>(arf_get_d(low, ARF_RND_DOWN));
    value = std::nextafter(value, upper ? kInfinity : -kInfinity);
    value = std::nextafter(value, upper ? kInfinity : -kInfinity);
    value = exponent < -16000 ? (upper && value > 0    ? std::numeric_limits<long double>::min()
                                 : !upper && value < 0 ? -std::numeric_limits<long double>::min()
                                                       : 0)
                              : std::ldexp(value, static_cast<int>(exponent));
  }
  arf_clear(x);
  arf_clear(high);
  arf_clear(low);
  return value;
}

Real log_binomial(double n, double j, const Real& p, const Real& not_p) {
  Real result = log_gamma(Real(n) + 1.0) - log_gamma(Real(j) + 1.0) - log_gamma(Real(n) - Real(j) + 1.0);
  if (j > 0) result = result + Real(j) * log(p);
  if (j < n) result = result + (Real(n) - Real(j)) * log(not_p);
  return result;
}

Real upper_normal(const Real& x) { return erfc(x / sqrt(Real(2.0))) / Real(2.0); }

}  // namespace muster::reference
