// Tests that the hash depends on what the plan means, and not on how it is written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

constexpr const char* kPlan = R"(name = "tiny"
seed = 7
[population]
clients = 600
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.1
dropout = 0.2
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2.0
clip = 0.1
[rounds]
count = 68
learning_rate = 0.5
[model]
kind = "cnn"
[privacy]
delta = 1e-5
)";

Plan plan_of(const std::string& text) {
  return Plan::validate(PlanSource::from_text(text, "t"), Command::train);
}

TEST(PlanHash, CanonicalTextListsEveryKeySorted) {
  EXPECT_EQ(plan_of(kPlan).canonical(),
            "model.kind = cnn\n"
            "name = tiny\n"
            "participation.dropout = 0.2\n"
            "participation.protocol = shuffled-check-in\n"
            "participation.rate = 0.1\n"
            "population.clients = 600\n"
            "population.data = digits\n"
            "privacy.delta = 1e-05\n"
            "randomizer.clip = 0.1\n"
            "randomizer.epsilon0 = 2\n"
            "randomizer.kind = ldp-sgd\n"
            "rounds.average = 0\n"
            "rounds.checkpoint_every = 3\n"
            "rounds.count = 68\n"
            "rounds.learning_rate = 0.5\n"
            "rounds.log_every = 1\n"
            "rounds.momentum = 0\n"
            "rounds.weight_decay = 0\n"
            "seed = 7\n");
}

// This hash must not change. On the text above, it is what this command prints: python3 -c "import hashlib,
// sys; print(hashlib.blake2b(sys.stdin.buffer.read(), digest_size=32).hexdigest())".
TEST(PlanHash, IsBlake2b256OfTheCanonicalText) {
  EXPECT_EQ(plan_of(kPlan).hash(), "4d24ad314f3566c4da31656602d50ca72d63cb1bfd4d53128b5d49a1b560ca0d");
}

TEST(PlanHash, IgnoresOrderFormattingAndWrittenDefaults) {
  const std::string rewritten = R"(# another order, another style
privacy.delta = 0.00001
model = {kind = 'cnn'}
rounds = {learning_rate = [[1, 5e-1]], momentum = -0.0, log_every = 1, count = 0x44}
participation = {rate = 1e-1, protocol = "shuffled-check-in", dropout = 0.20}
population = {data = "digits", clients = 6_00}
randomizer = {clip = 0.1, kind = "ldp-sgd", epsilon0 = 2}
seed = 7
name = "tiny"
)";
  EXPECT_EQ(plan_of(rewritten).hash(), plan_of(kPlan).hash());
}

TEST(PlanHash, ANegativeZeroOfAScheduleIsZero) {
  const auto with_dropout = [](const std::string& literal) {
    std::string text = kPlan;
    return plan_of(text.replace(text.find("dropout = 0.2"), 13, "dropout = " + literal)).hash();
  };
  EXPECT_EQ(with_dropout("[[1, -0.0]]"), with_dropout("0"));
  EXPECT_EQ(with_dropout("[[1, -0.0], [9, 0.25]]"), with_dropout("[[1, 0], [9, 0.25]]"));
}

TEST(PlanHash, AnOverrideAndTheSameValueInTheFileAreOnePlan) {
  PlanSource source = PlanSource::from_text(kPlan, "t");
  source.override_key("participation.rate", "0.25");
  std::string text = kPlan;
  text.replace(text.find("rate = 0.1"), 10, "rate = 0.25");
  EXPECT_EQ(Plan::validate(source, Command::train).hash(), plan_of(text).hash());
}

TEST(PlanHash, ChangesWithEveryValue) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"seed", "8"},
      {"population.clients", "601"},
      {"population.data", "idx:digits"},
      {"participation.rate", "0.10000000000000002"},
      {"participation.dropout", "0"},
      {"randomizer.epsilon0", "2.0000000000000004"},
      {"randomizer.clip", "0.2"},
      {"rounds.count", "69"},
      {"rounds.learning_rate", "inverse-sqrt:0.5"},
      {"rounds.momentum", "0.1"},
      {"rounds.average", "0.1"},
      {"rounds.projection", "1"},
      {"rounds.weight_decay", "1"},
      {"rounds.log_every", "2"},
      {"rounds.checkpoint_every", "4"},
      {"model.kind", "logistic"},
      {"privacy.delta", "1e-6"},
      {"privacy.budget", "3"}};
  std::set<std::string> hashes = {plan_of(kPlan).hash()};
  for (const auto& [key, value] : changes) {
    PlanSource source = PlanSource::from_text(kPlan, "t");
    source.override_key(key, value);
    EXPECT_TRUE(hashes.insert(Plan::validate(source, Command::train).hash()).second) << key;
  }
  std::string renamed = kPlan;
  renamed.replace(renamed.find("tiny"), 4, "tine");
  EXPECT_TRUE(hashes.insert(plan_of(renamed).hash()).second);
}

}  // namespace
}  // namespace muster::protocols
