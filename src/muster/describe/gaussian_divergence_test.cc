// Compares the divergence with its definition in 256-bit ball arithmetic, for small and large distances.
#include "muster/describe/gaussian_divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/oracle/ball.h"

namespace muster::accounting {
namespace {

using oracle::Ball;
using oracle::normal;

// Phi(mu/2 - l/mu) - e^l Phi(-mu/2 - l/mu).
Ball definition(double mu, double l) {
  const Ball m(mu), loss(l), half = m / Ball(2.0), distance = loss / m;
  return normal(half - distance) - exp(loss) * normal(Ball(0.0) - half - distance);
}

double random_between(std::mt19937_64& bits, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(bits);
}

TEST(GaussianDivergence, EnclosesTheDefinition) {
  std::mt19937_64 bits(20261122);
  double widest = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double mu = std::exp(random_between(bits, std::log(1e-15), std::log(1e3)));
    double l = mu * (random_between(bits, -6, i % 2 == 0 ? 6 : 37) + mu / 2);
    if (i % 3 == 0) l = std::fabs(l);
    if (i % 7 == 0) l = mu * random_between(bits, 0, 1);
    SCOPED_TRACE(::testing::Message() << "mu " << mu << ", ln alpha " << l);
    const numerics::Enclosure ends = gaussian_divergence(mu, l);
    const Ball exact = definition(mu, l);
    ASSERT_TRUE(Ball(ends.lower).surely_below(exact));
    ASSERT_TRUE(exact.surely_below(Ball(ends.upper)) || ends.upper == 1);
    ASSERT_GT(ends.upper, 0);
    if (ends.lower > 1e-290) widest = std::max(widest, ends.upper / ends.lower - 1);
  }
  EXPECT_LE(widest, 4e-10);
}

// The callers' mu = 2 / sigma and ln alpha are rounded, so the enclosure must hold for the neighbouring
// arguments too.
TEST(GaussianDivergence, CoversTheRoundingOfItsArguments) {
  for (const double mu : {2e-9, 0.04, 0.4, 13.3, 128.0}) {
    for (const double y : {-1.0, 0.0, 4.3, 20.0, 35.0}) {
      const double l = mu * std::max(0.0, y + mu / 2);
      const numerics::Enclosure ends = gaussian_divergence(mu, l);
      for (const double m : {std::nextafter(mu, 0.0), std::nextafter(mu, 1e300)}) {
        for (const double loss : {l * (1 - 0x1p-51), l * (1 + 0x1p-51)}) {
          EXPECT_TRUE(Ball(ends.lower).surely_below(definition(m, loss)));
          EXPECT_TRUE(definition(m, loss).surely_below(Ball(ends.upper)) || ends.upper == 1);
        }
      }
    }
  }
}

// Callers may state more roundings of the arguments. The enclosure for the default number does not cover
// these where mu is large.
TEST(GaussianDivergence, CoversAsManyRoundingsAsTheCallerStates) {
  int missed = 0;
  for (const double mu : {2e-9, 0.04, 0.4, 13.3, 128.0, 1e3}) {
    for (const double y : {-1.0, 0.0, 4.3, 20.0, 35.0}) {
      const double l = mu * std::max(0.0, y + mu / 2);
      const numerics::Enclosure wide = gaussian_divergence(mu, l, {.mu = 4, .log_alpha = 16});
      const numerics::Enclosure usual = gaussian_divergence(mu, l);
      for (const double m : {mu * (1 - 0x1p-51), mu * (1 + 0x1p-51)}) {
        for (const double loss : {l * (1 - 0x1p-49), l * (1 + 0x1p-49)}) {
          const Ball exact = definition(m, loss);
          EXPECT_TRUE(Ball(wide.lower).surely_below(exact)) << mu << " " << y;
          EXPECT_TRUE(exact.surely_below(Ball(wide.upper)) || wide.upper == 1) << mu << " " << y;
          missed += Ball(usual.upper).surely_below(exact) || exact.surely_below(Ball(usual.lower));
        }
      }
      EXPECT_LE(wide.lower, usual.lower);
      EXPECT_GE(wide.upper, usual.upper);
    }
  }
  std::printf("the default misses %d of 120\n", missed);
  EXPECT_GE(missed, 4);
  // The same for a loss below 0.
  for (const double mu : {0.4, 13.3}) {
    const double l = -mu;
    const numerics::Enclosure wide = gaussian_divergence(mu, l, {.mu = 4, .log_alpha = 16});
    for (const double loss : {l * (1 - 0x1p-49), l * (1 + 0x1p-49)}) {
      EXPECT_TRUE(Ball(wide.lower).surely_below(definition(mu, loss)));
      EXPECT_TRUE(definition(mu, loss).surely_below(Ball(wide.upper)));
    }
  }
}

TEST(GaussianDivergence, AtItsExtremes) {
  // Where f is smaller than every positive double, its upper end is still positive. No end is NaN.
  for (const double mu : {5e-324, 1e-300, 1e-30, 1e-15, 1.0, 8192.0, 1e15, 1e300}) {
    for (const double l : {0.0, 1e-300, 1.0, 1e5, 1e30, 1e300, -1e5, -1e30, -1e300}) {
      const numerics::Enclosure ends = gaussian_divergence(mu, l);
      EXPECT_GT(ends.upper, 0) << mu << ' ' << l;
      EXPECT_LE(ends.upper, 1);
      EXPECT_GE(ends.lower, 0);
      EXPECT_LE(ends.lower, ends.upper);
    }
  }
  // For a large distance mu, f is about 1/2 at l = mu^2 / 2, the mean of the privacy loss.
  const double mu = 8192;
  EXPECT_NEAR(gaussian_divergence(mu, mu * mu / 2).upper, 0.5, 1e-4);
  EXPECT_ERROR(ErrorCode::internal, gaussian_divergence(0, 1));
  EXPECT_ERROR(ErrorCode::internal, gaussian_divergence(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_ERROR(ErrorCode::internal, gaussian_divergence(1, std::numeric_limits<double>::quiet_NaN()));
}

TEST(GaussianDivergence, ExtendedIsAsExactAsItSays) {
  std::mt19937_64 bits(7);
  for (int i = 0; i < 5'000; ++i) {
    const double mu = std::exp(random_between(bits, std::log(1e-12), std::log(200.0)));
    const double l = mu * std::max(0.0, random_between(bits, -1, 35) + mu / 2);
    const ExtendedDivergence at = extended_gaussian_divergence(mu, l);
    const Ball exact = definition(mu, l);
    // value = high + low exactly, and both are doubles.
    const double high = static_cast<double>(at.value), low = static_cast<double>(at.value - high);
    if (high < 1e-280) continue;
    const Ball value = Ball(high) + Ball(low), room = value * Ball(static_cast<double>(at.error) * 1.0001);
    SCOPED_TRACE(::testing::Message() << "mu " << mu << ", ln alpha " << l);
    ASSERT_TRUE((value - room).surely_below(exact));
    ASSERT_TRUE(exact.surely_below(value + room));
    ASSERT_LE(at.error, 1e-13L);
  }
}

TEST(GaussianDivergence, AlternativeTailIsAnUpperBound) {
  std::mt19937_64 bits(11);
  for (int i = 0; i < 3'000; ++i) {
    const double mu = std::exp(random_between(bits, std::log(1e-12), std::log(60.0)));
    const double l = mu * random_between(bits, -3, 30);
    const Ball exact = normal(Ball(0.0) - Ball(l) / Ball(mu) - Ball(mu) / Ball(2.0));
    const long double tail = gaussian_alternative_tail(mu, l);
    SCOPED_TRACE(::testing::Message() << "mu " << mu << ", ln alpha " << l);
    const double high = static_cast<double>(tail);
    if (high < 1e-280) continue;
    ASSERT_TRUE(exact.surely_below(Ball(high) + Ball(static_cast<double>(tail - high))) || tail == 1);
    ASSERT_LE(static_cast<double>(tail),
              0.5 * std::erfc((l / mu + mu / 2) / std::sqrt(2.0)) * (1 + 1e-9) + 1e-300);
  }
  EXPECT_GT(gaussian_alternative_tail(8192, 1e9), 0);
}

}  // namespace
}  // namespace muster::accounting
