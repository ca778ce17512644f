// A real number known to lie in a ball, at 256 bits: a thin wrapper of Arb's arb_t, for tests.
//
// Every operation encloses the exact result, so `surely_below` and `surely_above` prove what they say.
#pragma once

#include <arb.h>
#include <arb_hypgeom.h>

#include <utility>

namespace muster::accounting::oracle {

class Ball {
 public:
  static constexpr slong kBits = 256;

  Ball() { arb_init(value_); }
  Ball(double exact) : Ball() { arb_set_d(value_, exact); }  // NOLINT: a double is exact
  Ball(const Ball& other) : Ball() { arb_set(value_, other.value_); }
  Ball& operator=(const Ball& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }

  friend Ball operator+(const Ball& x, const Ball& y) { return apply(arb_add, x, y); }
  friend Ball operator-(const Ball& x, const Ball& y) { return apply(arb_sub, x, y); }
  friend Ball operator*(const Ball& x, const Ball& y) { return apply(arb_mul, x, y); }
  friend Ball operator/(const Ball& x, const Ball& y) { return apply(arb_div, x, y); }
  friend Ball exp(const Ball& x) { return apply(arb_exp, x); }
  friend Ball log(const Ball& x) { return apply(arb_log, x); }
  friend Ball sqrt(const Ball& x) { return apply(arb_sqrt, x); }
  friend Ball erfc(const Ball& x) { return apply(arb_hypgeom_erfc, x); }

  bool surely_below(const Ball& other) const { return arb_lt(value_, other.value_) != 0; }
  bool surely_above(const Ball& other) const { return arb_gt(value_, other.value_) != 0; }
  bool surely_positive() const { return arb_is_positive(value_) != 0; }

 private:
  template <class F>
  static Ball apply(F&& f, const Ball& x) {
    Ball result;
    f(result.value_, x.value_, kBits);
    return result;
  }
  template <class F>
  static Ball apply(F&& f, const Ball& x, const Ball& y) {
    Ball result;
    f(result.value_, x.value_, y.value_, kBits);
    return result;
  }
  arb_t value_;
};

// Phi(x).
inline Ball normal(const Ball& x) { return erfc(Ball(0.0) - x / sqrt(Ball(2.0))) / Ball(2.0); }

}  // namespace muster::accounting::oracle
