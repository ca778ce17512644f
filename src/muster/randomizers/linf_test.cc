// Compares the frequencies of messages with the law of the definition, and every likelihood ratio of that law
// with e^epsilon0.
#include "muster/randomizers/linf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/randomizers/signed_index_test.h"

namespace muster::randomizers {
namespace {

constexpr double kEpsilon0 = 1.0, kClip = 0.25;

using Vector = std::vector<float>;

// Returns the law of a message: the shares are the clamped coordinates divided by the clip norm.
std::vector<double> law(const Vector& gradient) {
  std::vector<double> shares;
  for (float value : gradient)
    shares.push_back(std::clamp(static_cast<double>(value), -kClip, kClip) / kClip);
  return law_of_shares(shares, kEpsilon0);
}

const std::vector<Vector> kInputs = {{0.1f, -0.25f, 0, 0.7f, -100},
                                     {1, 1, 1, 1, 1},
                                     {-1, -1, -1, -1, -1},
                                     {0, 0, 0, 0, 0},
                                     {std::numeric_limits<float>::max(), 1e-40f, -1e-40f, 0.25f, -0.125f}};

TEST(Linf, MessagesHaveTheLawOfTheDefinition) {
  const auto make = [](double epsilon0) { return make_linf(epsilon0, kClip, 5); };
  expect_messages_have_law(make, kEpsilon0, kInputs, law, 1);
}

TEST(Linf, EveryRatioIsWithinEpsilon) { expect_every_ratio_within(kEpsilon0, kInputs, law); }

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
