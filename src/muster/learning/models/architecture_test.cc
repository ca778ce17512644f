// Compares sizes and numbers of parameters with the layers of the papers' network, counted by hand, and
// initial parameters with their formula, random word by random word.
#include "muster/learning/models/architecture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::learning {
namespace {

TEST(Architecture, CnnIsThePapersNetwork) {
  // The layers have these parameters: conv 8*8*1*16+16, conv 4*4*16*32+32, dense 512*32+32, dense 32*10+10.
  EXPECT_EQ(parameter_count(Architecture::cnn), 1040U + 8224U + 16416U + 330U);
  EXPECT_EQ(parameter_count(Architecture::cnn), 26010U);
  const std::vector<Layer> cnn = layers(Architecture::cnn);
  ASSERT_EQ(cnn.size(), 9U);
  EXPECT_EQ(cnn[0].out.size(), 14U * 14 * 16);
  EXPECT_EQ(cnn[2].out.size(), 13U * 13 * 16);
  EXPECT_EQ(cnn[3].out.size(), 5U * 5 * 32);
  EXPECT_EQ(cnn[5].out.size(), 4U * 4 * 32);
  EXPECT_EQ(cnn[8].out.size(), 10U);
}

TEST(Architecture, LogisticIsOneDenseLayer) {
  EXPECT_EQ(parameter_count(Architecture::logistic), 7850U);
  EXPECT_EQ(layers(Architecture::logistic).size(), 1U);
}

TEST(Architecture, MlpHasOneHiddenLayer) {
  EXPECT_EQ(parameter_count(Architecture::mlp), 784U * 128 + 128 + 128 * 10 + 10);
  EXPECT_EQ(layers(Architecture::mlp).size(), 3U);
}

TEST(Architecture, FollowsTheInputsTheClassesAndTheActivation) {
  Architecture colour = Architecture::cnn;
  colour.input = {32, 32, 3};
  colour.classes = 100;
  colour.activation = ActivationFunction::tanh;
  const std::vector<Layer> stack = layers(colour);
  EXPECT_EQ(stack.front().weights, 8U * 8 * 3 * 16);
  EXPECT_EQ(stack.back().in.size(), 32U);
  EXPECT_EQ(stack.back().out.size(), 100U);
  for (const Layer& layer : stack) EXPECT_NE(layer.kind, LayerKind::relu);
  Architecture row = Architecture::logistic;
  row.input = {1, 1, 5};
  row.classes = 3;
  EXPECT_EQ(parameter_count(row), 18U);
}

TEST(Architecture, ACnnNeedsImagesThatItsWindowsFitInto) {
  Architecture small = Architecture::cnn;
  small.input = {kMinCnnSide, kMinCnnSide, 1};
  EXPECT_EQ(layers(small)[5].out.positions(), 1U);  // the last pool has just enough inputs
  for (const Shape input : {Shape{13, 28, 1}, Shape{28, 13, 1}, Shape{1, 1, 784}}) {
    small.input = input;
    const Error error = error_of([&] { layers(small); });
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.key(), "model.kind");
  }
}

TEST(Architecture, ParametersTileTheFlatVectorWithoutGapOrOverlap) {
  for (const Architecture& architecture : {Architecture::cnn, Architecture::logistic, Architecture::mlp}) {
    std::size_t next = 0;
    for (const Layer& layer : layers(architecture)) {
      EXPECT_EQ(layer.weights_at, next);
      EXPECT_EQ(layer.biases_at, next + layer.weights);
      next = layer.biases_at + layer.biases;
    }
    EXPECT_EQ(next, parameter_count(architecture));
  }
}

TEST(InitialParameters, FollowTheFormulaWordByWord) {
  const random::RunKey key = random::RunKey::from_seed(7);
  const std::vector<float> parameters = initial_parameters(Architecture::cnn, key);
  random::KeyedStream words(key, {random::Purpose::initialize});
  for (const Layer& layer : layers(Architecture::cnn)) {
    const double bound =
        layer.weights == 0 ? 0.0 : kInitialGain * std::sqrt(3.0 / static_cast<double>(layer.fan_in()));
    for (std::size_t w = 0; w < layer.weights; ++w) {
      const double unit = static_cast<double>(words.next_u64() >> 40) / 16777216.0;
      ASSERT_EQ(parameters[layer.weights_at + w], static_cast<float>(bound * (2 * unit - 1)));
    }
    for (std::size_t b = 0; b < layer.biases; ++b) ASSERT_EQ(parameters[layer.biases_at + b], 0.0F);
  }
}

TEST(InitialParameters, DependOnTheKeyAlone) {
  const auto draw = [](std::uint64_t seed) {
    return initial_parameters(Architecture::cnn, random::RunKey::from_seed(seed));
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

}  // namespace
}  // namespace muster::learning
