// Tests the recurrence and the doubling at high orders against the power of the moment series in 256-bit ball
// arithmetic. The power is computed from the series itself, not from its excess.
#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "muster/papers/renyi/homogeneous_rdp.h"
#include "tests/oracle/ball.h"

namespace muster::accounting::oracle {
namespace {

using Series = std::vector<Ball>;

Series times(const Series& a, const Series& b) {
  Series c(a.size());
  for (std::size_t l = 0; l < a.size(); ++l) {
    for (std::size_t j = 0; j <= l; ++j) c[l] = c[l] + a[j] * b[l - j];
  }
  return c;
}

Ball real(std::uint64_t i) { return Ball(static_cast<double>(i)); }

// Returns the coefficients of sum_j mu_j x^j / j! for the likelihood ratio of a Gaussian with t^2 = `square`.
Series moments(const Ball& square, const Ball& rate, std::size_t order) {
  Series f;
  Ball factorial(1.0);
  for (std::size_t j = 0; j <= order; ++j) {
    if (j > 0) factorial = factorial * real(j);
    const Ball moment = exp(square * real(j * (j - (j > 0 ? 1 : 0))) / Ball(2.0));
    f.push_back((Ball(1.0) - rate + rate * moment) / factorial);
  }
  return f;
}

// Returns the divergence log(l! n^-l c) / (l-1) for the coefficient c of x^l.
Ball divergence(const Ball& coefficient, std::size_t l, double n) {
  Ball scaled = coefficient;
  for (std::size_t j = 1; j <= l; ++j) scaled = scaled * real(j) / Ball(n);
  return log(scaled) / real(l - 1);
}

void expect_enclosed(const numerics::Enclosure& found, const Ball& exact) {
  EXPECT_FALSE(Ball(found.lower).surely_above(exact));
  EXPECT_FALSE(Ball(found.upper).surely_below(exact));
  EXPECT_TRUE(Ball(found.lower * (1 - 1e-9)).surely_below(exact));
  EXPECT_TRUE(Ball(found.upper * (1 + 1e-9)).surely_above(exact));
  EXPECT_LE(found.upper - found.lower, 1e-9 * found.upper);
}

// The reference is J.C.P. Miller's recurrence for the power of the series. As n >= order, all its terms are
// positive.
TEST(HomogeneousRdpBall, RecurrenceToOrderTwoThousand) {
  struct Case {
    double n, t, rate;
    std::size_t order;
  };
  for (const Case& c : {Case{60000, 0.1, 1, 2000}, Case{1000, 0.05, 1, 1000}, Case{1e9, 0.25, 0.125, 600}}) {
    const Series f = moments(Ball(c.t) * Ball(c.t), Ball(c.rate), c.order);
    Series power{Ball(1.0)};
    for (std::size_t l = 1; l <= c.order; ++l) {
      Ball sum(0.0);
      for (std::size_t k = 1; k <= l; ++k) {
        const Ball factor = real(k) * (Ball(c.n) + Ball(1.0)) - real(l);
        sum = sum + factor * f[k] * power[l - k];
      }
      power.push_back(sum / real(l));
    }
    auto rdp = HomogeneousRdp::check_in(c.n, RatioMoments::gaussian(c.t, c.rate));
    for (const std::size_t l : {2, 3, 30, 200, 600, 1000, 2000}) {
      SCOPED_TRACE(::testing::Message() << c.n << " " << c.t << " " << l);
      if (l > c.order) break;
      expect_enclosed(rdp.divergence(l), divergence(power[l], l, c.n));
    }
  }
}

// At orders above n + 1 the terms of the recurrence change sign, and the library doubles instead.
TEST(HomogeneousRdpBall, OrdersBeyondTheNumberOfClients) {
  for (const unsigned n : {2u, 3u, 13u, 100u}) {
    const std::size_t order = 300;
    const Series f = moments(Ball(0.25) * Ball(0.25), Ball(1.0), order);
    Series power = f, exponential;
    for (unsigned i = 1, top = 0; i < n; i *= 2) {
      if (top == 0) {
        while ((n >> top) > 1) ++top;
      }
      // The power is built from left to right over the binary digits of n.
      power = times(power, power);
      if (n >> (top - 1) & 1) power = times(power, f);
      if (--top == 0) break;
    }
    // The 1000 - n clients outside the subset add ratios that are 1.
    Ball term(1.0);
    for (std::size_t j = 0; j <= order; ++j) {
      exponential.push_back(term);
      term = term * Ball(1000.0 - n) / real(j + 1);
    }
    const Series padded = times(power, exponential);
    auto plain = HomogeneousRdp::plain(n, RatioMoments::gaussian(0.25));
    auto subset = HomogeneousRdp::subset(1000, n, RatioMoments::gaussian(0.25));
    for (const std::size_t l : {2, 5, 12, 13, 14, 15, 40, 100, 101, 102, 299, 300}) {
      SCOPED_TRACE(::testing::Message() << n << " " << l);
      expect_enclosed(plain.divergence(l), divergence(power[l], l, n));
      expect_enclosed(subset.divergence(l), divergence(padded[l], l, 1000));
    }
  }
}

}  // namespace
}  // namespace muster::accounting::oracle
