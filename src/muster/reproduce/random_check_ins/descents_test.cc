// Tests the convex tasks by brute force, and runs of the protocols where their result is known.
#include "muster/reproduce/random_check_ins/descents.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "muster/random/keyed_stream.h"

namespace muster::reproduce {
namespace {

using Loss = ConvexTask::Loss;

struct Case {
  Loss loss;
  double reach;
};
const std::vector<Case> kCases = {{Loss::absolute, 0.5}, {Loss::quadratic, 0.5}, {Loss::quadratic, 2}};

// The gradient of the population risk, from all eight records in three dimensions.
std::vector<double> mean_gradient(const ConvexTask& task, const std::vector<double>& at) {
  std::vector<double> mean(3, 0.0);
  std::vector<float> record(3), gradient(3);
  for (unsigned bits = 0; bits < 8; ++bits) {
    double probability = 1;
    for (std::size_t j = 0; j < 3; ++j) {
      const bool plus = (bits >> j & 1) != 0;
      record[j] = plus ? 1.0F : -1.0F;
      probability *= plus ? 0.75 : 0.25;
    }
    task.gradient(at, record, gradient);
    for (std::size_t j = 0; j < 3; ++j) mean[j] += probability * static_cast<double>(gradient[j]);
  }
  return mean;
}

TEST(ConvexTask, GradientsAreThoseOfTheRisk) {
  const std::vector<double> at = {0.1, -0.4, 0.45};
  constexpr double kStep = 1e-5;
  for (const Case& each : kCases) {
    const ConvexTask task(each.loss, 3, each.reach);
    const std::vector<double> mean = mean_gradient(task, at);
    for (std::size_t j = 0; j < 3; ++j) {
      std::vector<double> above = at, below = at;
      above[j] += kStep;
      below[j] -= kStep;
      EXPECT_NEAR(mean[j], (task.excess_risk(above) - task.excess_risk(below)) / (2 * kStep), 1e-6);
    }
  }
}

TEST(ConvexTask, IsLipschitzAndItsExcessRiskIsLeastOnTheBallAt0) {
  for (const Case& each : kCases) {
    const ConvexTask task(each.loss, 3, each.reach);
    double least = 1, steepest = 0;
    std::vector<float> gradient(3);
    const std::vector<float> all_minus = {-1, -1, -1};
    constexpr int kGrid = 40;
    for (int x = -kGrid; x <= kGrid; ++x) {
      for (int y = -kGrid; y <= kGrid; ++y) {
        for (int z = -kGrid; z <= kGrid; ++z) {
          std::vector<double> at = {1.0 * x / kGrid, 1.0 * y / kGrid, 1.0 * z / kGrid};
          project_on_ball(at);
          least = std::fmin(least, task.excess_risk(at));
          task.gradient(at, all_minus, gradient);
          steepest = std::fmax(steepest, std::hypot(gradient[0], gradient[1], gradient[2]));
        }
      }
    }
    EXPECT_GE(least, -1e-12);
    EXPECT_LE(least, 0.02);
    EXPECT_LE(steepest, kLipschitz * (1 + 1e-6));
    EXPECT_GE(steepest, 0.99 * kLipschitz);
  }
}

// Of 32,000 signs, 24,000 are expected to be +1, with a standard deviation of 77. A correct count is off by
// more than 400 with a probability of 2e-7. Fair signs, for example, would be off by 8,000.
TEST(ConvexTask, DrawsSignsOfTheStatedLaw) {
  const random::RunKey key = random::RunKey::from_seed(5);
  int plus = 0;
  std::vector<float> record(40);
  for (std::uint64_t client = 0; client < 800; ++client) {
    random::KeyedStream bits(key, {random::Purpose::audit, 0, client});
    ConvexTask::draw(bits, record);
    for (const float sign : record) {
      EXPECT_EQ(std::fabs(sign), 1.0F);
      plus += sign > 0 ? 1 : 0;
    }
  }
  EXPECT_NEAR(plus, 24'000, 400) << "n = 32,000, expected 24,000, observed " << plus;
}

Descent descent_of_test(SlotUpdates updates) {
  Descent descent;
  descent.updates = updates;
  descent.clients = 400;
  descent.slots = 100;
  descent.sigma = 0.01;
  descent.learning_rate = [](double step) { return 1 / std::sqrt(step); };
  return descent;
}

TEST(Descents, ComeNearTheMinimumAndAreAFunctionOfTheSeed) {
  for (const Case& each : kCases) {
    const ConvexTask task(each.loss, 4, each.reach);
    const double start = task.excess_risk(std::vector<double>(4, 0.0));
    for (const SlotUpdates updates : {SlotUpdates::fixed_window, SlotUpdates::averaged}) {
      const Descent descent = descent_of_test(updates);
      EXPECT_LT(mean_excess_risk(task, descent, 5).value, 0.6 * start);
      EXPECT_EQ(excess_risk(task, descent, 3), excess_risk(task, descent, 3));
      EXPECT_NE(excess_risk(task, descent, 3), excess_risk(task, descent, 4));
    }
  }
}

// With a negative learning rate the model moves away from the minimum, to the far side of the ball.
TEST(Descents, AscendWithANegativeRate) {
  const ConvexTask task(Loss::absolute, 4, 0.5);
  Descent descent = descent_of_test(SlotUpdates::fixed_window);
  descent.learning_rate = [](double step) { return -1 / std::sqrt(step); };
  const double start = task.excess_risk(std::vector<double>(4, 0.0));
  EXPECT_GT(mean_excess_risk(task, descent, 5).value, 2 * start);
}

// With one client and many slots, all steps of the fixed window but one are dummies, which are noise alone,
// while averaged updates skip these slots. Noise that hardly changes the model shows the difference: dummies
// move the model by 99 noises of deviation sigma each, and skipped slots do not move it.
TEST(Descents, DummiesAreNoiseAndEmptySlotsAreSkipped) {
  const ConvexTask task(Loss::absolute, 1, 0.5);
  Descent descent = descent_of_test(SlotUpdates::averaged);
  descent.clients = 1;
  descent.sigma = 1e-3;
  // The client's sign is +1 or -1, so one step of 0.25 leads from 0 to 0.25 or -0.25, but for its own noise.
  descent.learning_rate = [](double) { return 0.25; };
  const double plus = task.excess_risk(std::vector<double>{0.25}),
               minus = task.excess_risk(std::vector<double>{-0.25});
  double from_skipped = 0, from_dummies = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const SlotUpdates updates : {SlotUpdates::averaged, SlotUpdates::fixed_window}) {
      descent.updates = updates;
      const double risk = excess_risk(task, descent, seed);
      const double off = std::fmin(std::fabs(risk - plus), std::fabs(risk - minus));
      double& largest = updates == SlotUpdates::averaged ? from_skipped : from_dummies;
      largest = std::fmax(largest, off);
    }
  }
  // The noise of one step moves the model by a normal with standard deviation 0.25e-3, and that of 100 steps
  // by one with ten times this deviation. The risk's slope is at most 1. The largest of 20 normals exceeds
  // 5.5 deviations with a probability of less than 1e-6.
  EXPECT_LT(from_skipped, 5.5 * 0.25e-3);
  EXPECT_GT(from_dummies, 5.5 * 0.25e-3);
}

// The average of the models lags behind the last one while the models approach the minimum.
TEST(Descents, ReleaseTheLastModelOrTheAverage) {
  const ConvexTask task(Loss::quadratic, 4, 2);
  Descent descent = descent_of_test(SlotUpdates::averaged);
  descent.learning_rate = [](double) { return 0.05; };
  const double last = mean_excess_risk(task, descent, 5).value;
  descent.released = Released::average_of_models;
  EXPECT_GT(mean_excess_risk(task, descent, 5).value, 2 * last);
}

}  // namespace
}  // namespace muster::reproduce
