// Tests a small run from end to end, a logistic regression on drawn digits.
#include "muster/simulation/training.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/client_function.h"
#include "muster/learning/data/digits.h"
#include "muster/plan/source.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/gaussian_sum.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/simulation/training_runs_test.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kClients = 300;

std::string plan_text(const std::string& randomizer) {
  return R"(
name = "small"
[population]
clients = 300
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.2
dropout = 0.1
[randomizer]
clip = 1.0
)" + randomizer +
         R"(
[rounds]
count = 12
learning_rate = [[1, 0.5], [7, 0.25]]
momentum = 0.5
average = 0.25
projection = 20.0
weight_decay = 0.001
log_every = 3
checkpoint_every = 5
[model]
kind = "logistic"
[privacy]
delta = 1e-5
)";
}

protocols::Plan small_plan(const std::string& key = "", const std::string& value = "",
                           const std::string& randomizer = "kind = \"ldp-sgd\"\nepsilon0 = 4.0") {
  protocols::PlanSource source = protocols::PlanSource::from_text(plan_text(randomizer), "small.toml");
  if (!key.empty()) {
    source.override_key(key, value);
  }
  return protocols::Plan::validate(source, protocols::Command::train);
}

const learning::DataSplit& small_data() {
  static const learning::DataSplit data = learning::draw_digits(kClients, 200, 1);
  return data;
}

TrainingParts small_parts(const protocols::Plan& plan, Fidelity fidelity = Fidelity::message) {
  TrainingParts parts;
  parts.plan_hash = plan.hash();
  parts.task = make_model_task(plan, small_data());
  const std::size_t dimension = parts.task.function->dimension();
  parts.randomizer = plan.randomizer() == protocols::RandomizerKind::gaussian
                         ? randomizers::make_gaussian(*plan.sigma(), *plan.clip(), dimension)
                         : randomizers::make_ldp_sgd(*plan.epsilon0(), *plan.clip(), dimension);
  if (fidelity == Fidelity::sum) {
    parts.sum = randomizers::make_gaussian_sum(*plan.sigma(), *plan.clip(), dimension);
  }
  return parts;
}

class TrainingTest : public TrainingRuns {
 protected:
  RunResult run(const protocols::Plan& plan, const std::string& name, unsigned threads = 1,
                std::uint64_t interrupt_after = 0, Fidelity fidelity = Fidelity::message) {
    return run_parts(plan, small_parts(plan, fidelity), small_data(), name, threads, interrupt_after);
  }
};

TEST_F(TrainingTest, LogsWhatTheContractSays) {
  const RunResult result = run(small_plan(), "run");
  EXPECT_EQ(result.rounds, 12);
  EXPECT_EQ(result.stopped, Stopped::done);
  EXPECT_DOUBLE_EQ(result.epsilon, 0.1 * std::sqrt(12.0));
  ASSERT_EQ(watcher_->lines.size(), 4);
  EXPECT_EQ(watcher_->lines[2].round, 9);
  EXPECT_DOUBLE_EQ(watcher_->lines[2].epsilon, 0.3);
  EXPECT_EQ(watcher_->lines.back().accuracy, result.accuracy);
  EXPECT_EQ(watcher_->lines.back().loss, result.loss);
  EXPECT_EQ(metrics("run").size(), 4);
  EXPECT_EQ(metrics("run")[3]["messages"].get<std::uint64_t>(), checkpoint("run").messages);
  const Json line = Json::parse(shown_line(watcher_->lines[0]));
  EXPECT_EQ(line.size(), 6);
  EXPECT_EQ(line["neutral"], 0);
  EXPECT_EQ(line["loss"], *watcher_->lines[0].loss);
  const Json final_line = Json::parse(read_file(temporary_.path() / "run" / "result.json"));
  for (const char* key :
       {"accuracy", "epsilon", "delta", "rounds", "seconds", "examples_per_second", "fidelity", "stopped",
        "out", "neutral", "clients_per_record", "validity", "neighbouring", "view", "loss"}) {
    EXPECT_TRUE(final_line.contains(key)) << key;
  }
  EXPECT_EQ(final_line["stopped"], "done");
  EXPECT_EQ(final_line["fidelity"], "message");
  EXPECT_EQ(final_line["clients_per_record"], 1.0);
  EXPECT_EQ(final_line["validity"], "proven");
  EXPECT_EQ(final_line["neighbouring"], "replace-one");
  EXPECT_EQ(final_line["view"], "shuffler-honest");
}

// The epsilon of one plan must not be reported for a run of another.
TEST_F(TrainingTest, RefusesThePartsOfAnotherPlan) {
  const protocols::Plan plan = small_plan(), other = small_plan("rounds.count", "1");
  RunFolder folder(temporary_.path() / "run");
  Watcher watcher;
  const Error error = error_of([&] { train(plan, small_parts(other), small_data(), folder, {}, watcher); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "parts");
  EXPECT_FALSE(std::filesystem::exists(temporary_.path() / "run" / "checkpoint"));
}

TEST_F(TrainingTest, SaysHowManyClientsHoldARecord) {
  const protocols::Plan shared = small_plan("population.share", "true");
  EXPECT_EQ(run(shared.with("population.clients", "750"), "run").clients_per_record, 2.5);
  EXPECT_EQ(checkpoint("run").records, kClients);
}

// If the accountant finds an error in its own numbers, the logged rounds are kept and no result is written.
TEST_F(TrainingTest, AnAccountantThatFailsEndsTheRunWithoutAResult) {
  const protocols::Plan plan = small_plan();
  TrainingParts parts = small_parts(plan);
  parts.epsilon = [](std::uint64_t rounds) -> double {
    if (rounds >= 9) throw Error(ErrorCode::internal, "epsilon", "0.1", "", "below its floor");
    return 0.1;
  };
  {
    RunFolder folder(temporary_.path() / "run");
    Watcher watcher;
    const Error error = error_of([&] { train(plan, parts, small_data(), folder, {}, watcher); });
    EXPECT_EQ(exit_status(error.code()), 5) << error.what();
    EXPECT_EQ(watcher.lines.size(), 2);
  }
  EXPECT_EQ(metrics("run").size(), 2);
  EXPECT_EQ(metrics("run").back()["round"], 6);
  EXPECT_FALSE(fs::exists(temporary_.path() / "run" / "result.json"));
  // With a budget, epsilon is computed before the run begins, so the accountant's error comes before plan.txt
  // is written.
  const protocols::Plan paid = small_plan("privacy.budget", "10");
  TrainingParts parts_of_paid = small_parts(paid);
  parts_of_paid.epsilon = parts.epsilon;
  RunFolder folder(temporary_.path() / "none");
  Watcher watcher;
  EXPECT_ERROR(ErrorCode::internal, train(paid, parts_of_paid, small_data(), folder, {}, watcher));
  EXPECT_FALSE(fs::exists(temporary_.path() / "none" / "plan.txt"));
}

TEST_F(TrainingTest, ThreadsDoNotChangeABit) {
  for (const char* randomizer : {"kind = \"ldp-sgd\"\nepsilon0 = 4.0", "kind = \"gaussian\"\nsigma = 1.0"}) {
    const protocols::Plan plan = small_plan("", "", randomizer);
    const std::string kind = plan.randomizer() == protocols::RandomizerKind::gaussian ? "g" : "l";
    run(plan, kind + "1", 1);
    for (const unsigned threads : {2u, 3u}) {
      run(plan, kind + std::to_string(threads), threads);
      expect_same_run(kind + "1", kind + std::to_string(threads));
    }
  }
}

TEST_F(TrainingTest, AnInterruptedAndResumedRunIsTheUninterruptedOne) {
  const protocols::Plan plan = small_plan();
  run(plan, "whole");
  for (std::uint64_t round = 1; round < plan.rounds(); ++round) {
    const std::string name = "after" + std::to_string(round);
    const RunResult stopped = run(plan, name, 1, round);
    EXPECT_EQ(stopped.stopped, Stopped::interrupted);
    EXPECT_EQ(stopped.rounds, round);
    EXPECT_EQ(run(plan, name, 2).stopped, Stopped::done);
    EXPECT_EQ(watcher_->first, round);
    expect_same_run("whole", name);
  }
}

// Requests an interruption in the middle of the second step, when the step evaluates its tenth message.
class InterruptingFunction final : public learning::ClientFunction {
 public:
  InterruptingFunction(std::unique_ptr<learning::ClientFunction> inner, Watcher& watcher)
      : inner_(std::move(inner)), watcher_(watcher) {}
  std::size_t dimension() const override { return inner_->dimension(); }
  std::unique_ptr<learning::Workspace> make_workspace() const override { return inner_->make_workspace(); }
  void prepare(std::span<const float> parameters, learning::Workspace& workspace) const override {
    inner_->prepare(parameters, workspace);
  }
  void evaluate(std::span<const float> parameters, const learning::Example& example,
                learning::Workspace& workspace, std::span<float> out) const override {
    if (watcher_.steps.size() == 1 && ++evaluated_ == 10) watcher_.interrupt = true;
    inner_->evaluate(parameters, example, workspace, out);
  }

 private:
  std::unique_ptr<learning::ClientFunction> inner_;
  Watcher& watcher_;
  mutable std::atomic<int> evaluated_{0};
};

TEST_F(TrainingTest, ARunInterruptedWithinAStepRepeatsThatStep) {
  const protocols::Plan plan = small_plan();
  run(plan, "whole");
  for (const unsigned threads : {1u, 2u}) {
    const std::string name = "within" + std::to_string(threads);
    {
      Watcher watcher;
      TrainingParts parts = small_parts(plan);
      parts.epsilon = [](std::uint64_t rounds) { return 0.1 * std::sqrt(static_cast<double>(rounds)); };
      parts.task.function = std::make_unique<InterruptingFunction>(std::move(parts.task.function), watcher);
      RunFolder folder(temporary_.path() / name);
      const RunResult stopped =
          train(plan, parts, small_data(), folder, {threads, &watcher.interrupt}, watcher);
      EXPECT_EQ(stopped.stopped, Stopped::interrupted);
      EXPECT_EQ(stopped.rounds, 1);
      EXPECT_EQ(checkpoint(name).round, 1);
    }
    EXPECT_EQ(run(plan, name, threads).stopped, Stopped::done);
    expect_same_run("whole", name);
  }
}

// A run killed between checkpoints loses rounds but gives the same result: the metrics written after the
// checkpoint are cut off and written again.
TEST_F(TrainingTest, ARunKilledBetweenCheckpointsComesBackTheSame) {
  const protocols::Plan plan = small_plan();
  run(plan, "whole");
  run(plan, "killed", 1, 5);  // leaves a checkpoint at round 5
  const std::string at_five = read_file(temporary_.path() / "killed" / "checkpoint");
  run(plan, "killed", 1, 8);  // logs round 6 and stops after round 8
  replace_file(temporary_.path() / "killed" / "checkpoint", at_five);
  run(plan, "killed");
  EXPECT_EQ(watcher_->first, 5);
  expect_same_run("whole", "killed");
}

TEST_F(TrainingTest, AnInterruptionInTheLastRoundIsNone) {
  EXPECT_EQ(run(small_plan(), "run", 1, 12).stopped, Stopped::done);
}

TEST_F(TrainingTest, StopsBeforeTheBudgetIsPassed) {
  // The epsilon of T rounds is 0.1 sqrt(T), which is at most 0.25 for T <= 6.25.
  const RunResult result = run(small_plan("privacy.budget", "0.25"), "run");
  EXPECT_EQ(result.rounds, 6);
  EXPECT_EQ(result.stopped, Stopped::budget);
  EXPECT_LE(result.epsilon, 0.25);
  EXPECT_EQ(watcher_->final_round, 6);
  EXPECT_EQ(Json::parse(read_file(temporary_.path() / "run" / "result.json"))["stopped"], "budget");
}

TEST_F(TrainingTest, ABudgetBelowTheFirstRoundLeavesNoFolder) {
  EXPECT_ERROR(ErrorCode::budget, run(small_plan("privacy.budget", "0.05"), "run"));
  EXPECT_FALSE(fs::exists(temporary_.path() / "run"));
}

TEST_F(TrainingTest, RoundsNobodyReportsInCountAndChangeNothing) {
  const protocols::Plan plan = small_plan("participation.rate", "1e-12");
  const RunResult result = run(plan, "run");
  EXPECT_EQ(result.rounds, 12);
  EXPECT_EQ(checkpoint("run").messages, 0);
  EXPECT_EQ(checkpoint("run").model.parameters, small_parts(plan).task.initial);
  EXPECT_DOUBLE_EQ(result.epsilon, 0.1 * std::sqrt(12.0));
}

TEST_F(TrainingTest, NoRoundsReportTheInitialModel) {
  const RunResult result = run(small_plan("rounds.count", "0"), "run");
  EXPECT_EQ(result.rounds, 0);
  EXPECT_EQ(result.epsilon, 0.0);
  EXPECT_EQ(result.stopped, Stopped::done);
  EXPECT_TRUE(metrics("run").empty());
}

TEST_F(TrainingTest, ProjectionHoldsAtTheEnd) {
  run(small_plan("rounds.projection", "0.5"), "run");
  double squares = 0;
  for (const float value : checkpoint("run").model.parameters) {
    squares += double{value} * double{value};
  }
  EXPECT_LE(std::sqrt(squares), 0.5 * (1 + 1e-6));
}

TEST_F(TrainingTest, AnotherPlanOrOtherDataDoNotResume) {
  run(small_plan(), "run", 1, 4);
  const auto code_of = [&](const protocols::Plan& plan, const learning::DataSplit& data) {
    RunFolder folder(temporary_.path() / "run");
    Watcher watcher;
    return error_of([&] { train(plan, small_parts(plan), data, folder, {}, watcher); }).code();
  };
  EXPECT_EQ(code_of(small_plan("rounds.count", "13"), small_data()), ErrorCode::checkpoint);
  learning::DataSplit other = small_data();
  other.test.labels[0] ^= 1;
  EXPECT_EQ(code_of(small_plan(), other), ErrorCode::checkpoint);
}

// A run whose noise would come from two versions of a sampler is refused with an error that names both; a run
// without such noise continues.
TEST_F(TrainingTest, AGaussianRunOfAnOlderSamplerIsNotContinued) {
  for (const bool gaussian : {true, false}) {
    const protocols::Plan plan =
        gaussian ? small_plan("", "", "kind = \"gaussian\"\nsigma = 0.2") : small_plan();
    const std::string name = gaussian ? "gaussian" : "other";
    run(plan, name, 1, 4);
    Checkpoint older = checkpoint(name);
    older.sampler = 1;
    replace_file(temporary_.path() / name / "checkpoint", encode(older));
    if (!gaussian) {
      EXPECT_EQ(run(plan, name).rounds, plan.rounds());
      continue;
    }
    const Error error = error_of([&] { run(plan, name); });
    EXPECT_EQ(error.code(), ErrorCode::checkpoint);
    EXPECT_EQ(error.value(), "gaussian sampler 1");
    EXPECT_EQ(error.allowed(), "2");
  }
}

TEST_F(TrainingTest, WithoutNoiseWorthMentioningTheModelLearns) {
  const protocols::Plan plan = small_plan("participation.rate", "1", "kind = \"gaussian\"\nsigma = 0.001");
  EXPECT_GE(run(plan.with("rounds.count", "60"), "run", 2).accuracy, 0.6);
}

// A run in the sum fidelity has the same bits on any number of threads, can be resumed, and names its
// fidelity in the output.
TEST_F(TrainingTest, SumsInsteadOfMessages) {
  const protocols::Plan plan = small_plan("", "", "kind = \"gaussian\"\nsigma = 0.2");
  const RunResult sums = run(plan, "sums", 1, 0, Fidelity::sum);
  EXPECT_EQ(sums.fidelity, Fidelity::sum);
  EXPECT_EQ(Json::parse(result_line(sums))["fidelity"], "sum");
  run(plan, "threads", 3, 0, Fidelity::sum);
  expect_same_run("sums", "threads");
  run(plan, "resumed", 2, 4, Fidelity::sum);
  EXPECT_EQ(checkpoint("resumed").round, 4);
  // A run begun with sums cannot be continued with messages.
  const Error error = error_of([&] { run(plan, "resumed"); });
  EXPECT_EQ(error.code(), ErrorCode::checkpoint);
  EXPECT_EQ(error.value(), "sum");
  EXPECT_EQ(error.allowed(), "message");
  run(plan, "resumed", 1, 0, Fidelity::sum);
  expect_same_run("sums", "resumed");

  // The same clients report, but the noise is another draw (randomizers/sum_sampler_test.cc tests its law).
  run(plan, "messages");
  EXPECT_EQ(checkpoint("sums").messages, checkpoint("messages").messages);
  EXPECT_NE(checkpoint("sums").model.parameters, checkpoint("messages").model.parameters);
}

}  // namespace
}  // namespace muster::simulation
