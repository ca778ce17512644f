// Compares each statistic with values computed by hand for two small images and three rows.
#include "muster/learning/statistics/statistics.h"

#include <gtest/gtest.h>

namespace muster::learning {
namespace {

Dataset two_images() {
  Dataset data;
  data.shape = {1, 2, 3};
  data.classes = 4;
  data.normalisation = Normalisation(kCifar);
  data.bytes = {0, 51, 102, 153, 204, 255, 255, 255, 255, 255, 255, 255};
  data.labels = {3, 1};
  return data;
}

Dataset three_rows() {
  Dataset data;
  data.shape = {1, 1, 2};
  data.classes = 3;
  data.values = {0.25F, 7, 0.5F, 8, -2, 9};
  data.labels = {0, 2, 2};
  return data;
}

TEST(VectorMean, IsTheInputs) {
  const Dataset rows = three_rows();
  const auto function = make_vector_mean(rows);
  EXPECT_EQ(function->dimension(), 2U);
  EXPECT_EQ(mean_over(*function, rows), (std::vector<double>{-1.25 / 3, 8}));
}

TEST(ScalarMean, IsTheMeanPixelOfAnImageAndTheFirstFeatureOfARow) {
  const Dataset images = two_images();
  const auto pixel = make_scalar_mean(images);
  std::vector<float> buffer(6), value(1);
  const auto room = pixel->make_workspace();
  pixel->evaluate({}, images.example(0, buffer), *room, value);
  EXPECT_NEAR(value[0], 0.5, 1e-6);  // (0 + 0.2 + ... + 1) / 6
  pixel->evaluate({}, images.example(1, buffer), *room, value);
  EXPECT_NEAR(value[0], 1, 1e-6);
  const Dataset rows = three_rows();
  const auto first = make_scalar_mean(rows);
  EXPECT_EQ(first->dimension(), 1U);
  first->evaluate({}, rows.example(2, buffer), *first->make_workspace(), value);
  EXPECT_EQ(value[0], -2);
}

TEST(Histogram, IsTheIndicatorOfTheClass) {
  const Dataset rows = three_rows();
  const auto function = make_histogram(rows);
  std::vector<float> buffer(2), value(3, 9.0F);
  function->evaluate({}, rows.example(1, buffer), *function->make_workspace(), value);
  EXPECT_EQ(value, (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(mean_over(*function, rows), (std::vector<double>{1.0 / 3, 0, 2.0 / 3}));
}

}  // namespace
}  // namespace muster::learning
