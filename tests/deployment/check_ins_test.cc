// Check-ins of a whole deployment, with coins of the operating system: the numbers of reports that the
// aggregator gets in each round are compared with the binomial law of the declared rate. Deployments whose
// devices toss other coins fail the same tests.
//
// ROUNDS in the environment says how many rounds are run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "muster/random/keyed_stream.h"
#include "muster/random/os_source.h"
#include "muster/random/samplers.h"
#include "muster/service/aggregator/learner.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/model/tasks_test.h"
#include "muster/service/task/plans_test.h"
#include "muster/wire/manifest.h"
#include "tests/deployment/deployment.h"
#include "tests/support/statistics.h"

namespace muster::deployment {
namespace {

using service::TaskDocument;

// A correct deployment fails each of the two tests below with at most this probability.
constexpr double kAlarm = 1e-9;
constexpr std::size_t kDevices = 6;
constexpr std::int64_t kSlice = 2'000;
constexpr std::uint64_t kShort = 60;

// A task that needs all six devices in each of its rounds, with a rate of 1/2. If a round ends before its
// time, devices may hear of the next one when half of it is over, and one that acts only once in each slice
// may then be late. Such a round is void, whatever the coins were, and another one is run in its place.
TaskDocument task_of(std::uint64_t rounds) {
  service::TaskSettings settings = Deployment::settings();
  settings.seconds = 60;
  settings.most_rounds = 2 * rounds;
  return service::task_of(
      service::kHistogramPlan,
      {{"population.clients", std::to_string(kDevices)}, {"rounds.count", std::to_string(rounds)}}, settings);
}

// The check-ins of each round of a task that nothing disturbs.
std::vector<std::uint64_t> check_ins(const TaskDocument& task, const Deployment::MakeDraws& draws) {
  const simulation::Prepared parts = service::server_parts(task);
  Deployment deployment(task, parts, kDevices, draws);
  deployment.start();
  for (std::uint64_t slice = 0; slice < 100 * task.plan().rounds() && !deployment.has_ended(); ++slice) {
    deployment.pass(kSlice);
  }
  std::vector<std::uint64_t> all;
  service::Ledger ledger(deployment.process(Role::aggregator).disk().memory(), "ledger");
  for (const service::Entry& entry : ledger.entries()) {
    const auto* release = std::get_if<service::ReleaseEntry>(&entry);
    if (release == nullptr) continue;
    const auto manifest = wire::read_manifest(release->manifest, task.settings().shuffler);
    EXPECT_EQ(manifest->heard, kDevices);
    all.push_back(manifest->reports);
  }
  EXPECT_EQ(all.size(), task.plan().rounds());
  return all;
}

// Tests the sum of all check-ins against the rate.
testing::Verdict of_all(const std::vector<std::uint64_t>& check_ins) {
  std::uint64_t sum = 0;
  for (const std::uint64_t one : check_ins) sum += one;
  return testing::binomial_test(sum, kDevices * check_ins.size(), 0.5, kAlarm);
}

// Tests in how many rounds the coins of all devices, or of all but one, fell alike. This holds for 14 of the
// 64 outcomes of six fair coins.
testing::Verdict of_rounds(const std::vector<std::uint64_t>& check_ins) {
  const auto alike = [](std::uint64_t one) { return one <= 1 || one >= kDevices - 1; };
  const auto rounds = static_cast<std::uint64_t>(std::ranges::count_if(check_ins, alike));
  return testing::binomial_test(rounds, check_ins.size(), 14.0 / 64, kAlarm);
}

TEST(CheckIns, AreBinomialAtTheDeclaredRate) {
  const char* text = std::getenv("ROUNDS");
  const TaskDocument task = task_of(text == nullptr ? kShort : std::strtoull(text, nullptr, 10));
  const auto counts = check_ins(task, [&](std::size_t device) { return service::draws_of(task, device); });
  for (const auto& verdict : {of_all(counts), of_rounds(counts)}) {
    EXPECT_TRUE(verdict.pass) << verdict.summary;
    std::cout << verdict.summary << "\n";
  }
}

// Coins that follow from a seed, so that what a test must notice is the same each time.
class OtherCoins final : public service::Draws {
 public:
  // A coin falls on heads with the probability heads / 4.
  OtherCoins(std::uint64_t seed, std::uint64_t heads) : coins_(seed), heads_(heads) {}
  bool coin(std::uint64_t) override { return coins_() % 4 < heads_; }
  std::uint64_t below(std::uint64_t bound) override { return random::uniform_below(bits_, bound); }
  random::RunKey message_key() override { return random::RunKey::fresh(); }
  std::uint64_t client() const override { return 0; }

 private:
  std::mt19937_64 coins_;
  std::uint64_t heads_;
  random::OsSource bits_;
};

TEST(CheckIns, DevicesThatTossATailsAgainAreNoticed) {
  const TaskDocument task = task_of(kShort);
  const auto verdict =
      of_all(check_ins(task, [](std::size_t device) { return std::make_unique<OtherCoins>(device, 3); }));
  EXPECT_FALSE(verdict.pass) << verdict.summary;
}

// The rate of these coins is right, so their sum alone cannot show it.
TEST(CheckIns, DevicesWithOneCoinForAllAreNoticed) {
  const TaskDocument task = task_of(kShort);
  const auto verdict =
      of_rounds(check_ins(task, [](std::size_t) { return std::make_unique<OtherCoins>(1, 2); }));
  EXPECT_FALSE(verdict.pass) << verdict.summary;
}

}  // namespace
}  // namespace muster::deployment
