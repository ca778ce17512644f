// Lists plans that can be deployed, and one plan for each reason why a plan cannot be: it must be refused
// with the key that is to blame.
#include "muster/service/task/deployable.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/task/plans_test.h"

namespace muster::service {
namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;

protocols::Plan plan_with(const Overrides& overrides) {
  protocols::PlanSource source = protocols::PlanSource::from_text(kDeployedPlan, "deployed.toml");
  for (const auto& [key, value] : overrides) source.override_key(key, value);
  return protocols::Plan::validate(source, protocols::Command::train);
}

TEST(Deployable, ShuffledCheckInsWithEveryRandomizerAndModel) {
  EXPECT_NO_THROW(refuse_undeployed(deployed_plan()));
  EXPECT_NO_THROW(refuse_undeployed(plan_with({{"participation.rate", "1"}})));
  for (const std::string kind : {"l1", "l2", "linf"}) {
    EXPECT_NO_THROW(refuse_undeployed(plan_with({{"randomizer.kind", kind}}))) << kind;
  }
  EXPECT_NO_THROW(refuse_undeployed(plan_with({{"randomizer.kind", "gaussian"}, {"randomizer.sigma", "5"}})));
  for (const std::string model : {"cnn", "logistic", "mlp"}) {
    EXPECT_NO_THROW(refuse_undeployed(plan_with({{"model.kind", model}}))) << model;
  }
}

TEST(Deployable, StatisticsToo) {
  const std::string start =
      "[population]\nclients = 2048\ndata = \"digits\"\n[participation]\nprotocol = \"shuffled-check-in\"\n"
      "rate = 0.5\n[rounds]\ncount = 1\n[privacy]\ndelta = 1e-5\n";
  for (const std::string rest :
       {"[model]\nkind = \"mean\"\n[randomizer]\nkind = \"laplace\"\nepsilon0 = 2\nclip = 1\n",
        "[model]\nkind = \"mean\"\n[randomizer]\nkind = \"ldp-sgd\"\nepsilon0 = 2\nclip = 1\n",
        "[model]\nkind = \"histogram\"\n[randomizer]\nkind = \"k-rr\"\nepsilon0 = 2\nk = 10\n"}) {
    const auto source = protocols::PlanSource::from_text(start + rest, "statistic.toml");
    EXPECT_NO_THROW(refuse_undeployed(protocols::Plan::validate(source, protocols::Command::train))) << rest;
  }
}

void expect_refused(const Overrides& overrides, const std::string& key, const std::string& word) {
  const protocols::Plan plan = plan_with(overrides);
  SCOPED_TRACE(key);
  const Error error = error_of([&] { refuse_undeployed(plan); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.reason(), Reason::inapplicable);
  EXPECT_EQ(error.key(), key);
  EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
}

TEST(Deployable, EverythingElseIsRefusedByName) {
  const std::string protocol = "participation.protocol";
  expect_refused({{protocol, "shuffle"}}, protocol, "participation.rate = 1");
  expect_refused({{protocol, "subset"}, {"participation.subset", "100"}}, protocol, "other than the device");
  for (const std::string slots :
       {"random-check-in-fixed", "random-check-in-averaged", "random-check-in-sliding"}) {
    expect_refused({{protocol, slots}, {"participation.slots", "10"}}, protocol, "other than the device");
  }
  expect_refused(
      {{protocol, "aggregated-check-in"}, {"randomizer.kind", "gaussian"}, {"randomizer.sigma", "5"}},
      protocol, "secure aggregation");
  expect_refused({{"participation.rate", "0.1:0.5"}}, "participation.rate", "one rate");
  expect_refused({{"participation.dropout", "0.1"}}, "participation.dropout", "every device");
  expect_refused({{"population.records", "4"}}, "population.records", "one record");
  expect_refused({{"population.data", "cifar:images"}}, "population.data", "which of the two");
  expect_refused({{"population.partition", "shuffled"}}, "population.partition", "nobody deals");
  expect_refused({{"population.share", "true"}}, "population.share", "share none");
  expect_refused({{"rounds.local_steps", "5"}, {"rounds.local_rate", "0.1"}, {"population.records", "1"}},
                 "rounds.local_steps", "one gradient");
  expect_refused({{"rounds.count", "0"}}, "rounds.count", "learns nothing");
}

}  // namespace
}  // namespace muster::service
