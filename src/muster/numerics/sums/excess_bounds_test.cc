// Compares bounds of tails with the same quantities in extended precision, for random laws. Bounds without
// the margin for rounding must be too small for some of them.
#include "muster/numerics/sums/excess_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <random>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::numerics {
namespace {

struct Draw {
  AtomicLaw law;
  double copies, c, k;
};

// A law of six random atoms of both signs, up to 10^12 copies of it, and a threshold that lies 0.1 to 30
// standard deviations of the sum above the sum's mean.
Draw draw(std::mt19937_64& bits) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(bits);
  };
  Draw drawn;
  for (int i = 0; i < 6; ++i) drawn.law.add(uniform(-1, 1), uniform(0, 0.15));
  drawn.copies = std::floor(std::exp(uniform(0, std::log(1e12))));
  const double deviation = std::sqrt(drawn.copies * drawn.law.variance());
  drawn.c = uniform(0.1, 30) / deviation;
  drawn.k = drawn.copies * drawn.law.mean() + drawn.c * deviation * deviation;
  return drawn;
}

long double log_mgf(const AtomicLaw& law, long double c) {
  long double growth = 0;
  for (std::size_t i = 0; i < law.points.size(); ++i)
    growth += law.weights[i] * std::expm1(c * law.points[i]);
  return std::log1p(growth);
}

// The reference is computed with 64 bits of mantissa, so its error is about a thousandth of the
// margin that is added.
TEST(ExcessBounds, ChernoffIsRoundedUp) {
  std::mt19937_64 bits(7);
  int plain_is_below = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto [law, copies, c, k] = draw(bits);
    const long double mgf = copies * log_mgf(law, c), exponent = mgf - static_cast<long double>(c) * k;
    const long double truth = std::exp(exponent - 1 - std::log(static_cast<long double>(c)));
    EXPECT_GE(chernoff_bound(copies * log_mgf_above(law, c), c, k), truth) << copies << ' ' << c;
    const double plain = std::exp(copies * law.log_mgf(c) - c * k - 1 - std::log(c));
    plain_is_below += plain < truth * (1 - kEightThousandRoundings) ? 1 : 0;
  }
  EXPECT_GT(plain_is_below, 100);  // without the margin, rounding makes some bounds too small
}

// The law has a rare, large atom at y, which makes up a random share of E e^{cY}, with c y between 20 and
// 690, and a bulk at points below 0. In about a third of the laws, the bulk has so small a share that the sum
// for E e^{cY} cancels.
Draw heavy_tailed(std::mt19937_64& bits) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(bits);
  };
  Draw drawn;
  drawn.copies = 1;
  drawn.c = uniform(0.1, 10);
  const double exponent = uniform(20, 690);
  const bool cancels = bits() % 3 == 0;
  drawn.law.add(exponent / drawn.c, uniform(0.01, cancels ? 0.7 : 1.5) * std::exp(-exponent));
  for (int i = 0; i < 4; ++i) {
    drawn.law.add(-uniform(0, 1) * (cancels ? 5 : 0.01) / drawn.c, cancels ? 0.25 : uniform(0, 0.2));
  }
  return drawn;
}

// The bound that allows only for the roundings of the sum, and not for those of the exponents.
double without_exponents(const AtomicLaw& law, double c) {
  const Tilt tilt = tilt_of(law, c);
  if (tilt.log_mgf < -0.25) return std::log(std::exp(tilt.log_mgf) + 8e-15) + 2e-15 * std::abs(tilt.log_mgf);
  const double mass = tilt.nonzero_mass * std::exp(std::min(tilt.log_mgf, 1.0)) + 1e-2;
  return tilt.log_mgf + 4e-15 * (std::abs(tilt.log_mgf) + std::min(1.0, mass));
}

TEST(ExcessBounds, LogarithmsOfHeavyTailsAreRoundedUp) {
  std::mt19937_64 bits(11);
  int draws[3] = {}, too_small[3] = {};  // three kinds: E e^{cY} cancels; exponents below 300; larger ones
  for (int i = 0; i < 60'000; ++i) {
    const auto [law, copies, c, k] = heavy_tailed(bits);
    const long double truth = log_mgf(law, c);
    EXPECT_GE(log_mgf_above(law, c), truth) << c << ' ' << law.points.front();
    EXPECT_LE(log_mgf_above(law, c), truth + 1e-12 * (1 - std::expm1(smaller(0.0L, -truth)))) << c;
    const int kind = truth < -0.25L ? 0 : c * law.points.front() < 300 ? 1 : 2;
    ++draws[kind];
    too_small[kind] += without_exponents(law, c) < truth ? 1 : 0;
  }
  for (int kind = 0; kind < 3; ++kind) {
    EXPECT_GT(draws[kind], 10'000) << kind;
    EXPECT_GT(too_small[kind], 50) << kind;  // the rounding of exponents is noticed
    std::printf("kind %d: %d laws, %d of the bounds without exponents are too small\n", kind, draws[kind],
                too_small[kind]);
  }
}

TEST(ExcessBounds, ChernoffIsNeverZeroAndNeverHidesANaN) {
  for (const double log_mgf : {0.0, -1e-300, -1e4, 1e4, 1e300}) {
    for (const double c : {1e-300, 1.0, 1e300}) {
      for (const double k : {0.0, 1.0, 1e5, -1e5}) EXPECT_GT(chernoff_bound(log_mgf, c, k), 0) << log_mgf;
    }
  }
  EXPECT_TRUE(std::isnan(chernoff_bound(std::numeric_limits<double>::quiet_NaN(), 1, 1)));
}

TEST(ExcessBounds, AnExcessFarAboveTheMeanIsNeverBoundedByZero) {
  AtomicLaw law;
  law.add(1, 0.25);
  const double copies = 1e6;
  const ExcessBounds bounds(law, copies, 3);
  for (const double k : {3e5, 5e5, 8e5, 1e6 - 1}) {
    EXPECT_GT(bounds.above(k), 0) << k;  // the sum passes k with a positive probability
    EXPECT_LT(bounds.above(k), 1e-300) << k;
    EXPECT_EQ(bounds.below(k), 0) << k;
  }
}

}  // namespace
}  // namespace muster::numerics
