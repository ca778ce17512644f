// Interval arithmetic for tests: a thin wrapper of Arb's arb_t, which encloses a real number in a ball (a
// midpoint and a radius) with kBits bits of precision.
//
// Every operation encloses the exact result, so a function that begins with `surely` returns true only if its
// statement is proven. Every copy owns its ball; different objects may be used on different threads.
#pragma once

#include <arb.h>
#include <arb_hypgeom.h>

#include <cmath>
#include <limits>

namespace muster {

template <slong kBits>
class ArbBall {
 public:
  ArbBall() { arb_init(value_); }
  ArbBall(double exact) : ArbBall() { arb_set_d(value_, exact); }  // NOLINT: a double is exact
  ArbBall(const ArbBall& other) : ArbBall() { arb_set(value_, other.value_); }
  ArbBall& operator=(const ArbBall& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~ArbBall() { arb_clear(value_); }

  friend ArbBall operator+(const ArbBall& x, const ArbBall& y) { return of(arb_add, x, y); }
  friend ArbBall operator-(const ArbBall& x, const ArbBall& y) { return of(arb_sub, x, y); }
  friend ArbBall operator*(const ArbBall& x, const ArbBall& y) { return of(arb_mul, x, y); }
  friend ArbBall operator/(const ArbBall& x, const ArbBall& y) { return of(arb_div, x, y); }
  friend ArbBall operator-(const ArbBall& x) { return ArbBall(0.0) - x; }
  friend ArbBall exp(const ArbBall& x) { return of(arb_exp, x); }
  friend ArbBall expm1(const ArbBall& x) { return of(arb_expm1, x); }
  friend ArbBall log(const ArbBall& x) { return of(arb_log, x); }
  friend ArbBall log1p(const ArbBall& x) { return of(arb_log1p, x); }
  friend ArbBall sqrt(const ArbBall& x) { return of(arb_sqrt, x); }
  friend ArbBall erfc(const ArbBall& x) { return of(arb_hypgeom_erfc, x); }
  friend ArbBall log_gamma(const ArbBall& x) { return of(arb_lgamma, x); }
  // Returns a ball that encloses max(x, 0).
  friend ArbBall positive_part(const ArbBall& x) {
    if (x.surely_positive()) return x;
    if (x.surely_negative()) return ArbBall(0.0);
    ArbBall result;
    // (x + |x|) / 2 encloses the numbers from 0 to the upper end of x.
    ArbBall twice = x;
    arb_abs(result.value_, x.value_);
    arb_add(twice.value_, twice.value_, result.value_, kBits);
    arb_mul_2exp_si(twice.value_, twice.value_, -1);
    return twice;
  }

  bool surely_below(const ArbBall& other) const { return arb_lt(value_, other.value_) != 0; }
  bool surely_above(const ArbBall& other) const { return arb_gt(value_, other.value_) != 0; }
  bool surely_positive() const { return arb_is_positive(value_) != 0; }
  bool surely_negative() const { return arb_is_negative(value_) != 0; }
  bool finite() const { return arb_is_finite(value_) != 0; }
  // The next two functions return a lower and an upper bound of the numbers in the ball, also where a double
  // would underflow. The bounds are -infinity and infinity if the ball is not finite.
  long double below() const { return end(false); }
  long double above() const { return end(true); }
  double middle() const { return arf_get_d(arb_midref(value_), ARF_RND_NEAR); }

 private:
  template <class F>
  static ArbBall of(F&& f, const ArbBall& x) {
    ArbBall result;
    f(result.value_, x.value_, kBits);
    return result;
  }
  template <class F>
  static ArbBall of(F&& f, const ArbBall& x, const ArbBall& y) {
    ArbBall result;
    f(result.value_, x.value_, y.value_, kBits);
    return result;
  }
  long double end(bool upper) const;

  arb_t value_;
};

template <slong kBits>
long double ArbBall<kBits>::end(bool upper) const {
  constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
  if (!finite()) return upper ? kInfinity : -kInfinity;
  arf_t x, high, low;
  arf_init(x);
  arf_init(high);
  arf_init(low);
  if (upper) {
    arb_get_ubound_arf(x, value_, kBits);
  } else {
    arb_get_lbound_arf(x, value_, kBits);
  }
  long double value = 0;
  const slong exponent = arf_is_zero(x) ? 0 : arf_abs_bound_lt_2exp_si(x);
  if (exponent > std::numeric_limits<long double>::max_exponent) {
    constexpr long double kMost = std::numeric_limits<long double>::max();
    value = arf_sgn(x) > 0 ? (upper ? kInfinity : kMost) : (upper ? -kMost : -kInfinity);
  } else if (!arf_is_zero(x)) {
    // x = y 2^e with 1/2 <= |y| < 1. `value` becomes y, as the sum of two doubles, and then moves outward.
    arf_mul_2exp_si(x, x, -exponent);
    arf_set_d(high, arf_get_d(x, ARF_RND_DOWN));
    arf_sub(low, x, high, ARF_PREC_EXACT, ARF_RND_DOWN);
    value = static_cast<long double>(arf_get_d(high, ARF_RND_DOWN)) +
            static_cast<long double>(arf_get_d(low, ARF_RND_DOWN));
    value = std::nextafter(value, upper ? kInfinity : -kInfinity);
    value = std::nextafter(value, upper ? kInfinity : -kInfinity);
    // Below the smallest normal number, ldexp would round inward or to 0. That number and 0 enclose x there.
    value = exponent < std::numeric_limits<long double>::min_exponent
                ? (upper && value > 0    ? std::numeric_limits<long double>::min()
                   : !upper && value < 0 ? -std::numeric_limits<long double>::min()
                                         : 0)
                : std::ldexp(value, static_cast<int>(exponent));
  }
  arf_clear(x);
  arf_clear(high);
  arf_clear(low);
  return value;
}

}  // namespace muster
