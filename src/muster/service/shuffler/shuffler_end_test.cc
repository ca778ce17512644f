// The end of a task, which the aggregator states and every device is shown.
#include <gtest/gtest.h>

#include <cstdint>

#include "muster/service/shuffler/shuffler_fixture_test.h"

namespace muster::service {
namespace {

TEST(ShufflerEnd, IsStatedByTheAggregatorAndShownForGood) {
  ShufflerFixture rig;
  const wire::Buffer over = wire::sign_task_over({rig.task.name(), 1}, rig.aggregator);
  EXPECT_FALSE(rig.shuffler->end(wire::sign_task_over({rig.task.name(), 1}, rig.shuffler_key)));
  EXPECT_FALSE(rig.shuffler->end(wire::sign_task_over({{1}, 1}, rig.aggregator)));
  EXPECT_FALSE(rig.shuffler->end(wire::sign_close_issuance({rig.task.name(), 1}, rig.aggregator)));
  EXPECT_FALSE(rig.shuffler->end({}));
  EXPECT_FALSE(rig.shuffler->over());
  for (int again = 0; again < 2; ++again) EXPECT_TRUE(rig.shuffler->end(over));
  for (int start = 0; start < 2; ++start) {
    ASSERT_TRUE(rig.shuffler->round());
    EXPECT_EQ(rig.shuffler->round()->over, over);
    rig.restart();
  }
}

TEST(ShufflerEnd, ComesNotWhileARoundIsOpen) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  const wire::Buffer over = wire::sign_task_over({rig.task.name(), 1}, rig.aggregator);
  EXPECT_FALSE(rig.shuffler->end(over));
  EXPECT_TRUE(rig.shuffler->round()->over.empty());
  for (std::uint8_t i = 0; i < 10; ++i) rig.shuffler->upload(rig.report(i));
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.batch().size(), 10u);
  EXPECT_TRUE(rig.shuffler->end(over));
  EXPECT_EQ(rig.batch().size(), 10u);  // which the aggregator may still ask for
}

TEST(ShufflerEnd, NoRoundFollows) {
  ShufflerFixture rig;
  rig.shuffler->tick();
  rig.shuffler->put_blob(rig.model);
  rig.write_open();
  EXPECT_TRUE(rig.shuffler->end(wire::sign_task_over({rig.task.name(), 0}, rig.aggregator)));
  EXPECT_FALSE(rig.ask_to_open(0));
  rig.shuffler->tick();
  EXPECT_EQ(rig.offer().key, wire::HpkePublicKey{});
  EXPECT_FALSE(rig.disk.memory().blob("key"));
}

}  // namespace
}  // namespace muster::service
