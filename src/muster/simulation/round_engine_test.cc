// Compares one round with a computation by hand, for a simple function and a simple randomizer.
#include "muster/simulation/round_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/protocols/roll_call_check_in.h"
#include "muster/randomizers/clip.h"

namespace muster::simulation {
namespace {

// The client's function has the values (parameter 0, label, input). For clients with the label `odd`, `bad`
// replaces the input.
class PencilFunction final : public learning::ClientFunction {
 public:
  std::size_t dimension() const override { return 3; }
  std::unique_ptr<learning::Workspace> make_workspace() const override {
    return std::make_unique<learning::Workspace>();
  }
  void evaluate(std::span<const float> parameters, const learning::Example& example, learning::Workspace&,
                std::span<float> out) const override {
    if (raised != nullptr && ++evaluated == raised_by) *raised = true;
    out[0] = parameters[0];
    out[1] = example.label;
    out[2] = example.label == odd ? bad : example.inputs[0];
  }
  int odd = -1;
  float bad = NAN;
  // evaluate() sets this flag to true in its call number `raised_by`, counted from 1; null means no flag.
  std::atomic<bool>* raised = nullptr;
  int raised_by = 0;
  mutable std::atomic<int> evaluated{0};
};

// Sends the vector without noise, in units of 1/4, and records the order in which messages were aggregated.
class PencilRandomizer final : public randomizers::VectorRandomizer {
 public:
  std::size_t dimension() const override { return 3; }
  accounting::Mechanism description() const override { return accounting::PureLocal{1.0}; }
  std::uint64_t message_bits() const override { return 3 * 32; }
  double variance(double) const override { return 0; }
  double step() const override { return 0.25; }
  std::unique_ptr<randomizers::Scratch> make_scratch() const override {
    return std::make_unique<randomizers::Scratch>();
  }
  void randomize(std::span<const float> gradient, const random::RunKey&, std::uint64_t, std::uint64_t,
                 randomizers::Scratch&, randomizers::Message& out) const override {
    randomizers::GridMessage message;
    if (out_of_order) throw Error(ErrorCode::internal, "", "", "", "a defect");
    randomizers::check_finite(gradient);
    for (const float value : gradient) {
      message.steps.push_back(static_cast<std::int32_t>(value * 4));
    }
    out = message;
  }
  void accumulate(const randomizers::Message& message, randomizers::Scratch&,
                  randomizers::MessageSum& sum) const override {
    const auto& steps = std::get<randomizers::GridMessage>(message).steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      sum.sums()[i] += steps[i];
    }
    sum.count_one();
    const std::lock_guard lock(mutex_);
    order_.push_back(steps[2] / 4);
  }
  std::vector<int> take_order() const { return std::exchange(order_, {}); }
  bool out_of_order = false;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<int> order_;
};

// Adds up the vectors in units of 1/4. The "noise" that it draws in round r is 100 r, in coordinate 1 only.
class PencilSum final : public randomizers::SumSampler {
 public:
  randomizers::MessageSum make_sum() const override { return {3, 0.25}; }
  void add(std::span<const float> vector, randomizers::MessageSum& exact) const override {
    add_all({&vector, 1}, exact);
  }
  void add_all(std::span<const std::span<const float>> vectors,
               randomizers::MessageSum& exact) const override {
    for (const std::span<const float> vector : vectors) randomizers::check_finite(vector);
    const std::span<std::int64_t> sums = exact.sums();
    for (const std::span<const float> vector : vectors) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += static_cast<std::int64_t>(vector[i] * 4);
      }
      exact.count_one();
    }
  }
  randomizers::MessageSum draw(const randomizers::MessageSum& exact, const random::RunKey&,
                               std::uint64_t round) const override {
    randomizers::MessageSum sum = exact;
    sum.sums()[1] += static_cast<std::int64_t>(400 * round);
    return sum;
  }
};

class RoundEngineTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kClients = 60;

  RoundEngineTest() {
    data_.shape = {1, 1, 1};
    for (std::uint64_t i = 0; i < kClients; ++i) {  // record i has the label i mod 10 and the only input i
      data_.labels.push_back(static_cast<std::uint8_t>(i % 10));
      data_.values.push_back(static_cast<float>(i));
    }
  }

  std::vector<float> run(unsigned threads, double rate, std::uint64_t& reports, float first = 0.5f) {
    const random::RunKey key = random::RunKey::from_seed(9);
    protocols::RollCallByCoins roll_call(protocols::CheckInCoins(key, rate, 0.0), kClients, minimum_);
    return run(threads, roll_call, reports, first);
  }

  std::vector<float> run(unsigned threads, protocols::RollCall& roll_call, std::uint64_t& messages,
                         float first = 0.5f) {
    const random::RunKey key = random::RunKey::from_seed(9);
    const Population population({.clients = kClients}, data_, key);
    WorkerTeam team(threads);
    const std::unique_ptr<Ranks> ranks = alone();
    RoundEngine engine(function_, randomizer_, roll_call, population, key, team, *ranks, sum_);
    std::vector<float> estimate(3, 99.0f);
    const RoundEngine::Step step = engine.run(1, std::vector<float>{first, 0.0f, 0.0f}, estimate);
    messages = step.messages;
    neutral_ = step.neutral;
    decoded_ = step.decoded;
    return estimate;
  }

  learning::Dataset data_;
  PencilFunction function_;
  PencilRandomizer randomizer_;
  const randomizers::SumSampler* sum_ = nullptr;
  std::uint64_t reports_ = 0;
  std::uint64_t neutral_ = 0;
  std::uint64_t minimum_ = 1;
  bool decoded_ = false;
};

TEST_F(RoundEngineTest, TheEstimateIsTheMeanOfEveryClientsMessage) {
  EXPECT_EQ(run(1, 1.0, reports_), (std::vector<float>{0.5f, 4.5f, 29.5f}));
  EXPECT_EQ(reports_, kClients);
}

TEST_F(RoundEngineTest, OnlyClientsWhoseCoinsSaySoReport) {
  std::vector<std::uint64_t> clients;
  protocols::CheckInCoins(random::RunKey::from_seed(9), 0.3, 0.0).append_reporting(1, 0, kClients, clients);
  run(1, 0.3, reports_);
  std::vector<int> seen = randomizer_.take_order();
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, std::vector<int>(clients.begin(), clients.end()));
  EXPECT_EQ(reports_, clients.size());
}

TEST_F(RoundEngineTest, TheNumberOfThreadsChangesNoBit) {
  const std::vector<float> one = run(1, 0.5, reports_);
  const std::uint64_t reports = reports_;
  for (const unsigned threads : {2u, 3u, 5u}) {
    EXPECT_EQ(run(threads, 0.5, reports_), one);
    EXPECT_EQ(reports_, reports);
  }
}

TEST_F(RoundEngineTest, AnInterruptedStepIsAbandonedAndCanBeRunAgain) {
  const random::RunKey key = random::RunKey::from_seed(9);
  const Population population({.clients = kClients}, data_, key);
  const std::unique_ptr<Ranks> ranks = alone();
  for (const unsigned threads : {1u, 2u, 3u}) {
    // The flag is set before the step, or by the twentieth of sixty calls of evaluate().
    for (const int raised_by : {-1, 20}) {
      std::atomic<bool> flag{raised_by < 0};
      protocols::RollCallByCoins roll_call(protocols::CheckInCoins(key, 1.0, 0.0), kClients, 1);
      WorkerTeam team(threads);
      function_.raised = &flag;
      function_.raised_by = raised_by;
      function_.evaluated = 0;
      randomizer_.take_order();
      RoundEngine engine(function_, randomizer_, roll_call, population, key, team, *ranks, sum_,
                         Interrupt(&flag));
      std::vector<float> estimate(3, 99.0f);
      const std::vector<float> parameters = {0.5f, 0.0f, 0.0f};
      RoundEngine::Step step = engine.run(1, parameters, estimate);
      EXPECT_TRUE(step.abandoned);
      EXPECT_FALSE(step.decoded);
      EXPECT_EQ(estimate, std::vector<float>(3, 0.0f));
      EXPECT_LT(randomizer_.take_order().size(), kClients);
      function_.raised = nullptr;
      flag = false;
      step = engine.run(1, parameters, estimate);
      EXPECT_FALSE(step.abandoned);
      EXPECT_EQ(step.messages, kClients);
      EXPECT_EQ(estimate, (std::vector<float>{0.5f, 4.5f, 29.5f}));
    }
  }
}

TEST_F(RoundEngineTest, TheCoinsOfALargePopulationAreSharedOutAndTheSame) {
  // There are so many coins that up to three workers divide them. The clients share the 60 records.
  constexpr std::uint64_t kMany = (std::uint64_t{1} << 21) + 12345;
  const random::RunKey key = random::RunKey::from_seed(9);
  const Population population({.clients = kMany, .share = true}, data_, key);
  const std::unique_ptr<Ranks> ranks = alone();
  std::vector<std::vector<float>> estimates;
  std::vector<std::uint64_t> messages;
  for (const unsigned threads : {1u, 2u, 3u}) {
    protocols::RollCallByCoins roll_call(protocols::CheckInCoins(key, 1e-4, 0.0), kMany, 1);
    WorkerTeam team(threads);
    RoundEngine engine(function_, randomizer_, roll_call, population, key, team, *ranks);
    estimates.emplace_back(3);
    messages.push_back(engine.run(1, std::vector<float>{0.5f, 0.0f, 0.0f}, estimates.back()).messages);
  }
  EXPECT_EQ(estimates[1], estimates[0]);
  EXPECT_EQ(estimates[2], estimates[0]);
  EXPECT_EQ(messages, std::vector<std::uint64_t>(3, messages[0]));
  EXPECT_GT(messages[0], 100u);
}

TEST_F(RoundEngineTest, MessagesArriveInASecretOrder) {
  std::vector<int> in_turn(kClients);
  std::iota(in_turn.begin(), in_turn.end(), 0);
  run(1, 1.0, reports_);
  const std::vector<int> first = randomizer_.take_order();
  run(1, 1.0, reports_);
  const std::vector<int> second = randomizer_.take_order();
  // The order does not depend on the seed, so two orders are equal only by chance, with probability 1/60!.
  EXPECT_NE(first, in_turn);
  EXPECT_NE(first, second);
  EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), in_turn.begin()));
}

TEST_F(RoundEngineTest, NobodyReportingGivesZeros) {
  EXPECT_EQ(run(2, 1e-15, reports_), (std::vector<float>{0.0f, 0.0f, 0.0f}));
  EXPECT_EQ(reports_, 0);
  EXPECT_FALSE(decoded_);
}

TEST_F(RoundEngineTest, FewerMessagesThanTheMinimumAreDestroyedUnseen) {
  const std::vector<float> whole = run(2, 0.5, reports_);
  minimum_ = reports_;
  EXPECT_EQ(run(2, 0.5, reports_), whole);
  EXPECT_TRUE(decoded_);
  ++minimum_;
  for (const unsigned threads : {1u, 2u}) {
    EXPECT_EQ(run(threads, 0.5, reports_), (std::vector<float>{0.0f, 0.0f, 0.0f}));
    EXPECT_FALSE(decoded_);
    EXPECT_EQ(reports_, minimum_ - 1);
  }
}

// Lists two clients and two dummies in the four slots of one step. The dummies' vectors are zero, and the
// mean is over all four messages.
class ScriptedRollCall final : public protocols::RollCall {
 public:
  std::uint64_t rounds_a_step() const override { return 4; }
  void append_senders(std::uint64_t first_round, protocols::Share,
                      std::vector<protocols::Sender>& senders) override {
    senders.push_back({11, first_round, false});
    senders.push_back({60, first_round + 1, true});
    senders.push_back({24, first_round + 2, false});
    senders.push_back({60, first_round + 3, true});
  }
};

TEST_F(RoundEngineTest, ADummyIsAMessageOfAZeroVector) {
  ScriptedRollCall roll_call;
  // Clients 11 and 24 have the labels 1 and 4 and the inputs 11 and 24.
  EXPECT_EQ(run(2, roll_call, reports_), (std::vector<float>{0.25f, 1.25f, 8.75f}));
  EXPECT_EQ(reports_, 4);
  EXPECT_EQ(neutral_, 0);
  EXPECT_TRUE(decoded_);
  // A client's neutral answer is a message like that of a dummy, but step.neutral counts it.
  function_.odd = 4;
  EXPECT_EQ(run(2, roll_call, reports_), (std::vector<float>{0.125f, 0.25f, 2.75f}));
  EXPECT_EQ(reports_, 4);
  EXPECT_EQ(neutral_, 1);
}

// The six clients with the label 4 have the inputs 4, 14, ..., 54, which add up to 174. Their messages count,
// but add nothing to the three sums.
TEST_F(RoundEngineTest, AVectorThatIsNotFiniteIsAnsweredAsTheNeutralRecord) {
  const std::vector<float> without = {0.5f * 54 / 60, (270.0f - 6 * 4) / 60, (1770.0f - 174) / 60};
  function_.odd = 4;
  const PencilSum pencil_sum;
  for (const randomizers::SumSampler* sum :
       {(const randomizers::SumSampler*)nullptr, (const randomizers::SumSampler*)&pencil_sum}) {
    sum_ = sum;
    const float noise = sum == nullptr ? 0.0f : 100.0f / kClients;
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      function_.bad = bad;
      for (const unsigned threads : {1u, 2u, 3u}) {
        const std::vector<float> estimate = run(threads, 1.0, reports_);
        EXPECT_FLOAT_EQ(estimate[0], without[0]);
        EXPECT_FLOAT_EQ(estimate[1], without[1] + noise);
        EXPECT_FLOAT_EQ(estimate[2], without[2]);
        EXPECT_EQ(reports_, kClients);  // as many messages as clients that report
        EXPECT_EQ(neutral_, 6u);
      }
    }
  }
  function_.odd = -1;
  run(2, 1.0, reports_);
  EXPECT_EQ(neutral_, 0u);
}

TEST_F(RoundEngineTest, NeutralAnswersOfADestroyedRoundAreCounted) {
  function_.odd = 4;
  minimum_ = kClients + 1;
  EXPECT_EQ(run(2, 1.0, reports_), std::vector<float>(3));
  EXPECT_FALSE(decoded_);
  EXPECT_EQ(neutral_, 6u);
}

TEST_F(RoundEngineTest, ADivergedModelIsAnsweredNeutrallyByEverybody) {
  for (const unsigned threads : {1u, 3u}) {
    EXPECT_EQ(run(threads, 1.0, reports_, NAN), std::vector<float>(3));
    EXPECT_TRUE(decoded_);
    EXPECT_EQ(neutral_, kClients);
  }
}

// If the randomizer refuses a finite vector, the code has a defect, and the error ends the run.
TEST_F(RoundEngineTest, ADefectStaysOne) {
  randomizer_.out_of_order = true;
  for (const unsigned threads : {1u, 3u}) {
    EXPECT_ERROR(ErrorCode::internal, run(threads, 1.0, reports_));
  }
}

TEST_F(RoundEngineTest, ASumSamplerTakesTheVectorsAndDrawsOnce) {
  const std::vector<float> by_messages = run(1, 1.0, reports_);
  const PencilSum sum;
  sum_ = &sum;
  randomizer_.take_order();
  for (const unsigned threads : {1u, 4u}) {
    const std::vector<float> by_sums = run(threads, 1.0, reports_);
    EXPECT_EQ(reports_, kClients);
    EXPECT_EQ(by_sums[0], by_messages[0]);
    EXPECT_FLOAT_EQ(by_sums[1], by_messages[1] + 100.0f / kClients);
    EXPECT_EQ(by_sums[2], by_messages[2]);
  }
  EXPECT_TRUE(randomizer_.take_order().empty());  // no message was made
  minimum_ = kClients + 1;
  EXPECT_EQ(run(2, 1.0, reports_), std::vector<float>(3));
  EXPECT_FALSE(decoded_);
}

}  // namespace
}  // namespace muster::simulation
