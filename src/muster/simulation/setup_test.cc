// Tests that the randomizer that runs is the one that is charged.
#include "muster/simulation/setup.h"

#include <gtest/gtest.h>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/data/digits.h"
#include "muster/plan/source.h"

namespace muster::simulation {
namespace {

protocols::Plan plan_with(const std::string& randomizer) {
  return protocols::Plan::validate(protocols::PlanSource::from_text(R"(
[population]
clients = 500
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.2
dropout = 0.5
[rounds]
count = 10
learning_rate = 1.0
[model]
kind = "logistic"
[privacy]
delta = 1e-4
[randomizer]
clip = 0.5
)" + randomizer,
                                                                    "test.toml"),
                                   protocols::Command::train);
}

learning::DataSplit few_digits() { return learning::draw_digits(20, 10, 1); }

TEST(Assemble, ChargesTheRandomizerThatRunsAtTheEffectiveRate) {
  const protocols::Plan plan = plan_with("kind = \"ldp-sgd\"\nepsilon0 = 1.5\n");
  const TrainingParts parts = assemble(plan, few_digits());
  EXPECT_TRUE(same_mechanism(parts.randomizer->description(), plan.mechanism()));
  EXPECT_EQ(parts.randomizer->dimension(), parts.task.function->dimension());
  EXPECT_EQ(parts.task.initial.size(), parts.task.function->dimension());
  const accounting::Accountant accountant(
      plan.mechanism(), accounting::ShuffledCheckIn{ClientCount::of(500), Rate::effective(0.2, 0.5)});
  EXPECT_EQ(parts.epsilon(10), accountant.epsilon_upper(10, Delta::of(1e-4)));
  EXPECT_EQ(parts.epsilon(0), 0.0);
}

TEST(Assemble, EveryRandomizerOfVectorsRunsAsItIsCharged) {
  for (const char* kind : {"ldp-sgd", "l1", "l2", "linf"}) {
    const protocols::Plan plan = plan_with(std::string("kind = \"") + kind + "\"\nepsilon0 = 1.5\n");
    EXPECT_TRUE(same_mechanism(assemble(plan, few_digits()).randomizer->description(), plan.mechanism()))
        << kind;
  }
  const protocols::Plan plan = plan_with("kind = \"gaussian\"\nsigma = 3\n");
  EXPECT_TRUE(same_mechanism(assemble(plan, few_digits()).randomizer->description(), plan.mechanism()));
}

TEST(Assemble, SumsAreForGaussianAndKRandomizedResponseAlone) {
  const protocols::Plan gaussian = plan_with("kind = \"gaussian\"\nsigma = 3\n");
  EXPECT_EQ(assemble(gaussian, few_digits()).fidelity(), Fidelity::message);
  EXPECT_EQ(assemble(gaussian, few_digits(), Accounting::charged, Fidelity::sum).fidelity(), Fidelity::sum);
  for (const char* kind : {"ldp-sgd", "l1", "l2", "linf"}) {
    const protocols::Plan plan = plan_with(std::string("kind = \"") + kind + "\"\nepsilon0 = 1.5\n");
    EXPECT_NO_THROW(check_fidelity(plan, Fidelity::message));
    SCOPED_TRACE(kind);
    const Error error = error_of([&] { assemble(plan, few_digits(), Accounting::elsewhere, Fidelity::sum); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_EQ(error.key(), "--fidelity");
    EXPECT_NE(std::string(error.what()).find(kind), std::string::npos);
    EXPECT_NE(error.allowed().find("gaussian | k-rr"), std::string::npos);
  }
  EXPECT_EQ(fidelity_named("sum"), Fidelity::sum);
  EXPECT_ERROR(ErrorCode::usage, fidelity_named("exact"));
}

TEST(SameMechanism, ComparesKindAndParameters) {
  using namespace accounting;
  EXPECT_TRUE(same_mechanism(LdpSgdLocal{2.0}, LdpSgdLocal{2.0}));
  EXPECT_TRUE(same_mechanism(GaussianLocal{5.0}, GaussianLocal{5.0}));
  EXPECT_FALSE(same_mechanism(LdpSgdLocal{2.0}, LdpSgdLocal{2.0000001}));
  EXPECT_FALSE(same_mechanism(GaussianLocal{5.0}, GaussianLocal{4.0}));
  EXPECT_FALSE(same_mechanism(LdpSgdLocal{2.0}, PureLocal{2.0}));
  using Norm = CoordinateLocal::Norm;
  EXPECT_TRUE(same_mechanism(CoordinateLocal{Norm::l2, 2.0}, CoordinateLocal{Norm::l2, 2.0}));
  EXPECT_FALSE(same_mechanism(CoordinateLocal{Norm::l2, 2.0}, CoordinateLocal{Norm::l1, 2.0}));
  EXPECT_FALSE(same_mechanism(CoordinateLocal{Norm::l2, 2.0}, LdpSgdLocal{2.0}));
  EXPECT_FALSE(same_mechanism(KRandomizedResponse{2.0, 4}, KRandomizedResponse{2.0, 5}));
}

}  // namespace
}  // namespace muster::simulation
