// Tests the trainings of figures: that they are resumed, that their logs are read back, and what is refused.
#include "muster/reproduce/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/experiments/watched_runs_test.h"
#include "muster/simulation/setup.h"
#include "tests/support/temporary_folder.h"

namespace muster::reproduce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TrainerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    replace_file(table("a"), "kind,x\na,1\nb,2\na,1.5\nb,3\na,0.5\nb,2.5\n");
    replace_file(table("b"), "kind,x\na,2\nb,1\na,1.5\nb,3\na,0.5\nb,2.5\n");
    sources_["tiny"] = source("0.5");
  }

  std::filesystem::path table(const std::string& name) const { return temporary_.path() / (name + ".csv"); }
  std::filesystem::path out() const { return temporary_.path() / "out"; }

  std::string source(const std::string& learning_rate) const {
    return "name = 'tiny'\nseed = 7\n[population]\nclients = 6\ndata = 'csv:" + table("a").string() +
           "'\nlabel = 'kind'\ntest_data = 'csv:" + table("a").string() +
           "'\n[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.5\n"
           "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n"
           "[rounds]\ncount = 10\nlog_every = 4\nlearning_rate = " +
           learning_rate + "\n[model]\nkind = 'logistic'\n[privacy]\ndelta = 1e-5\n";
  }

  TrainerSettings settings() {
    TrainerSettings chosen;
    chosen.out = out();
    chosen.interrupt = &watched_.interrupt;
    chosen.plans = [this](const std::string& name) {
      return protocols::PlanSource::from_text(sources_.at(name), name + ".toml");
    };
    return chosen;
  }
  Trainer trainer(const TrainerSettings& chosen) {
    return {chosen, watched_.make_observer(), [](const std::string&) {}};
  }
  Trained trained(const TrainerSettings& chosen, const Training& training = {.plan = "tiny", .seeds = 2}) {
    Trainer made = trainer(chosen);
    made.check({training});
    return made.train(training);
  }
  // Returns the error that checking the training throws; it must throw one.
  Error refusal(const TrainerSettings& chosen, const std::vector<Training>& trainings) {
    return error_of([&] { trainer(chosen).check(trainings); });
  }

  testing::TemporaryFolder temporary_;
  experiments::Watched watched_;
  std::map<std::string, std::string> sources_;
};

std::vector<std::vector<double>> accuracies(const Trained& trained) {
  std::vector<std::vector<double>> all;
  for (const TrainedRound& round : trained.rounds) all.push_back(round.accuracies);
  return all;
}

TEST_F(TrainerTest, EveryLoggedRoundHasTheAccuraciesOfAllSeedsAndItsEpsilon) {
  const Trained found = trained(settings());
  ASSERT_THAT(found.rounds, SizeIs(3));  // rounds 4, 8 and, as the last, 10
  EXPECT_THAT(watched_.started, ElementsAre("tiny, seed 7 (run 1 of 2)", "tiny, seed 8 (run 2 of 2)"));
  const auto epsilon = simulation::epsilon_of(found.plan);
  for (const TrainedRound& round : found.rounds) {
    EXPECT_THAT(round.accuracies, SizeIs(2));
    EXPECT_EQ(round.epsilon, epsilon(round.round));
    EXPECT_EQ(round.step, round.round);
  }
  EXPECT_EQ(found.rounds.back().round, 10U);
}

TEST(TrainedRounds, HaveAMeanARangeAndADeviation) {
  const TrainedRound round{.round = 1, .step = 1, .epsilon = 1, .accuracies = {0.5, 0.7, 0.9}};
  EXPECT_DOUBLE_EQ(round.mean(), 0.7);
  EXPECT_EQ(round.range()->low, 0.5);
  EXPECT_EQ(round.range()->high, 0.9);
  EXPECT_NEAR(round.deviation()->low, 0.5, 1e-15);  // sqrt((0.04 + 0 + 0.04) / 2) = 0.2
  EXPECT_NEAR(round.deviation()->high, 0.9, 1e-15);
  const TrainedRound alone{.round = 1, .step = 1, .epsilon = 1, .accuracies = {0.5}};
  EXPECT_FALSE(alone.range().has_value());
  EXPECT_FALSE(alone.deviation().has_value());
}

TEST_F(TrainerTest, AnInterruptedTrainingContinuesToTheSameBits) {
  TrainerSettings other = settings();
  other.out = temporary_.path() / "whole";
  const Trained whole = trained(other);
  watched_.rounds = 0;
  watched_.interrupt_after = 13;  // in the second seed's run
  EXPECT_ERROR(ErrorCode::interrupted, trained(settings()));
  watched_.interrupt_after = 0;
  watched_.interrupt = false;
  EXPECT_EQ(refusal(settings(), {{.plan = "tiny", .seeds = 2}}).code(), ErrorCode::file);
  TrainerSettings resumed = settings();
  resumed.resume = true;
  EXPECT_EQ(accuracies(trained(resumed)), accuracies(whole));
  EXPECT_EQ(read_file(out() / "logs" / "tiny.jsonl"), read_file(other.out / "logs" / "tiny.jsonl"));
  const auto model = [](const TrainerSettings& chosen, const Trained& found) {
    return read_file(chosen.out / "runs" / ("tiny-" + found.plan.hash().substr(0, 8)) / "model.safetensors");
  };
  EXPECT_EQ(model(settings(), whole), model(other, whole));
}

// A finished run is not trained again, so it must be on the data that its log will name.
TEST_F(TrainerTest, ARunOnOtherDataIsNotResumed) {
  trained(settings());
  TrainerSettings resumed = settings();
  resumed.resume = true;
  EXPECT_NO_THROW(trained(resumed));
  replace_file(table("a"), read_file(table("b")));
  const Error refused = refusal(resumed, {{.plan = "tiny", .seeds = 2}});
  EXPECT_EQ(refused.code(), ErrorCode::checkpoint);
  EXPECT_THAT(refused.what(), HasSubstr("other data of the same name"));
}

TEST_F(TrainerTest, AFigureIsDrawnFromItsLogWithoutTraining) {
  const Trained first = trained(settings());
  watched_.started.clear();
  TrainerSettings stored = settings();
  stored.logs = out() / "logs";
  stored.out = temporary_.path() / "elsewhere";
  const Trained again = trained(stored);
  EXPECT_THAT(watched_.started, SizeIs(0));
  EXPECT_FALSE(std::filesystem::exists(stored.out / "runs"));
  EXPECT_EQ(accuracies(again), accuracies(first));
  for (std::size_t i = 0; i < first.rounds.size(); ++i) {
    EXPECT_EQ(again.rounds[i].epsilon, first.rounds[i].epsilon);
  }
}

TEST_F(TrainerTest, ALogSaysOfWhichDataItIsWhereTheUserDoesNot) {
  TrainerSettings elsewhere = settings();
  elsewhere.data = "csv:" + table("b").string();
  const Training training{.plan = "tiny", .seeds = 2, .format = "csv"};
  Trainer first = trainer(elsewhere);
  first.check({training});
  const Trained whole = first.train(training);
  TrainerSettings stored = settings();
  stored.logs = out() / "logs";
  std::filesystem::remove(table("a"));
  std::filesystem::remove(table("b"));
  Trainer second = trainer(stored);
  second.check({training});
  EXPECT_EQ(accuracies(second.train(training)), accuracies(whole));
}

TEST_F(TrainerTest, ALogOfSomethingElseIsRefusedByName) {
  trained(settings());
  TrainerSettings stored = settings();
  stored.logs = out() / "logs";
  const Training tiny{.plan = "tiny", .seeds = 2};
  EXPECT_NO_THROW(trainer(stored).check({tiny}));

  TrainerSettings shorter = stored;
  shorter.scale = 0.5;
  EXPECT_THAT(refusal(shorter, {tiny}).what(), HasSubstr("is a log of another scale"));
  TrainerSettings elsewhere = stored;
  elsewhere.data = "csv:" + table("b").string();
  EXPECT_THAT(refusal(elsewhere, {{.plan = "tiny", .seeds = 2, .format = "csv"}}).what(),
              HasSubstr("is a log of other data of the same format"));
  EXPECT_THAT(refusal(stored, {{.plan = "tiny", .seeds = 3}}).what(), HasSubstr("is a log of other seeds"));
  sources_["tiny"] = source("0.25");
  EXPECT_THAT(refusal(stored, {tiny}).what(), HasSubstr("is a log of another plan"));
  sources_["tiny"] = source("0.5");

  const std::filesystem::path file = out() / "logs" / "tiny.jsonl";
  const std::string text = read_file(file);
  replace_file(file, text.substr(0, text.size() - 1));
  EXPECT_THAT(refusal(stored, {tiny}).what(), HasSubstr("line 7: the line is cut off"));
  replace_file(file, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  EXPECT_THAT(refusal(stored, {tiny}).what(), HasSubstr("do not have the same logged rounds"));
  std::filesystem::remove(file);
  EXPECT_EQ(refusal(stored, {tiny}).code(), ErrorCode::file);
}

TEST_F(TrainerTest, AShorterLogIsRefused) {
  trained(settings());
  TrainerSettings stored = settings();
  stored.logs = out() / "logs";
  const std::filesystem::path file = stored.logs / "tiny.jsonl";
  TrainingLog log = read_training_log(file);
  std::erase_if(log.lines, [](const LogLine& line) { return line.round == 10; });
  replace_file(file, log_text(log));
  EXPECT_THAT(refusal(stored, {{.plan = "tiny", .seeds = 2}}).what(),
              HasSubstr("ends before the plan's last round"));
}

TEST_F(TrainerTest, ScalesOutsideTheRangeAreRefused) {
  for (const double scale : {0.0, -0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    TrainerSettings wrong = settings();
    wrong.scale = scale;
    SCOPED_TRACE(scale);
    const Error error = error_of([&] { trainer(wrong); });
    EXPECT_EQ(error.key(), "--scale");
    EXPECT_EQ(error.allowed(), "number in (0, 1]");
  }
}

TEST_F(TrainerTest, TrainingsThatAShorterScaleMakesEqualAreRefused) {
  sources_["constant"] = source("0.5");
  sources_["stepped"] = source("[[1, 0.5], [9, 0.25]]");
  const std::vector<Training> both = {{.plan = "constant"}, {.plan = "stepped"}};
  EXPECT_NO_THROW(trainer(settings()).check(both));
  TrainerSettings shorter = settings();
  shorter.scale = 0.5;
  EXPECT_NO_THROW(trainer(shorter).check(both));  // the rate changes at round 5 of 5
  sources_["stepped"] = source("[[1, 0.25], [2, 0.5]]");
  shorter.scale = 0.1;  // one round is left, with the rate of the last step
  EXPECT_THAT(refusal(shorter, both).what(), HasSubstr("leaves no difference between the trainings"));
  // Two figures may need the same training.
  EXPECT_NO_THROW(trainer(shorter).check({both.front(), both.front()}));
}

TEST_F(TrainerTest, WhatCannotBeTrainedIsRefusedBeforeTheFirstRun) {
  EXPECT_EQ(refusal(settings(), {{.plan = "tiny", .set = {{"participation.rate", "2"}}}}).code(),
            ErrorCode::plan);
  TrainerSettings missing = settings();
  missing.data = "csv:" + table("missing").string();
  EXPECT_EQ(refusal(missing, {{.plan = "tiny", .format = "csv"}}).code(), ErrorCode::data);
  TrainerSettings foreign = settings();
  foreign.data = "csv:" + table("b").string();
  const Error refused = refusal(foreign, {{.plan = "tiny"}});
  EXPECT_EQ(refused.key(), "--data");
  EXPECT_EQ(refused.reason(), Reason::inapplicable);
  EXPECT_THAT(watched_.started, SizeIs(0));
  Trainer unchecked = trainer(settings());
  EXPECT_ERROR(ErrorCode::internal, unchecked.train({.plan = "tiny"}));
}

TEST(Trainings, HaveNamesThatAreNamesOfFiles) {
  EXPECT_EQ((Training{.plan = "a", .set = {{"participation.rate", "0.05"}}}).name(), "a-rate-0.05");
  EXPECT_EQ((Training{.plan = "a", .set = {{"rounds.learning_rate", "[[1, 2], [3, 4]]"}}}).name(),
            "a-learning_rate-__1__2____3__4__");
}

}  // namespace
}  // namespace muster::reproduce
