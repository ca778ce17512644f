// Compares one step of descent with the mean of the gradients of its minibatch, and checks that pretraining
// learns and depends on its arguments alone.
#include "muster/learning/models/pretraining.h"

#include <gtest/gtest.h>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/engine.h"

namespace muster::learning {
namespace {

const random::RunKey kKey = random::RunKey::from_seed(4);

TEST(Descend, IsAStepAlongTheMeanGradientOfEachMinibatch) {
  // The last five examples are left out, because they are no complete minibatch.
  const Dataset data = draw_digit_set(DigitSet::open, kMinibatch + 5, 1);
  const auto engine = make_engine(Architecture::logistic);
  const std::vector<float> before = initial_parameters(Architecture::logistic, kKey);
  std::vector<float> after = before;
  descend(*engine, data, 0.5, after);
  std::vector<double> mean(before.size(), 0.0);
  std::vector<float> gradient(before.size()), buffer(kImagePixels);
  const auto room = engine->make_workspace();
  for (std::size_t i = 0; i < kMinibatch; ++i) {
    engine->gradient(before, data.example(i, buffer), *room, gradient);
    for (std::size_t p = 0; p < mean.size(); ++p) mean[p] += static_cast<double>(gradient[p]) / kMinibatch;
  }
  for (std::size_t p = 0; p < mean.size(); ++p) {
    ASSERT_NEAR(after[p], static_cast<double>(before[p]) - 0.5 * mean[p], 1e-5);
  }
}

TEST(Pretrain, LearnsFromTheArgumentsAlone) {
  const Dataset data = draw_digit_set(DigitSet::open, 3000, 1);
  const Dataset others = draw_digit_set(DigitSet::test, 500, 1);
  const std::vector<float> once = pretrain(Architecture::cnn, data, 2, kKey);
  EXPECT_EQ(once, pretrain(Architecture::cnn, data, 2, kKey));
  EXPECT_NE(once, pretrain(Architecture::cnn, data, 2, random::RunKey::from_seed(5)));
  EXPECT_GE(fraction_right(*make_engine(Architecture::cnn), once, others), 0.8);
  // With zero epochs, the result is initial parameters, but not those from which private training starts.
  EXPECT_NE(pretrain(Architecture::cnn, data, 0, kKey), initial_parameters(Architecture::cnn, kKey));
}

TEST(Pretrain, RefusesDataOfAnotherShape) {
  Dataset data = draw_digit_set(DigitSet::open, 40, 1);
  data.classes = 11;
  EXPECT_ERROR(ErrorCode::internal, pretrain(Architecture::cnn, data, 1, kKey));
}

TEST(FeaturesOf, AreRowsWithTheLabelsWhateverTheThreads) {
  const Dataset data = draw_digit_set(DigitSet::train, 101, 1);
  const std::vector<float> parameters = initial_parameters(Architecture::cnn, kKey);
  const Dataset one = features_of(Architecture::cnn, parameters, data, 1);
  EXPECT_EQ(one.shape, (Shape{1, 1, 32}));
  EXPECT_EQ(one.labels, data.labels);
  EXPECT_TRUE(one.bytes.empty());
  EXPECT_EQ(one.values.size(), 101U * 32);
  EXPECT_EQ(features_of(Architecture::cnn, parameters, data, 3).values, one.values);
}

}  // namespace
}  // namespace muster::learning
