// Tests what each model makes the clients compute, and runs of a few rounds from end to end.
#include "muster/simulation/model_task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/data/digits.h"
#include "muster/plan/source.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/runs/checkpoint.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/setup.h"
#include "muster/simulation/stored_network.h"
#include "muster/simulation/training.h"
#include "tests/support/temporary_folder.h"

namespace muster::simulation {
namespace {

protocols::Plan plan_with(const std::string& model, const std::string& randomizer,
                          const std::string& rounds = "learning_rate = 0.5\n",
                          const std::string& data = "digits") {
  return protocols::Plan::validate(protocols::PlanSource::from_text(R"(
[population]
clients = 300
data = ")" + data + R"("
[participation]
protocol = "shuffled-check-in"
rate = 0.5
[privacy]
delta = 1e-4
[rounds]
count = 20
)" + rounds + "[model]\n" + model + "[randomizer]\n" + randomizer,
                                                                    "test.toml"),
                                   protocols::Command::train);
}

const std::string kExact = "kind = \"gaussian\"\nsigma = 0.001\nclip = 30.0\n";

const learning::DataSplit& digits() {
  static const learning::DataSplit data = learning::draw_digits(300, 300, 1);
  return data;
}

class Silent final : public TrainingObserver {
  void started(std::uint64_t, std::uint64_t, const Expected&) override {}
  void round_done(std::uint64_t) override {}
  void logged(const Measurement&) override {}
};

double accuracy_of(const protocols::Plan& plan) {
  const muster::testing::TemporaryFolder temporary;
  RunFolder folder(temporary.path() / "run");
  Silent silent;
  TrainingParts parts = assemble(plan, digits(), Accounting::elsewhere);
  parts.epsilon = [](std::uint64_t) { return 1.0; };
  TrainingOptions options;
  options.threads = 2;
  const double accuracy = train(plan, parts, digits(), folder, options, silent).accuracy;
  if (!plan.is_statistic()) {
    const auto file = temporary.path() / "run" / kModelFile;
    EXPECT_EQ(score_of(decode_model(read_file(file), file), digits().test, file).accuracy, accuracy);
  }
  return accuracy;
}

TEST(ModelTask, EveryModelHasItsDimension) {
  const std::pair<const char*, std::size_t> cases[] = {{"kind = \"cnn\"\n", 26010},
                                                       {"kind = \"logistic\"\n", 7850},
                                                       {"kind = \"mlp\"\n", 101770},
                                                       {"kind = \"cnn\"\nactivation = \"tanh\"\n", 26010}};
  for (const auto& [model, dimension] : cases) {
    const ModelTask task = make_model_task(plan_with(model, kExact), digits());
    EXPECT_EQ(&task.inputs(digits()), &digits()) << model;
    EXPECT_EQ(task.function->dimension(), dimension) << model;
    EXPECT_EQ(task.initial.size(), dimension) << model;
  }
}

TEST(ModelTask, TheActivationIsTheOneThePlanNames) {
  std::vector<std::vector<float>> gradients;
  for (const char* activation : {"relu", "tanh"}) {
    const learning::DataSplit& data = digits();
    const ModelTask task = make_model_task(
        plan_with(std::string("kind = \"cnn\"\nactivation = \"") + activation + "\"\n", kExact), data);
    std::vector<float> out(task.function->dimension()), buffer(data.train.shape.size());
    const auto room = task.function->make_workspace();
    task.function->evaluate(task.initial, data.train.example(0, buffer), *room, out);
    gradients.push_back(out);
  }
  EXPECT_NE(gradients[0], gradients[1]);
}

TEST(ModelTask, FeaturesStandInForTheImages) {
  const protocols::Plan plan = plan_with("kind = \"features+linear\"\npretrain_epochs = 1\n", kExact);
  const ModelTask task = make_model_task(plan, digits());
  const learning::DataSplit& data = task.inputs(digits());
  EXPECT_EQ(task.function->dimension(), 32U * 10 + 10);
  EXPECT_EQ(data.train.shape, (learning::Shape{1, 1, 32}));
  EXPECT_TRUE(data.train.bytes.empty());
  EXPECT_EQ(data.train.labels, digits().train.labels);
  EXPECT_EQ(data.test.size(), digits().test.size());
  EXPECT_EQ(make_model_task(plan, digits()).features->train.values, data.train.values);
}

TEST(ModelTask, FeaturesNeedPublicDataOfTheSameShape) {
  const muster::testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "rows.csv") << "a,b\n1,0\n2,1\n3,0\n4,1\n5,0\n6,1\n";
  const std::string open = "csv:" + (folder.path() / "rows.csv").string();
  EXPECT_ERROR(
      ErrorCode::data,
      make_model_task(plan_with("kind = \"features+linear\"\npublic_data = \"" + open + "\"\n", kExact),
                      digits()));
}

// The public data are tiny files in the format of CIFAR-100, the private data in that of CIFAR-10.
TEST(ModelTask, FeaturesMayBeLearnedFromOtherClasses) {
  const muster::testing::TemporaryFolder ten, hundred;
  const auto put = [](const std::filesystem::path& file, std::size_t records, std::size_t labels,
                      int offset) {
    std::ofstream out(file, std::ios::binary);
    for (std::size_t i = 0; i < records; ++i) {
      for (std::size_t l = 0; l < labels; ++l) out.put(static_cast<char>(i % 10));
      for (std::size_t p = 0; p < 3072; ++p)
        out.put(static_cast<char>((i * 37 + p * (i + 3) + offset) % 251));
    }
  };
  for (int batch = 1; batch <= 5; ++batch) {
    put(ten.path() / ("data_batch_" + std::to_string(batch) + ".bin"), 4, 1, 17 * batch);
  }
  put(ten.path() / "test_batch.bin", 3, 1, 5);
  put(hundred.path() / "train.bin", 40, 2, 101);
  put(hundred.path() / "test.bin", 2, 2, 103);
  // The number of clients is the number of records in the files.
  const protocols::Plan plan =
      plan_with("kind = \"features+linear\"\npretrain_epochs = 1\npublic_data = \"cifar:" +
                    hundred.path().string() + "\"\n",
                kExact, "learning_rate = 0.5\n", "cifar:" + ten.path().string())
          .with("population.clients", "20");
  const learning::DataSplit data = load_data(plan);
  const ModelTask task = make_model_task(plan, data);
  EXPECT_EQ(task.function->dimension(), 32U * 10 + 10);
  EXPECT_EQ(task.inputs(data).train.size(), 20U);
  EXPECT_EQ(task.inputs(data).train.classes, 10U);
}

TEST(ModelTask, ACnnOnRowsOfFeaturesIsRefused) {
  learning::DataSplit data;
  for (learning::Dataset* part : {&data.train, &data.test}) {
    part->shape = {1, 1, 2};
    part->classes = 2;
    part->values = {1, 2};
    part->labels = {1};
  }
  const Error error = error_of([&] { make_model_task(plan_with("kind = \"cnn\"\n", kExact), data); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "model.kind");
  EXPECT_EQ(make_model_task(plan_with("kind = \"mlp\"\n", kExact), data).function->dimension(),
            2U * 128 + 128 + 128 * 2 + 2);
}

// With almost no noise, every model is far more accurate than guessing, which is right one time in ten.
TEST(Models, LearnFromEndToEnd) {
  for (const char* model : {"kind = \"mlp\"\n", "kind = \"mlp\"\nactivation = \"tanh\"\n",
                            "kind = \"features+linear\"\npretrain_epochs = 1\n"}) {
    const protocols::Plan plan = plan_with(model, kExact, "learning_rate = 0.05\n");
    EXPECT_GE(accuracy_of(plan), 0.5) << model;
  }
}

TEST(Statistics, ComeOutNearTheTestSets) {
  EXPECT_GE(accuracy_of(plan_with("kind = \"mean\"\n", kExact, "")), 0.9);
  EXPECT_GE(accuracy_of(plan_with("kind = \"histogram\"\n", kExact, "")), 0.85);
  EXPECT_GE(accuracy_of(plan_with("kind = \"histogram\"\n", "kind = \"k-rr\"\nk = 10\nepsilon0 = 6.0\n", "")),
            0.8);
  EXPECT_GE(
      accuracy_of(plan_with("kind = \"mean\"\n", "kind = \"laplace\"\nclip = 1.0\nepsilon0 = 5.0\n", "")),
      0.95);
}

// The running mean depends on the number of estimates so far, so the checkpoint must contain that number.
TEST(Statistics, AnInterruptedRunGoesOnAsIfItNeverWas) {
  class Stopper final : public TrainingObserver {
   public:
    void started(std::uint64_t, std::uint64_t, const Expected&) override {}
    void round_done(std::uint64_t round) override { interrupt = round == 7; }
    void logged(const Measurement&) override {}
    std::atomic<bool> interrupt{false};
  };
  const protocols::Plan plan = plan_with("kind = \"mean\"\n", kExact, "");
  TrainingParts parts = assemble(plan, digits(), Accounting::elsewhere);
  parts.epsilon = [](std::uint64_t) { return 1.0; };
  const muster::testing::TemporaryFolder temporary;
  std::vector<std::vector<float>> models;
  for (const bool interrupted : {false, true}) {
    const auto path = temporary.path() / (interrupted ? "twice" : "once");
    Stopper stopper;
    if (interrupted) {
      RunFolder folder(path);
      const RunResult half = train(plan, parts, digits(), folder, {1, &stopper.interrupt}, stopper);
      ASSERT_EQ(half.stopped, Stopped::interrupted);
    }
    RunFolder folder(path);
    train(plan, parts, digits(), folder, {2}, stopper);
    models.push_back(decode(read_file(path / "checkpoint"), path).model.parameters);
    EXPECT_EQ(decode(read_file(path / "checkpoint"), path).model.updates, 20U);
  }
  EXPECT_EQ(models[0], models[1]);
}

TEST(Statistics, KMustBeTheNumberOfClasses) {
  const protocols::Plan plan =
      plan_with("kind = \"histogram\"\n", "kind = \"k-rr\"\nk = 9\nepsilon0 = 6.0\n", "");
  const Error error = error_of([&] { assemble(plan, digits(), Accounting::elsewhere); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "randomizer.k");
  EXPECT_EQ(error.allowed(), "10");
}

// Each key that does not apply to the model is refused with an error that names the key.
TEST(Models, RefuseWhatDoesNotGoWithThem) {
  const auto key_of = [](const std::string& model, const std::string& randomizer, const std::string& rounds) {
    try {
      plan_with(model, randomizer, rounds);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::plan);
      return error.key();
    }
    return std::string();
  };
  const std::string rate = "learning_rate = 0.5\n";
  EXPECT_EQ(key_of("kind = \"mean\"\n", kExact, rate), "rounds.learning_rate");
  EXPECT_EQ(key_of("kind = \"histogram\"\n", kExact, "momentum = 0.5\n"), "rounds.momentum");
  EXPECT_EQ(key_of("kind = \"mean\"\n", kExact, "average = 0.5\n"), "rounds.average");
  EXPECT_EQ(key_of("kind = \"cnn\"\n", kExact, ""), "rounds.learning_rate");
  EXPECT_EQ(key_of("kind = \"logistic\"\nactivation = \"tanh\"\n", kExact, rate), "model.activation");
  EXPECT_EQ(key_of("kind = \"cnn\"\npublic_data = \"digits\"\n", kExact, rate), "model.public_data");
  EXPECT_EQ(key_of("kind = \"mlp\"\npretrain_epochs = 2\n", kExact, rate), "model.pretrain_epochs");
  const std::string k_rr = "kind = \"k-rr\"\nk = 10\nepsilon0 = 2.0\n";
  const std::string laplace = "kind = \"laplace\"\nclip = 1.0\nepsilon0 = 2.0\n";
  EXPECT_EQ(key_of("kind = \"cnn\"\n", k_rr, rate), "randomizer.kind");
  EXPECT_EQ(key_of("kind = \"mean\"\n", k_rr, ""), "randomizer.kind");
  EXPECT_EQ(key_of("kind = \"histogram\"\n", laplace, ""), "randomizer.kind");
  EXPECT_EQ(key_of("kind = \"logistic\"\n", laplace, rate), "randomizer.kind");
  EXPECT_EQ(key_of("kind = \"histogram\"\n", k_rr, ""), "");
  EXPECT_EQ(key_of("kind = \"mean\"\n", laplace, ""), "");
  EXPECT_EQ(key_of("kind = \"features+linear\"\npublic_data = \"idx:mnist\"\n", kExact, rate), "");
  const Error error = error_of(
      [&] { plan_with("kind = \"features+linear\"\npublic_data = \"mnist\"\n", kExact, rate, "idx:mnist"); });
  EXPECT_EQ(error.key(), "model.public_data");
}

// client_dimension() agrees with the task, although it needs neither the records nor training on public data.
TEST(ModelTask, TheDimensionFollowsFromTheShapeOfTheRecords) {
  const std::string laplace = "kind = \"laplace\"\nepsilon0 = 1.0\nclip = 1.0\n";
  const std::string k_rr = "kind = \"k-rr\"\nepsilon0 = 1.0\nk = 10\n";
  for (const auto& [model, randomizer] : {std::pair<std::string, std::string>{"kind = \"cnn\"\n", kExact},
                                          {"kind = \"logistic\"\n", kExact},
                                          {"kind = \"mlp\"\n", kExact},
                                          {"kind = \"features+linear\"\npretrain_epochs = 0\n", kExact},
                                          {"kind = \"mean\"\n", kExact},
                                          {"kind = \"mean\"\n", laplace},
                                          {"kind = \"histogram\"\n", k_rr}}) {
    const bool statistic = model.find("mean") != model.npos || model.find("histogram") != model.npos;
    const protocols::Plan plan = plan_with(model, randomizer, statistic ? "" : "learning_rate = 0.5\n");
    const learning::Dataset& records = digits().train;
    EXPECT_EQ(client_dimension(plan, records.shape, records.classes),
              make_model_task(plan, digits()).function->dimension())
        << model << randomizer;
  }
}

}  // namespace
}  // namespace muster::simulation
