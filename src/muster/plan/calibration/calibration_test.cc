// Tests that calibration is the inverse of accounting: the value that it returns meets the target, and the
// next value misses it.
#include "muster/plan/calibration/calibration.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/numerics/roots/boundary.h"
#include "muster/plan/calibration/round_variance.h"
#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

using Keys = std::map<std::string, std::string>;

// A plan of one round, for which the accountant answers in milliseconds because nothing is composed.
const Keys kBase = {{"population.clients", "20000"}, {"participation.protocol", "shuffled-check-in"},
                    {"participation.rate", "0.1"},   {"randomizer.kind", "pure"},
                    {"randomizer.epsilon0", "2"},    {"rounds.count", "1"}};

Plan plan_for(Knob knob, const Keys& changes) {
  Keys keys = kBase;
  for (const auto& [key, text] : changes) {
    keys[key] = text;
  }
  PlanSource source;
  for (const auto& [key, text] : keys) {
    const auto solved = keys_solved_by(knob);
    if (!text.empty() && std::ranges::find(solved, key) == solved.end()) {
      source.override_key(key, text);
    }
  }
  return Plan::validate(source, Command::calibrate, keys_solved_by(knob));
}

double epsilon_of(const Plan& plan, double delta) {
  return accounting::Accountant(plan.mechanism(), plan.participation())
      .upper(plan.rounds(), {accounting::Question::Kind::epsilon_at_delta, delta})
      .value_or(std::numeric_limits<double>::infinity());
}

// Returns the next value after `value` in the direction that misses the target.
double beyond(Knob knob, double value) {
  const numerics::Lattice lattice = numerics::six_digit_numbers();
  switch (knob) {
    case Knob::rounds:
      return value + 1;
    case Knob::clients:
    case Knob::minimum:
      return value - 1;
    case Knob::sigma:
      return lattice.value(lattice.index(value) - 1);
    default:
      return lattice.value(lattice.index(value) + 1);
  }
}

Plan with(const Plan& plan, Knob knob, double value) {
  return plan.with(keys_solved_by(knob).front(), fmt::format("{}", value));
}

void expect_inverse(Knob knob, const Target& target, const Keys& changes) {
  const Calibration found = calibrate(plan_for(knob, changes), knob, target);
  ASSERT_LE(*found.statement.best.upper, target.epsilon) << name_of(knob);
  EXPECT_LE(epsilon_of(found.plan, target.delta), target.epsilon) << name_of(knob);
  EXPECT_FALSE(found.at_end);
  const Plan worse = with(found.plan, knob, beyond(knob, found.value));
  EXPECT_GT(epsilon_of(worse, target.delta), target.epsilon) << name_of(knob) << " " << found.value;
}

TEST(Calibration, MeetsTheTargetAndTheNextValueMissesIt) {
  const Target target{.epsilon = 0.03, .delta = 1e-6, .view = {}};
  expect_inverse(Knob::epsilon0, target, {});
  expect_inverse(Knob::rate, target, {});
  expect_inverse(Knob::clients, target, {});
  expect_inverse(Knob::rounds, {.epsilon = 0.2, .delta = 1e-6, .view = {}}, {});
}

TEST(Calibration, EveryRandomizer) {
  const Target target{.epsilon = 0.03, .delta = 1e-6, .view = {}};
  for (const char* kind : {"ldp-sgd", "linf", "laplace"}) {
    expect_inverse(Knob::epsilon0, target, {{"randomizer.kind", kind}});
  }
  expect_inverse(Knob::epsilon0, target, {{"randomizer.kind", "k-rr"}, {"randomizer.k", "4"}});
  expect_inverse(Knob::sigma, {.epsilon = 0.01, .delta = 1e-6, .view = {}},
                 {{"randomizer.kind", "gaussian"}, {"randomizer.epsilon0", ""}});
}

TEST(Calibration, HeavyTails) {
  expect_inverse(Knob::sigma, {.epsilon = 1, .delta = 1e-5, .view = {}},
                 {{"randomizer.kind", "gaussian"}, {"randomizer.epsilon0", ""}});
}

// The search starts with a rough upper bound, which uses a coarse table of the privacy curve. The full bound
// must still meet the target, for every knob.
TEST(Calibration, ComposedRounds) {
  const Target target{.epsilon = 0.5, .delta = 1e-6, .view = {}};
  const Keys hundred = {{"rounds.count", "100"}, {"population.clients", "2000"}};
  for (const Knob knob : {Knob::epsilon0, Knob::rate, Knob::clients}) {
    expect_inverse(knob, target, hundred);
  }
  expect_inverse(Knob::sigma, target,
                 {{"randomizer.kind", "gaussian"}, {"randomizer.epsilon0", ""}, {"rounds.count", "4000"}});
}

// For two clients, the rough formula of rough_epsilon.h finds no amplification. But no message costs more
// than its local guarantee, epsilon0 = 1, so the rate 1 meets the target.
TEST(Calibration, ARateOfOneIsJudgedByItsBound) {
  for (const char* clients : {"2", "20"}) {
    const Calibration found =
        calibrate(plan_for(Knob::rate, {{"population.clients", clients}, {"randomizer.epsilon0", "1"}}),
                  Knob::rate, {.epsilon = 1, .delta = 1e-6, .view = {}});
    EXPECT_EQ(found.value, 1) << clients;
    EXPECT_LE(*found.statement.best.upper, 1);
  }
}

TEST(Calibration, OtherProtocols) {
  const Target target{.epsilon = 0.05, .delta = 1e-6, .view = {}};
  expect_inverse(
      Knob::epsilon0, target,
      {{"participation.protocol", "subset"}, {"participation.rate", ""}, {"participation.subset", "500"}});
  expect_inverse(Knob::epsilon0, target,
                 {{"participation.protocol", "random-check-in-averaged"}, {"participation.slots", "20"}});
}

TEST(Calibration, ExtremeTargets) {
  expect_inverse(Knob::epsilon0, {.epsilon = 5, .delta = 1e-12, .view = {}}, {});
  expect_inverse(Knob::rounds, {.epsilon = 30, .delta = 1e-6, .view = {}}, {{"population.clients", "1"}});
  expect_inverse(Knob::clients, {.epsilon = 1e-4, .delta = 1e-9, .view = {}}, {});
}

// For such large epsilons, the rough formula would guess fewer clients than the subset has.
TEST(Calibration, ThereAreNeverFewerClientsThanASubset) {
  for (const double epsilon : {1.0, 300.0}) {
    const Calibration found = calibrate(plan_for(Knob::clients, {{"participation.protocol", "subset"},
                                                                 {"participation.rate", ""},
                                                                 {"participation.subset", "5"}}),
                                        Knob::clients, {.epsilon = epsilon, .delta = 1e-6, .view = {}});
    EXPECT_LE(*found.statement.best.upper, epsilon);
    EXPECT_GE(found.value, 5);
  }
}

TEST(Calibration, AnotherView) {
  const Target target{.epsilon = 4, .delta = 1e-6, .view = accounting::View::shuffler_colludes};
  const Calibration found = calibrate(plan_for(Knob::rounds, {}), Knob::rounds, target);
  EXPECT_EQ(found.statement.best.view, accounting::View::shuffler_colludes);
  EXPECT_LE(*found.statement.best.upper, 4);
  EXPECT_LT(found.value, 1000);
}

TEST(Calibration, WhatNothingReachesIsRefusedWithTheNearest) {
  const Target target{.epsilon = 1e-5, .delta = 1e-12, .view = {}};
  const Error error =
      error_of([&] { static_cast<void>(calibrate(plan_for(Knob::rounds, {}), Knob::rounds, target)); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "--epsilon");
  EXPECT_EQ(error.value(), "1e-05");
  EXPECT_THAT(error.what(), testing::HasSubstr("out of reach: even rounds = 1 costs epsilon "));
}

TEST(Calibration, TheEndOfTheRangeIsSaidToBeOne) {
  const Calibration found = calibrate(plan_for(Knob::epsilon0, {{"rounds.count", "1"}}), Knob::epsilon0,
                                      {.epsilon = 1e5, .delta = 1e-6, .view = {}});
  EXPECT_TRUE(found.at_end);
  EXPECT_EQ(found.value, 100);
}

TEST(Calibration, KnobsThatDoNotApplyAreRefused) {
  const Target target{.epsilon = 1, .delta = 1e-6, .view = {}};
  EXPECT_THAT(
      error_of([&] { static_cast<void>(calibrate(plan_for(Knob::sigma, {}), Knob::sigma, target)); }).what(),
      testing::HasSubstr(
          "randomizer.sigma does not apply to protocol shuffled-check-in with randomizer pure"));
  EXPECT_EQ(error_of([&] {
              static_cast<void>(calibrate(plan_for(Knob::minimum, {}), Knob::minimum, target));
            }).key(),
            "--for");
  EXPECT_EQ(error_of([&] {
              static_cast<void>(calibrate(plan_for(Knob::accuracy, {}), Knob::accuracy, target));
            }).key(),
            "randomizer.kind");
  EXPECT_EQ(error_of([&] {
              static_cast<void>(calibrate(plan_for(Knob::accuracy, {{"participation.protocol", "shuffle"},
                                                                    {"randomizer.kind", "laplace"}}),
                                          Knob::accuracy, target));
            }).key(),
            "participation.protocol");
  for (const double epsilon : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_EQ(error_of([&] {
                static_cast<void>(calibrate(plan_for(Knob::rounds, {}), Knob::rounds,
                                            {.epsilon = epsilon, .delta = 1e-6, .view = {}}));
              }).key(),
              "--epsilon");
  }
}

TEST(Calibration, KnobsAreNamed) {
  EXPECT_EQ(knob_named("sigma"), Knob::sigma);
  EXPECT_THAT(error_of([] { knob_named("epsilon"); }).what(), testing::HasSubstr("did you mean epsilon0?"));
  EXPECT_EQ(error_of([] { knob_named(""); }).allowed(), knob_names());
}

// At every rate of a grid, the noise that meets the same target gives a variance that is at most one per cent
// below the variance of the chosen pair of rate and noise.
TEST(Calibration, AccuracyIsTheLeastVarianceOfAGrid) {
  const Target target{.epsilon = 0.05, .delta = 1e-6, .view = {}};
  for (const Keys& changes : {Keys{{"randomizer.kind", "laplace"}},
                              Keys{{"randomizer.kind", "gaussian"}, {"randomizer.epsilon0", ""}}}) {
    const Calibration best = calibrate(plan_for(Knob::accuracy, changes), Knob::accuracy, target);
    ASSERT_LE(*best.statement.best.upper, target.epsilon);
    EXPECT_EQ(*best.variance, round_variance(best.plan.values()));
    const Knob noise = best.plan.sigma() ? Knob::sigma : Knob::epsilon0;
    for (const double rate : {0.03, 0.5, 0.95, 0.997}) {
      const Calibration other = calibrate(with(best.plan, Knob::rate, rate), noise, target);
      EXPECT_GT(round_variance(other.plan.values()), 0.99 * *best.variance) << rate;
    }
  }
}

}  // namespace
}  // namespace muster::protocols
