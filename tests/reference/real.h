// A real number known to lie in a ball (Arb, 192 bits), with its ends as long doubles rounded outward.
//
// Every operation encloses the exact result. Copies own their ball; any thread.
#pragma once

#include <arb.h>
#include <arb_hypgeom.h>

namespace muster::reference {

class Real {
 public:
  static constexpr slong kBits = 192;

  Real() { arb_init(ball_); }
  Real(double exact) : Real() { arb_set_d(ball_, exact); }  // NOLINT: a double is exact
  Real(const Real& other) : Real() { arb_set(ball_, other.ball_); }
  Real& operator=(const Real& other) {
    arb_set(ball_, other.ball_);
    return *this;
  }
  ~Real() { arb_clear(ball_); }

  friend Real operator+(const Real& x, const Real& y) { return of(arb_add, x, y); }
  friend Real operator-(const Real& x, const Real& y) { return of(arb_sub, x, y); }
  friend Real operator*(const Real& x, const Real& y) { return of(arb_mul, x, y); }
  friend Real operator/(const Real& x, const Real& y) { return of(arb_div, x, y); }
  friend Real operator-(const Real& x) { return Real(0.0) - x; }
  friend Real exp(const Real& x) { return of(arb_exp, x); }
  friend Real expm1(const Real& x) { return of(arb_expm1, x); }
  friend Real log(const Real& x) { return of(arb_log, x); }
  friend Real log1p(const Real& x) { return of(arb_log1p, x); }
  friend Real sqrt(const Real& x) { return of(arb_sqrt, x); }
  friend Real erfc(const Real& x) { return of(arb_hypgeom_erfc, x); }
  friend Real log_gamma(const Real& x) { return of(arb_lgamma, x); }
  // max(x, 0): encloses the positive part.
  friend Real positive_part(const Real& x);

  bool surely_positive() const { return arb_is_positive(ball_) != 0; }
  bool surely_negative() const { return arb_is_negative(ball_) != 0; }
  bool finite() const { return arb_is_finite(ball_) != 0; }
  // A lower and an upper bound of every number in the ball; they are good also far below the range
  // of a double.
  long double below() const { return end(false); }
  long double above() const { return end(true); }
  double middle() const { return arf_get_d(arb_midref(ball_), ARF_RND_NEAR); }

 private:
  template <class F>
  static Real of(F&& f, const Real& x) {
    Real result;
    f(result.ball_, x.ball_, kBits);
    return result;
  }
  template <class F>
  static Real of(F&& f, const Real& x, const Real& y) {
    Real result;
    f(result.ball_, x.ball_, y.ball_, kBits);
    return result;
  }
  long double end(bool upper) const;

  arb_t ball_;
};

// ln of the probability of j ones among n coins that each show one with probability p; p and 1 - p
// are both given.
Real log_binomial(double n, double j, const Real& p, const Real& not_p);
// P(Z > x) of a standard normal Z.
Real upper_normal(const Real& x);

}  // namespace muster::reference
