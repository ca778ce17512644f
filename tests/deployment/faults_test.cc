// Random schedules of faults on a whole deployment: nothing that was acknowledged is lost, nothing is
// counted twice or invented, no round is released with too few devices, the ledger is in order, and the task
// comes to its end. A schedule that finds something is made shorter before it is shown.
//
// SCHEDULES and FIRST in the environment say how many schedules are run, and from which seed on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tests/deployment/schedule.h"
#include "tests/deployment/world.h"

namespace muster::deployment {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string joined(const std::vector<std::string>& findings) {
  std::string text;
  for (const std::string& finding : findings) text += "  " + finding + "\n";
  return text;
}

TEST(Faults, WithoutFaultsEveryRoundIsReleased) {
  Tally tally;
  EXPECT_EQ(joined(World(1).live_through({}, &tally)), "");
  EXPECT_EQ(tally.released, 3u);
  EXPECT_EQ(tally.voided + tally.spent, 0u);
}

TEST(Faults, NothingIsLostDoubledOrInvented) {
  const std::uint64_t first = number_from_environment("FIRST", 1),
                      count = number_from_environment("SCHEDULES", 200);
  Tally tally;
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
    const Schedule schedule = draw_schedule(seed);
    const auto findings = World(seed).live_through(schedule, &tally);
    if (findings.empty()) continue;
    ++failures;
    const Schedule shorter =
        shrink(schedule, [&](const Schedule& tried) { return !World(seed).live_through(tried).empty(); });
    ADD_FAILURE() << "seed " << seed << ":\n"
                  << joined(World(seed).live_through(shorter)) << "after\n"
                  << text_of(shorter);
  }
  std::cout << count << " schedules: " << tally.released << " rounds released, " << tally.voided << " void, "
            << tally.spent << " spent; " << tally.deaths << " processes killed, " << tally.refusals
            << " aggregators restored and refused\n";
  // The faults took place, and rounds were released nevertheless.
  EXPECT_GT(tally.deaths, count / 2);
  EXPECT_GT(tally.released, count);
  EXPECT_GT(tally.voided, 0u);
}

// Whether one of the first schedules finds this, on a deployment one of whose disks does not keep what it
// promises.
bool is_found(const std::string& words, const service::Disk::Faults& shuffler,
              const service::Disk::Faults& aggregator) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto findings = World(seed, shuffler, aggregator).live_through(draw_schedule(seed));
    if (joined(findings).find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(Faults, AnAcknowledgementBeforeTheDiskHasTheUploadIsNoticed) {
  EXPECT_TRUE(is_found("lost an acknowledged report", {.forgets_syncs = true}, {}));
}

TEST(Faults, AReceiptBeforeTheOutcomeIsDurableIsNoticed) {
  EXPECT_TRUE(is_found("the aggregator refuses to work", {}, {.forgets = "model"}));
}

}  // namespace
}  // namespace muster::deployment
