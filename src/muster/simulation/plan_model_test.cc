// Compares the vectors that a PlanModel computes for lists of clients with the client function, called for
// one client at a time.
#include "muster/simulation/plan_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/simulation/data_source.h"

namespace muster::simulation {
namespace {

using protocols::Plan;

Plan plan_of(const std::string& rounds) {
  return Plan::validate(protocols::PlanSource::from_text(R"(
[population]
clients = 40
data = "digits"
[participation]
protocol = "subset"
subset = 10
[randomizer]
kind = "l2"
epsilon0 = 1
clip = 1
[model]
kind = "logistic"
[privacy]
delta = 1e-5
[rounds]
count = 3
)" + rounds,
                                                         "a.toml"),
                        protocols::Command::train);
}

const char* const kSchedule = "learning_rate = [[1, 0.5], [3, 0.1]]\n";

// Row i is what the client function gives for the record of clients[i]; a client may be listed twice.
TEST(PlanModel, GivesEachClientsVectorInTheOrderAskedFor) {
  const Plan plan = plan_of(kSchedule);
  PlanModel model(plan, 2);
  const learning::DataSplit data = load_data(plan);
  const ModelTask task = make_model_task(plan, data);
  const std::vector<std::uint64_t> clients = {7, 39, 0, 7, 12, 13, 14};
  std::vector<float> rows(clients.size() * model.dimension());
  model.vectors(model.initial(), clients, std::nullopt, rows);
  const auto workspace = task.function->make_workspace();
  std::vector<float> inputs(data.train.shape.size()), expected(model.dimension());
  for (std::size_t i = 0; i < clients.size(); ++i) {
    task.function->evaluate(task.initial, data.train.example(clients[i], inputs), *workspace, expected);
    EXPECT_TRUE(std::ranges::equal(expected, std::span(rows).subspan(i * expected.size(), expected.size())));
  }
}

TEST(PlanModel, LearningRatesCountStepsFromZero) {
  const PlanModel model(plan_of(kSchedule), 1);
  EXPECT_EQ(model.steps(), 3U);
  EXPECT_EQ(model.learning_rate(1), 0.5);
  EXPECT_EQ(model.learning_rate(2), 0.1);
  EXPECT_ERROR(ErrorCode::plan, model.learning_rate(3));
}

TEST(PlanModel, RefusesForeignClientsAndStepsByName) {
  PlanModel model(plan_of(kSchedule), 1);
  std::vector<float> row(model.dimension());
  const auto ask = [&](std::uint64_t client, std::optional<std::uint64_t> step) {
    return error_of([&] { model.vectors(model.initial(), std::vector{client}, step, row); }).code();
  };
  EXPECT_EQ(ask(40, std::nullopt), ErrorCode::plan);
  EXPECT_EQ(ask(1, 3), ErrorCode::plan);
}

TEST(PlanModel, RandomBatchesNeedTheStep) {
  std::string local = kSchedule;
  local += "local_steps = 2\nlocal_rate = 0.1\nlocal_batch = 1\n";
  PlanModel model(plan_of(local), 1);
  std::vector<float> row(model.dimension());
  const std::vector<std::uint64_t> one = {1};
  EXPECT_ERROR(ErrorCode::usage, model.vectors(model.initial(), one, std::nullopt, row));
  model.vectors(model.initial(), one, 0, row);
  EXPECT_TRUE(std::ranges::any_of(row, [](float value) { return value != 0; }));
}

TEST(PlanModel, StopsWhenInterrupted) {
  PlanModel model(plan_of(kSchedule), 1);
  const std::atomic<bool> stop = true;
  std::vector<float> row(model.dimension());
  EXPECT_ERROR(ErrorCode::interrupted,
               model.vectors(model.initial(), std::vector<std::uint64_t>{1}, 0, row, Interrupt(&stop)));
}

}  // namespace
}  // namespace muster::simulation
