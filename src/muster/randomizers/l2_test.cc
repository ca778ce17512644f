// Compares l2 with the sphere sampler message by message, and the sphere's variance with that of samplers
// that send the sign of one coefficient.
#include "muster/randomizers/l2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/variance.h"

namespace muster::randomizers {
namespace {

TEST(L2, IsTheSphereUnderItsOwnDescription) {
  const auto l2 = make_l2(1.5, 0.1, 20);
  const auto sphere = make_ldp_sgd(1.5, 0.1, 20);
  EXPECT_EQ(l2->description(),
            accounting::Mechanism(accounting::CoordinateLocal{accounting::CoordinateLocal::Norm::l2, 1.5}));
  EXPECT_EQ(l2->variance(0), sphere->variance(0));
  const std::vector<float> gradient(20, 0.3f);
  const auto scratch = l2->make_scratch();
  Message a, b;
  for (std::uint64_t client = 0; client < 20; ++client) {
    l2->randomize(gradient, random::RunKey::from_seed(1), 2, client, *scratch, a);
    sphere->randomize(gradient, random::RunKey::from_seed(1), 2, client, *scratch, b);
    EXPECT_EQ(std::get<SignedDirectionMessage>(a).seed, std::get<SignedDirectionMessage>(b).seed);
    EXPECT_EQ(std::get<SignedDirectionMessage>(a).positive, std::get<SignedDirectionMessage>(b).positive);
  }
}

// Returns the second moment, at c = C = 1, of a sampler that sends the sign of one coefficient of
// x = sum of a_j(x) u_j. The u_j are a tight frame of N vectors of equal length in R^d, scaled so that
// x = sum of <u_j, x> u_j. No coefficient exceeds K |x| / sqrt(N); `level` is K. The index j is uniform, and
// the sign decodes to N K / sqrt(N) times u_j or -u_j.
double coordinate_second_moment(double d, double level) {
  // The scaling makes |u_j| = sqrt(d/N), so the squared length is N K^2 (d/N).
  return d * level * level;
}

TEST(L2, NoRepresentationOfOneSignIsMoreAccurate) {
  for (double d : {1.0, 2.0, 3.0, 10.0, 100.0, 1e4, 26010.0, 1e6}) {
    const double sphere = sphere_second_moment(1, 1, d);
    // In the standard basis, no coordinate exceeds |x|, so the level is sqrt(d).
    EXPECT_LE(sphere, coordinate_second_moment(d, std::sqrt(d)) * (1 + 1e-12)) << d;
    // To be better than the half-sphere randomizer, a representation would have to keep every coefficient
    // below 1.2534 |x| / sqrt(N).
    EXPECT_LE(sphere, coordinate_second_moment(d, std::sqrt(M_PI / 2)) * (1 + 1e-12)) << d;
    // In high dimension, the second moment of the half-sphere randomizer approaches d pi/2.
    if (d > 99) {
      EXPECT_NEAR(sphere / (d * M_PI / 2), 1, 0.6 / d) << d;
    }
  }
}

// Checks, for samplers of one sign in the plane, that a decoded message z has E |z|^2 >= kappa^2 (kappa is
// inverse_mean_projection). docs/theory/vector-randomizers.md proves this bound at c = C = 1.
TEST(L2, TheBoundHoldsForFramesOfThePlane) {
  for (int n : {2, 3, 4, 5, 8, 30}) {
    // The frame has n equally spaced lines with unit vectors u_j. One line j is drawn uniformly, and the
    // sign of x's projection on it is sent. If this decodes to u_j or -u_j, the mean of the decoded vector
    // has the component mean_j |<u_j, x>| in the direction of the unit vector x.
    double least = 1;
    for (int k = 0; k < 2000; ++k) {
      const double angle = M_PI * k / 2000;
      double bought = 0;
      for (int j = 0; j < n; ++j) bought += std::abs(std::cos(angle - M_PI * j / n)) / n;
      least = std::min(least, bought);
    }
    // If the u_j are scaled by 1/least, the mean has at least the length of x for every x.
    EXPECT_GE(1 / (least * least), sphere_second_moment(1, 1, 2) * (1 - 1e-6)) << n;
  }
}

}  // namespace
}  // namespace muster::randomizers
