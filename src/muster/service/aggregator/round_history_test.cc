// Compares the history with the rounds that a test lets happen, as the ledger grows and after a restart.
#include "muster/service/aggregator/round_history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "muster/service/aggregator/aggregator_fixture_test.h"

namespace muster::service {
namespace {

std::string story(const RoundHistory& history) {
  std::string text;
  for (const PastRound& past : history.rounds()) {
    text += fmt::format("{} {}{}{} {} {}; ", past.round, past.outcome, past.reason.empty() ? "" : ":",
                        past.reason, past.epsilon, past.opened);
  }
  return text;
}

TEST(RoundHistory, FollowsALedgerThatGrows) {
  AggregatorFixture d;
  RoundHistory history(d.task());
  history.look(d.ledger());
  EXPECT_EQ(story(history), "");
  d.run();
  history.look(d.ledger());
  EXPECT_EQ(story(history), "1 released 0.125 1; ");
  d.open();
  history.look(d.ledger());
  EXPECT_EQ(history.rounds().size(), 1u);
  d.shuffler().close(d.task().needed() - 1, answers({1}));
  d.step();
  d.run();
  history.look(d.ledger());
  history.look(d.ledger());
  EXPECT_EQ(story(history), "1 released 0.125 1; 2 void 0.125 2; 3 released 0.25 3; ");
  EXPECT_EQ(story(d.role().history()), story(history));
  // The same is read from the ledger after a restart.
  d.start();
  EXPECT_EQ(story(d.role().history()), story(history));
}

TEST(RoundHistory, WatchesTheCheckInsOfRoundsThatWereHandedOver) {
  AggregatorFixture d;
  d.run();
  d.open();
  d.shuffler().close(d.task().needed() - 1, answers({1}));
  d.step();
  const RoundHistory& history = d.role().history();
  ASSERT_EQ(history.rounds().size(), 2u);
  ASSERT_TRUE(history.rounds()[0].manifest && history.rounds()[1].manifest);
  EXPECT_EQ(history.rounds()[0].manifest->heard, d.task().needed());
  EXPECT_EQ(history.rounds()[0].manifest->reports, 5u);
  EXPECT_EQ(history.rounds()[0].band.has_value(), history.check_ins().last_band().has_value());
  EXPECT_FALSE(history.rounds()[1].band);
  EXPECT_EQ(history.check_ins().rounds_watched(), 1u);
}

}  // namespace
}  // namespace muster::service
