// Checks which cautions a comparison of runs states, for runs made by hand that differ in one respect each.
#include "muster/reporting/compared_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "muster/reporting/made_runs_test.h"

namespace muster::reporting {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> words_of(const std::vector<RunsNote>& notes) {
  std::vector<std::string> words;
  for (const RunsNote& note : notes) words.push_back(note.words);
  return words;
}

TEST(ComparedRuns, ALabelIsTheNameOfTheFolder) {
  EXPECT_THAT(run_labels({"runs/a", "runs/b/", "c/../d", "./e/."}), ElementsAre("a", "b", "d", "e"));
  EXPECT_THAT(run_labels({"one/run", "two/run/", "three"}), ElementsAre("one/run", "two/run/", "three"));
}

TEST(ComparedRuns, RunsThatCompareNeedNoCaution) {
  MadeRuns made;
  made.add("a", 0.8);
  made.add("b", 0.7, {{"rounds.learning_rate", "0.2"}, {"randomizer.sigma", "2"}});
  EXPECT_THAT(cautions(made.compared()), IsEmpty());
  EXPECT_THAT(notes_on(made.compared()), IsEmpty());
}

TEST(ComparedRuns, DifferentTestSetsAreNamed) {
  MadeRuns seeds;
  seeds.add("a", 0.8);
  seeds.add("b", 0.8, {{"population.clients", "500"}}).data = {
      7};  // fewer training digits, the same test digits
  seeds.add("c", 0.8, {{"seed", "2"}}).data = {8};
  EXPECT_THAT(words_of(cautions(seeds.compared())),
              ElementsAre("the accuracies are of different test sets, and do not compare: a and b; c"));

  MadeRuns files;
  for (const char* label : {"a", "b", "c"}) files.add(label, 0.8, {{"population.data", "csv:x.csv"}});
  EXPECT_THAT(cautions(files.compared()), IsEmpty());
  files.add("d", 0.8, {{"population.data", "csv:x.csv"}}).data = {9};  // the file has been changed
  ASSERT_EQ(cautions(files.compared()).size(), 1U);
  EXPECT_THAT(cautions(files.compared())[0].words, HasSubstr("may be of different test sets"));
  EXPECT_THAT(cautions(files.compared())[0].words, HasSubstr(": a, b and c; d"));
  EXPECT_TRUE(cautions(files.compared())[0].warns);
}

// The digits of a plan follow from its seed. If two checkpoints disagree on what the same plan drew, at least
// one of them is of a version that drew other digits.
TEST(ComparedRuns, DigitsOfAnotherVersionAreNotTakenForTheSame) {
  MadeRuns made;
  made.add("a", 0.8);
  made.add("b", 0.8).data = {1};
  ASSERT_EQ(cautions(made.compared()).size(), 1U);
  EXPECT_THAT(cautions(made.compared())[0].words, HasSubstr("may be of different test sets"));
}

TEST(ComparedRuns, EpsilonsThatDoNotCompareAreNamed) {
  MadeRuns made;
  made.add("a", 0.8);
  made.add("b", 0.8, kPeople);
  made.add("c", 0.8, {{"privacy.delta", "1e-06"}, {"participation.protocol", "aggregated-check-in"}});
  EXPECT_THAT(
      words_of(cautions(made.compared())),
      ElementsAre("the epsilons are at different deltas: 1e-05 in a and b; 1e-06 in c",
                  "the epsilons hold against different observers: shuffler-honest in a and b; sum-only in c",
                  "the epsilons do not protect the same: one client's record in a and c; one client, all its "
                  "records, in b"));
}

TEST(ComparedRuns, MeasuresOfAccuracyThatDifferAreNamed) {
  MadeRuns made;
  made.add("a", 0.8);
  simulation::RunRecord& statistic = made.add("b", 0.8);
  protocols::Plan mean = protocols::Plan::validate(
      protocols::PlanSource::from_text(
          "[population]\nclients = 1000\ndata = 'digits'\n[participation]\nprotocol = 'shuffled-check-in'\n"
          "rate = 0.1\n[randomizer]\nkind = 'laplace'\nepsilon0 = 1\nclip = 1\n[rounds]\ncount = 40\n"
          "[model]\nkind = 'mean'\n[privacy]\ndelta = 1e-5\n",
          "plan.toml"),
      protocols::Command::train);
  statistic.plan = mean;
  EXPECT_THAT(
      words_of(cautions(made.compared())),
      ElementsAre("accuracy is not the same measure in all runs: the share of right answers in a; one "
                  "minus a distance, of the model mean, in b"));
}

TEST(ComparedRuns, ANoteNamesItsRunsUnlessItIsAboutAll) {
  MadeRuns made;
  made.add("a", 0.8, kPeople);
  made.add("b", 0.8, kPeople);
  const std::string held =
      "each client holds 12 records, dealt dirichlet:0.3: epsilon is for one client, all its records";
  EXPECT_THAT(words_of(notes_on(made.compared())), ElementsAre(held));
  made.add("c", 0.8).result.reset();
  EXPECT_THAT(words_of(notes_on(made.compared())),
              ElementsAre("c: unfinished, what is shown is how far it had got", "a and b: " + held));
  made.add("d", 0.8).logged.back().neutral = 3;
  EXPECT_THAT(notes_on(made.compared()).back().words, testing::StartsWith("d: 3 answers were neutral"));
  EXPECT_TRUE(notes_on(made.compared()).back().warns);
}

}  // namespace
}  // namespace muster::reporting
