// Checks that a device's policy accepts a task that just satisfies each of its bounds and refuses, by name,
// one that passes a bound by the last digit.
#include "muster/service/client/policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/model/tasks_test.h"
#include "muster/simulation/setup.h"

namespace muster::service {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The bounds that the deployed plan just satisfies, with an accountant that says 0.589.
Policy tight() {
  return {.max_epsilon = 0.589,
          .max_delta = 1e-5,
          .max_epsilon0 = 2,
          .min_clients = 2048,
          .max_rounds = 1000,
          .allow_seeded = false};
}
double says(const protocols::Plan&, std::uint64_t rounds) { return rounds == 20 ? 0.589 : 1e9; }

void expect_refused(const std::string& key, const std::function<void(Policy&)>& change,
                    const TaskDocument& task = task_of(kDeployedPlan),
                    const EpsilonOfRounds& epsilon = says) {
  Policy policy = tight();
  change(policy);
  SCOPED_TRACE(key);
  const Error error = error_of([&] { check_policy(task, policy, epsilon); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "policy." + key) << error.what();
}

TEST(Policy, AllowsWhatJustSatisfiesIt) {
  EXPECT_NO_THROW(check_policy(task_of(kDeployedPlan), tight(), says));
  Policy anything = tight();
  anything.max_epsilon = anything.max_epsilon0 = kInfinity;
  EXPECT_NO_THROW(check_policy(task_of(kDeployedPlan), anything, says));
}

// A plan whose delta is 0.9 protects nobody, and the accountant truly says that its epsilon is small.
TEST(Policy, ASmallEpsilonAtALargeDeltaIsNoProtection) {
  const TaskDocument task = task_of(kDeployedPlan, {{"privacy.delta", "0.9"}});
  Policy policy = tight();
  EXPECT_LT(charged_epsilon(task.plan(), task.plan().rounds()), policy.max_epsilon);
  expect_refused(
      "max_delta", [](Policy&) {}, task, charged_epsilon);
  policy.max_delta = 0.9;
  EXPECT_NO_THROW(check_policy(task, policy));
}

TEST(Policy, NamesTheBoundThatTheTaskPasses) {
  expect_refused("max_epsilon", [](Policy& p) { p.max_epsilon = std::nextafter(0.589, 0.0); });
  expect_refused("max_epsilon0", [](Policy& p) { p.max_epsilon0 = std::nextafter(2.0, 0.0); });
  expect_refused("max_delta", [](Policy& p) { p.max_delta = std::nextafter(1e-5, 0.0); });
  expect_refused("min_clients", [](Policy& p) { p.min_clients = 2049; });
  expect_refused("max_rounds", [](Policy& p) { p.max_rounds = 999; });
  TaskSettings seeded = task_settings();
  seeded.randomness = Randomness::seeded;
  expect_refused(
      "allow_seeded", [](Policy&) {}, task_of(kDeployedPlan, {}, seeded));
}

TEST(Policy, ABoundOrAnEpsilonThatIsNoNumberRefuses) {
  for (const double bound : {kNan, 0.0, -1.0}) {
    expect_refused("max_epsilon", [&](Policy& p) { p.max_epsilon = bound; });
    expect_refused("max_epsilon0", [&](Policy& p) { p.max_epsilon0 = bound; });
    expect_refused("max_delta", [&](Policy& p) { p.max_delta = bound; });
  }
  expect_refused(
      "max_epsilon", [](Policy&) {}, task_of(kDeployedPlan),
      [](const protocols::Plan&, std::uint64_t) { return kNan; });
}

TEST(Policy, AGaussianMessageHasNoFiniteEpsilonOfItsOwn) {
  const TaskDocument gaussian =
      task_of(kDeployedPlan, {{"randomizer.kind", "gaussian"}, {"randomizer.sigma", "5"}});
  expect_refused(
      "max_epsilon0", [](Policy& p) { p.max_epsilon0 = 1e300; }, gaussian);
  Policy policy = tight();
  policy.max_epsilon0 = kInfinity;
  EXPECT_NO_THROW(check_policy(gaussian, policy, says));
}

TEST(Policy, AsksTheAccountantItself) {
  // The curves of a small population are quick to build.
  const TaskDocument task = task_of(kDeployedPlan, {{"population.clients", "12"}, {"rounds.count", "2"}});
  const double charged = simulation::epsilon_of(task.plan())(2);
  Policy policy = tight();
  policy.min_clients = 12;
  policy.max_epsilon = charged;
  EXPECT_NO_THROW(check_policy(task, policy));
  policy.max_epsilon = std::nextafter(charged, 0.0);
  EXPECT_ERROR(ErrorCode::plan, check_policy(task, policy));
}

}  // namespace
}  // namespace muster::service
