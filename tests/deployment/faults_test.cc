// Random schedules of faults on a whole deployment: nothing that was acknowledged is lost, nothing is
// counted twice or invented, no round is released with too few devices, the ledger is in order, and the task
// comes to its end. A schedule that finds something is made shorter before it is shown.
//
// SCHEDULES and FIRST in the environment say how many schedules are run, and from which seed on.
#include <gtest/gtest.h>

#include <algorithm>
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

// Whether the first of `others` is among the findings, perhaps with other numbers in it.
bool have_first_of(const std::vector<std::string>& findings, const std::vector<std::string>& others) {
  const auto without_numbers = [](std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  return std::ranges::any_of(findings, [&](const std::string& finding) {
    return without_numbers(finding) == without_numbers(others.front());
  });
}

TEST(Faults, WithoutFaultsEveryRoundIsReleased) {
  Tally tally;
  EXPECT_EQ(joined(World(1).live_through({}, &tally)), "");
  EXPECT_EQ(tally.released, 3u);
  EXPECT_EQ(tally.voided + tally.spent, 0u);
}

TEST(Faults, NothingIsLostDoubledInventedOrUncharged) {
  const std::uint64_t first = number_from_environment("FIRST", 1),
                      count = number_from_environment("SCHEDULES", 200);
  Tally tally;
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
    const Schedule schedule = draw_schedule(seed);
    const auto findings = World(seed).live_through(schedule, &tally);
    if (findings.empty()) continue;
    ++failures;
    const Schedule shorter = shrink(schedule, [&](const Schedule& tried) {
      return have_first_of(World(seed).live_through(tried), findings);
    });
    ADD_FAILURE() << "seed " << seed << ":\n"
                  << joined(World(seed).live_through(shorter)) << "after\n"
                  << text_of(shorter);
  }
  std::cout << count << " schedules: " << tally.released << " rounds released, " << tally.voided << " void, "
            << tally.spent << " spent; " << tally.deaths << " processes killed, " << tally.refusals
            << " in which an operator had lost rounds charged\n";
  // The faults took place, and rounds were released nevertheless.
  EXPECT_GT(tally.deaths, count / 2);
  EXPECT_GT(tally.released, count);
  EXPECT_GT(tally.voided, 0u);
}

// A schedule that found something once: the seed that draws it, and the shortest list of operations that
// found the same.
struct FoundOnce {
  const char* name;
  std::uint64_t seed;
  Schedule shorter;
};

class FaultsFoundOnce : public ::testing::TestWithParam<FoundOnce> {};

TEST_P(FaultsFoundOnce, FindNothingAnyMore) {
  const FoundOnce& found = GetParam();
  EXPECT_EQ(joined(World(found.seed).live_through(draw_schedule(found.seed))), "");
  EXPECT_EQ(joined(World(found.seed).live_through(found.shorter)), "");
}

using enum Operation::Kind;

INSTANTIATE_TEST_SUITE_P(
    , FaultsFoundOnce,
    ::testing::Values(
        // The shuffler went on from a copy without any round. For ever it asked the issuer for the key of
        // round 1, which had been erased long ago, and the aggregator waited for the shuffler's key.
        FoundOnce{"AnEmptyShufflerWaitsForARoundOfThePast",
                  1128,
                  {{back_up, Role::shuffler, 9694251613431014705u},
                   {pass, Role::device, 17484207748505461789u},
                   {restore, Role::shuffler, 10092666889453121678u},
                   {pass, Role::shuffler, 2053273450844867946u},
                   {pass, Role::issuer, 13461823462636612688u},
                   {pass, Role::device, 2016429695268377502u},
                   {restore, Role::shuffler, 963030229064196955u}}},
        // Shuffler and aggregator opened a round a second time, with other keys, and a device that had not
        // heard of it before took part. The witness knew the first keys alone.
        FoundOnce{"ARoundIsOpenedAgainWithOtherKeys",
                  1320,
                  {{pass, Role::aggregator, 10137532686016063162u},
                   {jump, Role::issuer, 13289783655820510234u},
                   {back_up, Role::shuffler, 2850873721968117075u},
                   {back_up, Role::aggregator, 1807874207857819704u},
                   {pass, Role::aggregator, 5533438201702015111u},
                   {restore, Role::aggregator, 2442547874300301672u},
                   {restore, Role::shuffler, 15147145976261986917u}}},
        // Shuffler and aggregator both knew two rounds, and the issuer had erased the key of the third one.
        FoundOnce{"BothWaitForARoundOfThePast",
                  1495,
                  {{back_up, Role::shuffler, 997629201806800416u},
                   {back_up, Role::aggregator, 3850314771180217484u},
                   {pass, Role::aggregator, 18116996740000405844u},
                   {restore, Role::aggregator, 17562500170655581127u},
                   {pass, Role::device, 3496102215437307546u},
                   {restore, Role::shuffler, 3737354735488943081u}}}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Whether one of the first hundred schedules finds this, on a deployment in which the disk of the shuffler or
// of the aggregator does not keep what it promises.
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
