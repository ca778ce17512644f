#include "muster/randomizers/linf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/randomizers/flip.h"
#include "tests/support/statistics.h"

namespace muster::randomizers {
namespace {

constexpr double kAlpha = 1e-6, kEpsilon0 = 1.0, kClip = 0.25;
constexpr std::uint64_t kMessages = 100'000;

using Vector = std::vector<float>;

// How often each (index, sign) was sent: 2 j + 1 for +.
std::vector<std::uint64_t> counts(const VectorRandomizer& randomizer, const Vector& gradient,
                                  std::uint64_t seed) {
  const random::RunKey key = random::RunKey::from_seed(seed);
  const auto scratch = randomizer.make_scratch();
  std::vector<std::uint64_t> counts(2 * randomizer.dimension());
  Message message;
  for (std::uint64_t client = 0; client < kMessages; ++client) {
    randomizer.randomize(gradient, key, 0, client, *scratch, message);
    const auto& sent = std::get<SignedIndexMessage>(message);
    ++counts[2 * sent.index + (sent.positive ? 1 : 0)];
  }
  return counts;
}

// The law of a message by the definition, not by the coins: (1/d) (1/2 +- g_j / (2 C c)).
std::vector<double> law(const Vector& gradient, double epsilon0) {
  const double c = (std::exp(epsilon0) + 1) / (std::exp(epsilon0) - 1);
  std::vector<double> law;
  for (float value : gradient) {
    const double g = std::clamp(static_cast<double>(value), -kClip, kClip);
    for (double sign : {-1.0, 1.0}) {
      law.push_back((0.5 + sign * g / (2 * kClip * c)) / static_cast<double>(gradient.size()));
    }
  }
  return law;
}

std::vector<double> times(std::vector<double> x, double factor) {
  for (double& value : x) value *= factor;
  return x;
}

const std::vector<Vector> kInputs = {{0.1f, -0.25f, 0, 0.7f, -100},
                                     {1, 1, 1, 1, 1},
                                     {-1, -1, -1, -1, -1},
                                     {0, 0, 0, 0, 0},
                                     {std::numeric_limits<float>::max(), 1e-40f, -1e-40f, 0.25f, -0.125f}};

TEST(Linf, MessagesHaveTheLawOfTheDefinition) {
  const auto randomizer = make_linf(kEpsilon0, kClip, 5);
  for (std::size_t i = 0; i < kInputs.size(); ++i) {
    const auto observed = counts(*randomizer, kInputs[i], i);
    const auto verdict = testing::chi_squared_test(
        observed, times(law(kInputs[i], kEpsilon0), static_cast<double>(kMessages)), kAlpha);
    EXPECT_TRUE(verdict.pass) << i << ": " << verdict.summary;
  }
  // Known bad: a coin for epsilon0 = 1.1.
  const auto verdict =
      testing::chi_squared_test(counts(*make_linf(1.1, kClip, 5), kInputs[1], 9),
                                times(law(kInputs[1], kEpsilon0), static_cast<double>(kMessages)), kAlpha);
  EXPECT_FALSE(verdict.pass) << verdict.summary;
}

// The law's ratios over all pairs of extreme inputs; that of the coins themselves is exact in flip_test.cc.
TEST(Linf, EveryRatioIsWithinEpsilon) {
  for (const Vector& x : kInputs) {
    for (const Vector& y : kInputs) {
      const auto p = law(x, kEpsilon0), r = law(y, kEpsilon0);
      for (std::size_t i = 0; i < p.size(); ++i) EXPECT_LE(p[i] / r[i], std::exp(kEpsilon0) * (1 + 1e-14));
    }
  }
}

TEST(Linf, TheIndexDoesNotDependOnTheData) {
  const auto randomizer = make_linf(kEpsilon0, kClip, 1000);
  const auto scratch = randomizer->make_scratch();
  Message a, b;
  for (std::uint64_t client = 0; client < 200; ++client) {
    randomizer->randomize(Vector(1000), random::RunKey::from_seed(1), 3, client, *scratch, a);
    randomizer->randomize(Vector(1000, -7), random::RunKey::from_seed(1), 3, client, *scratch, b);
    EXPECT_EQ(std::get<SignedIndexMessage>(a).index, std::get<SignedIndexMessage>(b).index);
  }
}

TEST(Linf, DecodesToOneCoordinate) {
  const auto randomizer = make_linf(kEpsilon0, kClip, 7);
  const auto scratch = randomizer->make_scratch();
  MessageSum sum = randomizer->make_sum();
  randomizer->accumulate(SignedIndexMessage{3, false}, *scratch, sum);
  Vector mean(7);
  randomizer->mean(sum, mean);
  Vector expected(7);
  expected[3] = static_cast<float>(-7 * kClip / std::tanh(kEpsilon0 / 2));
  for (std::size_t i = 0; i < 7; ++i) EXPECT_FLOAT_EQ(mean[i], expected[i]);
}

TEST(Linf, DescribesWhatItDoes) {
  EXPECT_EQ(
      make_linf(kEpsilon0, kClip, 7)->description(),
      accounting::Mechanism(accounting::CoordinateLocal{accounting::CoordinateLocal::Norm::linf, kEpsilon0}));
}

}  // namespace
}  // namespace muster::randomizers
