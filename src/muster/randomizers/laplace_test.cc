// Tests the noise against its law, and compares the charged profile with the hockey-stick divergence of the
// rounded noise, summed term by term. The divergence of two-sided geometric noise must exceed the charged
// profile.
#include "muster/randomizers/laplace.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/describe/profile.h"
#include "tests/support/statistics.h"

namespace muster::randomizers {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

constexpr double kAlpha = 1e-6;

std::vector<double> messages(double epsilon0, double clip, float value, std::uint64_t n) {
  const auto randomizer = make_laplace(epsilon0, clip);
  const auto scratch = randomizer->make_scratch();
  const random::RunKey key = random::RunKey::from_seed(5);
  std::vector<double> values;
  Message message;
  for (std::uint64_t client = 0; client < n; ++client) {
    randomizer->randomize(std::vector<float>{value}, key, 1, client, *scratch, message);
    values.push_back(std::get<GridMessage>(message).steps[0] * randomizer->step());
  }
  return values;
}

// Maps values to [0,1] by the distribution function of continuous Laplace noise around `centre`. The messages
// lie on a grid, but it is too fine to be detected with the number of values that the test draws.
std::vector<double> through_law(std::vector<double> values, double centre, double scale) {
  for (double& x : values) {
    const double z = (x - centre) / scale;
    x = z < 0 ? std::exp(z) / 2 : 1 - std::exp(-z) / 2;
  }
  return values;
}

TEST(Laplace, NoiseHasItsLawAboutTheClampedValue) {
  for (double epsilon0 : {0.01, 1.0, 8.0}) {
    for (float value : {0.0f, 0.3f, -0.7f, 5.0f, -1e30f}) {
      const double clip = 0.7, centre = std::clamp(static_cast<double>(value), -clip, clip);
      const auto sample = messages(epsilon0, clip, value, 100'000);
      const auto verdict = testing::uniformity_test(through_law(sample, centre, 2 * clip / epsilon0), kAlpha);
      EXPECT_TRUE(verdict.pass) << epsilon0 << " " << value << ": " << verdict.summary;
      // The test must reject the claim that the scale of the noise is 1/0.95 times as large.
      EXPECT_FALSE(
          testing::uniformity_test(through_law(sample, centre, 2 * clip / epsilon0 / 0.95), kAlpha).pass);
    }
  }
}

TEST(Laplace, TheGridErrsOnThePrivateSide) {
  for (double epsilon0 = 0x1p-16; epsilon0 < 700; epsilon0 *= 1.37) {
    for (double clip : {1e-20, 0.1, 0.7, 1.0, 3.14159, 1e20}) {
      const LaplaceGrid grid = laplace_grid(epsilon0, clip);
      EXPECT_EQ(std::ldexp(1.0, std::ilogb(grid.step)), grid.step);
      EXPECT_GE(Wide(grid.step) * Wide(grid.half_range), Wide(clip));
      EXPECT_LE(4 * Wide(grid.half_range) / Wide(grid.scale), Wide(epsilon0));
      EXPECT_LT(grid.scale, std::uint64_t{1} << 24);
      EXPECT_GE(grid.half_range, 16u);
      // The grid makes the noise only a little wider, because a step is a small fraction of the clip norm. A
      // step is also at most a thousandth of the scale of the noise.
      const double scale = static_cast<double>(grid.scale) / 2 * grid.step;
      EXPECT_GE(scale, 2 * clip / epsilon0 * (1 - 1e-15));
      EXPECT_LE(scale, 2 * clip / epsilon0 * (1 + 1.0 / static_cast<double>(grid.half_range) + 2e-4));
      EXPECT_LE(grid.step, scale * 1e-3);
    }
  }
}

// Returns the logarithm of the probability of a message, by definition: continuous Laplace noise of scale
// t/2, rounded to integers, where t is `scale`.
Wide log_probability(std::int64_t message, std::int64_t record, std::uint64_t scale) {
  const std::int64_t z = std::abs(message - record);
  const Wide t = scale;
  if (z == 0) return log(1 - exp(-1 / t));
  return log(exp(-(2 * z - 1) / t) * (1 - exp(-2 / t)) / 2);
}

TEST(Laplace, EveryRatioOfTheExactLawIsWithinEpsilon) {
  for (double epsilon0 : {0x1p-16, 0.3, 1.0, 5.0, 700.0}) {
    const LaplaceGrid grid = laplace_grid(epsilon0, 0.7);
    const auto m = static_cast<std::int64_t>(grid.half_range);
    for (std::int64_t message : {-10 * m, -m - 1, -m, -m + 1, -1L, 0L, 1L, m / 2, m - 1, m, m + 1, 10 * m}) {
      for (std::int64_t x : {-m, std::int64_t{0}, m}) {
        for (std::int64_t y : {-m, m - 1, m}) {
          EXPECT_LE(log_probability(message, x, grid.scale) - log_probability(message, y, grid.scale),
                    Wide(epsilon0) * (1 + Wide(1e-40)))
              << epsilon0 << " " << message << " " << x << " " << y;
        }
      }
    }
  }
}

// Returns the probability that continuous Laplace noise of scale t/2 is rounded to the integer z.
double rounded_noise(std::int64_t z, double t) {
  if (z == 0) return -std::expm1(-1 / t);
  return std::exp(-static_cast<double>(2 * std::abs(z) - 1) / t) * -std::expm1(-2 / t) / 2;
}

// Returns the probability of z under two-sided geometric noise, proportional to e^(-2|z|/t).
double two_sided_geometric(std::int64_t z, double t) {
  return std::exp(-2 * static_cast<double>(std::abs(z)) / t) * std::tanh(1 / t);
}

// Returns the hockey-stick divergence, at alpha, of the messages of two integers that differ by `distance`,
// summed term by term.
double slow_profile(double alpha, std::int64_t distance, double t, double (*law)(std::int64_t, double)) {
  const auto p = [t, law](std::int64_t z) { return law(z, t); };
  double sum = 0;
  for (std::int64_t z = -2000; z <= 2000; ++z) sum += std::max(0.0, p(z) - alpha * p(z - distance));
  return sum;
}

TEST(Laplace, TheChargedProfileIsNeverBelowTheTruth) {
  for (double epsilon0 : {0.5, 1.0, 3.0}) {
    for (std::int64_t m : {4, 16}) {
      const double t = std::ceil(4 * static_cast<double>(m) / epsilon0);
      const accounting::Profile charged = accounting::Profile::laplace(epsilon0);
      for (std::int64_t distance : {std::int64_t{1}, m, 2 * m - 1, 2 * m}) {
        for (double log_alpha = 0; log_alpha < epsilon0; log_alpha += epsilon0 / 37) {
          const double alpha = std::exp(log_alpha), truth = slow_profile(alpha, distance, t, rounded_noise);
          EXPECT_LE(truth, charged.at(log_alpha) + 1e-12)
              << epsilon0 << " " << m << " " << distance << " " << alpha;
        }
      }
    }
  }
}

TEST(Laplace, KnownBadTwoSidedGeometricNoisePassesTheCharge) {
  // The probabilities of two-sided geometric noise fall by the factor e^(-2/t) from one integer to the next,
  // as those of rounded Laplace noise do away from 0. So if two records are 2 M = 8 steps apart, and t = 16,
  // the largest privacy loss is exactly epsilon0 = 4 M / t = 1, too. But for an alpha between the likelihood
  // ratios of two messages, the divergence is larger than that of continuous noise.
  const double alpha = std::exp(2.0 / 16);
  EXPECT_GT(slow_profile(alpha, 8, 16, two_sided_geometric),
            accounting::Profile::laplace(1.0).at(2.0 / 16) + 1e-4);
}

TEST(Laplace, RoundingIsUnbiased) {
  // The grid has few steps, and the value is a quarter of the way from one to the next.
  const LaplaceGrid grid = laplace_grid(0x1p-16, 1.0);
  const auto value = static_cast<float>(2.25 * grid.step);
  constexpr std::uint64_t n = 100'000;
  double sum = 0;
  for (double x : messages(0x1p-16, 1.0, value, n)) sum += x;
  const auto randomizer = make_laplace(0x1p-16, 1.0);
  const double exact = static_cast<double>(value);
  const auto verdict =
      testing::mean_test(sum / n, exact, std::sqrt(randomizer->variance(exact * exact)), n, kAlpha);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

TEST(Laplace, TheVarianceIsNearThatOfContinuousNoise) {
  for (double epsilon0 : {1.0, 2.0, 8.0}) {
    EXPECT_NEAR(make_laplace(epsilon0, 0.7)->variance(0.09) / (8 * std::pow(0.7 / epsilon0, 2)), 1, 1e-5);
  }
}

TEST(Laplace, DescribesWhatItDoesAndRefusesTheRest) {
  EXPECT_EQ(make_laplace(1.5, 0.1)->description(), accounting::Mechanism(accounting::LaplaceLocal{1.5}));
  EXPECT_EQ(make_laplace(1.5, 0.1)->dimension(), 1u);
  for (double bad : {0.0, -1.0, 1e-6, 701.0, std::nan("")})
    EXPECT_ERROR(ErrorCode::plan, make_laplace(bad, 1));
  EXPECT_ERROR(ErrorCode::plan, make_laplace(1, 0));
}

}  // namespace
}  // namespace muster::randomizers
