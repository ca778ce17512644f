// Compares the update with values computed by hand, all of which are exact in single precision.
#include "muster/simulation/server_update.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::simulation {
namespace {

using Vector = std::vector<float>;

TEST(ServerUpdate, PlainStep) {
  ModelState state(Vector{1.0f, -2.0f});
  apply_update({}, 0.5, Vector{4.0f, 2.0f}, state);
  EXPECT_EQ(state.parameters, (Vector{-1.0f, -3.0f}));
  EXPECT_EQ(reported_model({}, state), state.parameters);
}

TEST(ServerUpdate, MomentumAddsUp) {
  // v1 = 1, v2 = 0.5 + 1 = 1.5, v3 = 0.75 - 2 = -1.25; theta = 0 - (1 + 1.5 - 1.25) / 4.
  UpdateRule rule;
  rule.momentum = 0.5;
  ModelState state(Vector{0.0f});
  apply_update(rule, 0.25, Vector{1.0f}, state);
  EXPECT_EQ(state.momentum, Vector{1.0f});
  apply_update(rule, 0.25, Vector{1.0f}, state);
  EXPECT_EQ(state.momentum, Vector{1.5f});
  apply_update(rule, 0.25, Vector{-2.0f}, state);
  EXPECT_EQ(state.momentum, Vector{-1.25f});
  EXPECT_EQ(state.parameters, Vector{-0.3125f});
}

TEST(ServerUpdate, WeightDecayJoinsTheEstimate) {
  // d = 1 + 0.25 * 4 = 2; theta = 4 - 0.5 * 2.
  UpdateRule rule;
  rule.weight_decay = 0.25;
  ModelState state(Vector{4.0f});
  apply_update(rule, 0.5, Vector{1.0f}, state);
  EXPECT_EQ(state.parameters, Vector{3.0f});
}

TEST(ServerUpdate, ProjectionStaysInTheBall) {
  UpdateRule rule;
  rule.projection = 2.5;
  ModelState state(Vector{3.0f, 3.0f});
  apply_update(rule, 1.0, Vector{0.0f, -1.0f}, state);  // (3, 4) has norm 5 and is halved
  EXPECT_EQ(state.parameters, (Vector{1.5f, 2.0f}));
  apply_update(rule, 1.0, Vector{0.5f, 0.5f}, state);  // inside the ball, so unchanged
  EXPECT_EQ(state.parameters, (Vector{1.0f, 1.5f}));
}

TEST(ServerUpdate, TheAverageFollowsAndIsWhatIsReported) {
  // theta: 0 -> -1 -> -2; average: 0 -> -0.25 -> -0.25 + 0.25 * -1.75 = -0.6875.
  UpdateRule rule;
  rule.average = 0.25;
  ModelState state(Vector{0.0f});
  apply_update(rule, 1.0, Vector{1.0f}, state);
  EXPECT_EQ(state.average, Vector{-0.25f});
  apply_update(rule, 1.0, Vector{1.0f}, state);
  EXPECT_EQ(reported_model(rule, state), Vector{-0.6875f});
  EXPECT_EQ(state.parameters, Vector{-2.0f});
}

TEST(ServerUpdate, AllTogetherInTheWrittenOrder) {
  // d = 1 + 0.5 * 2 = 2, v = 2, theta = 2 - 4 * 2 = -6, projected to -3, average 2 + 0.5 * (-5) = -0.5.
  UpdateRule rule{0.5, 0.5, 0.5, 3.0};
  ModelState state(Vector{2.0f});
  apply_update(rule, 4.0, Vector{1.0f}, state);
  EXPECT_EQ(state.parameters, Vector{-3.0f});
  EXPECT_EQ(state.average, Vector{-0.5f});
  // d = 0 + 0.5 * -3 = -1.5, v = 1 - 1.5 = -0.5, theta = -3 + 2 = -1, average -0.5 + 0.5 * (-0.5) = -0.75.
  apply_update(rule, 4.0, Vector{0.0f}, state);
  EXPECT_EQ(state.parameters, Vector{-1.0f});
  EXPECT_EQ(state.average, Vector{-0.75f});
}

TEST(ServerUpdate, AStatisticIsTheRunningMeanOfItsEstimates) {
  UpdateRule rule;
  rule.running_mean = true;
  ModelState state(Vector{9.0f, 9.0f});  // the initial parameters have no effect
  apply_update(rule, 0, Vector{1.0f, -2.0f}, state);
  EXPECT_EQ(state.parameters, (Vector{1.0f, -2.0f}));
  apply_update(rule, 0, Vector{3.0f, 0.0f}, state);
  EXPECT_EQ(state.parameters, (Vector{2.0f, -1.0f}));
  apply_update(rule, 0, Vector{5.0f, 4.0f}, state);
  EXPECT_FLOAT_EQ(state.parameters[0], 3.0f);
  EXPECT_FLOAT_EQ(state.parameters[1], 2.0f / 3);
  EXPECT_EQ(state.updates, 3U);
  EXPECT_EQ(reported_model(rule, state), state.parameters);
}

}  // namespace
}  // namespace muster::simulation
