// Runs every protocol from end to end. The tests show that the result has the same bits with any number of
// threads and after any interruption, and that steps and slots are counted as the accountant charges them.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "muster/core/error.h"
#include "muster/learning/data/digits.h"
#include "muster/plan/source.h"
#include "muster/simulation/setup.h"
#include "muster/simulation/training_runs_test.h"

namespace muster::simulation {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kClients = 120;

using Keys = std::vector<std::pair<const char*, const char*>>;

// A protocol and the keys of its plan; the numbers of rounds and slots give every plan 24 updates.
struct Case {
  const char* protocol;
  Keys keys;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"shuffle", {{"rounds.count", "24"}}},
      {"subset", {{"participation.subset", "40"}, {"rounds.count", "24"}}},
      {"shuffled-check-in",
       {{"participation.rate", "0.2:0.6"},
        {"participation.dropout", "[[1, 0.1], [9, 0.5]]"},
        {"rounds.count", "24"}}},
      {"random-check-in-fixed",
       {{"participation.rate", "0.5"},
        {"participation.slots", "12"},
        {"rounds.count", "2"},
        {"rounds.batch", "3"},
        {"participation.dropout", "[[1, 0.1], [2, 0.5]]"}}},
      {"random-check-in-averaged",
       {{"participation.rate", "0.9"}, {"participation.slots", "12"}, {"rounds.count", "2"}}},
      {"random-check-in-sliding",
       {{"participation.rate", "1"}, {"participation.slots", "109"}, {"rounds.count", "2"}}},
      {"aggregated-check-in",
       {{"participation.rate", "0.3"}, {"participation.minimum", "36"}, {"rounds.count", "24"}}}};
  return all;
}

// Clients hold one record, or five records of which they send the mean gradient, or five records on which
// they make local steps.
const std::vector<Keys>& holdings() {
  static const std::vector<Keys> all = {
      {},
      {{"population.records", "5"}, {"population.partition", "dirichlet:0.3"}},
      {{"population.records", "5"},
       {"rounds.local_steps", "4"},
       {"rounds.local_rate", "0.1"},
       {"rounds.local_batch", "2"}}};
  return all;
}

protocols::Plan plan_of(const Case& protocol, const Keys& more = {}) {
  protocols::PlanSource source = protocols::PlanSource::from_text(R"(
name = "small"
population = {clients = 120, data = "digits"}
randomizer = {kind = "gaussian", sigma = 0.5, clip = 1.0}
rounds = {learning_rate = [[1, 0.5], [13, 0.25]], momentum = 0.5, average = 0.25, log_every = 5, checkpoint_every = 7}
model = {kind = "logistic"}
privacy = {delta = 1e-5}
)",
                                                                  "small.toml");
  source.override_key("participation.protocol", protocol.protocol);
  for (const Keys& keys : {protocol.keys, more}) {
    for (const auto& [name, text] : keys) source.override_key(name, text);
  }
  return protocols::Plan::validate(source, protocols::Command::train);
}

const Case& case_of(const std::string& protocol) {
  return *std::ranges::find(cases(), protocol, [](const Case& c) { return std::string(c.protocol); });
}

class ProtocolsTraining : public TrainingRuns {
 protected:
  static const learning::DataSplit& data() {
    static const learning::DataSplit drawn = learning::draw_digits(5 * kClients, 100, 1);
    return drawn;
  }
  RunResult run(const protocols::Plan& plan, const std::string& name, unsigned threads = 1,
                std::uint64_t interrupt_after = 0) {
    return run_parts(plan, assemble(plan, data(), Accounting::elsewhere), data(), name, threads,
                     interrupt_after);
  }
};

TEST_F(ProtocolsTraining, ThreadsDoNotChangeABitAndTheModelMoves) {
  for (const Case& protocol : cases()) {
    std::vector<std::vector<float>> models = {
        assemble(plan_of(protocol), data(), Accounting::elsewhere).task.initial};
    for (const Keys& held : holdings()) {
      const protocols::Plan plan = plan_of(protocol, held);
      const std::string name = protocol.protocol + std::to_string(held.size()) + "-";
      const RunResult result = run(plan, name, 1);
      EXPECT_EQ(result.rounds, plan.rounds()) << name;
      EXPECT_EQ(result.slots.has_value(), plan.has_slots()) << name;
      EXPECT_EQ(checkpoint(name).round, plan.updates()) << name;
      EXPECT_EQ(std::ranges::count(models, checkpoint(name).model.parameters), 0) << name;
      models.push_back(checkpoint(name).model.parameters);
      for (const unsigned threads : {2u, 3u}) {
        run(plan, name + std::to_string(threads), threads);
        expect_same_run(name, name + std::to_string(threads));
      }
    }
  }
}

TEST_F(ProtocolsTraining, AnInterruptedAndResumedRunIsTheUninterruptedOne) {
  for (const Case& protocol : cases()) {
    for (const Keys& held : holdings()) {
      const protocols::Plan plan = plan_of(protocol, held);
      const std::string whole = protocol.protocol + std::to_string(held.size()) + "-";
      run(plan, whole);
      const std::vector<std::uint64_t> steps = watcher_->steps;
      for (const std::size_t at : {std::size_t{0}, steps.size() / 3, steps.size() / 2, steps.size() - 2}) {
        const std::string name = whole + std::to_string(at);
        EXPECT_EQ(run(plan, name, 1, steps[at]).stopped, Stopped::interrupted) << name;
        EXPECT_EQ(checkpoint(name).round, steps[at]);
        EXPECT_EQ(run(plan, name, 2).stopped, Stopped::done) << name;
        EXPECT_EQ(watcher_->first, steps[at]);
        expect_same_run(whole, name);
      }
    }
  }
}

TEST_F(ProtocolsTraining, ARunThatHasBegunIsChargedInFull) {
  const protocols::Plan plan = plan_of(case_of("random-check-in-fixed"));
  const RunResult result = run(plan, "run");
  // There are 24 slots, 3 per step. A line is logged after each step that reaches or passes a multiple of 5.
  std::vector<std::uint64_t> slots, rounds;
  for (const Measurement& line : watcher_->lines) {
    slots.push_back(line.slot.value());
    rounds.push_back(line.round);
    EXPECT_EQ(line.check_ins, 3u);  // including dummies
    EXPECT_DOUBLE_EQ(line.epsilon, 0.1 * std::sqrt(static_cast<double>(line.round)));
  }
  EXPECT_EQ(slots, (std::vector<std::uint64_t>{6, 12, 15, 21, 24}));
  EXPECT_EQ(rounds, (std::vector<std::uint64_t>{1, 1, 2, 2, 2}));
  EXPECT_EQ(checkpoint("run").messages, 24u);
  EXPECT_EQ(result.slots, 24u);
  EXPECT_EQ(Json::parse(shown_line(watcher_->lines[1]))["slot"], 12);
  EXPECT_EQ(Json::parse(result_line(result))["slots"], 24);

  const RunResult stopped = run(plan, "stopped", 1, 15);
  EXPECT_EQ(stopped.rounds, 2u);
  EXPECT_DOUBLE_EQ(stopped.epsilon, 0.1 * std::sqrt(2.0));
}

TEST_F(ProtocolsTraining, ABudgetPaysForWholeRuns) {
  const protocols::Plan plan = plan_of(case_of("random-check-in-averaged"), {{"privacy.budget", "0.12"}});
  const RunResult result = run(plan, "run");
  EXPECT_EQ(result.stopped, Stopped::budget);
  EXPECT_EQ(result.rounds, 1u);
  EXPECT_EQ(result.slots, 12u);
}

TEST_F(ProtocolsTraining, ADestroyedRoundCountsAndChangesNothing) {
  const protocols::Plan none = plan_of(case_of("aggregated-check-in"), {{"participation.minimum", "120"}});
  const RunResult result = run(none, "none");
  EXPECT_EQ(result.rounds, 24u);
  EXPECT_GT(checkpoint("none").messages, 0u);
  EXPECT_EQ(checkpoint("none").model.parameters, assemble(none, data(), Accounting::elsewhere).task.initial);
  EXPECT_EQ(checkpoint("none").model.momentum, std::vector<float>(checkpoint("none").model.momentum.size()));
}

TEST_F(ProtocolsTraining, WhatCannotRunIsRefusedByName) {
  const auto refused = [](const char* protocol, const char* key, const char* value) {
    try {
      plan_of(case_of(protocol), {{key, value}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::plan) << error.what();
      EXPECT_NE(error.allowed(), "") << error.what();
      return error.key();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused("random-check-in-fixed", "rounds.batch", "5"), "rounds.batch");
  EXPECT_EQ(refused("random-check-in-averaged", "rounds.batch", "2"), "rounds.batch");
  EXPECT_EQ(refused("random-check-in-sliding", "participation.slots", "121"), "participation.slots");
  EXPECT_EQ(refused("random-check-in-fixed", "participation.slots", "2000000001"), "participation.slots");
  EXPECT_EQ(refused("subset", "participation.subset", "121"), "participation.subset");
  EXPECT_EQ(refused("aggregated-check-in", "participation.minimum", "121"), "participation.minimum");
  EXPECT_EQ(refused("shuffle", "rounds.count", "2000000000000"), "rounds.count");
  EXPECT_EQ(refused("random-check-in-averaged", "rounds.count", "1000000000000"), "rounds.count");
  EXPECT_EQ(refused("shuffle", "participation.rate", "0.1"), "participation.rate");
}

}  // namespace
}  // namespace muster::simulation
