// Tests that the plans of plans/papers can be trained, and that they state what the papers' texts state.
#include "muster/reproduce/paper_plans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/plan.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/recipes.h"
#include "muster/reproduce/shuffled_check_in/federated.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/workload.h"

namespace muster::reproduce {
namespace {

using protocols::Plan;

Plan plan_of(const std::string& name) { return Plan::validate(paper_plan(name), protocols::Command::train); }

// A number that a paper's text states. The default value stands for no number, with which nothing is
// compared.
struct Number {
  const char* statement = nullptr;
  std::size_t index = 0;
};

void expect_stated(const std::optional<double>& value, const Number& number, const std::string& plan) {
  if (number.statement == nullptr) return;
  ASSERT_TRUE(value.has_value()) << plan << ", " << number.statement;
  EXPECT_EQ(*value, number_of(number.statement, number.index)) << plan << ", " << number.statement;
}

TEST(PaperPlans, AreValidAndHaveTheNamesOfTheirFiles) {
  const std::vector<std::string> names = paper_plan_names();
  EXPECT_GE(names.size(), 4U);
  for (const std::string& name : names) {
    const Plan plan = plan_of(name);
    EXPECT_EQ(plan.name(), name);
    EXPECT_EQ(plan.data(), name == "003-cifar" ? "cifar:cifar-10-batches-bin" : "digits") << name;
    EXPECT_FALSE(plan.budget().has_value()) << name;  // a budget would end some runs early
    EXPECT_NO_THROW(simulation::refuse_too_costly(plan, simulation::resources_here(1))) << name;
  }
  EXPECT_ERROR(ErrorCode::internal, paper_plan("nothing"));
}

// The numbers that a paper's text states and that the plan must have.
struct Stated {
  const char* plan;
  Number clients, rate, epsilon0, clip, sigma, rounds;
};

std::vector<Stated> stated_by_first_papers() {
  return {
      {.plan = "000-ldp-sgd",
       .clients = {"000-ldp-sgd-clients"},
       .rate = {"000-ldp-sgd-rate"},
       .epsilon0 = {"000-ldp-sgd-epsilon0"},
       .clip = {"000-ldp-sgd-clip"},
       .sigma = {},
       .rounds = {"000-figure-3a-rounds"}},
      {.plan = "000-federated-dp-sgd",
       .clients = {"000-federated-first", 1},
       .rate = {"000-federated-first", 2},
       .epsilon0 = {},
       .clip = {"000-federated-first", 3},
       .sigma = {},
       .rounds = {"000-federated-first-rounds"}},
      {.plan = "000-ten-million",
       .clients = {"000-figure-4-parameters", 1},
       .rate = {"000-figure-4-parameters", 2},
       .epsilon0 = {},
       .clip = {"000-figure-4-parameters", 3},
       .sigma = {},
       .rounds = {"000-figure-4-accuracy", 1}},
      {.plan = "001-shuffle-gaussian",
       .clients = {"001-figure-1b-users"},
       .rate = {"001-figure-1b-noise", 0},
       .epsilon0 = {},
       .clip = {"001-figure-1b-noise", 1},
       .sigma = {"001-figure-1b-noise", 2},
       .rounds = {"001-figure-1b-rounds"}},
  };
}

std::vector<Stated> stated_by_later_papers() {
  return {
      {.plan = "003-distributed",
       .clients = {},
       .rate = {"003-figure-4-parameters", 0},
       .epsilon0 = {},
       .clip = {"003-figure-4-parameters", 1},
       .sigma = {"003-figure-4-parameters", 2},
       .rounds = {}},
      {.plan = "003-varying-rates",
       .clients = {"003-ldp-sgd-clients"},
       .rate = {"003-ldp-sgd-parameters", 0},
       .epsilon0 = {"003-ldp-sgd-parameters", 1},
       .clip = {"003-ldp-sgd-parameters", 2},
       .sigma = {},
       .rounds = {}},
      {.plan = "004-cldp-sgd",
       .clients = {"004-figure-3-clients"},
       .rate = {},
       .epsilon0 = {"004-figure-3-clip", 1},
       .clip = {"004-figure-3-clip", 0},
       .sigma = {},
       .rounds = {}},
  };
}

TEST(PaperPlans, StateWhatTheTextsState) {
  std::vector<Stated> all = stated_by_first_papers();
  for (const Stated& stated : stated_by_later_papers()) all.push_back(stated);
  for (const Stated& stated : all) {
    const Plan plan = plan_of(stated.plan);
    expect_stated(static_cast<double>(plan.clients()), stated.clients, stated.plan);
    expect_stated(plan.rate(), stated.rate, stated.plan);
    expect_stated(plan.epsilon0(), stated.epsilon0, stated.plan);
    expect_stated(plan.clip(), stated.clip, stated.plan);
    expect_stated(plan.sigma(), stated.sigma, stated.plan);
    expect_stated(static_cast<double>(plan.rounds()), stated.rounds, stated.plan);
  }
}

TEST(PaperPlans, CldpSgdHasTheEpochsAndLearningRatesOfItsText) {
  const Plan plan = plan_of("004-cldp-sgd");
  EXPECT_EQ(static_cast<double>(plan.subset()), number_of("004-figure-3-subset"));
  EXPECT_EQ(plan.delta(), number_of("004-figure-3-run", 0));
  const std::uint64_t rounds_an_epoch = plan.clients() / plan.subset();
  EXPECT_EQ(static_cast<double>(plan.rounds()),
            number_of("004-figure-3-run", 1) * static_cast<double>(rounds_an_epoch));
  const auto& rates = numbers_of("004-figure-3-learning-rate");  // the rate, its epochs, the rate after them
  const std::uint64_t last = rounds_an_epoch * static_cast<std::uint64_t>(rates.at(1));
  EXPECT_EQ(plan.learning_rate()->at(1), rates.at(0));
  EXPECT_EQ(plan.learning_rate()->at(last), rates.at(0));
  EXPECT_EQ(plan.learning_rate()->at(last + 1), rates.at(2));
}

// Sigma is the least number of six digits for which a message is (epsilon0, n^-1.5)-LDP at distance 2 clip.
TEST(PaperPlans, HaveTheNoiseOfTheStatedEpsilon0) {
  for (const auto& [plan, statement] : {std::pair{"000-federated-dp-sgd", "000-federated-first"},
                                        std::pair{"000-ten-million", "000-figure-4-parameters"}}) {
    EXPECT_DOUBLE_EQ(plan_of(plan).sigma().value(), federated_of(statement).noise_multiplier(2)) << plan;
  }
}

TEST(Recipes, NeedEitherNoTrainingOrPlansThatExist) {
  for (const Recipe& recipe : recipes()) {
    EXPECT_NE(recipe.compute == nullptr, recipe.train == nullptr) << recipe.id;
    EXPECT_EQ(recipe.trainings == nullptr, recipe.train == nullptr) << recipe.id;
    EXPECT_EQ(figure_text(recipe.id).trains, recipe.train != nullptr) << recipe.id;
    if (recipe.trainings == nullptr) continue;
    EXPECT_FALSE(recipe.trainings().empty()) << recipe.id;
    for (const Training& training : recipe.trainings()) {
      protocols::PlanSource source = paper_plan(training.plan);
      for (const auto& [key, value] : training.set) source.override_key(key, value);
      EXPECT_NO_THROW(static_cast<void>(Plan::validate(source, protocols::Command::train)))
          << training.name();
    }
  }
}

}  // namespace
}  // namespace muster::reproduce
