// A client whose vector is not finite sends the message of the neutral record, the zero vector. The run must
// equal, bit for bit, one in which these clients computed zeros, and must report how often this happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/data/digits.h"
#include "muster/plan/source.h"
#include "muster/protocols/roll_call.h"
#include "muster/simulation/population.h"
#include "muster/simulation/setup.h"
#include "muster/simulation/training_runs_test.h"

namespace muster::simulation {
namespace {

constexpr std::uint64_t kClients = 120;
constexpr std::uint8_t kOdd = 3;  // records of this class are called odd: OddFunction replaces their vectors

// Equals the function `whole`, except that odd records give `value` at every third coordinate and 0 at the
// others.
class OddFunction final : public learning::ClientFunction {
 public:
  OddFunction(std::unique_ptr<learning::ClientFunction> whole, float value)
      : whole_(std::move(whole)), value_(value) {}
  std::size_t dimension() const override { return whole_->dimension(); }
  std::unique_ptr<learning::Workspace> make_workspace() const override { return whole_->make_workspace(); }
  void prepare(std::span<const float> parameters, learning::Workspace& workspace) const override {
    whole_->prepare(parameters, workspace);
  }
  void evaluate(std::span<const float> parameters, const learning::Example& example,
                learning::Workspace& workspace, std::span<float> out) const override {
    if (example.label != kOdd) return whole_->evaluate(parameters, example, workspace, out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = i % 3 == 0 ? value_ : 0.0f;
  }

 private:
  std::unique_ptr<learning::ClientFunction> whole_;
  float value_;
};

using Keys = std::vector<std::pair<const char*, const char*>>;

struct Case {
  std::string name;
  Keys keys;
  Fidelity fidelity = Fidelity::message;
};

protocols::Plan plan_of(const Keys& keys) {
  protocols::PlanSource source = protocols::PlanSource::from_text(R"(
name = "neutral"
population = {clients = 120, data = "digits"}
rounds = {log_every = 5, checkpoint_every = 7}
privacy = {delta = 1e-5}
)",
                                                                  "neutral.toml");
  for (const auto& [name, text] : keys) source.override_key(name, text);
  return protocols::Plan::validate(source, protocols::Command::train);
}

std::vector<Case> cases() {
  const Keys check_in = {
      {"participation.protocol", "shuffled-check-in"}, {"participation.rate", "0.5"}, {"rounds.count", "12"}};
  const Keys descent = {{"model.kind", "logistic"}, {"rounds.learning_rate", "0.5"}};
  const Keys gaussian = {
      {"randomizer.kind", "gaussian"}, {"randomizer.sigma", "0.5"}, {"randomizer.clip", "1"}};
  const auto join = [](std::initializer_list<Keys> parts) {
    Keys all;
    for (const Keys& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  std::vector<Case> all = {{"sum", join({check_in, descent, gaussian}), Fidelity::sum},
                           {"k-rr", join({check_in,
                                          {{"randomizer.kind", "k-rr"},
                                           {"randomizer.k", "10"},
                                           {"randomizer.epsilon0", "2"},
                                           {"model.kind", "histogram"}}})},
                           {"laplace", join({check_in,
                                             {{"randomizer.kind", "laplace"},
                                              {"randomizer.clip", "1"},
                                              {"randomizer.epsilon0", "2"},
                                              {"model.kind", "mean"}}})}};
  all.push_back({"k-rr-sum", all[1].keys, Fidelity::sum});
  for (const char* kind : {"ldp-sgd", "l1", "l2", "linf"}) {
    all.push_back(
        {kind, join({check_in,
                     descent,
                     {{"randomizer.kind", kind}, {"randomizer.clip", "1"}, {"randomizer.epsilon0", "2"}}})});
  }
  const std::vector<std::pair<const char*, Keys>> protocols = {
      {"shuffle", {{"rounds.count", "12"}}},
      {"subset", {{"participation.subset", "40"}, {"rounds.count", "12"}}},
      {"shuffled-check-in", {{"participation.rate", "0.2:0.6"}, {"rounds.count", "12"}}},
      {"aggregated-check-in",
       {{"participation.rate", "0.3"}, {"participation.minimum", "36"}, {"rounds.count", "12"}}},
      // Most slots are empty, so most messages are dummies.
      {"random-check-in-fixed",
       {{"participation.rate", "0.2"},
        {"participation.slots", "60"},
        {"rounds.batch", "3"},
        {"rounds.count", "2"}}},
      {"random-check-in-averaged",
       {{"participation.rate", "0.9"}, {"participation.slots", "12"}, {"rounds.count", "2"}}},
      {"random-check-in-sliding",
       {{"participation.rate", "0.5"}, {"participation.slots", "60"}, {"rounds.count", "1"}}}};
  for (const auto& [protocol, keys] : protocols) {
    all.push_back({protocol, join({{{"participation.protocol", protocol}}, keys, descent, gaussian})});
  }
  return all;
}

class NeutralAnswers : public TrainingRuns {
 protected:
  static const learning::DataSplit& data() {
    static const learning::DataSplit drawn = learning::draw_digits(kClients, 100, 1);
    return drawn;
  }
  // If `odd` has a value, odd records give it at every third coordinate (OddFunction); otherwise the plan's
  // function is unchanged.
  RunResult run(const Case& what, const std::string& name, std::optional<float> odd, unsigned threads = 1,
                std::uint64_t interrupt_after = 0) {
    const protocols::Plan plan = plan_of(what.keys);
    TrainingParts parts = assemble(plan, data(), Accounting::elsewhere, what.fidelity);
    if (odd) parts.task.function = std::make_unique<OddFunction>(std::move(parts.task.function), *odd);
    return run_parts(plan, std::move(parts), data(), name, threads, interrupt_after);
  }
  // Returns the number of messages from clients with an odd record; dummies do not count.
  static std::uint64_t expected(const protocols::Plan& plan) {
    const auto roll_call = protocols::make_roll_call(plan, random::RunKey::from_seed(plan.seed()));
    std::uint64_t odd = 0;
    for (std::uint64_t round = 1; round <= plan.updates(); round += roll_call->rounds_a_step()) {
      std::vector<protocols::Sender> senders;
      roll_call->append_senders(round, {}, senders);
      odd += static_cast<std::uint64_t>(std::ranges::count_if(senders, [](const protocols::Sender& sender) {
        return !sender.dummy && data().train.labels[sender.client] == kOdd;
      }));
    }
    return odd;
  }
  std::vector<nlohmann::json> metrics_but_for_neutral(const std::string& name) const {
    std::vector<nlohmann::json> lines = metrics(name);
    for (nlohmann::json& line : lines) line.erase("neutral");
    return lines;
  }
};

TEST_F(NeutralAnswers, AreTheMessagesOfTheZeroVectorWhateverTheProtocolAndRandomizer) {
  for (const Case& what : cases()) {
    SCOPED_TRACE(what.name);
    const RunResult zeros = run(what, what.name + "-zero", 0.0f);
    const std::uint64_t odd = expected(plan_of(what.keys));
    ASSERT_GT(odd, 0u);
    EXPECT_EQ(zeros.neutral, 0u);
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      const std::string name = what.name + std::to_string(bad);
      const RunResult result = run(what, name, bad, 2);
      EXPECT_EQ(result.neutral, odd);
      EXPECT_EQ(checkpoint(name).messages, checkpoint(what.name + "-zero").messages);
      EXPECT_EQ(checkpoint(name).neutral, odd);
      EXPECT_EQ(checkpoint(name).model.parameters, checkpoint(what.name + "-zero").model.parameters);
      EXPECT_EQ(metrics_but_for_neutral(name), metrics_but_for_neutral(what.name + "-zero"));
      EXPECT_EQ(metrics(name).back()["neutral"], odd);
      EXPECT_EQ(watcher_->lines.back().neutral, odd);
    }
  }
}

TEST_F(NeutralAnswers, DoNotDependOnThreadsOrInterruptions) {
  for (const Case& what : cases()) {
    SCOPED_TRACE(what.name);
    run(what, what.name, NAN);
    const std::vector<std::uint64_t> steps = watcher_->steps;
    run(what, what.name + "3", NAN, 3);
    expect_same_run(what.name, what.name + "3");
    EXPECT_EQ(run(what, what.name + "-resumed", NAN, 2, steps[steps.size() / 2]).stopped,
              Stopped::interrupted);
    EXPECT_GT(checkpoint(what.name + "-resumed").neutral, 0u);
    run(what, what.name + "-resumed", NAN, 1);
    expect_same_run(what.name, what.name + "-resumed");
  }
}

// If the vector of one of a client's records is not finite, the client's answer is neutral, whatever its
// other records are.
TEST_F(NeutralAnswers, OfOneRecordAmongSeveralAreOfTheWholeClient) {
  const Keys common = {{"participation.protocol", "shuffle"},
                       {"rounds.count", "4"},
                       {"model.kind", "logistic"},
                       {"rounds.learning_rate", "0.5"},
                       {"randomizer.kind", "gaussian"},
                       {"randomizer.sigma", "0.5"},
                       {"randomizer.clip", "1"},
                       {"population.clients", "40"},
                       {"population.records", "3"},
                       {"population.partition", "by-label:2"}};
  const Keys local = {{"rounds.local_steps", "3"}, {"rounds.local_rate", "0.1"}, {"rounds.local_batch", "1"}};
  for (const Keys& more : {Keys{}, local}) {
    Case what{more.empty() ? "mean" : "local", common};
    what.keys.insert(what.keys.end(), more.begin(), more.end());
    const protocols::Plan plan = plan_of(what.keys);
    const Population population(holdings_of(plan), data().train, random::RunKey::from_seed(plan.seed()));
    std::uint64_t odd = 0;
    std::vector<Record> room;
    for (std::uint64_t client = 0; client < plan.clients(); ++client) {
      odd += std::ranges::any_of(population.records(client, room),
                                 [](Record record) { return data().train.labels[record] == kOdd; })
                 ? 1
                 : 0;
    }
    ASSERT_GT(odd, 0u);
    ASSERT_LT(odd, 40u);
    for (const float bad : {NAN, INFINITY}) {
      const std::string name = what.name + std::to_string(bad);
      const RunResult result = run(what, name, bad, 2);
      EXPECT_EQ(result.neutral, 4 * odd);
      EXPECT_TRUE(
          std::ranges::all_of(checkpoint(name).model.parameters, [](float p) { return std::isfinite(p); }));
      EXPECT_EQ(checkpoint(name).messages, 160u);
    }
  }
}

// Every step has as many messages as if all vectors were finite, so a missing message reveals nothing about
// its client's record.
TEST_F(NeutralAnswers, WhoReportsDoesNotDependOnWhatIsComputed) {
  for (const Case& what : cases()) {
    SCOPED_TRACE(what.name);
    run(what, what.name + "-sound", std::nullopt);
    run(what, what.name, NAN);
    const auto sound = metrics(what.name + "-sound"), odd = metrics(what.name);
    ASSERT_EQ(sound.size(), odd.size());
    for (std::size_t i = 0; i < sound.size(); ++i) {
      EXPECT_EQ(sound[i]["check_ins"], odd[i]["check_ins"]);
      EXPECT_EQ(sound[i]["messages"], odd[i]["messages"]);
      EXPECT_EQ(sound[i]["epsilon"], odd[i]["epsilon"]);
    }
  }
}

// In a fifth of the records both features are nearly as large as a float can be, so that gradients overflow
// although the data are valid.
TEST_F(NeutralAnswers, AGradientThatOverflowsIsOne) {
  learning::DataSplit rows;
  for (learning::Dataset* part : {&rows.train, &rows.test}) {
    part->shape = {1, 1, 2};
    part->classes = 2;
    for (std::uint8_t i = 0; i < kClients; ++i) {
      part->labels.push_back(i % 2);
      part->values.push_back(i % 5 == 0 ? 3e38f : 1.0f);
      part->values.push_back(i % 5 == 0 ? -3e38f : 0.5f);
    }
  }
  const protocols::Plan plan = plan_of({{"participation.protocol", "shuffle"},
                                        {"model.kind", "logistic"},
                                        {"rounds.learning_rate", "100"},
                                        {"rounds.count", "10"},
                                        {"randomizer.kind", "ldp-sgd"},
                                        {"randomizer.epsilon0", "2"},
                                        {"randomizer.clip", "1"}});
  const RunResult result = run_parts(plan, assemble(plan, rows, Accounting::elsewhere), rows, "run", 2, 0);
  EXPECT_EQ(result.stopped, Stopped::done);
  EXPECT_EQ(checkpoint("run").messages, 10 * kClients);
  EXPECT_GT(result.neutral, 0u);
  EXPECT_LE(result.neutral, 10 * kClients / 5);
  EXPECT_TRUE(
      std::ranges::all_of(checkpoint("run").model.parameters, [](float p) { return std::isfinite(p); }));
}

// A run may end because its model has diverged: the model is released anyway, so this reveals nothing more.
TEST_F(NeutralAnswers, AModelThatIsNotFiniteEndsTheRun) {
  for (const char* average : {"0", "0.5"}) {
    const Case what{"run",
                    {{"participation.protocol", "shuffle"},
                     {"model.kind", "logistic"},
                     {"rounds.learning_rate", "[[1, 0.1], [6, 1e39]]"},
                     {"rounds.average", average},
                     {"rounds.count", "20"},
                     {"rounds.log_every", "1"},
                     {"randomizer.kind", "ldp-sgd"},
                     {"randomizer.epsilon0", "2"},
                     {"randomizer.clip", "1"}}};
    const std::string name = std::string("average") + average;
    const Error error = error_of([&] { run(what, name, NAN, 2); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.key(), "rounds.learning_rate");
    EXPECT_NE(std::string(error.what()).find("after round 6 the model is no longer finite"),
              std::string::npos)
        << error.what();
    EXPECT_EQ(metrics(name).size(), 5u);  // logged rounds are kept
    EXPECT_FALSE(std::filesystem::exists(temporary_.path() / name / "result.json"));
    EXPECT_ERROR(ErrorCode::data, run(what, name, NAN));  // resuming the run fails in the same way
  }
}

}  // namespace
}  // namespace muster::simulation
