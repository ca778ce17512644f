// Compares the frequencies of messages with the law that follows from the Hadamard matrix, and every
// likelihood ratio of that law with e^epsilon0.
#include "muster/randomizers/l1.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/randomizers/hadamard_matrix_test.h"
#include "muster/randomizers/signed_index_test.h"

namespace muster::randomizers {
namespace {

constexpr double kEpsilon0 = 1.0, kClip = 0.25;

using Vector = std::vector<float>;

// Returns the law of a message, computed with the matrix: the shares are (H g)_j / C, where g is the gradient
// clipped to the L1 norm C.
std::vector<double> law(const Vector& gradient) {
  double norm = 0;
  for (float value : gradient) norm += std::abs(static_cast<double>(value));
  std::vector<double> shares;
  for (const auto& row : hadamard_matrix(std::bit_ceil(gradient.size()))) {
    double t = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      t += row[i] * (static_cast<double>(gradient[i]) * std::min(1.0, kClip / std::max(norm, 1e-300)));
    }
    shares.push_back(t / kClip);
  }
  return law_of_shares(shares, kEpsilon0);
}

const float kHuge = std::numeric_limits<float>::max();
const std::vector<Vector> kInputs = {
    {0.02f, -0.05f, 0, 0.1f, -0.01f}, {1, 1, 1, 1, 1}, {0, 0, -3, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.25f},
    {kHuge, -kHuge, kHuge, kHuge, 1}};

TEST(L1, MessagesHaveTheLawOfTheDefinition) {
  const auto make = [](double epsilon0) { return make_l1(epsilon0, kClip, 5); };
  expect_messages_have_law(make, kEpsilon0, kInputs, law, 2);
}

TEST(L1, EveryRatioIsWithinEpsilon) { expect_every_ratio_within(kEpsilon0, kInputs, law); }

TEST(L1, DecodesToARowOfTheMatrix) {
  const auto randomizer = make_l1(kEpsilon0, kClip, 6);
  const auto scratch = randomizer->make_scratch();
  const auto h = hadamard_matrix(8);
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
