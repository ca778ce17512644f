// Computes the probabilities of the coins from their 64-bit numerators in multiple precision: no likelihood
// ratio may exceed e^epsilon0. If the probability of the coin is rounded to nearest instead, some ratio must
// exceed it.
#include "muster/randomizers/flip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/scripted_source.h"
#include "tests/support/statistics.h"

namespace muster::randomizers {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

constexpr double kEpsilons[] = {1e-9, 1e-6, 0.01, 0.1, 0.5, 0.999, 1,  1.001, 2,   3,
                                5,    8,    15,   20,  30,  40,    44, 45,    100, 700};

// Returns the epsilon that the coin attains exactly: ln((1 - q)/q) for the rounded q.
Wide attained(const Flip& flip) {
  const Wide q = Wide(flip.probability.numerator()) / pow(Wide(2), 64);
  return log((1 - q) / q);
}

TEST(Flip, NeverExceedsEpsilonAndWastesLittle) {
  for (double epsilon0 : kEpsilons) {
    const Wide epsilon = attained(flip_of(epsilon0));
    EXPECT_LE(epsilon, Wide(epsilon0)) << epsilon0;
    // To cover the errors of the computation, flip.cc makes q larger by a relative 2^-50 or, for epsilon0 <
    // 1, makes 1 - 2q smaller by as much. Then it rounds q up to a multiple of 2^-64, which adds a relative
    // error of at most 2^-64 / q.
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
  // For some epsilon0, the nearest multiple of 2^-64 is below 1/(e^epsilon0 + 1). This is why q is rounded
  // up.
  int exceeded = 0;
  for (double epsilon0 = 20; epsilon0 < 40; epsilon0 += 0.5) {
    const Wide exact = pow(Wide(2), 64) / (exp(Wide(epsilon0)) + 1);
    exceeded += floor(exact + 0.5) < exact;
  }
  EXPECT_GT(exceeded, 5);
}

constexpr double kShares[] = {0.0,  -0.0, 1e-300, 1e-20, 1e-16, -1e-9, 0.1,    -0.3,       0.5,
                              0.75, -1,   1,      1.5,   -7,    1e300, -1e300, 1 - 0x1p-53};

// Returns the exact probability of +, computed from the probabilities of the two coins, which are multiples
// of 2^-64.
Wide chance_of_plus(double share, const Flip& flip) {
  const Wide unit = pow(Wide(2), 64);
  const Wide n = Wide(negation_of(share).numerator()) / unit, q = Wide(flip.probability.numerator()) / unit;
  const Wide turned = n * (1 - q) + (1 - n) * q;
  return share >= 0 ? 1 - turned : turned;
}

TEST(NoisySign, IsExactlyPrivate) {
  for (double epsilon0 : kEpsilons) {
    const Flip flip = flip_of(epsilon0);
    for (double x : kShares) {
      for (double y : kShares) {
        const Wide p = chance_of_plus(x, flip), r = chance_of_plus(y, flip);
        EXPECT_LE(log(p / r), Wide(epsilon0)) << epsilon0 << " " << x << " " << y;
        EXPECT_LE(log((1 - p) / (1 - r)), Wide(epsilon0)) << epsilon0 << " " << x << " " << y;
      }
    }
    // The shares 1 and -1 attain the epsilon of the coin exactly.
    EXPECT_LT(abs(log(chance_of_plus(1, flip) / chance_of_plus(-1, flip)) - attained(flip)), Wide(1e-60));
  }
}

TEST(NoisySign, IsUnbiased) {
  for (double epsilon0 : kEpsilons) {
    const Flip flip = flip_of(epsilon0);
    for (double x : kShares) {
      const Wide mean = Wide(flip.inverse_bias) * (2 * chance_of_plus(x, flip) - 1);
      EXPECT_LT(abs(mean - Wide(std::clamp(x, -1.0, 1.0))), Wide(3e-16)) << epsilon0 << " " << x;
    }
  }
}

TEST(NoisySign, TossesTheTwoCoins) {
  const Flip flip = flip_of(1.0);
  const std::uint64_t yes = 0, no = ~std::uint64_t{0};
  for (double share : {0.3, -0.3, 0.0}) {
    for (std::uint64_t negated : {yes, no}) {
      for (std::uint64_t flipped : {yes, no}) {
        random::ScriptedSource bits({negated, flipped});
        EXPECT_EQ(noisy_sign(bits, share, flip), (share >= 0) != ((negated == yes) != (flipped == yes)));
        EXPECT_EQ(bits.consumed(), 2u);
      }
    }
  }
}

TEST(NoisySign, HasTheProbabilityComputedHere) {
  random::KeyedStream bits(random::RunKey::from_seed(3), {random::Purpose::audit});
  const Flip flip = flip_of(1.0);
  constexpr std::uint64_t kTosses = 100'000;
  for (double share : {-1.0, -0.4, 0.0, 0.7}) {
    std::uint64_t plus = 0;
    for (std::uint64_t i = 0; i < kTosses; ++i) plus += noisy_sign(bits, share, flip);
    const auto expected = static_cast<double>(chance_of_plus(share, flip));
    const auto verdict = testing::binomial_test(plus, kTosses, expected, 1e-6);
    EXPECT_TRUE(verdict.pass) << share << ": " << verdict.summary;
    EXPECT_FALSE(testing::binomial_test(plus, kTosses, expected + 0.01, 1e-6).pass);
  }
}

TEST(Flip, RefusesWhatTheCoinCannotShow) {
  for (double bad : {0.0, -1.0, 1e-10, 701.0, std::nan(""), HUGE_VAL})
    EXPECT_ERROR(ErrorCode::plan, flip_of(bad)) << bad;
}

}  // namespace
}  // namespace muster::randomizers
