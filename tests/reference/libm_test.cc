// Checks on a dense sample what docs/theory/arithmetic.md assumes of libm: the relative error of each
// function, in roundings (2^-53 for a double, 2^-64 for a long double), against Arb.
//
// The sample reaches from the smallest normal result to the largest one, and is dense near the arguments 0
// and 1. It is the same in every run. A sample proves nothing about other arguments. The test fails if an
// error on the sample exceeds 0.99 of the assumed units, whether the cause is another libm, a compiler flag,
// or an error in the figures of glibc's manual.
#include <arb.h>
#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "muster/numerics/slack.h"

namespace muster::reference {
namespace {

constexpr slong kBits = 256;
// An error of one unit in the last place is up to two roundings. slack.h assumes 0.99 of the stated units.
constexpr double kUnit = 1.98;

using Exact = void (*)(arb_t, const arb_t, slong);

// A number as an exact ball: its mantissa is the sum of two doubles.
void set(arb_t ball, long double x) {
  int exponent = 0;
  const long double mantissa = std::frexp(x, &exponent);
  const auto high = static_cast<double>(mantissa);
  arb_t rest;
  arb_init(rest);
  arb_set_d(ball, high);
  arb_set_d(rest, static_cast<double>(mantissa - high));
  arb_add(ball, ball, rest, kBits);
  arb_mul_2exp_si(ball, ball, exponent);
  arb_clear(rest);
}

// Returns |computed / f(x) - 1| in units of the type's round-off, or 0 where f(x) is not well above the
// smallest normal number of the type. No argument of the sample has a result that is out of the type's
// range, so a NaN or an infinity is an infinite error.
template <typename Real>
double roundings(Exact exact, Real x, Real computed) {
  constexpr double unit = std::numeric_limits<Real>::epsilon() / 2;
  if (!std::isfinite(computed)) return std::numeric_limits<double>::infinity();
  arb_t argument, truth, error;
  arb_init(argument);
  arb_init(truth);
  arb_init(error);
  set(argument, x);
  exact(truth, argument, kBits);
  set(error, 2 * std::numeric_limits<Real>::min());
  arb_abs(argument, truth);
  const bool counts = arb_gt(argument, error) != 0;
  set(error, computed);
  arb_sub(error, error, truth, kBits);
  arb_div(error, error, truth, kBits);
  const double relative = std::abs(arf_get_d(arb_midref(error), ARF_RND_UP));
  EXPECT_TRUE(!counts || mag_get_d(arb_radref(error)) < 1e-6 * unit);
  arb_clear(argument);
  arb_clear(truth);
  arb_clear(error);
  return counts ? relative / unit : 0;
}

// Returns arguments between low and high: uniform numbers, numbers
// of log-uniform magnitude and either sign, and numbers near 1.
template <typename Real>
std::vector<Real> arguments(Real low, Real high, bool integers) {
  std::mt19937_64 random(20260101);
  std::uniform_real_distribution<Real> share(0, 1);
  const Real reach = std::log(std::max(std::abs(low), std::abs(high)));
  const Real depth = std::log(std::numeric_limits<double>::min());
  std::vector<Real> found;
  for (int i = 0; i < 10'000; ++i) {
    found.push_back(low + (high - low) * share(random));
    found.push_back((i % 2 == 0 ? 1 : -1) * std::exp(depth + (reach - depth) * share(random)));
    found.push_back((i % 2 == 0 ? 1 : -1) * std::exp2(60 * (share(random) - Real{0.5})));
    found.push_back(1 + (i % 2 == 0 ? 1 : -1) * std::exp2(-60 * share(random)));
  }
  for (Real& x : found) {
    if (integers) x = std::round(x);
  }
  std::erase_if(found, [&](Real x) { return !(x > low && x < high); });
  return found;
}

template <typename Real>
double worst(Exact exact, Real (*computed)(Real), Real low, Real high, bool integers = false) {
  const std::vector<Real> xs = arguments(low, high, integers);
  EXPECT_GT(xs.size(), 5000U);
  double most = 0;
  for (const Real x : xs) most = std::max(most, roundings(exact, x, computed(x)));
  ::testing::Test::RecordProperty("largest error in roundings", std::to_string(most));
  return most;
}

using Double = double (*)(double);
using Extended = long double (*)(long double);

struct Function {
  const char* name;
  Exact exact;
  Double short_form;
  Extended long_form;
  double low, high;               // the range of a double argument
  long double far_low, far_high;  // the range of a long double argument
  double units, long_units;       // assumed error, in units in the last place
};

void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

class Libm : public ::testing::TestWithParam<Function> {};

TEST_P(Libm, DoublesAreAsExactAsAssumed) {
  const Function& f = GetParam();
  EXPECT_LE(worst<double>(f.exact, f.short_form, f.low, f.high), kUnit * f.units) << f.name;
}

TEST_P(Libm, LongDoublesAreAsExactAsAssumed) {
  const Function& f = GetParam();
  EXPECT_LE(worst<long double>(f.exact, f.long_form, f.far_low, f.far_high), kUnit * f.long_units) << f.name;
}

constexpr double kMost = std::numeric_limits<double>::max();

INSTANTIATE_TEST_SUITE_P(
    Functions, Libm,
    ::testing::Values(Function{"exp", arb_exp, std::exp, std::exp, -708, 709, -11355, 11356, 1, 1},
                      Function{"expm1", arb_expm1, std::expm1, std::expm1, -708, 709, -11355, 11356, 1, 3},
                      Function{"log", arb_log, std::log, std::log, 0, kMost, 0, kMost, 1, 1},
                      Function{"log1p", arb_log1p, std::log1p, std::log1p, -1, kMost, -1, kMost, 1, 2},
                      Function{"erfc", arb_hypgeom_erfc, std::erfc, std::erfc, -10, 26.5, -10, 106, 5, 5},
                      Function{"sinh", arb_sinh, std::sinh, std::sinh, -709, 709, -11355, 11356, 2, 3},
                      Function{"tanh", arb_tanh, std::tanh, std::tanh, -400, 400, -400, 400, 2, 3},
                      Function{"sin", arb_sin, std::sin, std::sin, -1e15, 1e15, -1e15L, 1e15L, 1, 2},
                      Function{"cos", arb_cos, std::cos, std::cos, -1e15, 1e15, -1e15L, 1e15L, 1, 2}),
    [](const auto& test) { return std::string(test.param.name); });

// log n! is only computed for whole numbers n.
TEST(LogFactorials, AreAsExactAsAssumed) {
  const Double of_double = std::lgamma;
  const Extended of_long = std::lgamma;
  EXPECT_LE(worst<double>(arb_lgamma, of_double, 2.5, 1e15, true), kUnit * 4);
  EXPECT_LE(worst<long double>(arb_lgamma, of_long, 2.5L, 1e15L, true), kUnit * 4);
}

// The sample notices a function that is one unit in the last place worse than assumed.
TEST(Sample, NoticesAWrongFunction) {
  const Double off = [](double x) { return std::exp(x) * (1 + 0x1p-52); };
  EXPECT_GT(worst<double>(arb_exp, off, -708, 709), kUnit);
}

// A function that fails for some arguments is not taken for one whose result is out of range.
TEST(Sample, NoticesAFailedFunction) {
  const Double no_number = [](double x) { return x > 700 ? std::nan("") : std::exp(x); };
  const Double infinite = [](double x) { return x > 700 ? HUGE_VAL : std::exp(x); };
  const Double nothing = [](double x) { return x > 700 ? 0 : std::exp(x); };
  for (const Double wrong : {no_number, infinite, nothing}) {
    EXPECT_GT(worst<double>(arb_exp, wrong, -708, 709), kUnit);
  }
}

TEST(Slack, CoversARoundingOfEachKindAtItsWorst) {
  // A value that is off by one rounding, times 1 + slack or 1 - slack, must reach the true value.
  for (const double slack : {numerics::kThreeRoundings, numerics::kEightRoundings, numerics::kEightyRoundings,
                             numerics::kEightHundredRoundings, numerics::kEightThousandRoundings}) {
    for (double x = 1; x < 2; x += 0x1.357p-10) {
      const double computed = x * (1 - numerics::kUnitRoundoff);
      EXPECT_GE(computed * (1 + slack), x);
      EXPECT_LE(x * (1 + 2 * numerics::kUnitRoundoff) * (1 - slack), x);
    }
  }
}

}  // namespace
}  // namespace muster::reference
