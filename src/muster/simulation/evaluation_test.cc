// Compares accuracies and losses of four rows with values computed by hand, and checks that they do not
// depend on the number of threads.
#include "muster/simulation/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "muster/learning/gradients/engine.h"
#include "muster/learning/statistics/statistics.h"

namespace muster::simulation {
namespace {

// Returns four rows of two features. In rows of class 0 the first feature is larger, and in rows of class 1
// the second, except in the last row.
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

// With two classes, the loss of a row is ln(1 + e^(b - a)) if the logit of its label is a and the other logit
// is b. With these parameters the logits are the features, so b - a is -2 in three rows and 3 in the last.
TEST(Evaluator, TheLossIsTheMeanCrossEntropy) {
  const learning::Dataset data = rows();
  const auto engine = learning::make_engine({learning::ArchitectureKind::logistic, data.shape, 2});
  const std::vector<float> parameters = {1, 0, 0, 1, 0, 0};
  WorkerTeam team(1);
  const double sure = std::log1p(std::exp(-2.0)), wrong = std::log1p(std::exp(3.0));
  EXPECT_NEAR(make_classifier_evaluator(*engine, data, team)->score(parameters).loss.value(),
              (3 * sure + wrong) / 4, 1e-6);
}

// The losses differ so much in size that adding them up in another order would change the sum. There are more
// batches than workers.
TEST(Evaluator, TheLossDoesNotDependOnTheNumberOfThreads) {
  learning::Dataset data = rows();
  data.values.clear();
  data.labels.clear();
  for (std::size_t i = 0; i < 5000; ++i) {
    data.values.push_back(std::pow(10.0F, static_cast<float>(i % 13) - 6));
    data.values.push_back(0.1F * static_cast<float>(i % 7));
    data.labels.push_back(i % 3 == 0 ? 1 : 0);
  }
  const auto engine = learning::make_engine({learning::ArchitectureKind::logistic, data.shape, 2});
  const std::vector<float> parameters = {1, 0.5, 0.25, 1, 0, 0};
  std::vector<double> losses;
  for (const unsigned threads : {1U, 2U, 5U}) {
    WorkerTeam team(threads);
    const auto evaluator = make_classifier_evaluator(*engine, data, team);
    for (int again = 0; again < 5; ++again) losses.push_back(evaluator->score(parameters).loss.value());
  }
  EXPECT_EQ(losses, std::vector<double>(losses.size(), losses.front()));
}

TEST(Evaluator, ALossThatOverflowsIsInfinite) {
  const learning::Dataset data = rows();
  const auto engine = learning::make_engine({learning::ArchitectureKind::logistic, data.shape, 2});
  const std::vector<float> parameters = {3e38F, 0, 3e38F, 0, 3e38F, 0};
  WorkerTeam team(1);
  EXPECT_EQ(make_classifier_evaluator(*engine, data, team)->score(parameters).loss,
            std::numeric_limits<double>::infinity());
}

TEST(Evaluator, StatisticsHaveNoLoss) {
  const learning::Dataset data = rows();
  EXPECT_EQ(make_histogram_evaluator(*learning::make_histogram(data), data)
                ->score(std::vector<float>{0.25F, 0.75F})
                .loss,
            std::nullopt);
  EXPECT_EQ(
      make_mean_evaluator(*learning::make_vector_mean(data), data, 10)->score(std::vector<float>{1, 1}).loss,
      std::nullopt);
}

TEST(Evaluator, AHistogramIsOneMinusTheTotalVariation) {
  const learning::Dataset data = rows();
  const auto evaluator = make_histogram_evaluator(*learning::make_histogram(data), data);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{0.25F, 0.75F}).accuracy, 1.0);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{0.5F, 0.5F}).accuracy, 0.75);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{-9, 9}).accuracy, 0.0);
}

TEST(Evaluator, AMeanIsOneMinusTheDistanceOverTheDiameter) {
  const learning::Dataset data = rows();  // the rows have mean (7/4, 6/4)
  const auto evaluator = make_mean_evaluator(*learning::make_vector_mean(data), data, 10);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{1.75F, 1.5F}).accuracy, 1.0);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{4.75F, 5.5F}).accuracy, 0.5);
  EXPECT_DOUBLE_EQ(evaluator->score(std::vector<float>{100, 100}).accuracy, 0.0);
}

}  // namespace
}  // namespace muster::simulation
