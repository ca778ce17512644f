#include "muster/randomizers/l1.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/statistics.h"

namespace muster::randomizers {
namespace {

constexpr double kAlpha = 1e-6, kEpsilon0 = 1.0, kClip = 0.25;
constexpr std::uint64_t kMessages = 100'000;

using Vector = std::vector<float>;

// H_D by its recursion H_2D = [[H, H], [H, -H]]: no bit is counted.
std::vector<std::vector<int>> hadamard(std::size_t size) {
  std::vector<std::vector<int>> h{{1}};
  while (h.size() < size) {
    const std::size_t half = h.size();
    std::vector<std::vector<int>> next(2 * half, std::vector<int>(2 * half));
    for (std::size_t i = 0; i < 2 * half; ++i) {
      for (std::size_t j = 0; j < 2 * half; ++j) {
        next[i][j] = h[i % half][j % half] * (i >= half && j >= half ? -1 : 1);
      }
    }
    h = next;
  }
  return h;
}

// How often each (index, sign) was sent: 2 j + 1 for +.
std::vector<std::uint64_t> counts(const VectorRandomizer& randomizer, const Vector& gradient,
                                  std::uint64_t seed) {
  const random::RunKey key = random::RunKey::from_seed(seed);
  const auto scratch = randomizer.make_scratch();
  std::vector<std::uint64_t> counts(2 * randomizer.sum_size());
  Message message;
  for (std::uint64_t client = 0; client < kMessages; ++client) {
    randomizer.randomize(gradient, key, 0, client, *scratch, message);
    const auto& sent = std::get<SignedIndexMessage>(message);
    ++counts[2 * sent.index + (sent.positive ? 1 : 0)];
  }
  return counts;
}

// The law of a message by the definition, from the matrix: (1/D) (1/2 +- (H g)_j / (2 C c)), g clipped in L1.
std::vector<double> law(const Vector& gradient, double epsilon0) {
  const double c = (std::exp(epsilon0) + 1) / (std::exp(epsilon0) - 1);
  const auto h = hadamard(std::bit_ceil(gradient.size()));
  double norm = 0;
  for (float value : gradient) norm += std::abs(static_cast<double>(value));
  std::vector<double> law;
  for (const auto& row : h) {
    double t = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      t += row[i] * (static_cast<double>(gradient[i]) * std::min(1.0, kClip / std::max(norm, 1e-300)));
    }
    for (double sign : {-1.0, 1.0}) {
      law.push_back((0.5 + sign * t / (2 * kClip * c)) / static_cast<double>(h.size()));
    }
  }
  return law;
}

std::vector<double> times(std::vector<double> x, double factor) {
  for (double& value : x) value *= factor;
  return x;
}

const float kHuge = std::numeric_limits<float>::max();
const std::vector<Vector> kInputs = {
    {0.02f, -0.05f, 0, 0.1f, -0.01f}, {1, 1, 1, 1, 1}, {0, 0, -3, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.25f},
    {kHuge, -kHuge, kHuge, kHuge, 1}};

TEST(L1, MessagesHaveTheLawOfTheDefinition) {
  const auto randomizer = make_l1(kEpsilon0, kClip, 5);
  for (std::size_t i = 0; i < kInputs.size(); ++i) {
    const auto verdict =
        testing::chi_squared_test(counts(*randomizer, kInputs[i], i),
                                  times(law(kInputs[i], kEpsilon0), static_cast<double>(kMessages)), kAlpha);
    EXPECT_TRUE(verdict.pass) << i << ": " << verdict.summary;
  }
  // Known bad: a coin for epsilon0 = 1.1.
  const auto verdict =
      testing::chi_squared_test(counts(*make_l1(1.1, kClip, 5), kInputs[2], 9),
                                times(law(kInputs[2], kEpsilon0), static_cast<double>(kMessages)), kAlpha);
  EXPECT_FALSE(verdict.pass) << verdict.summary;
}

// The law's ratios over all pairs of extreme inputs; that of the coins themselves is exact in flip_test.cc.
TEST(L1, EveryRatioIsWithinEpsilon) {
  for (const Vector& x : kInputs) {
    for (const Vector& y : kInputs) {
      const auto p = law(x, kEpsilon0), r = law(y, kEpsilon0);
      for (std::size_t i = 0; i < p.size(); ++i) EXPECT_LE(p[i] / r[i], std::exp(kEpsilon0) * (1 + 1e-14));
    }
  }
}

TEST(L1, DecodesToARowOfTheMatrix) {
  const auto randomizer = make_l1(kEpsilon0, kClip, 6);
  const auto scratch = randomizer->make_scratch();
  const auto h = hadamard(8);
  for (std::uint32_t j = 0; j < 8; ++j) {
    MessageSum sum = randomizer->make_sum();
    randomizer->accumulate(SignedIndexMessage{j, false}, *scratch, sum);
    Vector mean(6);
    randomizer->mean(sum, mean);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_FLOAT_EQ(mean[i], static_cast<float>(-h[j][i] * kClip / std::tanh(kEpsilon0 / 2)));
    }
  }
}

TEST(L1, DescribesWhatItDoes) {
  EXPECT_EQ(
      make_l1(kEpsilon0, kClip, 7)->description(),
      accounting::Mechanism(accounting::CoordinateLocal{accounting::CoordinateLocal::Norm::l1, kEpsilon0}));
}

}  // namespace
}  // namespace muster::randomizers
