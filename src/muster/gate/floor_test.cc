// Checks that the floor is at most the exact value of each case, and close enough to it that an upper bound
// far below the exact value would also be below the floor.
#include "muster/gate/floor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "muster/gate/floor_arithmetic.h"
#include "tests/oracle/ball.h"

namespace muster::accounting {
namespace {

using oracle::Ball;

ClientCount clients(std::uint64_t n) { return ClientCount::of(n); }

// P(Bin(n, p) = k) in ball arithmetic.
Ball mass(int n, double p, int k) {
  Ball product(1.0);
  for (int i = 1; i <= k; ++i)
    product = product * Ball(static_cast<double>(n - k + i)) / Ball(static_cast<double>(i)) * Ball(p);
  for (int i = 0; i < n - k; ++i) product = product * (Ball(1.0) - Ball(p));
  return product;
}

// The value of binary_test() is never above the exact divergence of the two laws of the number of ones, and
// nearly reaches it.
TEST(BinaryTest, IsBelowEveryDistinguisher) {
  std::mt19937_64 bits(3);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(bits);
  };
  for (int i = 0; i < 400; ++i) {
    const int n = 1 + static_cast<int>(uniform(0, 60));
    const double b = std::exp(uniform(std::log(1e-9), std::log(0.7))), gap = uniform(0, 1) * (1 - b);
    const double epsilon = std::exp(uniform(std::log(1e-6), std::log(5.0)));
    const double found = binary_test(n, gap, std::log(b), epsilon);
    // The exact divergence of the two laws of the number of ones.
    Ball divergence(0.0);
    const Ball e = exp(Ball(epsilon));
    for (int t = 0; t <= n; ++t) {
      Ball with(0.0);
      if (t < n) with = with + mass(n - 1, b, t) * (Ball(1.0) - Ball(b) - Ball(gap));
      if (t > 0) with = with + mass(n - 1, b, t - 1) * (Ball(b) + Ball(gap));
      const Ball difference = with - e * mass(n, b, t);
      if (difference.surely_positive()) divergence = divergence + difference;
    }
    SCOPED_TRACE(::testing::Message() << n << ' ' << b << ' ' << gap << ' ' << epsilon);
    ASSERT_FALSE(Ball(found).surely_above(divergence));
    // A threshold test attains the divergence, so only the margin for rounding errors is missing.
    ASSERT_TRUE(Ball(found + 1e-4 * gap).surely_above(divergence));
  }
}

TEST(BinaryTest, TheBinomialLawIsWithinItsRoom) {
  // For n up to 400, the comparison is with exact masses. For larger n, Stirling's series would repeat what
  // Boost does, so the comparison is with the normal approximation 1 / sqrt(2 pi n p (1-p)) of the largest
  // mass, to one per cent.
  for (const int n : {1, 7, 60, 400}) {
    for (const double p : {1e-12, 1e-3, 0.3, 0.97}) {
      for (const int k : {0, 1, n / 3, n / 2, n}) {
        const double window = binomial_window(n, p, k, k);
        EXPECT_FALSE(Ball(window).surely_above(mass(n, p, k)));
        EXPECT_TRUE(Ball(window * 1.0001 + 1e-300).surely_above(mass(n, p, k))) << n << ' ' << p << ' ' << k;
      }
    }
  }
  for (const double n : {1e6, 1e9, 1e12}) {
    for (const double p : {1e-3, 0.1, 0.5}) {
      const double peak = binomial_window(n, p, std::floor(n * p), std::floor(n * p));
      const double normal = 1 / std::sqrt(2 * std::acos(-1.0) * n * p * (1 - p));
      EXPECT_NEAR(peak / normal, 1, 1e-2) << n << ' ' << p;
    }
  }
}

struct Claim {
  std::string what;
  Mechanism mechanism;
  Participation participation;
  View view;
};

// Every protocol, randomizer and view has a positive floor at epsilon 0, and no floor is negative or NaN at
// any other epsilon.
TEST(Floor, IsPositiveInEveryView) {
  std::vector<Claim> claims;
  const std::vector<Mechanism> mechanisms = {PureLocal{1},
                                             LdpSgdLocal{2},
                                             KRandomizedResponse{1.5, 10},
                                             LaplaceLocal{2},
                                             GaussianLocal{2},
                                             GaussianLocal{0.1},
                                             CoordinateLocal{CoordinateLocal::Norm::l1, 0.5}};
  for (const Mechanism& m : mechanisms) {
    for (const View view : {View::shuffler_honest, View::sum_only, View::shuffler_colludes}) {
      for (const std::uint64_t n : {1ull, 2ull, 30ull, 60'000ull, 1'000'000'000'000ull}) {
        claims.push_back({"shuffle", m, Shuffle{clients(n)}, view});
        claims.push_back({"subset", m, FixedSubset{clients(n), (n + 1) / 2}, view});
        claims.push_back({"check-in", m, ShuffledCheckIn{clients(n), Rate::of(0.1)}, view});
        claims.push_back({"rare", m, ShuffledCheckIn{clients(n), Rate::of(1e-9)}, view});
      }
    }
    for (const auto kind :
         {RandomCheckIn::Kind::fixed, RandomCheckIn::Kind::averaged, RandomCheckIn::Kind::sliding}) {
      claims.push_back(
          {"slots", m, RandomCheckIn{kind, clients(1'000), 50, Rate::of(0.5)}, View::server_trusted});
    }
    for (const std::uint64_t minimum : {1, 20}) {
      claims.push_back(
          {"sum", m, AggregatedCheckIn{clients(1'000), Rate::of(0.05), minimum}, View::sum_only});
    }
  }
  for (const Claim& c : claims) {
    SCOPED_TRACE(describe(c.mechanism) + ", " + c.what + ", " + describe(c.participation) + ", " +
                 name_of(c.view));
    const double at_zero = floor_delta(c.mechanism, c.participation, c.view, 0);
    EXPECT_GT(at_zero, 0);
    EXPECT_LE(at_zero, 1);
    EXPECT_GT(floor_epsilon(c.mechanism, c.participation, c.view, at_zero / 2), 0);
    for (const double epsilon : {1e-12, 0.1, 5.0, 800.0, 1e9}) {
      EXPECT_GE(floor_delta(c.mechanism, c.participation, c.view, epsilon), 0);
    }
    // Whoever sees the shuffled messages also sees their sum, so the floor of the sum is not larger.
    if (c.view == View::sum_only && std::holds_alternative<Shuffle>(c.participation) &&
        !std::holds_alternative<GaussianLocal>(c.mechanism) &&
        !std::holds_alternative<LaplaceLocal>(c.mechanism)) {
      EXPECT_LE(at_zero, floor_delta(c.mechanism, c.participation, View::shuffler_honest, 0) * (1 + 1e-9));
    }
  }
}

// With one client, randomized response is a single binary test, so the floor nearly reaches the truth. With
// two clients, the truth is enumerated.
TEST(Floor, IsNearlyTheTruthForFewClients) {
  for (const double epsilon0 : {1e-6, 0.5, 3.0, 25.0}) {
    for (const double share : {0.0, 0.4, 0.9}) {
      const double epsilon = share * epsilon0;
      const long double e0 = epsilon0, e = epsilon, q = 1 / (1 + std::exp(e0)), p = 1 - q;
      const auto one = static_cast<double>(std::exp(e) * std::expm1(e0 - e) * q);
      const double found =
          floor_delta(PureLocal{epsilon0}, Shuffle{clients(1)}, View::shuffler_honest, epsilon);
      EXPECT_LE(found, one);
      EXPECT_GE(found, 0.995 * one) << epsilon0 << ' ' << epsilon;
      // The other client holds x'. The terms are those of 0, 1 and 2 messages that say "x".
      long double two = 0;
      two += std::max(0.0L, q * p - std::exp(e) * p * p);
      two += std::max(0.0L, (p * p + q * q) - std::exp(e) * 2 * p * q);
      two += std::max(0.0L, p * q - std::exp(e) * q * q);
      const double pair =
          floor_delta(PureLocal{epsilon0}, Shuffle{clients(2)}, View::shuffler_honest, epsilon);
      EXPECT_LE(pair, two * (1 + 1e-12L));
    }
  }
}

// The floor for the sum of two clients' Laplace messages is not above the truth, which is computed by
// quadrature.
TEST(Floor, OfTwoLaplaceMessagesIsBelowTheirSum) {
  const double epsilon0 = 2;
  const auto density = [&](double x) {  // of the sum of two noises: (1 + |z|) e^{-|z|} / 4 at z = epsilon0 x
    const double z = std::fabs(x) * epsilon0;
    return epsilon0 * (1 + z) * std::exp(-z) / 4;
  };
  for (const double epsilon : {0.0, 0.2, 0.6}) {
    double truth = 0;
    constexpr int kCells = 200'000;
    for (int i = 0; i < kCells; ++i) {
      const double x = -20 + 40.0 * (i + 0.5) / kCells;
      truth += std::max(0.0, density(x - 1) - std::exp(epsilon) * density(x)) * 40 / kCells;
    }
    const double found = floor_delta(LaplaceLocal{epsilon0}, Shuffle{clients(2)}, View::sum_only, epsilon);
    EXPECT_LE(found, truth * (1 + 1e-6)) << epsilon;
    EXPECT_GT(found, 0.2 * truth) << epsilon;
  }
}

// No privacy loss exceeds epsilon0, so delta, and every lower bound on it, is 0 at any larger epsilon. Some
// of the probabilities in the floor's tests are too small for doubles here.
TEST(Floor, IsZeroBeyondTheLargestLoss) {
  for (const double epsilon0 : {100.0, 260.0, 300.0, 380.0, 600.0, 690.0}) {
    for (const double beyond : {1e-9, 0.3, 5.0}) {
      const double epsilon = epsilon0 + beyond;
      for (const std::uint64_t n : {1, 2, 3, 5, 45}) {
        SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << beyond << ' ' << n);
        const Shuffle all{clients(n)};
        EXPECT_EQ(floor_delta(PureLocal{epsilon0}, all, View::shuffler_honest, epsilon), 0);
        EXPECT_EQ(floor_delta(LaplaceLocal{epsilon0}, all, View::sum_only, epsilon), 0);
        EXPECT_EQ(floor_delta(LaplaceLocal{epsilon0}, all, View::shuffler_honest, epsilon), 0);
      }
    }
  }
}

// Just below epsilon0, the delta of one client's message is known in closed form.
TEST(Floor, IsBelowTheTruthJustBelowALargeEpsilon0) {
  for (const double epsilon0 : {100.0, 300.0, 380.0, 600.0, 690.0}) {
    for (const double below : {1e-9, 1e-3, 1.0, 20.0}) {
      const double epsilon = epsilon0 - below, exactly = epsilon0 - epsilon;
      SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << below);
      const double laplace =
          floor_delta(LaplaceLocal{epsilon0}, Shuffle{clients(1)}, View::sum_only, epsilon);
      EXPECT_FALSE(Ball(laplace).surely_above(-expm1(Ball(-exactly / 2))));
      // Shuffling is post-processing of the local messages.
      for (const std::uint64_t n : {1, 2, 3, 5}) {
        const double pure =
            floor_delta(PureLocal{epsilon0}, Shuffle{clients(n)}, View::shuffler_honest, epsilon);
        EXPECT_FALSE(Ball(pure).surely_above(-expm1(Ball(-exactly)))) << n;
      }
    }
  }
}

// The sum of n = 1e12 Laplace messages is normal up to a relative 1/n. Its laws for the two records, which
// are at distance 1, are so close that their total variation is the density at the centre,
// epsilon0 / sqrt(4 pi n).
TEST(Floor, OfManyLaplaceMessagesIsBelowTheNormalLaw) {
  constexpr std::uint64_t kMany = 1'000'000'000'000;
  for (const double epsilon0 : {1e-30, 1e-12, 1.3e-10, 1.36e-10, 1.4e-10, 2e-10, 3.9e-10, 1e-6}) {
    const double truth = epsilon0 / std::sqrt(4 * std::acos(-1.0) * static_cast<double>(kMany));
    const double found = floor_delta(LaplaceLocal{epsilon0}, Shuffle{clients(kMany)}, View::sum_only, 0);
    EXPECT_LE(found, truth) << epsilon0;
    EXPECT_GE(found, 0.5 * truth) << epsilon0;
  }
}

}  // namespace
}  // namespace muster::accounting
