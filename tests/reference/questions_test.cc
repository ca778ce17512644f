// Tests of the random questions themselves: they can be repeated, they reach every protocol and randomizer,
// and no job can end a run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "muster/core/error.h"
#include "tests/reference/check.h"
#include "tests/reference/generator.h"
#include "tests/reference/log.h"
#include "tests/reference/pool.h"
#include "tests/reference/record.h"
#include "tests/reference/tally.h"

namespace muster::reference {
namespace {

TEST(Questions, AreTheSameWheneverTheyAreDrawn) {
  EXPECT_EQ(command_line(random_question(1, 7)), command_line(random_question(1, 7)));
  EXPECT_NE(command_line(random_question(1, 7)), command_line(random_question(1, 8)));
  EXPECT_NE(command_line(random_question(1, 7)), command_line(random_question(2, 7)));
  Question q;
  q.protocol = protocols::Protocol::shuffled_check_in;
  q.clients = 1000;
  q.rate = 0.1;
  q.least_rate = 0.05;
  q.dropout = {{1, 0.0}, {3, 0.25}};
  q.rounds = 5;
  EXPECT_EQ(command_line(q),
            "muster account --protocol shuffled-check-in --clients 1000 --rate 0.05:0.1 --dropout '[[1, 0], "
            "[3, 0.25]]' "
            "--randomizer pure --epsilon0 1 --rounds 5 --delta 1e-05");
  EXPECT_EQ(plan_of(q).stages().size(), 2U);
}

TEST(Questions, ReachEverythingAndArePlans) {
  std::set<std::pair<int, int>> pairs;
  int views = 0, schedules = 0, intervals = 0, epsilons = 0, refused = 0, papers = 0;
  constexpr int kCount = 4000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const Question q = random_question(1, i);
    pairs.emplace(static_cast<int>(q.protocol), static_cast<int>(q.randomizer));
    views += q.view ? 1 : 0;
    schedules += q.has_schedule() ? 1 : 0;
    intervals += q.least_rate ? 1 : 0;
    epsilons += q.asks_epsilon ? 1 : 0;
    papers += q.all ? 1 : 0;
    try {
      plan_of(q);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::plan) << command_line(q) << "\n" << error.what();
      ++refused;
    }
  }
  EXPECT_EQ(pairs.size(), 7U * 8U);
  for (const int count : {views, schedules, intervals, epsilons, papers}) EXPECT_GT(count, kCount / 50);
  EXPECT_LT(refused, kCount / 50);
}

TEST(Questions, AJobThatHangsOrDiesEndsAlone) {
  std::uint64_t next = 0;
  std::map<std::uint64_t, Verdict> verdicts;
  run_pool(
      {.jobs = 2, .wall_seconds = 0, .processor_seconds = 1},
      [&](std::uint64_t& index) { return (index = next++) < 3; },
      [](std::uint64_t index, int out) {
        write_all(out, "asking\tmuster account\n");
        if (index == 0) {
          for (volatile bool forever = true; forever;) {
          }
        }
        if (index == 1) raise(SIGSEGV);
        write_all(out, text_of({.status = "answered", .ratio = 1.5, .seconds = 0.25}));
      },
      [&](const Finished& finished) { verdicts[finished.index] = verdict_of(finished, 7); });
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_EQ(verdicts[0].status, "late");
  ASSERT_EQ(verdicts[0].findings.size(), 1U);
  EXPECT_EQ(verdicts[0].findings[0].kind, Finding::Kind::slow);
  EXPECT_EQ(verdicts[0].findings[0].commands.at(0), "muster account");
  ASSERT_EQ(verdicts[1].findings.size(), 1U);
  EXPECT_EQ(verdicts[1].findings[0].kind, Finding::Kind::died);
  EXPECT_EQ(verdicts[2].status, "answered");
  EXPECT_EQ(verdicts[2].ratio, 1.5);
}

TEST(Questions, ALogIsReadAgainWithoutItsTornEnd) {
  const std::string path = ::testing::TempDir() + "reference-questions-" + std::to_string(getpid()) + ".log";
  const Finding finding{Finding::Kind::disorder, "a check", "1\tagainst\n2", {"muster account"}};
  {
    Log log(path, 5);
    log.keep(
        3, {.findings = {finding}, .checks = {"a check"}, .status = "answered", .ratio = 2, .seconds = 0.5});
  }
  std::ofstream(path, std::ios::app) << "question 5 4\ncheck\ta ch";
  const Log again(path, 5), other(path, 6);
  std::remove(path.c_str());
  ASSERT_TRUE(again.holds(3));
  EXPECT_FALSE(again.holds(4));
  EXPECT_FALSE(other.holds(3));
  const Verdict& verdict = again.before().at(3);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].kind, Finding::Kind::disorder);
  EXPECT_EQ(verdict.findings[0].detail, "1 against 2");
  EXPECT_EQ(verdict.ratio, 2);
}

TEST(Questions, OnlyUnknownFindingsFail) {
  Verdict verdict{.status = "answered"};
  verdict.findings.push_back({Finding::Kind::slow, "an answer in time", "9 s", {"muster account"}});
  EXPECT_FALSE(Tally(1).add(0, verdict, false));
  EXPECT_TRUE(Tally(1).add(0, verdict, true));
  verdict.findings[0].kind = Finding::Kind::too_small;
  EXPECT_TRUE(Tally(1).add(0, verdict, false));
  for (const Known& known : known_findings()) {
    verdict.findings[0].check = known.check;
    EXPECT_FALSE(Tally(known.seed).add(known.index, verdict, false));
    EXPECT_TRUE(Tally(known.seed).add(known.index + 1'000'000, verdict, false));
  }
}

}  // namespace
}  // namespace muster::reference
