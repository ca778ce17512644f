#include "muster/randomizers/flip.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "muster/core/error.h"

namespace muster::randomizers {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

constexpr double kEpsilons[] = {1e-9, 1e-6, 0.01, 0.1, 0.5, 0.999, 1,  1.001, 2,   3,
                                5,    8,    15,   20,  30,  40,    44, 45,    100, 700};

// ln((1 - q)/q) of the coin that is tossed.
Wide attained(const Flip& flip) {
  const Wide q = Wide(flip.probability.numerator()) / pow(Wide(2), 64);
  return log((1 - q) / q);
}

TEST(Flip, NeverExceedsEpsilonAndWastesLittle) {
  for (double epsilon0 : kEpsilons) {
    const Wide epsilon = attained(flip_of(epsilon0));
    EXPECT_LE(epsilon, Wide(epsilon0)) << epsilon0;
    // 64 bits of q: a relative error of 2^-64 / q at most on top of the margin of 2^-50.
    const double waste =
        4 * (0x1p-50 * std::max(1.0, epsilon0) + 0x1p-64 * std::exp(std::min(epsilon0, 44.0)));
    if (epsilon0 <= 40) {
      EXPECT_GE(epsilon, Wide(epsilon0) * (1 - 1e-8) - waste) << epsilon0;
    }
  }
}

TEST(Flip, TheEstimateIsScaledByTheSameCoin) {
  for (double epsilon0 : kEpsilons) {
    const Flip flip = flip_of(epsilon0);
    const Wide q = Wide(flip.probability.numerator()) / pow(Wide(2), 64);
    EXPECT_LT(abs(Wide(flip.inverse_bias) * (1 - 2 * q) - 1), Wide(1e-15)) << epsilon0;
    const double c = 1 / std::tanh(epsilon0 / 2);
    EXPECT_NEAR(flip.inverse_bias / c, 1, 1e-8) << epsilon0;
  }
}

TEST(Flip, KnownBadRoundingToNearestExceedsEpsilon) {
  // The nearest multiple of 2^-64 to 1/(e^epsilon0 + 1) falls below it for some epsilon0: why it is rounded
  // up.
  int exceeded = 0;
  for (double epsilon0 = 20; epsilon0 < 40; epsilon0 += 0.5) {
    const Wide exact = pow(Wide(2), 64) / (exp(Wide(epsilon0)) + 1);
    exceeded += floor(exact + 0.5) < exact;
  }
  EXPECT_GT(exceeded, 5);
}

TEST(Flip, RefusesWhatTheCoinCannotShow) {
  for (double bad : {0.0, -1.0, 1e-10, 701.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(flip_of(bad), Error) << bad;
}

}  // namespace
}  // namespace muster::randomizers
