// Tests the exact shuffle-Gaussian pair against quadrature for two and three clients, against a plain
// convolution for more, and against the reference values.
#include "muster/theorems/exact/shuffle_gaussian_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/profile.h"
#include "muster/numerics/roots/crossing.h"
#include "muster/theorems/exact/homogeneous.h"

namespace muster::accounting {
namespace {

using Extended = long double;

struct Curves {
  Extended forward = 0, reverse = 0;
};

// Computes the means of (M - e)_+ (`forward`) and (1 - e M)_+ (`reverse`), where e = exp(epsilon), M is the
// mean of the `n` likelihood ratios exp(mu Z_i - mu^2/2), and the Z_i are independent standard normals. The
// integral over them is by the midpoint rule. This follows the definition of the pair and shares nothing
// with the tested code.
Curves quadrature(int n, Extended mu, Extended epsilon, Extended step) {
  const Extended e = std::exp(epsilon);
  const Extended reach = 8;
  std::vector<Extended> ratio, mass;
  for (Extended z = -reach + step / 2; z < reach + mu; z += step) {
    ratio.push_back(std::exp(mu * z - mu * mu / 2));
    mass.push_back(std::exp(-z * z / 2) / std::sqrt(2 * std::acos(Extended(-1))) * step);
  }
  Curves sum;
  const auto visit = [&](auto&& self, int left, Extended total, Extended weight) -> void {
    if (left == 0) {
      const Extended mean = total / n;
      sum.forward += weight * std::max<Extended>(0, mean - e);
      sum.reverse += weight * std::max<Extended>(0, 1 - e * mean);
      return;
    }
    for (std::size_t i = 0; i < ratio.size(); ++i) {
      if (weight * mass[i] > 1e-22L) {
        self(self, left - 1, total + ratio[i], weight * mass[i]);
      }
    }
  };
  visit(visit, n, 0, 1);
  return sum;
}

TEST(ShuffleGaussianPair, EnclosesQuadratureForTwoAndThreeClients) {
  for (const int n : {2, 3}) {
    for (const double mu : {0.2, 1.0, 2.5}) {
      const ShuffleGaussianPair pair(static_cast<std::uint64_t>(n), mu);
      for (const double epsilon : {0.0, 0.3 * mu, 1.5 * mu}) {
        const Curves truth = quadrature(n, mu, epsilon, n == 2 ? 0.01L : 0.08L);
        // This covers the quadrature's own error, which is of second order in its step.
        const Extended slack = n == 2 ? 1e-4L : 5e-3L;
        const numerics::Enclosure forward = pair.forward(epsilon);
        const numerics::Enclosure reverse = pair.reverse(epsilon);
        SCOPED_TRACE(::testing::Message() << n << ' ' << mu << ' ' << epsilon);
        EXPECT_GE(forward.upper, truth.forward * (1 - slack));
        EXPECT_LE(forward.lower, truth.forward * (1 + slack));
        EXPECT_GE(reverse.upper, truth.reverse * (1 - slack));
        EXPECT_LE(reverse.lower, truth.reverse * (1 + slack));
        EXPECT_LE(forward.upper, forward.lower * 1.01);
        EXPECT_LE(reverse.upper, reverse.lower * 1.01);
      }
    }
  }
}

TEST(ShuffleGaussianPair, OneClientIsTheGaussian) {
  const ShuffleGaussianPair pair(1, 0.7);
  EXPECT_DOUBLE_EQ(pair.forward(0.4).upper, gaussian_divergence(0.7, 0.4).upper);
  EXPECT_DOUBLE_EQ(pair.reverse(0.4).upper, gaussian_divergence(0.7, 0.4).upper);
}

// Computes both curves from the law of the sum of n ratios, by plain convolution on one fine lattice.
// Ratios are split linearly between neighbouring lattice points. There is no doubling, no cut and no
// contour.
Curves lattice(int n, double mu, double epsilon, double cell, double top) {
  const auto size = static_cast<std::size_t>(top / cell);
  std::vector<Extended> one(size, 0);
  for (Extended z = -9; z < 9; z += 1e-3L) {
    const Extended r = std::exp(mu * z - mu * mu / 2) / cell;
    const auto i = static_cast<std::size_t>(r);
    if (i + 1 < size) {
      const Extended mass = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(Extended(-1))) * 1e-3L;
      one[i] += mass * (static_cast<Extended>(i) + 1 - r);
      one[i + 1] += mass * (r - static_cast<Extended>(i));
    }
  }
  std::vector<Extended> sum = one;
  for (int k = 1; k < n; ++k) {
    std::vector<Extended> next(size, 0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; sum[i] > 1e-18L && i + j < size; ++j) {
        next[i + j] += sum[i] * one[j];
      }
    }
    sum = next;
  }
  Curves curves;
  for (std::size_t i = 0; i < size; ++i) {
    const Extended mean = static_cast<Extended>(i) * cell / n;
    curves.forward += sum[i] * std::max<Extended>(0, mean - std::exp(static_cast<Extended>(epsilon)));
    curves.reverse += sum[i] * std::max<Extended>(0, 1 - std::exp(static_cast<Extended>(epsilon)) * mean);
  }
  return curves;
}

TEST(ShuffleGaussianPair, EnclosesAPlainConvolution) {
  for (const int n : {5, 10}) {
    const double mu = 0.5;
    const ShuffleGaussianPair pair(static_cast<std::uint64_t>(n), mu);
    for (const double epsilon : {0.0, 0.2, 0.5}) {
      const Curves truth = lattice(n, mu, epsilon, 0.01, 12 + 2.5 * n);
      SCOPED_TRACE(::testing::Message() << n << ' ' << epsilon);
      EXPECT_GE(pair.forward(epsilon).upper, truth.forward * (1 - 2e-3L));
      EXPECT_LE(pair.forward(epsilon).lower, truth.forward);
      EXPECT_GE(pair.reverse(epsilon).upper, truth.reverse * (1 - 2e-3L));
      EXPECT_LE(pair.reverse(epsilon).lower, truth.reverse);
    }
  }
}

// Two computations of heavy tails must agree: ShuffleGaussianPair builds the law of the whole sum by
// doubling, and HomogeneousCurve takes rare large terms apart from the rest.
TEST(ShuffleGaussianPair, AgreesWithRareTermsTakenApart) {
  for (const double mu : {1.2, 2.0, 3.0}) {
    const double n = 2'000;
    const ShuffleGaussianPair pair(2'000, mu);
    const HomogeneousCurve curve(GaussianLocal{2 / mu}, {n, n, 1});
    for (const double epsilon : {0.01, 0.05, 0.3, 1.0, 2.5}) {
      SCOPED_TRACE(::testing::Message() << mu << ' ' << epsilon);
      const numerics::Enclosure doubled = pair.forward(epsilon);
      const EnclosedMinorant apart = curve.forward(epsilon);
      EXPECT_LE(apart.lower, doubled.upper);
      // The lower end of `apart` is smaller because cells are merged to their means.
      EXPECT_GE(apart.lower, 0.95 * doubled.lower);
      EXPECT_LE(apart.minorant_upper, 1.01 * doubled.upper);
      EXPECT_LE(curve.reverse(epsilon).lower, pair.reverse(epsilon).upper);
    }
  }
}

TEST(ShuffleGaussianPair, MonotoneInTheNumberOfClients) {
  // The mean of n + 1 ratios is the average of its leave-one-out means, so the divergence decreases in n at
  // every epsilon.
  for (const double mu : {0.3, 1.0}) {
    double before_forward = 1;
    double before_reverse = 1;
    for (const std::uint64_t n : {1, 2, 3, 6, 20, 99, 101, 999, 1001, 100000}) {
      const ShuffleGaussianPair pair(n, mu);
      const numerics::Enclosure forward = pair.forward(0.05);
      const numerics::Enclosure reverse = pair.reverse(0.05);
      SCOPED_TRACE(::testing::Message() << mu << ' ' << n);
      EXPECT_LE(forward.lower, before_forward);
      EXPECT_LE(reverse.lower, before_reverse);
      EXPECT_LE(forward.lower, forward.upper);
      EXPECT_LE(reverse.lower, reverse.upper);
      before_forward = forward.upper;
      before_reverse = reverse.upper;
    }
  }
}

numerics::Enclosure epsilon_of(const std::function<numerics::Enclosure(double)>& curve, double delta) {
  return {numerics::crossing_from_below([&](double e) { return curve(e).lower; }, delta, 100),
          numerics::crossing_from_above([&](double e) { return curve(e).upper; }, delta, 100)};
}

// The epsilons at `delta` are those of tools/golden/shuffle_gaussian_pair.py, which sums a Fourier series.
// A reverse value of 0 means that there is no reference.
TEST(ShuffleGaussianPair, ReferenceValues) {
  struct Row {
    std::uint64_t n;
    double mu, delta, forward, reverse;
  };
  const double few = 1.0 / 60'000;
  for (const Row& row : {Row{60'000, 1 / 9.48, few, 0.00059456, 0}, Row{60'000, 1, few, 0.0126669, 0.0125625},
                         Row{1'000, 1, 1e-6, 0.17172868, 0.14943095}, Row{60'000, 0.4, few, 0.003311, 0},
                         Row{60'000, 2 / 9.48, few, 0.001465, 0}}) {
    const ShuffleGaussianPair pair(row.n, row.mu);
    const numerics::Enclosure forward = epsilon_of([&](double e) { return pair.forward(e); }, row.delta);
    SCOPED_TRACE(::testing::Message() << row.n << ' ' << row.mu);
    EXPECT_LE(forward.lower, row.forward * (1 + 3e-4));  // allows for the few digits of the reference
    EXPECT_GE(forward.upper, row.forward * (1 - 3e-4));
    EXPECT_LE(forward.upper, forward.lower * 1.001);
    if (row.reverse > 0) {
      const numerics::Enclosure reverse = epsilon_of([&](double e) { return pair.reverse(e); }, row.delta);
      EXPECT_LE(reverse.lower, row.reverse * (1 + 1e-5));
      EXPECT_GE(reverse.upper, row.reverse * (1 - 1e-5));
      EXPECT_LE(reverse.upper, reverse.lower * 1.001);
    }
  }
}

// The curves increase with mu, because adding noise is post-processing. Beyond mu = 8 the sum is not
// computed. There, an upper end from the contribution of a single ratio would be below the curve at mu = 8.
TEST(ShuffleGaussianPair, UpperEndsHoldWhereTheSumIsNotComputed) {
  const std::uint64_t n = 300;
  const ShuffleGaussianPair computed(n, 8), beyond(n, 8 * (1 + 1e-9));
  int above_minorant = 0;
  for (const double epsilon : {0.0, 0.5, 2.0, 5.0}) {
    SCOPED_TRACE(epsilon);
    const numerics::Enclosure forward = computed.forward(epsilon);
    EXPECT_GE(beyond.forward(epsilon).upper, forward.lower);
    EXPECT_GE(beyond.reverse(epsilon).upper, computed.reverse(epsilon).lower);
    EXPECT_LE(beyond.forward(epsilon).lower, forward.upper * (1 + 1e-6));
    EXPECT_EQ(beyond.forward(epsilon).lower, beyond.forward_minorant(epsilon).lower);
    if (beyond.forward_minorant(epsilon).minorant_upper < forward.lower) ++above_minorant;
  }
  EXPECT_GT(above_minorant, 0);
}

// As mu tends to 0, ln r tends to mu z with z standard normal, and delta at epsilon 0 tends to
// mu / sqrt(2 pi n), by the normal law of the mean of n terms. A lower end that loses its digits in a
// difference of nearly equal numbers would exceed this limit.
TEST(ShuffleGaussianPair, KeepsItsDigitsHoweverSmallMuIs) {
  for (const std::uint64_t n : {100, 1'000, 1'000'000}) {
    for (double mu = 1e-3; mu > 1e-30; mu /= 3) {
      const double limit = mu / std::sqrt(2 * std::numbers::pi * static_cast<double>(n));
      const ShuffleGaussianPair pair(n, mu);
      for (const auto& curve : {pair.forward(0), pair.reverse(0)}) {
        EXPECT_LE(curve.lower, limit * (1 + mu)) << n << ' ' << mu;
        EXPECT_GE(curve.lower, limit * 0.999) << n << ' ' << mu;
        EXPECT_GE(curve.upper, limit * (1 - mu)) << n << ' ' << mu;
        EXPECT_LE(curve.upper, limit * 1.001) << n << ' ' << mu;
      }
    }
  }
}

TEST(ShuffleGaussianPair, NeverNotANumber) {
  for (const std::uint64_t n : {1ull, 2ull, 1'000ull, 1'000'000'000'000ull}) {
    for (const double mu : {1e-4, 0.3, 1.0, 20.0}) {
      const ShuffleGaussianPair pair(n, mu);
      for (const double epsilon : {0.0, 1e-6, 0.1, 3.0, 40.0}) {
        for (const numerics::Enclosure& value : {pair.forward(epsilon), pair.reverse(epsilon)}) {
          SCOPED_TRACE(::testing::Message() << n << ' ' << mu << ' ' << epsilon);
          EXPECT_GE(value.lower, 0);
          EXPECT_LE(value.lower, value.upper);
          EXPECT_LE(value.upper, 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
