// After a round, nothing of it may be left in memory that the shuffler has freed: neither its key nor the
// inner layers of its uploads, whose order there is the order of arrival.
#include <gtest/gtest.h>

#include <cstdint>

#include "muster/service/shuffler/shuffler_fixture_test.h"
#include "muster/wire/freed_memory_test.h"

namespace muster::service {
namespace {

TEST(ShufflerMemory, HasNoKeyOfARoundThatIsOver) {
  ShufflerFixture rig;
  rig.shuffler->tick();
  const wire::Buffer stored = rig.disk.memory().blob("key").value();
  const wire::FreedMemory freed(wire::Bytes(stored).last(wire::kHpkeKey));
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  for (std::uint8_t i = 0; i < 10; ++i) rig.shuffler->upload(rig.report(i));
  rig.restart();
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.batch().size(), 10u);
  rig.shuffler.reset();
  EXPECT_EQ(freed.found(), 0u);
}

TEST(ShufflerMemory, HasNoLayersInTheOrderOfArrival) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  const wire::Buffer first = rig.report(0);
  wire::OpenedUpload opened;
  ASSERT_FALSE(rig.shuffler->intake()->check(first, opened));
  const wire::FreedMemory freed(opened.inner);
  rig.shuffler->upload(first);
  for (std::uint8_t i = 1; i < 10; ++i) rig.shuffler->upload(rig.report(i));
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.batch().size(), 10u);
  EXPECT_TRUE(rig.shuffler->receipt(rig.conclude()));
  rig.shuffler.reset();
  EXPECT_EQ(freed.found(), 0u);
}

}  // namespace
}  // namespace muster::service
