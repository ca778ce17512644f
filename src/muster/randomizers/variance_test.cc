// Compares the closed forms with slow computations of the same numbers. docs/randomizers.md quotes some of
// the values.
#include "muster/randomizers/variance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::randomizers {
namespace {

TEST(Variance, TheSphereByQuadratureOverAnAngle) {
  // In terms of the angle between v and u, E |<v, u>| = int |cos| sin^(d-2) / int sin^(d-2) over [0, pi].
  for (int d : {2, 3, 5, 20, 300}) {
    double top = 0, bottom = 0;
    constexpr int kNodes = 400'000;
    for (int i = 0; i < kNodes; ++i) {
      const double angle = M_PI * (i + 0.5) / kNodes, weight = std::pow(std::sin(angle), d - 2);
      top += std::abs(std::cos(angle)) * weight;
      bottom += weight;
    }
    EXPECT_NEAR(inverse_mean_projection(d) / (bottom / top), 1, 1e-8) << d;
  }
  EXPECT_NEAR(inverse_mean_projection(1), 1, 1e-14);
}

TEST(Variance, KRandomizedResponseByEnumeration) {
  for (double epsilon0 : {0.1, 1.0, 3.0}) {
    for (int k : {2, 3, 10}) {
      const double e = std::exp(epsilon0), p = e / (e + k - 1), q = 1 / (e + k - 1);
      double moment = 0;
      for (int answer = 0; answer < k; ++answer) {
        for (int i = 0; i < k; ++i) {
          moment += (answer == 0 ? p : q) * std::pow(((i == answer ? 1 : 0) - q) / (p - q), 2);
        }
      }
      EXPECT_NEAR(k_rr_second_moment(ideal_kept(epsilon0, k), k) / moment, 1, 1e-12) << epsilon0 << k;
    }
  }
}

TEST(Variance, TheFiguresOfTheDocumentation) {
  const double d = 26010, c = ideal_sign_scale(2);
  EXPECT_NEAR(std::sqrt(sphere_second_moment(c, 1, d) / d), 1.65, 0.005);
  EXPECT_NEAR(std::sqrt(l1_second_moment(c, 1, d) / d), 1.31, 0.005);
  EXPECT_NEAR(std::sqrt(linf_second_moment(c, 1, d) / d), 212, 0.5);
  EXPECT_DOUBLE_EQ(laplace_variance(2, 3), 18);
}

}  // namespace
}  // namespace muster::randomizers
