// The reference network against central finite differences in double, and the properties every engine shares.
#include "muster/learning/gradients/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "muster/learning/dataset.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/gradients/reference_engine.h"
#include "muster/learning/gradients/softmax.h"

namespace muster::learning {
namespace {

template <typename Scalar>
std::vector<Scalar> normals(std::size_t n, double scale, unsigned seed) {
  std::mt19937 bits(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<Scalar> out(n);
  for (Scalar& v : out) v = static_cast<Scalar>(normal(bits));
  return out;
}

class FiniteDifferences : public ::testing::TestWithParam<Architecture> {};

// Central differences with step h err by h^2 f'''/6 (about 1e-10 here) and rounding 1e-16/h. A ReLU or
// max-pool kink within h of the point would spoil a coordinate; kinks that close have probability about 1e-5
// a coordinate, and the seed is fixed, so none is allowed for.
TEST_P(FiniteDifferences, AgreeWithTheGradientInDouble) {
  const Network<double> network(GetParam());
  auto room = network.make_activations();
  auto parameters = normals<double>(network.parameter_count(), 0.1, 1);
  const auto pixels = normals<double>(kImagePixels, 1, 2);
  std::vector<double> gradient(network.parameter_count());
  std::vector<double> scratch(network.parameter_count());
  network.gradient(parameters, pixels, 3, room, gradient);

  std::vector<double> slope(kClasses);
  const auto loss = [&] { return cross_entropy<double>(network.logits(parameters, pixels, room), 3, slope); };
  const double h = 1e-5;
  std::size_t nonzero = 0;
  // Every 29th parameter, and all of the last layer's: each tensor is visited many times.
  for (std::size_t p = 0; p < parameters.size(); p += p + 400 < parameters.size() ? 29 : 1) {
    const double kept = parameters[p];
    parameters[p] = kept + h;
    const double above = loss();
    parameters[p] = kept - h;
    const double below = loss();
    parameters[p] = kept;
    const double difference = (above - below) / (2 * h);
    ASSERT_NEAR(gradient[p], difference, 1e-8 + 1e-6 * std::abs(difference)) << "parameter " << p;
    nonzero += gradient[p] != 0;
  }
  EXPECT_GT(nonzero, parameters.size() / 100);
}

INSTANTIATE_TEST_SUITE_P(All, FiniteDifferences, ::testing::Values(Architecture::cnn, Architecture::logistic),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST(Network, ANetworkOfZerosSaysLogTen) {
  for (const Architecture architecture : {Architecture::cnn, Architecture::logistic}) {
    const Network<double> network(architecture);
    auto room = network.make_activations();
    const std::vector<double> parameters(network.parameter_count(), 0.0);
    std::vector<double> gradient(network.parameter_count(), 99.0);
    const auto pixels = normals<double>(kImagePixels, 1, 5);
    EXPECT_DOUBLE_EQ(network.gradient(parameters, pixels, 4, room, gradient), std::log(10.0));
    // Only the last biases move: softmax - e_label.
    for (std::size_t c = 0; c < kClasses; ++c) {
      EXPECT_DOUBLE_EQ(gradient[network.parameter_count() - kClasses + c], c == 4 ? -0.9 : 0.1);
    }
  }
}

TEST(CrossEntropy, SurvivesExtremeLogitsAndSumsToZero) {
  const std::vector<float> logits = {1e30F, -1e30F, 0, 0, 0, 0, 0, 0, 0, 0};
  std::vector<float> slope(10);
  EXPECT_EQ(cross_entropy<float>(logits, 0, slope), 0.0F);
  EXPECT_EQ(slope[0], 0.0F);
  EXPECT_EQ(cross_entropy<float>(logits, 1, slope), 2e30F);
  EXPECT_EQ(slope[0], 1.0F);
  EXPECT_EQ(slope[1], -1.0F);
}

TEST(LargestClass, TakesTheLowestOnATie) {
  const std::vector<float> logits = {0, 2, 2, 1, 2, 0, 0, 0, 0, 0};
  EXPECT_EQ(largest_class<float>(logits), 1);
}

class Engines : public ::testing::TestWithParam<Architecture> {};

TEST_P(Engines, OverwriteTheGradientAndRepeatTheirBits) {
  for (const auto& engine : {make_reference_engine(GetParam()), make_engine(GetParam())}) {
    const std::size_t size = engine->parameter_count();
    ASSERT_EQ(size, parameter_count(GetParam()));
    const auto parameters = normals<float>(size, 0.1, 1);
    const auto pixels = normals<float>(kImagePixels, 1, 2);
    const auto others = normals<float>(kImagePixels, 1, 3);
    std::vector<float> first(size, NAN);
    std::vector<float> second(size, 1e9F);
    auto fresh = engine->make_workspace();
    auto used = engine->make_workspace();
    const float loss = engine->gradient(parameters, {pixels, 3}, *fresh, first);
    engine->gradient(parameters, {others, 5}, *used, second);
    EXPECT_NE(first, second);
    EXPECT_EQ(engine->gradient(parameters, {pixels, 3}, *used, second), loss);
    EXPECT_EQ(first, second);
  }
}

TEST_P(Engines, PredictTheClassOfLeastLoss) {
  for (const auto& engine : {make_reference_engine(GetParam()), make_engine(GetParam())}) {
    auto room = engine->make_workspace();
    std::vector<float> gradient(engine->parameter_count());
    for (unsigned trial = 0; trial < 20; ++trial) {
      const auto parameters = normals<float>(engine->parameter_count(), 0.1, 10 + trial);
      const auto pixels = normals<float>(kImagePixels, 1, 50 + trial);
      std::vector<float> losses;
      for (std::uint8_t label = 0; label < kClasses; ++label) {
        losses.push_back(engine->gradient(parameters, {pixels, label}, *room, gradient));
      }
      EXPECT_EQ(engine->predict(parameters, pixels, *room),
                std::min_element(losses.begin(), losses.end()) - losses.begin());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Engines, ::testing::Values(Architecture::cnn, Architecture::logistic),
                         [](const auto& each) { return std::string(name_of(each.param)); });

}  // namespace
}  // namespace muster::learning
