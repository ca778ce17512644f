// Starts each training whose log is stored again from its first round, and compares the accuracy at its first
// logged round with the log. The pages draw the papers' training figures from these logs
// (docs/reproduce-trained.md).
//
// The test needs MNIST and is skipped without it. Training all rounds would take many hours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "muster/core/error.h"
#include "muster/reproduce/recipes.h"
#include "muster/reproduce/trainer.h"
#include "tests/support/temporary_folder.h"

namespace muster::reproduce {
namespace {

namespace fs = std::filesystem;

const fs::path kMnist = "../shared/data/mnist";
const fs::path kLogs = "testdata/logs/papers";
// Accuracy is computed in single precision, whose last bits differ between instruction sets.
constexpr double kOtherMachine = 0.01;

// Stops a run at its first logged round.
class FirstLogged final : public simulation::TrainingObserver {
 public:
  FirstLogged(std::optional<simulation::Measurement>& first, std::atomic<bool>& interrupt)
      : first_(first), interrupt_(interrupt) {}
  void started(std::uint64_t, std::uint64_t, const simulation::Expected&) override {}
  void round_done(std::uint64_t) override {}
  void logged(const simulation::Measurement& logged) override {
    if (!first_) first_ = logged;
    interrupt_ = true;
  }

 private:
  std::optional<simulation::Measurement>& first_;
  std::atomic<bool>& interrupt_;
};

TrainerSettings settings() {
  TrainerSettings settings;
  settings.data = "idx:" + kMnist.string();
  settings.threads = std::max(1U, std::thread::hardware_concurrency());
  return settings;
}

// Trains until the first logged round, with the seed of the training's plan or with another one.
simulation::Measurement first_logged(const Training& training, const std::string& seed = "") {
  const testing::TemporaryFolder folder;
  std::atomic<bool> interrupt = false;
  std::optional<simulation::Measurement> first;
  TrainerSettings mine = settings();
  mine.out = folder.path() / "out";
  mine.interrupt = &interrupt;
  mine.plans = [&seed](const std::string& name) {
    protocols::PlanSource source = paper_plan(name);
    if (!seed.empty()) source.override_key("seed", seed);
    return source;
  };
  Trainer trainer(
      mine,
      [&](const protocols::Plan&, const std::string&) {
        return std::make_unique<FirstLogged>(first, interrupt);
      },
      [](const std::string&) {});
  trainer.check({training});
  try {
    trainer.train(training);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted) << error.what();
  }
  return first.value();
}

// Returns what the log of the training states. The Trainer refuses the log of another plan or of other data.
Trained stored(const Training& training) {
  TrainerSettings mine = settings();
  mine.logs = kLogs;
  Trainer trainer(mine, nullptr, [](const std::string&) {});
  trainer.check({training});
  return trainer.train(training);
}

class StoredLogs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kMnist)) GTEST_SKIP() << "skipped: there is no " << kMnist;
  }
};

TEST_F(StoredLogs, BeginAsTheirTrainingsDoToday) {
  std::set<std::string> known;
  for (const Recipe& recipe : recipes()) {
    if (recipe.trainings == nullptr) continue;
    for (const Training& training : recipe.trainings()) {
      const std::string log = training.name() + ".jsonl";
      if (!fs::exists(kLogs / log) || !known.insert(log).second) continue;
      const TrainedRound then = stored(training).rounds.front();
      const simulation::Measurement now = first_logged(training);
      std::printf("%s: accuracy %.4f after %llu rounds, stored %.4f\n", log.c_str(), now.accuracy,
                  static_cast<unsigned long long>(now.round), then.accuracies.front());
      EXPECT_EQ(now.round, then.round) << log;
      EXPECT_NEAR(now.accuracy, then.accuracies.front(), kOtherMachine) << log;
    }
  }
  EXPECT_FALSE(known.empty());
  for (const fs::directory_entry& file : fs::directory_iterator(kLogs)) {
    EXPECT_TRUE(known.contains(file.path().filename().string())) << file.path() << " is of no training";
  }
}

// The tolerance is small enough to tell a training from one with another seed.
TEST_F(StoredLogs, ATrainingWithAnotherSeedIsNoticed) {
  const Training training{.plan = "003-varying-rates", .seeds = 3};
  const double then = stored(training).rounds.front().accuracies.front();
  const double other = first_logged(training, "2").accuracy;
  std::printf("stored %.4f, with seed 2 %.4f\n", then, other);
  EXPECT_GT(std::abs(other - then), kOtherMachine);
}

}  // namespace
}  // namespace muster::reproduce
