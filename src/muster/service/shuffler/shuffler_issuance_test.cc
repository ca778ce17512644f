// When the shuffler ends the issuance of a round, and what it waits for before that.
#include <gtest/gtest.h>

#include <cstdint>

#include "muster/service/shuffler/shuffler_fixture_test.h"

namespace muster::service {
namespace {

constexpr std::int64_t kRound = static_cast<std::int64_t>(ShufflerFixture::kSeconds) * 1000;

TEST(ShufflerIssuance, TheNextRoundWaitsForTheIssuer) {
  ShufflerFixture rig;
  rig.issuer.away = true;
  rig.restart();
  rig.shuffler->tick();
  EXPECT_EQ(rig.offer().key, wire::HpkePublicKey{});
  EXPECT_EQ(rig.offer().waits, wire::Waits::issuer);
  rig.issuer.away = false;
  rig.issuer.issued = 9;
  rig.shuffler->tick();
  EXPECT_EQ(rig.offer().key, wire::HpkePublicKey{});
  EXPECT_EQ(rig.offer().waits, wire::Waits::issuance);
  EXPECT_EQ(rig.offer().issued, 9u);
  rig.issuer.issued = 10;
  rig.shuffler->tick();
  EXPECT_EQ(rig.offer().waits, wire::Waits::nothing);
  const auto offered = rig.offer().key;
  EXPECT_NE(offered, wire::HpkePublicKey{});
  rig.restart();
  EXPECT_EQ(rig.offer().key, offered);
}

// Without this time the last devices would miss the first rounds, before which all ask for their tokens at
// once.
TEST(ShufflerIssuance, DevicesWithoutATokenHaveATenthOfARound) {
  ShufflerFixture rig;
  rig.issuer.without_token = 3;
  rig.shuffler->tick();
  rig.clock.advance(kRound / 10 - 1);
  rig.shuffler->tick();
  EXPECT_EQ(rig.offer().key, wire::HpkePublicKey{});
  EXPECT_EQ(rig.offer().waits, wire::Waits::issuance);
  rig.clock.advance(1);
  rig.shuffler->tick();
  EXPECT_NE(rig.offer().key, wire::HpkePublicKey{});
  // Enough tokens of the second round were issued already when the first one was prepared.
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  rig.clock.advance(kRound);
  rig.shuffler->tick();
  EXPECT_NE(rig.offer().key, wire::HpkePublicKey{});
}

TEST(ShufflerIssuance, ADirectoryWithALowerSerialIsNotBelieved) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  rig.clock.advance(kRound);
  rig.issuer.serial = 0;
  rig.shuffler->tick();  // closes the round, which is void, and asks the issuer about the next one
  EXPECT_EQ(rig.offer().key, wire::HpkePublicKey{});
  EXPECT_EQ(rig.offer().waits, wire::Waits::directory);
  rig.restart();
  rig.issuer.serial = 0;
  rig.shuffler->tick();
  EXPECT_EQ(rig.offer().key, wire::HpkePublicKey{});
  rig.issuer.serial = 100;
  rig.shuffler->tick();
  EXPECT_NE(rig.offer().key, wire::HpkePublicKey{});
}

}  // namespace
}  // namespace muster::service
