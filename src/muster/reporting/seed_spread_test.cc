// Compares mean, lowest and highest of a few finished and failed runs with values computed by hand.
#include "muster/reporting/seed_spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::reporting {
namespace {

using simulation::SweptRun;
using ::testing::ElementsAre;

SweptRun finished(double accuracy, double seconds) {
  SweptRun run{"a", simulation::RunResult{}, ""};
  run.result->accuracy = accuracy;
  run.result->epsilon = accuracy;
  run.result->seconds = seconds;
  run.result->neutral = 3;
  return run;
}

TEST(SeedSpread, IsThatOfTheFinishedRuns) {
  const std::vector<SweptRun> runs = {finished(0.5, 2), {"b", std::nullopt, "diverged"}, finished(0.75, 4)};
  const SeedSpread spread = spread_of(runs);
  EXPECT_EQ(spread.finished, 2U);
  EXPECT_EQ(spread.mean, 0.625);
  EXPECT_EQ(spread.lowest, 0.5);
  EXPECT_EQ(spread.highest, 0.75);
  EXPECT_EQ(spread.epsilon, 0.75);
  EXPECT_EQ(spread.seconds, 3);
  EXPECT_EQ(spread.neutral, 6U);
  EXPECT_EQ(if_any(spread, spread.mean), 0.625);
  EXPECT_EQ(accuracy_json(spread).str(), R"({"mean":0.625,"min":0.5,"max":0.75})");
  EXPECT_THAT(accuracy_cells(spread), ElementsAre("0.6250", "0.5000", "0.7500"));
  RunCounts counts;
  counts.add(runs);
  counts.add(runs);
  EXPECT_EQ(counts.runs, 6U);
  EXPECT_EQ(counts.finished, 4U);
  EXPECT_EQ(counts.failed, 2U);
}

TEST(SeedSpread, WithoutAFinishedRunThereIsNone) {
  const SeedSpread spread = spread_of({{"b", std::nullopt, "diverged"}, {"c", std::nullopt, ""}});
  EXPECT_EQ(spread.finished, 0U);
  EXPECT_EQ(if_any(spread, spread.mean), std::nullopt);
  EXPECT_EQ(accuracy_json(spread).str(), R"({"mean":null,"min":null,"max":null})");
  EXPECT_THAT(accuracy_cells(spread), ElementsAre("-", "-", "-"));
}

}  // namespace
}  // namespace muster::reporting
