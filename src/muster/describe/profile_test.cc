// Compares tabulated profiles with the definition of the hockey-stick divergence, by closed forms,
// sums over symbols or quadrature.
#include "muster/describe/profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "muster/describe/gaussian_divergence.h"

namespace muster::accounting {
namespace {

TEST(Profile, OfAPureMechanismIsExact) {
  const Profile profile = Profile::pure(1.5);
  const double q = 1 / (std::exp(1.5) + 1);
  for (double alpha : {0.01, 0.2231, 0.5, 1.0, 2.0, 4.4}) {
    const double exact = std::max({1 - q - alpha * q, 1 - alpha, 0.0});
    EXPECT_GE(profile.at(std::log(static_cast<long double>(alpha))), exact) << alpha;
    EXPECT_NEAR(profile.at(std::log(static_cast<long double>(alpha))), exact, 1e-14) << alpha;
  }
  EXPECT_EQ(profile.at(1.501), 0);
}

// Midpoint quadrature of (phi(x - mu) - alpha phi(x))_+, which shares no formula with the closed form.
double quadrature(double mu, double alpha) {
  long double sum = 0;
  const int cells = 400'000;
  for (int i = 0; i < cells; ++i) {
    const long double x = -12 + 26.0L * (i + 0.5L) / cells;
    const long double gain = std::exp(-0.5L * (x - mu) * (x - mu)) - alpha * std::exp(-0.5L * x * x);
    sum += gain > 0 ? gain : 0;
  }
  return static_cast<double>(sum * 26.0L / cells * 0.398942280401432677939946L);
}

TEST(Profile, OfTheGaussianLiesAboveTheTruthAndClose) {
  for (double mu : {0.1, 0.4, 1.0, 3.0}) {
    const Profile profile = Profile::gaussian(mu, 1e-20);
    for (double alpha : {0.05, 0.5, 0.9, 1.0, 1.1, 1.7, 5.0}) {
      const double truth = quadrature(mu, alpha);
      EXPECT_GE(gaussian_divergence(mu, std::log(alpha)).upper, truth * (1 - 1e-8)) << mu << ' ' << alpha;
      EXPECT_NEAR(gaussian_divergence(mu, std::log(alpha)).upper, truth, 1e-8) << mu << ' ' << alpha;
      EXPECT_GE(profile.at(std::log(static_cast<long double>(alpha))),
                gaussian_divergence(mu, std::log(alpha)).upper * (1 - 1e-15))
          << mu << ' ' << alpha;
      EXPECT_LE(profile.at(std::log(static_cast<long double>(alpha))),
                gaussian_divergence(mu, std::log(alpha)).upper + 1e-4)
          << mu << ' ' << alpha;
    }
  }
}

// The exact value is a sum over the k symbols, by the definition of the divergence.
TEST(Profile, OfKRandomizedResponseIsExact) {
  for (const int k : {2, 3, 10}) {
    const long double e0 = std::exp(1.5L);
    const Profile profile = Profile::k_randomized_response(1.5, k);
    for (double alpha : {0.1, 0.3, 0.9, 1.0, 2.0, 4.4}) {
      const long double own = e0 / (e0 + k - 1);
      const long double other = 1 / (e0 + k - 1);
      const long double exact = std::max(own - alpha * other, 0.0L) + std::max(other - alpha * own, 0.0L) +
                                (k - 2) * std::max(other - alpha * other, 0.0L);
      EXPECT_GE(profile.at(std::log(static_cast<long double>(alpha))), exact * (1 - 1e-16L))
          << k << ' ' << alpha;
      EXPECT_NEAR(profile.at(std::log(static_cast<long double>(alpha))), static_cast<double>(exact), 1e-14)
          << k << ' ' << alpha;
    }
    EXPECT_EQ(profile.at(1.501), 0);
  }
}

// The truth is a midpoint sum of the positive part of one density minus alpha times the other density.
TEST(Profile, OfLaplaceNoiseLiesAboveTheTruthAndClose) {
  for (const double epsilon0 : {0.2, 1.0, 4.0}) {
    const Profile profile = Profile::laplace(epsilon0);
    for (const double alpha : {0.05, 0.5, 0.9, 1.0, 1.1, 1.7, 5.0, 50.0}) {
      const int cells = 1'000'000;
      const double width = 2 * 30 / epsilon0 + 1;
      double truth = 0;
      for (int i = 0; i < cells; ++i) {
        const double x = -30 / epsilon0 + width * (i + 0.5) / cells;
        truth +=
            std::max(std::exp(-epsilon0 * std::abs(x)) - alpha * std::exp(-epsilon0 * std::abs(x - 1)), 0.0);
      }
      truth *= epsilon0 / 2 * width / cells;
      EXPECT_GE(profile.at(std::log(static_cast<long double>(alpha))), truth * (1 - 1e-7) - 1e-12)
          << epsilon0 << ' ' << alpha;
      EXPECT_NEAR(profile.at(std::log(static_cast<long double>(alpha))), truth, 3e-5)
          << epsilon0 << ' ' << alpha;
    }
  }
}

TEST(Profile, IsConvexWithTotalMassesOne) {
  for (const Profile& profile :
       {Profile::pure(0.3), Profile::k_randomized_response(2, 7), Profile::laplace(1), Profile::laplace(20),
        Profile::gaussian(0.4, 1e-22), Profile::gaussian(2, 1e-10), Profile::gaussian(1e-8, 1e-40),
        Profile::gaussian(13.3, 1e-44), Profile::gaussian(40, 1e-44), Profile::pure(1e-9),
        Profile::pure(300)}) {
    double p = profile.mass_at_infinity();
    double q = 0;
    for (std::size_t i = 0; i < profile.log_alphas().size(); ++i) {
      EXPECT_GE(profile.q_masses()[i], 0);
      q += profile.q_masses()[i];
      p += profile.p_masses()[i];
      EXPECT_NEAR(profile.p_masses()[i], std::exp(profile.log_alphas()[i]) * profile.q_masses()[i],
                  1e-14 * profile.p_masses()[i] + 1e-300);
    }
    EXPECT_NEAR(q + profile.mass_at_infinity(), 1, 1e-9);
    EXPECT_NEAR(p, 1, 1e-9);
    EXPECT_GE(p, 1 - 1e-12);
  }
}

// 12,000 kinks are added after the large mass at 0. Each has a mass below half an ulp of that mass, so adding
// it has no effect. The probability that is returned must still be at least the sum of the masses.
TEST(Profile, ATailOfManyKinksIsRoundedUp) {
  const int kinks = 12'000;
  const double width = 0.01, rare = 2.6e-20, unbounded = 1e-6;
  std::vector<double> nodes{0};
  for (int i = 1; i <= kinks; ++i) nodes.push_back(width * i);
  const Profile profile = Profile::symmetric(nodes, [&](double l) {
    // Each kink above l, at ln alpha = m, counts with the share 1 - e^{l - m} of its P-mass.
    const long double above = kinks - std::round(l / width),
                      ratio = std::exp(-static_cast<long double>(width));
    const long double not_counted = ratio * -std::expm1(-width * above) / (1 - ratio);
    return Profile::Value{unbounded + rare * (above - not_counted), 1e-19L};
  });
  const auto at_zero = static_cast<std::size_t>(kinks);
  ASSERT_EQ(profile.log_alphas()[at_zero], 0);
  // The masses away from 0 are added up alone, because next to the large mass at 0 a long double would lose
  // them.
  long double small = 0;
  for (std::size_t i = 0; i < profile.q_masses().size(); ++i) {
    if (i != at_zero) small += profile.q_masses()[i];
  }
  const double tail = profile.alternative_tail(-1000);
  EXPECT_GE(static_cast<long double>(tail) - profile.q_masses()[at_zero], small);
  EXPECT_LT(tail, 1 - 5e-7);
  EXPECT_GT(small, 12'000 * 2.5e-20L);
}

// The profile increases with the distance mu, so the profile of kMinGaussianMu is an upper bound for every
// smaller mu.
TEST(Profile, OfGaussiansNearlyEqualLiesAboveTheTruth) {
  for (const double mu : {1e-29, 1e-30, 9e-31, 1e-40, 1e-300, 5e-324}) {
    const double truth = mu / std::sqrt(2 * std::numbers::pi);  // the total variation, to first order in mu
    const double at = Profile::gaussian(mu, 1e-60).at(0);
    EXPECT_GE(at, truth) << mu;
    EXPECT_LE(at, 1.001 * std::fmax(truth, 1e-30 / std::sqrt(2 * std::numbers::pi))) << mu;
  }
}

// A tiny sigma puts two records so far apart that every message reveals its record.
TEST(Profile, OfGaussiansFarApartIsOne) {
  for (const double mu :
       {9.9e5, 1.01e6, 2e9, 2e14, 2e200, 1.7e308, std::numeric_limits<double>::infinity()}) {
    SCOPED_TRACE(mu);
    const Profile profile = Profile::gaussian(mu, 1e-40);
    EXPECT_GE(profile.mass_at_infinity(), 1);
    for (const double loss : {0.0, 1.0, 599.0}) EXPECT_EQ(profile.at(loss), 1);
    double finite = 0;
    for (const double mass : profile.p_masses()) finite += mass;
    EXPECT_LE(finite, 1e-5);
  }
}

}  // namespace
}  // namespace muster::accounting
