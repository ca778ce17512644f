// Tests that the digits are hard enough: a convolutional network learns them, and a linear model stays well
// behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/models/pretraining.h"

namespace muster::learning {
namespace {

// Returns the best test accuracy after any epoch of minibatch gradient descent without privacy.
double best_accuracy(const Architecture& architecture, const DataSplit& split, std::size_t epochs,
                     double rate) {
  const auto engine = make_engine(architecture);
  auto parameters = initial_parameters(architecture, random::RunKey::from_seed(3));
  double best = 0;
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    descend(*engine, split.train, rate / (1.0 + static_cast<double>(epoch)), parameters);
    best = std::max(best, fraction_right(*engine, parameters, split.test));
  }
  return best;
}

// With 20,000 training and 5,000 test images, the accuracies have a standard error of at most 0.5 %, and the
// margins below are several times as large. The linear model gets three times as many epochs, so it is not
// behind for lack of training.
TEST(DigitsLearning, TheCnnReaches97AndALinearModelStays5PointsLower) {
  const DataSplit split = draw_digits(20000, 5000, 1);
  const double cnn = best_accuracy(Architecture::cnn, split, 4, 0.1);
  const double linear = best_accuracy(Architecture::logistic, split, 12, 0.02);
  std::printf("cnn %.4f, linear %.4f\n", cnn, linear);
  EXPECT_GE(cnn, 0.97);
  EXPECT_LE(linear, cnn - 0.05);
}

}  // namespace
}  // namespace muster::learning
