// Slack for rounding errors: by how much a computed value is moved outward so that it becomes a bound.
//
// A rounding is a relative error of at most the unit round-off u = 2^-53 (for a long double, 2^-64). In the
// comments of this project, a rounding of x is an absolute error of at most u |x|, and a result that takes n
// roundings has a relative error of at most about n u. An operation takes the roundings of its operands and
// its own: one for a sum, product, quotient or root, and two for a function of libm.
//
// `x * (1 + kEightRoundings)` is above the true value, and `x * (1 - kEightRoundings)` below it, when x > 0
// took at most eight roundings; the multiplication by the factor itself need not be counted.
// docs/theory/arithmetic.md says what is assumed of libm, how roundings add up, and which operations are not
// covered by such a factor (differences that cancel, exponents, long sums). The functions are pure and may be
// called from any thread.
#pragma once

namespace muster::numerics {

// The unit round-off u of a double: a basic operation has a relative error of at most u.
inline constexpr double kUnitRoundoff = 0x1p-53;
// An ulp of 1: two roundings.
inline constexpr double kUlp = 2 * kUnitRoundoff;
// An upper bound of kUlp, so that the product of an error with it need not be counted.
inline constexpr double kUlpAbove = 2.3e-16;

// Relative slack of a double. Each constant covers the number of roundings in its name, and also the rounding
// of the product with 1 + slack or 1 - slack. The exception is kThreeRoundings, which covers one function of
// libm and one operation, or two operations.
inline constexpr double kThreeRoundings = 4e-16;
inline constexpr double kEightRoundings = 1e-15;
inline constexpr double kEightyRoundings = 1e-14;
inline constexpr double kEightHundredRoundings = 1e-13;
// This one also covers an exponential e^x, |x| <= 745 (the range of a double), if computing x took at most
// ten roundings and no difference that cancels.
inline constexpr double kEightThousandRoundings = 1e-12;
// This one is also used where only a few digits of the result matter, as for powers and for Chernoff's
// bounds, whose exponents are differences that cancel.
inline constexpr double kEightMillionRoundings = 1e-9;

// Relative slack that covers ten thousand roundings of a long double, at most 2^-64 each, and its
// conversion to double.
inline constexpr long double kExtendedRoundings = 1e-15L;

// Returns x moved towards plus infinity by more than eight roundings of a number of its size. x may have
// either sign.
inline double round_up(double x) { return x + kEightRoundings * (x < 0 ? -x : x); }

// Whether the factors 1 + slack and 1 - slack cover this many functions of libm and other operations,
// and the rounding of their own product. The error of a function is taken as 0.99 units in the last
// place, which is 1.98 roundings.
constexpr bool covers(double slack, double functions, double operations) {
  const long double roundings = (1.98L * functions + operations + 1) * kUnitRoundoff;
  const long double above = 1 + slack, below = 1 - slack;
  return above * (1 - roundings) >= 1 && below * (1 + roundings) <= 1;
}

static_assert(kUlpAbove > 2 * kUnitRoundoff && covers(kUlpAbove, 0, 1));
static_assert(covers(kThreeRoundings, 1, 1) && covers(kThreeRoundings, 0, 2));
static_assert(covers(kEightRoundings, 4, 0) && covers(kEightRoundings, 0, 8));
static_assert(covers(kEightyRoundings, 40, 0) && covers(kEightyRoundings, 0, 80));
static_assert(covers(kEightHundredRoundings, 0, 800));
static_assert(covers(kEightThousandRoundings, 0, 745 * 10 + 4));
static_assert(covers(kEightMillionRoundings, 0, 8e6));
static_assert(kExtendedRoundings > 1e4L * 0x1p-64L + 2 * kUnitRoundoff);

}  // namespace muster::numerics
