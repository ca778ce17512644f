// Tests that the expected numbers of messages agree with the senders that roll calls list, and that runs that
// cost too much are refused.
#include "muster/simulation/workload.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/learning/data/digits.h"
#include "muster/plan/source.h"
#include "muster/protocols/roll_call.h"
#include "muster/simulation/setup.h"

namespace muster::simulation {
namespace {

using Keys = std::vector<std::pair<const char*, std::string>>;

protocols::Plan plan_of(const char* protocol, const Keys& keys) {
  protocols::PlanSource source = protocols::PlanSource::from_text(R"(
population = {clients = 2000, data = "digits"}
randomizer = {kind = "ldp-sgd", epsilon0 = 1.0, clip = 1.0}
rounds = {count = 4, learning_rate = 1.0}
model = {kind = "logistic"}
privacy = {delta = 1e-5}
)",
                                                                  "plan.toml");
  source.override_key("participation.protocol", protocol);
  for (const auto& [key, value] : keys) source.override_key(key, value);
  return protocols::Plan::validate(source, protocols::Command::train);
}

const std::vector<std::pair<const char*, Keys>>& cases() {
  static const std::vector<std::pair<const char*, Keys>> all = {
      {"shuffle", {}},
      {"subset", {{"participation.subset", "300"}}},
      {"shuffled-check-in", {{"participation.rate", "0.2"}, {"participation.dropout", "[[1, 0], [3, 0.5]]"}}},
      {"aggregated-check-in", {{"participation.rate", "0.7"}, {"participation.minimum", "1900"}}},
      {"random-check-in-fixed",
       {{"participation.rate", "0.1"}, {"participation.slots", "40"}, {"rounds.batch", "8"}}},
      {"random-check-in-averaged", {{"participation.rate", "0.5"}, {"participation.slots", "25"}}},
      {"random-check-in-sliding", {{"participation.rate", "0.5"}, {"participation.slots", "500"}}}};
  return all;
}

// Every count may deviate by 6 sqrt(m) from its expectation m. The variance of a count is at most m, so the
// probability that some count deviates further is about 5 * 10^-6, over all seeds. Nearly all of it
// comes from the largest of the 100 slots of averaged check-ins, with m = 40. A count expected to be 0 must
// be 0.
TEST(Workload, IsWhatRollCallsSend) {
  for (const auto& [protocol, keys] : cases()) {
    SCOPED_TRACE(protocol);
    const protocols::Plan plan = plan_of(protocol, keys);
    const Workload work = workload_of(plan);
    const auto roll_call = protocols::make_roll_call(plan, random::RunKey::from_seed(1));
    double messages = 0, step = 0;
    for (std::uint64_t round = 1; round <= plan.updates(); round += roll_call->rounds_a_step()) {
      std::vector<protocols::Sender> senders;
      roll_call->append_senders(round, {}, senders);
      messages += static_cast<double>(senders.size());
      step = std::max(step, static_cast<double>(senders.size()));
    }
    std::printf("%s: messages expected %.6g, sent %.6g; in one step %.6g, %.6g\n", protocol, work.messages,
                messages, work.step, step);
    EXPECT_NEAR(messages, work.messages, 6 * std::sqrt(work.messages));
    EXPECT_NEAR(step, work.step, 6 * std::sqrt(work.step));
    EXPECT_EQ(work.coins, plan.checks_in() ? 4 * 2000.0 : 0.0);
    EXPECT_GE(work.bytes, sizeof(protocols::Sender) * work.step);
  }
}

std::string refused(const protocols::Plan& plan, const Resources& resources) {
  try {
    refuse_too_costly(plan, resources);
  } catch (const Error& error) {
    EXPECT_EQ(exit_status(error.code()), 2);
    EXPECT_TRUE(error.allowed().starts_with("at most about ")) << error.what();
    return error.key() + ": " + error.what();
  }
  return "";
}

TEST(Workload, ARunThatCannotFinishIsRefused) {
  const Resources small{2, 8e9, 1}, endless{1e9, 1e30, 1};
  for (const auto& [protocol, keys] : cases()) {
    EXPECT_EQ(refused(plan_of(protocol, keys), small), "") << protocol;
  }
  const auto many = [](const char* protocol, Keys keys) {
    keys.emplace_back("population.clients", "1000000000000");
    return plan_of(protocol, keys);
  };
  // Listing 10^11 senders takes 56 bytes each, 5.6 TB in all, so 8 GB suffice for one in seven hundred of
  // them.
  const Keys tenth = {{"participation.rate", "0.1"}};
  const std::string listed = refused(many("shuffled-check-in", tenth), small);
  EXPECT_TRUE(listed.starts_with("population.clients: ")) << listed;
  EXPECT_NE(listed.find("takes 5.6 TB, and this machine has 8.0 GB; allowed: at most about 1400000000"),
            std::string::npos)
      << listed;
  EXPECT_NE(refused(many("shuffle", {}), endless).find("1e+12 messages in one step"), std::string::npos);
  const Keys subset = {{"participation.subset", "1000000000"}};
  EXPECT_NE(refused(many("subset", subset), small).find("this machine has 8.0 GB"), std::string::npos);
  EXPECT_TRUE(refused(many("subset", subset), small).starts_with("participation.subset: "));
  EXPECT_EQ(refused(many("subset", subset), endless), "");
  // Each of two machines holds half of the list.
  const Keys half = {{"participation.rate", "1.5e-4"}};
  EXPECT_NE(refused(many("shuffled-check-in", half), small), "");
  EXPECT_EQ(refused(many("shuffled-check-in", half), {2, 8e9, 0.5}), "");
  // A million rounds of 10^12 coins take three years at 0.1 ns each.
  const Keys long_run = {{"participation.rate", "1e-9"}, {"rounds.count", "1000000"}};
  EXPECT_NE(refused(many("shuffled-check-in", long_run), {1, 8e9, 1}).find("rounds.count: "),
            std::string::npos);
  EXPECT_EQ(refused(many("shuffled-check-in", long_run), {4, 8e9, 1}), "");
  EXPECT_EQ(
      refused(many("random-check-in-sliding",
                   {{"participation.rate", "1"}, {"participation.slots", "1000"}, {"rounds.count", "1"}}),
              {1, 8e9, 1}),
      "");
  EXPECT_EQ(
      refused(many("shuffled-check-in", {{"participation.rate", "1e-4"}, {"rounds.count", "0"}}), small), "");
}

// A client computes one gradient for each of its records or, with local steps, for each record of its
// batches.
TEST(Workload, CountsTheGradientsOfAllRecords) {
  const auto gradients = [](const Keys& keys) {
    const Workload work = workload_of(plan_of("shuffle", keys));
    return work.gradients / work.messages;
  };
  EXPECT_EQ(gradients({}), 1);
  const Keys::value_type records{"population.records", "12"};
  EXPECT_EQ(gradients({records}), 12);
  EXPECT_EQ(gradients({records, {"rounds.local_steps", "5"}, {"rounds.local_rate", "1"}}), 60);
  EXPECT_EQ(
      gradients(
          {records, {"rounds.local_steps", "5"}, {"rounds.local_rate", "1"}, {"rounds.local_batch", "4"}}),
      20);
}

// The time of one message is measured with the run's own parts; that of a coin is a constant, 0.3 ns.
TEST(Workload, SecondsFollowTheMessages) {
  const learning::DataSplit data = learning::draw_digits(50, 10, 1);
  const auto plan = plan_of("shuffle", {});
  const TrainingParts parts = assemble(plan, data, Accounting::elsewhere);
  Workload one;
  one.messages = one.gradients = 1;
  const double seconds = seconds_of(one, parts, data);
  EXPECT_GT(seconds, 1e-7);
  EXPECT_LT(seconds, 1.0);
  Workload coins;
  coins.coins = 1e9;
  EXPECT_NEAR(seconds_of(coins, parts, data), 0.3, 1e-9);
  EXPECT_EQ(seconds_of(Workload{}, parts, data), 0);
}

TEST(Workload, ThisMachineHasSomething) {
  const Resources here = resources_here(3);
  EXPECT_EQ(here.threads, 3);
  EXPECT_GT(here.memory, 1e8);
  EXPECT_EQ(here.share_of_list, 1);
}

}  // namespace
}  // namespace muster::simulation
