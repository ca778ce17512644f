// Compares the model that the aggregator learns from encoded reports, bit by bit, with the simulation of the
// same plan and seed. Invalid reports must be counted and change nothing.
#include "muster/service/aggregator/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/protocols/roll_call.h"
#include "muster/randomizers/gaussian.h"
#include "muster/service/aggregator/simulated_run_test.h"
#include "muster/service/model/device_function.h"
#include "muster/service/model/device_records.h"
#include "muster/service/model/model_blob.h"
#include "muster/service/model/tasks_test.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/runs/checkpoint.h"
#include "muster/simulation/training.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

using wire::Buffer;
using Payloads = std::vector<Buffer>;

// Devices that toss the coins and draw the noise of the simulation, and know of the model what they download.
class SeededDevices {
 public:
  SeededDevices(const TaskDocument& task, const Buffer& frozen)
      : task_(task),
        key_(random::RunKey::from_seed(task.plan().seed())),
        roll_call_(protocols::make_roll_call(task.plan(), key_)),
        function_(task, frozen.empty() ? std::nullopt : decode_frozen(frozen)),
        records_(task, task.plan().data()),
        randomizer_(randomizer_of(task)),
        format_(*randomizer_) {}

  Payloads reports(std::uint64_t round, const Buffer& model) const {
    const std::vector<float> parameters = decode_model(model, dimension_of(task_)).value();
    std::vector<protocols::Sender> senders;
    roll_call_->append_senders(round, protocols::Share{}, senders);
    const auto scratch = randomizer_->make_scratch();
    Payloads payloads;
    for (const protocols::Sender& sender : senders) {
      const std::vector<float> vector = function_.evaluate(parameters, records_.record(sender.client));
      randomizers::Message message;
      randomizer_->randomize(vector, key_, round, sender.client, *scratch, message);
      format_.encode(message, payloads.emplace_back(format_.size()));
    }
    return payloads;
  }

 private:
  const TaskDocument& task_;
  random::RunKey key_;
  std::unique_ptr<protocols::RollCall> roll_call_;
  DeviceFunction function_;
  DeviceRecords records_;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer_;
  wire::PayloadFormat format_;
};

ReportCounts receive(Learner& learner, const Payloads& payloads) {
  return learner.receive(payloads.size(), [&](std::uint64_t report, std::span<std::uint8_t> payload) {
    if (payloads[report].empty()) return false;
    std::ranges::copy(payloads[report], payload.begin());
    return true;
  });
}

// Runs all rounds of the task, with the reports of each round in another order.
simulation::ModelState learned(const TaskDocument& task, unsigned threads) {
  const simulation::Prepared parts = server_parts(task);
  Learner learner(task.plan(), parts, threads);
  const SeededDevices devices(task, learner.frozen_blob());
  std::mt19937_64 order(threads);
  for (std::uint64_t round = 1; round <= task.plan().rounds(); ++round) {
    Payloads payloads = devices.reports(round, Learner::model_blob(learner.model().state));
    std::ranges::shuffle(payloads, order);
    EXPECT_EQ(receive(learner, payloads).valid, payloads.size());
    learner.adopt(learner.next(round));
  }
  return learner.model().state;
}

void expect_the_simulations_bits(const TaskDocument& task) {
  const simulation::ModelState expected = simulated(task);
  EXPECT_NE(expected.parameters, expected.momentum);
  for (const unsigned threads : {1u, 3u}) {
    const simulation::ModelState model = learned(task, threads);
    EXPECT_EQ(encode({model, false}), encode({expected, false})) << threads << " threads";
  }
}

constexpr const char* kLdpSgd = "[randomizer]\nkind = \"ldp-sgd\"\nepsilon0 = 2\nclip = 1\n";

TEST(Learner, HasTheBitsOfTheSimulationOfTheSameMessages) {
  const Overrides everything = {{"model.kind", "logistic"},      {"rounds.learning_rate", "inverse-sqrt:10"},
                                {"rounds.momentum", "0.5"},      {"rounds.average", "0.1"},
                                {"rounds.weight_decay", "0.01"}, {"rounds.projection", "3"}};
  {
    SCOPED_TRACE("ldp-sgd");
    expect_the_simulations_bits(task_of(std::string(kTwelve) + kLdpSgd, everything));
  }
  {
    SCOPED_TRACE("gaussian");
    expect_the_simulations_bits(task_of(
        std::string(kTwelve) + "[randomizer]\nkind = \"gaussian\"\nsigma = 1\nclip = 1\n", everything));
  }
  {
    SCOPED_TRACE("histogram");
    expect_the_simulations_bits(
        task_of(std::string(kTwelve) + "[randomizer]\nkind = \"k-rr\"\nepsilon0 = 2\nk = 10\n",
                {{"model.kind", "histogram"}}));
  }
}

TEST(Learner, HasTheBitsOfTheSimulationOnFrozenFeatures) {
  expect_the_simulations_bits(task_of(
      kDeployedPlan, {{"population.clients", "12"}, {"model.pretrain_epochs", "1"}, {"rounds.count", "2"}}));
}

TEST(Learner, AReportWithAnotherSignThanZeroOrOneIsCountedAndChangesNothing) {
  const TaskDocument task =
      task_of(std::string(kTwelve) + kLdpSgd, {{"model.kind", "logistic"}, {"rounds.learning_rate", "1"}});
  const simulation::Prepared parts = server_parts(task);
  Learner learner(task.plan(), parts, 1);
  Buffer good(learner.payload(), 7);
  good.back() = 1;
  EXPECT_EQ(receive(learner, {good}), (ReportCounts{.valid = 1}));
  const Buffer expected = encode(learner.next(1));
  Buffer bad = good;
  bad.back() = 2;
  EXPECT_EQ(receive(learner, {bad, good, bad}), (ReportCounts{.valid = 1, .sign = 2}));
  EXPECT_EQ(encode(learner.next(1)), expected);
}

// Whatever else is received with a valid report, the model is the one that this report makes alone.
void expect_counted(const char* randomizer, const ReportCounts& expected,
                    const std::function<Payloads(const Learner&)>& invalid) {
  const TaskDocument task =
      task_of(std::string(kTwelve) + randomizer, {{"model.kind", "logistic"}, {"rounds.learning_rate", "1"}});
  const simulation::Prepared parts = server_parts(task);
  Learner learner(task.plan(), parts, 2);
  Buffer good(learner.payload());
  good[0] = 1;
  EXPECT_EQ(receive(learner, {good}), (ReportCounts{.valid = 1}));
  const Buffer alone = encode(learner.next(1));
  EXPECT_NE(alone, encode(learner.model()));
  Payloads payloads = invalid(learner);
  payloads.insert(payloads.begin() + 1, good);
  EXPECT_EQ(receive(learner, payloads), expected);
  EXPECT_EQ(encode(learner.next(1)), alone);
}

TEST(Learner, StepsOutOfRangeAndBitsThatAreLeftOverAreCountedAndChangeNothing) {
  expect_counted("[randomizer]\nkind = \"gaussian\"\nsigma = 1\nclip = 1\n",
                 {.valid = 1, .range = 1, .padding = 2}, [](const Learner& learner) {
                   const unsigned bits = randomizers::gaussian_grid(1, 1, learner.dimension()).bits;
                   EXPECT_NE(bits * learner.dimension() % 8, 0u);
                   // The first number is -2^(b-1), and an unused bit is set: alone, and with that number.
                   Buffer lowest(learner.payload());
                   lowest[(bits - 1) / 8] = static_cast<std::uint8_t>(1 << (bits - 1) % 8);
                   Buffer padded(learner.payload());
                   padded.back() = 0x80;
                   Buffer both = lowest;
                   both.back() = 0x80;
                   return Payloads{lowest, padded, both};
                 });
}

TEST(Learner, AnIndexOutOfRangeIsCountedAndChangesNothing) {
  expect_counted(
      "[randomizer]\nkind = \"linf\"\nepsilon0 = 2\nclip = 1\n", {.valid = 1, .sign = 1, .range = 2},
      [](const Learner& learner) {
        const auto report = [](std::size_t index, std::uint8_t sign) {
          return wire::FieldWriter(5).integer(static_cast<std::uint32_t>(index)).integer(sign).take();
        };
        const std::size_t dimension = learner.dimension();
        return Payloads{report(dimension, 1), report(0xffffffff, 0), report(dimension - 1, 2)};
      });
}

// A histogram of ten classes, whose payload is one answer.
class HistogramTest : public ::testing::Test {
 protected:
  static Buffer answer(std::uint32_t value) { return wire::FieldWriter(4).integer(value).take(); }

  const TaskDocument task_ =
      task_of(std::string(kTwelve) + "[randomizer]\nkind = \"k-rr\"\nepsilon0 = 2\nk = 10\n",
              {{"model.kind", "histogram"}});
  const simulation::Prepared parts_ = server_parts(task_);
  Learner learner_{task_.plan(), parts_, 2};
};

TEST_F(HistogramTest, InvalidReportsAreCountedByReasonAndChangeNothing) {
  const Payloads valid = {answer(0), answer(3), answer(3), answer(9)};
  EXPECT_EQ(receive(learner_, valid), (ReportCounts{.valid = 4}));
  const Buffer expected = encode(learner_.next(1));
  const Payloads with_others = {answer(10), answer(3), {},        answer(9), answer(0xffffffff),
                                {},         answer(0), answer(3), answer(11)};
  EXPECT_EQ(receive(learner_, with_others), (ReportCounts{.valid = 4, .sealed = 2, .range = 3}));
  EXPECT_EQ(encode(learner_.next(1)), expected);
  // What is received replaces what was received before.
  receive(learner_, {answer(1)});
  EXPECT_NE(encode(learner_.next(1)), expected);
}

TEST_F(HistogramTest, WithoutAValidReportTheModelStays) {
  const Buffer before = encode(learner_.model());
  for (const Payloads& payloads : {Payloads{}, Payloads{{}, answer(10)}}) {
    receive(learner_, payloads);
    const LearnedModel next = learner_.next(1);
    EXPECT_EQ(encode(next), before);
    EXPECT_EQ(next.state.updates, 0u);
    EXPECT_FALSE(next.diverged);
  }
}

TEST_F(HistogramTest, NothingChangesBeforeTheModelIsAdopted) {
  receive(learner_, {answer(1)});
  const Buffer before = encode(learner_.model());
  const LearnedModel next = learner_.next(1);
  EXPECT_EQ(encode(learner_.model()), before);
  learner_.adopt(next);
  EXPECT_NE(encode(learner_.model()), before);
  EXPECT_ERROR(ErrorCode::internal, learner_.adopt({simulation::ModelState({1, 2}), false}));
}

TEST_F(HistogramTest, TheScoreIsThatOfTheSimulationsEvaluator) {
  simulation::WorkerTeam team(1);
  const auto evaluator = parts_.parts.task.make_evaluator(parts_.data.test, team);
  EXPECT_EQ(parts_.data.test.size(), 10'000u);
  EXPECT_EQ(learner_.score().accuracy, evaluator->score(learner_.model().state.parameters).accuracy);
  EXPECT_GT(learner_.score().accuracy, 0.8);  // digits are nearly uniform, and so is the initial histogram
}

TEST_F(HistogramTest, AKeptModelIsReadBackAndNothingElseIs) {
  receive(learner_, {answer(1)});
  LearnedModel model = learner_.next(1);
  model.diverged = true;
  const Buffer bytes = encode(model);
  ASSERT_TRUE(decode_learned(bytes, 10));
  EXPECT_EQ(encode(*decode_learned(bytes, 10)), bytes);
  EXPECT_TRUE(decode_learned(bytes, 10)->diverged);
  EXPECT_FALSE(decode_learned(bytes, 9));
  EXPECT_FALSE(decode_learned(bytes, 11));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_learned(wire::Bytes(bytes).first(length), 10));
  }
  Buffer longer = bytes, flag = bytes, dimension = bytes;
  longer.push_back(0);
  flag[8] = 2;
  dimension[9] = 11;
  for (const Buffer& wrong : {longer, flag, dimension}) EXPECT_FALSE(decode_learned(wrong, 10));
  // A NaN stands at the end of each of the three vectors in turn.
  for (const std::size_t vector : {1u, 2u, 3u}) {
    Buffer no_number = bytes;
    std::fill_n(no_number.begin() + static_cast<std::ptrdiff_t>(17 + 40 * vector - 4), 4, std::uint8_t{0xff});
    EXPECT_FALSE(decode_learned(no_number, 10)) << vector;
  }
  model.state.average[3] = std::numeric_limits<float>::infinity();
  EXPECT_ERROR(ErrorCode::internal, encode(model));
}

TEST(Learner, AStepOutOfTheFiniteNumbersIsNotTaken) {
  const TaskDocument task =
      task_of(std::string(kTwelve) + kLdpSgd, {{"model.kind", "logistic"}, {"rounds.learning_rate", "1e38"}});
  const simulation::Prepared parts = server_parts(task);
  Learner learner(task.plan(), parts, 1);
  LearnedModel far = learner.model();
  std::ranges::fill(far.state.parameters, std::numeric_limits<float>::max());
  std::ranges::fill(far.state.average, 0.0F);
  learner.adopt(far);
  Buffer payload(learner.payload());
  payload.back() = 1;
  receive(learner, {payload});
  const LearnedModel next = learner.next(1);
  EXPECT_TRUE(next.diverged);
  EXPECT_EQ(next.state.parameters, far.state.parameters);
  EXPECT_EQ(next.state.updates, 0u);
}

TEST(Learner, ATestSetOfAnotherShapeIsRefused) {
  const muster::testing::TemporaryFolder temporary;
  const std::filesystem::path path = temporary.path() / "data.csv";
  std::string text = "a,b,label\n";
  for (int i = 0; i < 20; ++i) text += "0.5,-1," + std::to_string(i % 2) + "\n";
  replace_file(path, text);
  TaskSettings settings = task_settings();
  settings.classes = 3;
  for (const std::uint64_t features : {2u, 3u}) {
    settings.features = features;
    const TaskDocument task = task_of(std::string(kTwelve) + kLdpSgd,
                                      {{"model.kind", "logistic"},
                                       {"rounds.learning_rate", "0.1"},
                                       {"population.data", "csv:" + path.string()}},
                                      settings);
    if (features == 2) {
      const simulation::Prepared parts = server_parts(task);
      EXPECT_EQ(Learner(task.plan(), parts, 1).dimension(), dimension_of(task));
    } else {
      EXPECT_ERROR(ErrorCode::data, server_parts(task));
    }
  }
}

}  // namespace
}  // namespace muster::service
