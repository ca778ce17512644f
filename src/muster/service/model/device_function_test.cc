// Compares the vectors that devices compute from what they download and from their own records, bit by bit,
// with those of the simulation of the whole population.
#include "muster/service/model/device_function.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/model/device_records.h"
#include "muster/service/model/model_blob.h"
#include "muster/service/model/tasks_test.h"
#include "muster/simulation/client_update.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/population.h"

namespace muster::service {
namespace {

// Returns parameters of which six in seven differ from the initial ones, as after a server's step.
std::vector<float> moved(std::vector<float> parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] += 0.01F * static_cast<float>(i % 7);
  return parameters;
}

// Compares what every device computes from the round's blobs and its own record with what the simulation of
// the whole population computes for the client of the same number.
void expect_the_simulations_vectors(const TaskDocument& task, const std::string& own_data) {
  const protocols::Plan& plan = task.plan();
  const learning::DataSplit data = simulation::load_data(plan);
  const simulation::ModelTask whole = simulation::make_model_task(plan, data);
  const std::vector<float> parameters = moved(whole.initial);
  const simulation::Population population(simulation::holdings_of(plan), whole.inputs(data).train,
                                          random::RunKey::from_seed(plan.seed()));
  const simulation::ClientUpdate update(*whole.function, population.data(), simulation::local_sgd_of(plan));
  const auto workspace = update.make_workspace();

  const auto model = decode_model(encode_model(parameters), dimension_of(task));
  ASSERT_TRUE(model);
  const DeviceFunction function(task,
                                whole.frozen ? decode_frozen(encode_frozen(*whole.frozen)) : std::nullopt);
  ASSERT_EQ(function.dimension(), whole.function->dimension());
  const DeviceRecords records(task, own_data);
  std::vector<float> expected(function.dimension());
  std::vector<simulation::Record> room;
  for (std::uint64_t client = 0; client < plan.clients(); ++client) {
    update.evaluate(parameters, population.records(client, room), nullptr, *workspace, expected);
    EXPECT_EQ(encode_model(function.evaluate(*model, records.record(client))), encode_model(expected))
        << "client " << client;
  }
}

TEST(DeviceFunction, GivesTheSimulationsVectorsWithoutItsDataSet) {
  const std::string gradients =
      std::string(kTwelve) + "[randomizer]\nkind = \"ldp-sgd\"\nepsilon0 = 2\nclip = 1\n";
  for (const std::string kind : {"cnn", "logistic", "mlp"}) {
    SCOPED_TRACE(kind);
    expect_the_simulations_vectors(
        task_of(gradients, {{"model.kind", kind}, {"rounds.learning_rate", "0.1"}}), "digits");
  }
  SCOPED_TRACE("statistics");
  expect_the_simulations_vectors(task_of(gradients, {{"model.kind", "mean"}}), "digits");
  expect_the_simulations_vectors(task_of(gradients, {{"model.kind", "mean"}, {"randomizer.kind", "laplace"}}),
                                 "digits");
  expect_the_simulations_vectors(
      task_of(std::string(kTwelve) + "[randomizer]\nkind = \"k-rr\"\nepsilon0 = 2\nk = 10\n",
              {{"model.kind", "histogram"}}),
      "digits");
}

TEST(DeviceFunction, GivesTheSimulationsVectorsOnFrozenFeaturesWithoutPretraining) {
  expect_the_simulations_vectors(
      task_of(kDeployedPlan, {{"population.clients", "12"}, {"model.pretrain_epochs", "1"}}), "digits");
}

// A file of 20 examples with two features, of which the simulation keeps some as test examples.
std::string csv_file(const std::string& columns, const std::string& name) {
  std::string path = testing::TempDir() + name;
  std::ofstream out(path);
  out << columns << '\n';
  for (int i = 0; i < 20; ++i) {
    out << (columns.starts_with("part") ? (i % 4 == 3 ? "test," : "train,") : "") << 0.1 * i << ',' << -i
        << ',' << i % 3 << '\n';
  }
  return path;
}

TaskDocument csv_task(const std::string& path, const Overrides& more = {}) {
  TaskSettings settings = task_settings();
  settings.features = 2;
  settings.classes = 3;
  Overrides overrides{
      {"population.data", "csv:" + path}, {"model.kind", "logistic"}, {"rounds.learning_rate", "0.1"}};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return task_of(std::string(kTwelve) + "[randomizer]\nkind = \"ldp-sgd\"\nepsilon0 = 2\nclip = 1\n",
                 overrides, settings);
}

TEST(DeviceFunction, GivesTheSimulationsVectorsOnLinesOfCsv) {
  const std::string plain = csv_file("a,b,class", "device_plain.csv");
  expect_the_simulations_vectors(csv_task(plain), "csv:" + plain);
  const std::string split = csv_file("part,a,b,class", "device_split.csv");
  expect_the_simulations_vectors(csv_task(split, {{"population.split", "part"}}), "csv:" + split);
}

TEST(DeviceRecords, AFileOfOneLineHasOneRecord) {
  const std::string all = csv_file("a,b,class", "device_all.csv");
  const std::string own = testing::TempDir() + "device_own.csv";
  std::ofstream(own) << "a,b,class\n0.25,-3,2\n";
  const DeviceRecords records(csv_task(all), "csv:" + own);
  const learning::Dataset record = records.record(0);
  EXPECT_EQ(record.values, (std::vector<float>{0.25F, -3.0F}));
  EXPECT_EQ(record.labels, std::vector<std::uint8_t>{2});
  EXPECT_EQ(record.classes, 3u);
  EXPECT_ERROR(ErrorCode::data, records.record(1));
}

TEST(DeviceRecords, WhatIsNotARecordOfTheTaskIsRefused) {
  const TaskDocument task = csv_task(csv_file("a,b,class", "device_all.csv"));
  const std::string own = testing::TempDir() + "device_bad.csv";
  for (const std::string text :
       {"a,b,class\n1,2,3\n", "a,b,class\n1,2,cat\n", "a,b,class\n1,nan,2\n", "a,b,class\n1,2\n",
        "a,b,c,class\n1,2,3,1\n", "a,class\n1,1\n", "a,b,class\n", ""}) {
    std::ofstream(own) << text;
    EXPECT_ERROR(ErrorCode::data, DeviceRecords(task, "csv:" + own)) << text;
  }
  EXPECT_ERROR(ErrorCode::data, DeviceRecords(task, "csv:" + own + ".absent"));
  EXPECT_ERROR(ErrorCode::data, DeviceRecords(task, "digits"));
}

TEST(DeviceRecords, TheirFormatIsThatOfTheTask) {
  const TaskDocument digits = task_of(kDeployedPlan);
  const TaskDocument csv = csv_task(csv_file("a,b,class", "device_all.csv"));
  EXPECT_TRUE(has_format_of(digits, "digits"));
  EXPECT_TRUE(has_format_of(csv, "csv:own.csv"));
  for (const char* other : {"", "digit", "digits:", "digits:x", "csv:own.csv", "idx:own"}) {
    EXPECT_FALSE(has_format_of(digits, other)) << other;
  }
  for (const char* other : {"", "csv", "csv:", "digits", "idx:own", "own.csv"}) {
    EXPECT_FALSE(has_format_of(csv, other)) << other;
  }
}

TEST(DeviceFunction, AFrozenPartThatIsNotTheTasksIsRefused) {
  const learning::Architecture cnn{learning::ArchitectureKind::cnn};
  const simulation::FrozenNetwork frozen{cnn, std::vector<float>(learning::parameter_count(cnn))};
  const TaskDocument features = task_of(kDeployedPlan);
  EXPECT_NO_THROW(DeviceFunction(features, frozen));
  EXPECT_ERROR(ErrorCode::data, DeviceFunction(features, std::nullopt));
  simulation::FrozenNetwork other = frozen;
  other.network.activation = learning::ActivationFunction::tanh;
  EXPECT_ERROR(ErrorCode::data, DeviceFunction(features, other));
  other = frozen;
  other.network.input = {28, 28, 2};
  EXPECT_ERROR(ErrorCode::data, DeviceFunction(features, other));
  EXPECT_ERROR(ErrorCode::data, DeviceFunction(task_of(kDeployedPlan, {{"model.kind", "logistic"}}), frozen));
}

TEST(DeviceFunction, ARecordOfAnotherShapeIsRefused) {
  const TaskDocument task = task_of(kDeployedPlan, {{"model.kind", "logistic"}});
  const DeviceFunction function(task, std::nullopt);
  const std::vector<float> parameters(function.dimension());
  const learning::Dataset record = DeviceRecords(task, "digits").record(7);
  EXPECT_NO_THROW(function.evaluate(parameters, record));
  learning::Dataset two = DeviceRecords(task, "digits").record(7);
  two.labels.push_back(1);
  EXPECT_ERROR(ErrorCode::data, function.evaluate(parameters, two));
  learning::Dataset beyond = record;
  beyond.labels.front() = 10;
  EXPECT_ERROR(ErrorCode::data, function.evaluate(parameters, beyond));
  EXPECT_ERROR(ErrorCode::internal, function.evaluate(std::vector<float>(3), record));
}

TEST(RecordShape, TheTasksRandomizerIsTheOneThatIsCharged) {
  const TaskDocument task = task_of(kDeployedPlan);
  EXPECT_EQ(dimension_of(task), 330u);
  EXPECT_EQ(randomizer_of(task)->dimension(), 330u);
  const std::string histogram =
      std::string(kTwelve) + "[randomizer]\nkind = \"k-rr\"\nepsilon0 = 2\nk = 11\n";
  EXPECT_ERROR(ErrorCode::plan, randomizer_of(task_of(histogram, {{"model.kind", "histogram"}})))
      << "10 classes";
}

}  // namespace
}  // namespace muster::service
