// The model of a deployment is that of `muster train` with the same plan, bit for bit, for every randomizer
// that is deployed. Coins and noise are those of the task's seed; all the rest is as in any deployment:
// tokens, seals, signatures, the shuffle, and a store for everybody.
//
// The task needs all twelve devices in every round. So a round in which one of them is not heard is void, and
// the model shows it: the rounds after it have other numbers, and with them other coins and noise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/plan/randomizer_table.h"
#include "muster/service/aggregator/learned_model.h"
#include "muster/service/aggregator/learner.h"
#include "muster/service/aggregator/simulated_run_test.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/ledger/verification.h"
#include "muster/service/model/tasks_test.h"
#include "tests/deployment/deployment.h"

namespace muster::deployment {
namespace {

using service::Disk;
using service::Overrides;
using service::TaskDocument;

constexpr std::size_t kDevices = 12;
// A process that was killed is started again at the next slice, so that everybody is back in time: a device
// draws its send time from the middle eight tenths of what is left of the round.
constexpr std::int64_t kSlice = 1'000;
constexpr std::uint64_t kSeconds = 60;

// Everything that a server's update can have, so that no part of it goes untested.
const Overrides kGradients = {{"model.kind", "logistic"},      {"rounds.learning_rate", "inverse-sqrt:10"},
                              {"rounds.momentum", "0.5"},      {"rounds.average", "0.1"},
                              {"rounds.weight_decay", "0.01"}, {"rounds.projection", "3"}};

struct Learned {
  const char* randomizer;
  const char* keys;  // of the plan's section "randomizer"
  Overrides others;
};

const std::vector<Learned> kLearned = {
    {"ldp-sgd", "epsilon0 = 2\nclip = 0.5\n", kGradients},
    {"gaussian", "sigma = 1\nclip = 0.5\n", kGradients},
    {"l1", "epsilon0 = 2\nclip = 0.5\n", kGradients},
    {"l2", "epsilon0 = 2\nclip = 0.5\n", kGradients},
    {"linf", "epsilon0 = 2\nclip = 0.5\n", kGradients},
    {"k-rr", "epsilon0 = 2\nk = 10\n", {{"model.kind", "histogram"}}},
    {"laplace", "epsilon0 = 2\nclip = 1\n", {{"model.kind", "mean"}}},
};

// A task, and the model that `muster train` makes of its plan.
struct Trained {
  explicit Trained(const Learned& learned)
      : task([&] {
          service::TaskSettings settings = Deployment::settings();
          settings.seconds = kSeconds;
          settings.most_rounds = 6;
          settings.randomness = service::Randomness::seeded;
          return service::task_of(fmt::format("{}[randomizer]\nkind = \"{}\"\n{}", service::kTwelve,
                                              learned.randomizer, learned.keys),
                                  learned.others, settings);
        }()),
        parts(service::server_parts(task)),
        model(service::encode({service::simulated(task), false})) {}

  TaskDocument task;
  simulation::Prepared parts;
  Buffer model;
};

// Coins and noise of a seeded task. Send times and pauses follow from the device's number, so that a trial
// can be repeated.
class RepeatableDraws final : public service::Draws {
 public:
  RepeatableDraws(const TaskDocument& task, std::size_t device)
      : seeded_(service::draws_of(task, device)), times_(device) {}

  bool coin(std::uint64_t round) override { return round != silent_in && seeded_->coin(round); }
  std::uint64_t below(std::uint64_t bound) override { return times_() % bound; }
  random::RunKey message_key() override { return seeded_->message_key(); }
  std::uint64_t client() const override { return seeded_->client(); }

  std::uint64_t silent_in = 0;  // a round in which the device sends a dummy whatever its coin

 private:
  std::unique_ptr<service::Draws> seeded_;
  std::mt19937_64 times_;
};

Deployment::MakeDraws repeatable(const TaskDocument& task) {
  return [&task](std::size_t device) { return std::make_unique<RepeatableDraws>(task, device); };
}

// A deployment of the task from its beginning to its end.
class Trial {
 public:
  Trial(const Trained& trained, const Deployment::MakeDraws& draws)
      : trained_(trained), deployment_(trained.task, trained.parts, kDevices, draws) {}
  explicit Trial(const Trained& trained) : Trial(trained, repeatable(trained.task)) {}

  Deployment& deployment() { return deployment_; }

  // Returns the model as the aggregator's store has it at the end. `watch` is called at every slice.
  Buffer live(const std::function<void()>& watch = [] {}) {
    for (int slice = 0; slice < 2'000 && !deployment_.has_ended(); ++slice) {
      deployment_.start();
      watch();
      deployment_.pass(kSlice);
    }
    service::MemoryStore& store = deployment_.process(Role::aggregator).disk().memory();
    service::Ledger ledger(store, "ledger");
    EXPECT_TRUE(ledger.ended());
    EXPECT_EQ(ledger.counts(), (service::Ledger::Counts{.opened = 3, .released = 3}));
    EXPECT_EQ(service::verify(ledger, trained_.task, Deployment::epsilon_of).findings,
              std::vector<std::string>{});
    EXPECT_EQ(deployment_.witness().judge(ledger), std::vector<std::string>{});
    return store.blob("model").value_or(Buffer{});
  }

 private:
  const Trained& trained_;
  Deployment deployment_;
};

// The operations on a device's disk: one when it asks for tokens, one when it gets them, and three in each of
// three rounds, for the coin, the sealed bytes and the round's end. The last of all may come after the end of
// the task, and is left out.
constexpr std::uint64_t kOfDevices = 2 + 3 * 3 - 1;

// Kills each process once, at one of the operations on its disk, of which a deployment without faults has as
// many as `operations` says. The deaths of the devices are spread over all their operations, and for each
// randomizer the roles die at another moment of the task. Two kinds of moments are avoided, after which the
// bits need not be the same:
//
//  - Just before a device's sealed bytes are on its disk. When the device is back, it is too late to compute
//    anew, and it sends the message of the zero vector (device.h). So devices are killed only just after an
//    operation. A device that dies just after it has stored its coin has the same bytes on its disk, but it
//    still has time to compute. Everything else that it loses follows again from the seed and the record.
//  - While the issuer answers the devices, in the first half of its operations. If it has counted a token and
//    dies before the device has it, the round may be opened before the device asks again. The round is then
//    void, since the task needs all devices, and another round with other coins takes its place.
//
// What shuffler and aggregator have acknowledged is durable, and all other calls are repeated.
void kill_once(Deployment& deployment, const std::vector<std::uint64_t>& operations, std::uint64_t moment) {
  const std::vector<AnyProcess*> processes = deployment.processes();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const bool is_device = i >= processes.size() - kDevices;
    const std::uint64_t first = processes[i] == &deployment.process(Role::issuer) ? operations[i] / 2 : 0;
    const std::uint64_t at = first + (operations[i] - first) * (2 * moment + 1) / (2 * kLearned.size());
    if (is_device) {
      processes[i]->disk().kill_after((i + moment) % kOfDevices, Disk::When::after);
    } else {
      processes[i]->disk().kill_after(at, moment % 2 == 0 ? Disk::When::after : Disk::When::before);
    }
  }
}

TEST(LearnedRandomizers, AreAllThatTrain) {
  std::vector<std::string_view> names;
  for (const Learned& learned : kLearned) names.emplace_back(learned.randomizer);
  EXPECT_EQ(names, protocols::randomizers_where([](const auto& spec) { return spec.untrainable.empty(); }));
}

class SameBits : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SameBits, AsTheSimulationWhoeverIsKilledAndWhateverComesTwice) {
  const Trained trained(kLearned[GetParam()]);
  Trial calm(trained);
  EXPECT_EQ(calm.live(), trained.model);
  std::vector<std::uint64_t> operations;
  for (AnyProcess* process : calm.deployment().processes()) {
    operations.push_back(process->disk().operations());
  }
  Trial trial(trained);
  for (Carrier* carrier : trial.deployment().carriers()) carrier->twice = std::numeric_limits<int>::max();
  kill_once(trial.deployment(), operations, GetParam());
  EXPECT_EQ(trial.live(), trained.model);
  for (const AnyProcess* process : trial.deployment().processes()) EXPECT_EQ(process->deaths(), 1u);
}

INSTANTIATE_TEST_SUITE_P(, SameBits, ::testing::Range(std::size_t{0}, kLearned.size()),
                         [](const auto& tested) {
                           std::string name = kLearned[tested.param].randomizer;
                           std::erase(name, '-');
                           return name;
                         });

// Faults that the comparison must notice. They are tried with the mean, which has one coordinate and so the
// fewest bits that can differ.
class OtherBits : public ::testing::Test {
 protected:
  static const Trained& trained() {
    static const Trained trained(kLearned.back());
    return trained;
  }
  // A device that sends a report in the last round.
  static std::size_t reporter() {
    std::size_t device = 0;
    while (!service::draws_of(trained().task, device)->coin(3)) ++device;
    return device;
  }
};

TEST_F(OtherBits, ThoseOfAnotherSeed) {
  const TaskDocument other =
      TaskDocument::make(trained().task.plan().with("seed", "2"), trained().task.settings());
  EXPECT_NE(Trial(trained(), repeatable(other)).live(), trained().model);
}

TEST_F(OtherBits, WithoutOneReport) {
  const auto draws = [&](std::size_t device) {
    auto made = std::make_unique<RepeatableDraws>(trained().task, device);
    if (device == reporter()) made->silent_in = 3;
    return made;
  };
  EXPECT_NE(Trial(trained(), draws).live(), trained().model);
}

// The device is killed at a moment that kill_once() avoids.
TEST_F(OtherBits, WithZerosInOneReport) {
  Trial trial(trained());
  AnyProcess& device = trial.deployment().process(Role::device, reporter());
  const auto has = [&](const char* blob) { return device.disk().memory().blob(blob).has_value(); };
  std::uint64_t coins = 0;
  bool had_coin = false;
  const Buffer model = trial.live([&] {
    if (has("coin") && !had_coin && ++coins == 3) device.disk().kill_after(0, Disk::When::before);
    had_coin = has("coin");
  });
  EXPECT_EQ(device.deaths(), 1u);
  EXPECT_NE(model, trained().model);
}

}  // namespace
}  // namespace muster::deployment
