// Tests the noise against the normal law with the stated deviation, and compares each coordinate with the
// client's stream. The test must reject a deviation that is off by one percent.
#include "muster/randomizers/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/normals.h"
#include "muster/random/samplers.h"
#include "tests/support/statistics.h"
#include "tests/support/unit_uniform.h"

namespace muster::randomizers {
namespace {

constexpr double kAlpha = 1e-6;

// Returns (message - clipped gradient) / (sigma * clip), for every coordinate of `clients` messages.
std::vector<double> standard_noise(double sigma, double clip, const std::vector<float>& gradient, double norm,
                                   std::uint64_t clients) {
  const auto randomizer = make_gaussian(sigma, clip, gradient.size());
  const auto scratch = randomizer->make_scratch();
  const random::RunKey key = random::RunKey::from_seed(12);
  std::vector<double> noise;
  Message message;
  for (std::uint64_t client = 0; client < clients; ++client) {
    randomizer->randomize(gradient, key, 2, client, *scratch, message);
    const auto& steps = std::get<GridMessage>(message).steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const double clipped = static_cast<double>(gradient[i]) * std::min(1.0, clip / norm);
      noise.push_back((steps[i] * randomizer->step() - clipped) / (sigma * clip));
    }
  }
  return noise;
}

testing::Verdict variance_test(const std::vector<double>& noise, double claimed) {
  double squares = 0;
  for (double z : noise) squares += z * z;
  const auto n = static_cast<double>(noise.size());
  return testing::mean_test(squares / n / (claimed * claimed), 1, std::sqrt(2.0), noise.size(), kAlpha);
}

TEST(Gaussian, NoiseIsNormalWithTheStatedDeviation) {
  std::vector<float> gradient(999);
  double squared = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] = std::sin(static_cast<float>(i));
    squared += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
  }
  for (double sigma : {0.01, 1.0, 9.48}) {
    for (double clip : {0.1, 1000.0}) {  // with and without clipping
      const std::vector<double> noise = standard_noise(sigma, clip, gradient, std::sqrt(squared), 300);
      const auto variance = variance_test(noise, 1);
      EXPECT_TRUE(variance.pass) << sigma << " " << clip << ": " << variance.summary;
      // The test must reject the claim that the deviation is sigma / 0.99.
      EXPECT_FALSE(variance_test(noise, 1 / 0.99).pass);
      // The steps are integers. Uniform noise over the width of a step makes their law continuous again.
      const double step = make_gaussian(sigma, clip, 1)->step() / (sigma * clip);
      random::KeyedStream bits(random::RunKey::from_seed(15), {random::Purpose::audit});
      std::vector<double> mapped;
      for (double z : noise) {
        const double spread = z + step * (testing::unit_uniform(bits) - 0.5);
        mapped.push_back(std::erfc(-spread / std::sqrt(2.0)) / 2);
      }
      const auto law = testing::uniformity_test(mapped, kAlpha);
      EXPECT_TRUE(law.pass) << sigma << " " << clip << ": " << law.summary;
    }
  }
}

// Every coordinate has its own normal: coordinate i has normal i of the client's stream.
TEST(Gaussian, TheNoiseIsTheClientsStream) {
  const std::size_t d = 5003;
  const auto randomizer = make_gaussian(2.0, 0.5, d);
  const auto scratch = randomizer->make_scratch();
  const random::RunKey key = random::RunKey::from_seed(14);
  Message message;
  randomizer->randomize(std::vector<float>(d), key, 3, 8, *scratch, message);
  std::vector<float> normals(d);
  random::fill_normals(key, {random::Purpose::randomize, 3, 8}, normals);
  for (std::size_t i = 0; i < d; ++i) {
    const double expected = static_cast<double>(normals[i]) * 2.0 * 0.5 / randomizer->step();
    ASSERT_NEAR(std::get<GridMessage>(message).steps[i], expected, 0.5 + 1e-5 * (std::abs(expected) + 1))
        << i;
  }
}

// With the same noise, the messages of two gradients differ by as much as the clipped gradients do, up to one
// step per coordinate.
TEST(Gaussian, TwoGradientsMoveTheMessageByAtMostTwiceTheClip) {
  const std::size_t d = 500;
  const auto randomizer = make_gaussian(1.0, 0.25, d);
  const auto scratch = randomizer->make_scratch();
  const random::RunKey key = random::RunKey::from_seed(13);
  std::vector<float> gradient(d), opposite(d);
  for (std::size_t i = 0; i < d; ++i) opposite[i] = -(gradient[i] = std::cos(static_cast<float>(i)));
  Message a, b;
  randomizer->randomize(gradient, key, 0, 0, *scratch, a);
  randomizer->randomize(opposite, key, 0, 0, *scratch, b);
  double squared = 0;
  for (std::size_t i = 0; i < d; ++i) {
    squared += std::pow(
        (std::get<GridMessage>(a).steps[i] - std::get<GridMessage>(b).steps[i]) * randomizer->step(), 2);
  }
  const double rounding = std::sqrt(static_cast<double>(d)) * randomizer->step();
  EXPECT_LE(std::sqrt(squared), 0.5 + rounding);
  EXPECT_GE(std::sqrt(squared), 0.5 * (1 - 1e-5) - rounding);
}

TEST(Gaussian, TheGridIsAsFineAsSaidAndSaturatesEightDeviationsOut) {
  for (double sigma : {0x1p-12, 0.003, 0.5, 1.0, 9.48, 1e6, 1e9}) {
    for (double clip : {1e-20, 0.1, 1e20}) {
      SCOPED_TRACE(::testing::Message() << sigma << " " << clip);
      const GaussianGrid grid = gaussian_grid(sigma, clip, 1000);
      EXPECT_EQ(std::ldexp(1.0, std::ilogb(grid.step)), grid.step);
      EXPECT_GE(grid.deviation, 64);
      EXPECT_LE(grid.deviation, 128);
      // sigma C is rounded up: it is at least the exact product, and the next smaller double is at most the
      // product.
      const double deviation = grid.deviation * grid.step;
      EXPECT_LE(std::fma(sigma, clip, -deviation), 0);
      EXPECT_GE(std::fma(sigma, clip, -std::nextafter(deviation, 0.0)), 0);
      const double largest = std::ldexp(1.0, static_cast<int>(grid.bits) - 1) - 1;
      EXPECT_GE(largest, clip / grid.step + 8 * grid.deviation);
      EXPECT_LT(largest, 2 * (clip / grid.step + 8 * grid.deviation) + 2);
      EXPECT_LE(grid.bits, 21u);
      if (sigma >= 1) {
        EXPECT_GE(grid.bits, 11u);
        EXPECT_LE(grid.bits, 12u);
      }

      const auto randomizer = make_gaussian(sigma, clip, 1000);
      EXPECT_EQ(randomizer->step(), grid.step);
      EXPECT_EQ(randomizer->message_bits(), 1000 * grid.bits);
      const auto scratch = randomizer->make_scratch();
      Message message;
      std::vector<float> spike(1000);
      for (const float value : {3e38f, 0.0f, 1e-45f}) {
        spike[500] = value;
        randomizer->randomize(spike, random::RunKey::from_seed(1), 0, 0, *scratch, message);
        const auto& steps = std::get<GridMessage>(message).steps;
        // All cases use normal 500 of one stream. Rounding to the grid adds at most half a step, sigma clip /
        // 128. So the false-alarm rate of all cases together is P(|N| > 6 - 1/128) = 2.1e-9.
        EXPECT_NEAR(steps[500] * grid.step / clip, value > 1 ? 1 : 0, 6 * sigma + 1e-5 + 1e-44 / clip);
        for (std::int32_t step : steps)
          ASSERT_LE(std::abs(std::int64_t{step}), static_cast<std::int64_t>(largest));
      }
    }
  }
}

TEST(Gaussian, VectorsThatAreNotFiniteAreRefused) {
  const auto randomizer = make_gaussian(2, 1, 100);
  const auto scratch = randomizer->make_scratch();
  Message message;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> gradient(100);
    gradient[99] = bad;
    EXPECT_ERROR(ErrorCode::data,
                 randomizer->randomize(gradient, random::RunKey::from_seed(1), 0, 0, *scratch, message));
  }
}

TEST(Gaussian, DescribesWhatItDoesAndRefusesTheRest) {
  EXPECT_EQ(std::get<accounting::GaussianLocal>(make_gaussian(3, 0.1, 10)->description()).sigma(), 3);
  for (double bad : {0.0, -1.0, 1e-5, 1e10, std::nan("")})
    EXPECT_ERROR(ErrorCode::plan, make_gaussian(bad, 1, 10));
  EXPECT_ERROR(ErrorCode::plan, make_gaussian(1, 0, 10));
}

// No client of this randomizer sends such large steps, but an aggregator that receives them still adds them
// exactly.
TEST(Gaussian, StepsBeyondWhatAClientMakesAreAddedExactly) {
  const auto randomizer = make_gaussian(5, 0.01, 40);
  const auto scratch = randomizer->make_scratch();
  MessageSum sum = randomizer->make_sum();
  GridMessage huge;
  huge.steps.assign(40, std::numeric_limits<std::int32_t>::max());
  huge.steps[7] = std::numeric_limits<std::int32_t>::min();
  GridMessage small;
  small.steps.assign(40, -3);
  const std::vector<Message> messages = {small, huge, small, small, huge};
  randomizer->accumulate_all(messages, *scratch, sum);
  for (const Message& message : messages) randomizer->accumulate(message, *scratch, sum);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(sum.sums()[i], 4 * std::int64_t{huge.steps[i]} - 18) << i;
  EXPECT_EQ(sum.count(), 10u);
}

}  // namespace
}  // namespace muster::randomizers
