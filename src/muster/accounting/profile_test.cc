#include "muster/accounting/profile.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::accounting {
namespace {

TEST(Profile, OfAPureMechanismIsExact) {
  const Profile profile = Profile::pure(1.5);
  const double q = 1 / (std::exp(1.5) + 1);
  for (double alpha : {0.01, 0.2231, 0.5, 1.0, 2.0, 4.4}) {
    const double exact = std::max({1 - q - alpha * q, 1 - alpha, 0.0});
    EXPECT_GE(profile.at(alpha), exact) << alpha;
    EXPECT_NEAR(profile.at(alpha), exact, 1e-14) << alpha;
  }
  EXPECT_EQ(profile.at(std::exp(1.5) * 1.001), 0);
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
      EXPECT_GE(gaussian_profile(mu, alpha), truth * (1 - 1e-8)) << mu << ' ' << alpha;
      EXPECT_NEAR(gaussian_profile(mu, alpha), truth, 1e-8) << mu << ' ' << alpha;
      EXPECT_GE(profile.at(alpha), gaussian_profile(mu, alpha) * (1 - 1e-15)) << mu << ' ' << alpha;
      EXPECT_LE(profile.at(alpha), gaussian_profile(mu, alpha) + 1e-4) << mu << ' ' << alpha;
    }
  }
}

TEST(Profile, IsConvexWithTotalMassesOne) {
  for (const Profile& profile :
       {Profile::pure(0.3), Profile::gaussian(0.4, 1e-22), Profile::gaussian(2, 1e-10)}) {
    double p = profile.mass_at_infinity();
    double q = 0;
    for (std::size_t i = 0; i < profile.alphas().size(); ++i) {
      EXPECT_GE(profile.q_masses()[i], 0);
      q += profile.q_masses()[i];
      p += profile.alphas()[i] * profile.q_masses()[i];
    }
    EXPECT_NEAR(q, 1, 1e-12);
    EXPECT_NEAR(p, 1 + profile.excess_at_bottom(), 1e-12);
  }
}

}  // namespace
}  // namespace muster::accounting
