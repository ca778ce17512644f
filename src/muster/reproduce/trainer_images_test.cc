// Tests trainings on CIFAR, whose folder holds private and public images, and what the Trainer says of
// images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/reproduce/trainer.h"
#include "tests/support/temporary_folder.h"

namespace muster::reproduce {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kPlan =
    "name = 'tiny'\n[population]\nclients = 10\ndata = 'cifar:ten'\n"
    "[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.5\n"
    "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n"
    "[rounds]\ncount = 2\nlearning_rate = 1\n"
    "[model]\nkind = 'features+linear'\npublic_data = 'cifar:hundred'\npretrain_epochs = 1\n"
    "[privacy]\ndelta = 1e-5\n";

class CifarTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(ten());
    fs::create_directories(hundred());
    for (const char batch : {'1', '2', '3', '4', '5'}) {
      replace_file(ten() / ("data_batch_" + std::string(1, batch) + ".bin"),
                   record({3}, batch) + record({4}, static_cast<char>(batch + 50)));
    }
    replace_file(ten() / "test_batch.bin", record({3}, 'x'));
    replace_file(hundred() / "train.bin", record({0, 7}, 'a') + record({0, 8}, 'b'));
    replace_file(hundred() / "test.bin", record({0, 7}, 'y'));
  }
  static std::string record(const std::string& labels, char colour) {
    return labels + std::string(std::size_t{32} * 32 * 3, colour);
  }
  fs::path ten() const { return folder_.path() / "cifar-10-batches-bin"; }
  fs::path hundred() const { return folder_.path() / "cifar-100-binary"; }

  Trainer trainer(const std::string& data) const {
    TrainerSettings settings;
    settings.data = data;
    settings.out = folder_.path() / "out";
    settings.plans = [](const std::string&) { return protocols::PlanSource::from_text(kPlan, "tiny.toml"); };
    return {settings, [](const protocols::Plan&, const std::string&) { return std::make_unique<Silent>(); },
            [](const std::string&) {}};
  }
  const Training training_{.plan = "tiny", .format = "cifar"};
  Error refusal(const std::string& data) const {
    SCOPED_TRACE(data);
    return error_of([&] { trainer(data).check({training_}); });
  }

  struct Silent final : simulation::TrainingObserver {
    void started(std::uint64_t, std::uint64_t, const simulation::Expected&) override {}
    void round_done(std::uint64_t) override {}
    void logged(const simulation::Measurement&) override {}
  };
  muster::testing::TemporaryFolder folder_;
};

TEST_F(CifarTest, OneFolderHoldsPrivateAndPublicImages) {
  Trainer made = trainer(folder_.path().string());
  made.check({training_});
  const Trained trained = made.train(training_);
  EXPECT_EQ(trained.plan.data(), "cifar:" + ten().string());
  EXPECT_EQ(trained.plan.public_data(), "cifar:" + hundred().string());
  EXPECT_EQ(trained.rounds.back().round, 2U);
  EXPECT_EQ(made.other_images(), "");
  // The log identifies both data sets.
  const TrainingLog log = read_training_log(folder_.path() / "out" / "logs" / "tiny.jsonl");
  EXPECT_EQ(log.head.data, "cifar");
  EXPECT_EQ(log.head.digest.size(), 64U);
  EXPECT_EQ(log.head.public_digest.size(), 64U);
  EXPECT_NE(log.head.public_digest, log.head.digest);
}

TEST_F(CifarTest, MissingAndTruncatedFilesAreRefusedBeforeTraining) {
  EXPECT_EQ(refusal("").key(), "--data");
  EXPECT_EQ(refusal("digits").key(), "--data");
  replace_file(hundred() / "train.bin", record({0, 7}, 'a').substr(0, 100));
  EXPECT_THAT(refusal(folder_.path().string()).what(), HasSubstr("train.bin"));
  replace_file(ten() / "data_batch_3.bin", "");
  EXPECT_THAT(refusal(folder_.path().string()).what(), HasSubstr("data_batch_3.bin"));
  fs::remove_all(hundred());
  EXPECT_THAT(refusal(folder_.path().string()).what(), HasSubstr("no folder cifar-100-binary"));
}

}  // namespace
}  // namespace muster::reproduce
