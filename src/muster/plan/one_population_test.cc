// Checks which keys make the populations of two plans differ, so that their launches do not compose.
#include "muster/plan/one_population.h"

#include <gtest/gtest.h>

#include <string>

#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

constexpr const char* kPlan = R"(
participation.protocol = "shuffled-check-in"
participation.rate = 0.1
randomizer.kind = "ldp-sgd"
randomizer.epsilon0 = 2.0
rounds.count = 68
population.clients = 600
)";

using Lines = std::string;

Plan plan_of(const Lines& lines) {
  return Plan::validate(PlanSource::from_text(lines + kPlan, "a.toml"), Command::account);
}

// Returns "key: first, second" for the difference of the two plans; "" if there is none.
std::string difference(const Lines& first, const Lines& second) {
  const auto found = population_difference(plan_of(first), plan_of(second));
  return found ? std::string(found->key) + ": " + found->first + ", " + found->second : "";
}

const Lines kDigits = "population.data = \"digits\"\n";
const Lines kFolder = "population.data = \"idx:mnist\"\n";
const Lines kRows = "population.data = \"csv:rows.csv\"\n";

TEST(OnePopulation, EachKeyThatDecidesWhoHoldsWhichRecordsCounts) {
  EXPECT_EQ(difference(kDigits, kFolder), "population.data: digits, idx:mnist");
  EXPECT_EQ(difference(kFolder, kFolder + "population.records = 5\n"), "population.records: 1, 5");
  EXPECT_EQ(difference(kRows + "population.records = \"who\"\n", kRows + "population.records = \"town\"\n"),
            "population.records: who, town");
  EXPECT_EQ(difference(kRows, kRows + "population.records = \"who\"\n"), "population.records: 1, who");
  EXPECT_EQ(difference(kFolder + "population.partition = \"by-label:2\"\n",
                       kFolder + "population.partition = \"by-label:3\"\n"),
            "population.partition: by-label:2, by-label:3");
  EXPECT_EQ(difference(kFolder, kFolder + "population.partition = \"shuffled\"\n"),
            "population.partition: not stated, shuffled");
  EXPECT_EQ(difference(kFolder, kFolder + "population.share = true\n"), "population.share: false, true");
  EXPECT_EQ(difference(kRows + "population.label = \"a\"\n", kRows + "population.label = \"b\"\n"),
            "population.label: a, b");
  EXPECT_EQ(difference(kRows + "population.split = \"part\"\n", kRows), "population.split: part, not stated");
}

TEST(OnePopulation, AFileOfTestExamplesCountsAndNotItsName) {
  const Lines one = "population.test_data = \"csv:one.csv\"\n",
              other = "population.test_data = \"csv:b.csv\"\n";
  EXPECT_EQ(difference(kRows + one, kRows), "population.test_data: csv:one.csv, not stated");
  EXPECT_EQ(difference(kRows + one, kRows + other), "");
}

TEST(OnePopulation, TheSeedCountsWhereRecordsFollowFromIt) {
  for (const Lines& drawn : {kDigits, kFolder + "population.partition = \"shuffled\"\n",
                             kFolder + "population.records = 3\n", kFolder + "population.share = true\n"}) {
    EXPECT_EQ(difference("seed = 1\n" + drawn, "seed = 2\n" + drawn), "seed: 1, 2") << drawn;
  }
  for (const Lines& fixed : {kFolder, kRows, kRows + "population.records = \"who\"\n"}) {
    EXPECT_EQ(difference("seed = 1\n" + fixed, "seed = 2\n" + fixed), "") << fixed;
  }
}

TEST(OnePopulation, OtherKeysAndPlansWithoutDataDoNotCount) {
  EXPECT_EQ(difference("name = \"one\"\n" + kDigits, "name = \"other\"\n" + kDigits), "");
  EXPECT_EQ(difference(kDigits + "privacy.delta = 1e-5\n", kDigits + "privacy.delta = 1e-6\n"), "");
  EXPECT_EQ(difference("population.records = 5\n", kDigits), "");
  const Plan plan = plan_of(kDigits);
  EXPECT_FALSE(population_difference(plan, plan.with("population.clients", "700")));
}

}  // namespace
}  // namespace muster::protocols
