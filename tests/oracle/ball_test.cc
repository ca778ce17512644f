// Checks in ball arithmetic at 256 bits that values are rounded outward, in far tails and long compositions
// that long double cannot check.
#include "tests/oracle/ball.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/profile.h"
#include "muster/papers/conversions/rdp_to_dp.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting::oracle {
namespace {

// Returns the hockey-stick divergence at `epsilon` of two unit normals at distance mu.
Ball gaussian(double mu, const Ball& epsilon) {
  const Ball m(mu), half = m / Ball(2.0), z = Ball(0.0) - epsilon / m;
  return normal(z + half) - exp(epsilon) * normal(z - half);
}

// Checks the ends of balls around 3 2^-k. The exponent k runs past 16445, and 2^-16445 is the smallest
// positive long double. ldexp is exact here.
TEST(Ball, EndsAreOutwardWhereALongDoubleUnderflows) {
  for (int k = 15'990; k < 16'500; ++k) {
    Ball three(3.0);
    for (int left = k; left > 0; left -= 1000) three = three * Ball(std::ldexp(1.0, -std::min(left, 1000)));
    SCOPED_TRACE(k);
    for (const bool negative : {false, true}) {
      const Ball x = negative ? -three : three;
      const long double above = std::ldexp(negative ? -x.below() : x.above(), k);
      const long double below = std::ldexp(negative ? -x.above() : x.below(), k);
      EXPECT_GE(above, 3);
      EXPECT_LE(below, 3);
      EXPECT_GE(below, 0);
      if (k <= 16'383) {  // 3 2^-k is a normal number
        EXPECT_LE(above, 3 * (1 + 0x1p-60L));
        EXPECT_GE(below, 3 * (1 - 0x1p-60L));
      }
    }
  }
}

TEST(Ball, GaussianPairsAreRoundedUpInTheFarTail) {
  for (const double mu : {0.001, 0.1, 0.4, 1.0, 5.0, 40.0}) {
    for (const double z : {-6.0, -1.0, 0.0, 1.0, 5.0, 12.0, 25.0, 36.0}) {
      const double epsilon = mu * mu / 2 + z * mu;
      if (epsilon < 0 || epsilon > 600) continue;
      SCOPED_TRACE(::testing::Message() << mu << " " << epsilon);
      const Ball exact = gaussian(mu, Ball(epsilon));
      const double upper = gaussian_divergence(mu, epsilon).upper;
      EXPECT_TRUE(Ball(upper).surely_above(exact));
      EXPECT_TRUE(Ball(upper * (1 - 1e-6)).surely_below(exact)) << upper;
      const double alpha = std::exp(epsilon);
      if (std::isfinite(alpha) && z < 30 && mu > 0.01) {
        const double profile = gaussian_divergence(mu, std::log(alpha)).upper;
        EXPECT_TRUE(Ball(profile).surely_above(gaussian(mu, log(Ball(alpha)))));
        EXPECT_TRUE(Ball(profile * (1 - 2e-10)).surely_below(gaussian(mu, log(Ball(alpha))))) << profile;
      }
    }
  }
}

// The formula of Kairouz, Oh and Viswanath at rate 1, summed in ball arithmetic for T = 400 rounds, with
// deltas down to about 1e-113.
TEST(Ball, PureCompositionIsRoundedUp) {
  const int rounds = 400;
  for (const double epsilon0 : {0.1, 2.0}) {
    const Ball e0(epsilon0), p = exp(e0) / (exp(e0) + Ball(1.0)), q = Ball(1.0) - p;
    for (const double share : {0.0, 0.3, 0.6, 0.9, 0.999}) {
      const double epsilon = share * rounds * epsilon0;
      Ball sum(0.0), term(1.0);
      for (int j = 0; j < rounds; ++j) term = term * p;
      for (int j = rounds; j >= 0; --j) {  // term = C(T,j) p^j q^(T-j)
        const Ball gain = Ball(1.0) - exp(Ball(epsilon) - Ball(2.0 * j - rounds) * e0);
        if (gain.surely_positive()) sum = sum + term * gain;
        term = term * q * Ball(static_cast<double>(j)) / (p * Ball(static_cast<double>(rounds - j + 1)));
      }
      const double upper = local_detail::pure_delta_upper(epsilon0, 1, rounds, epsilon);
      SCOPED_TRACE(::testing::Message() << epsilon0 << " " << epsilon << " " << upper);
      EXPECT_TRUE(upper == 1 || Ball(upper).surely_above(sum));
      EXPECT_TRUE(Ball(upper * (1 - 1e-8)).surely_below(sum));
    }
  }
}

// The exact conversion from Renyi DP is tight for pairs of laws on two points. The test takes such pairs from
// a fine grid of probabilities. At the returned epsilon, no pair of the grid reaches delta with a Renyi
// divergence below rho. At an epsilon 0.1 % smaller, some pair does.
TEST(Ball, ExactConversionIsTwoPointTight) {
  struct Case {
    double order, rho, delta;
  };
  for (const Case& c : {Case{30, 2.8e-6, 1 / 6e4}, Case{2000, 1e-9, 1e-30}, Case{8, 0.3, 1e-6}}) {
    const auto least_on_grid_is_below = [&](double epsilon) {
      for (double s = std::log(c.delta) - 12; s < std::log1p(-c.delta); s += 0.001) {
        const Ball delta(c.delta), y = exp(Ball(s)), r = delta + y, a = y * exp(Ball(-epsilon));
        if (!(Ball(1.0) - r).surely_positive()) continue;
        const Ball m(c.order - 1);
        const Ball moment =
            r * exp(m * log(r / a)) + (Ball(1.0) - r) * exp(m * log((Ball(1.0) - r) / (Ball(1.0) - a)));
        if ((log(moment) / m).surely_below(Ball(c.rho))) return true;
      }
      return false;
    };
    const double upper = epsilon_upper_from_rdp(Conversion::exact, c.order, c.rho, c.delta);
    EXPECT_FALSE(least_on_grid_is_below(upper)) << c.order;
    EXPECT_TRUE(least_on_grid_is_below(upper * (1 - 1e-3))) << c.order;
  }
}

}  // namespace
}  // namespace muster::accounting::oracle
