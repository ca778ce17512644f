#include "muster/simulation/evaluation.h"

#include <gtest/gtest.h>

#include "muster/core/error.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/statistics/statistics.h"

namespace muster::simulation {
namespace {

// Rows of two features: class 0 has the larger first feature, class 1 the larger second one, except
// in the last row.
learning::Dataset rows() {
  learning::Dataset data;
  data.shape = {1, 1, 2};
  data.classes = 2;
  data.values = {2, 0, 0, 2, 1, 3, 4, 1};
  data.labels = {0, 1, 1, 1};
  return data;
}

TEST(Evaluator, AClassifierIsRightInSoManyCases) {
  const learning::Dataset data = rows();
  const auto engine = learning::make_engine({learning::ArchitectureKind::logistic, data.shape, 2});
  // The logits are the features, so the last row is classified wrongly.
  const std::vector<float> parameters = {1, 0, 0, 1, 0, 0};
  for (const unsigned threads : {1U, 3U}) {
    WorkerTeam team(threads);
    EXPECT_DOUBLE_EQ(make_classifier_evaluator(*engine, data, team)->score(parameters).accuracy, 0.75);
  }
}

TEST(Evaluator, AHistogramIsOneMinusTheTotalVariation) {
  const learning::Dataset data = rows();
  const auto evaluator = make_histogram_evaluator(*learning::make_histogram(data), data);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{0.25F, 0.75F}).accuracy, 1.0);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{0.5F, 0.5F}).accuracy, 0.75);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{-9, 9}).accuracy, 0.0);
}

TEST(Evaluator, AMeanIsOneMinusTheDistanceOverTheDiameter) {
  const learning::Dataset data = rows();  // mean (7/4, 6/4)
  const auto evaluator = make_mean_evaluator(*learning::make_vector_mean(data), data, 10);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{1.75F, 1.5F}).accuracy, 1.0);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{4.75F, 5.5F}).accuracy, 0.5);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{100, 100}).accuracy, 0.0);
}

TEST(Evaluator, NeedsATestExample) {
  learning::Dataset none = rows();
  none.labels.clear();
  WorkerTeam team(1);
  const auto engine = learning::make_engine({learning::ArchitectureKind::logistic, none.shape, 2});
  EXPECT_THROW(make_classifier_evaluator(*engine, none, team), Error);
  EXPECT_THROW(make_histogram_evaluator(*learning::make_histogram(none), none), Error);
  EXPECT_THROW(make_mean_evaluator(*learning::make_vector_mean(none), none, 1), Error);
}

}  // namespace
}  // namespace muster::simulation
