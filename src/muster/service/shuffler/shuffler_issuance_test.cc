// When the shuffler ends the issuance of a round, and what it waits for before that.
#include <gtest/gtest.h>

#include <cstdint>

#include "muster/service/shuffler/shuffler_fixture_test.h"

namespace muster::service {
namespace {

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
  rig.clock.advance(ShufflerFixture::kRound / 10 - 1);
  rig.shuffler->tick();
  EXPECT_EQ(rig.offer().key, wire::HpkePublicKey{});
  EXPECT_EQ(rig.offer().waits, wire::Waits::issuance);
  rig.clock.advance(1);
  rig.shuffler->tick();
  EXPECT_NE(rig.offer().key, wire::HpkePublicKey{});
  // Enough tokens of the second round were issued already when the first one was prepared.
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  rig.clock.advance(ShufflerFixture::kRound);
  rig.shuffler->tick();
  EXPECT_NE(rig.offer().key, wire::HpkePublicKey{});
}

TEST(ShufflerIssuance, ADirectoryWithALowerSerialIsNotBelieved) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  rig.clock.advance(ShufflerFixture::kRound);
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

TEST(ShufflerIssuance, SaysWhyItWaitsForTheIssuer) {
  ShufflerFixture rig;
  EXPECT_EQ(rig.shuffler->trouble_with_issuer(), "");
  rig.issuer.away = true;
  rig.restart();
  rig.shuffler->tick();
  EXPECT_EQ(rig.shuffler->trouble_with_issuer(), "the issuer cannot be reached: no answer came");
  rig.issuer.away = false;
  rig.issuer.of_another_task = true;
  rig.shuffler->tick();
  EXPECT_EQ(rig.shuffler->trouble_with_issuer(),
            "the issuer's key directory is refused: it is of another task, or older than one that was seen");
  rig.issuer.of_another_task = false;
  rig.shuffler->tick();
  EXPECT_EQ(rig.shuffler->trouble_with_issuer(), "");
}

TEST(ShufflerIssuance, HasNoTroubleWithTheIssuerWhileItWaitsForTokens) {
  ShufflerFixture rig;
  rig.issuer.issued = 0;
  rig.restart();
  rig.shuffler->tick();
  EXPECT_EQ(rig.offer().waits, wire::Waits::issuance);
  EXPECT_EQ(rig.shuffler->trouble_with_issuer(), "");
}

TEST(ShufflerIssuance, ADirectoryOfAnotherIssuerOrTaskIsNotBelieved) {
  for (bool IssuerDouble::*const fault :
       {&IssuerDouble::of_another_task, &IssuerDouble::signs_with_another_key}) {
    ShufflerFixture rig;
    rig.issuer.*fault = true;
    rig.restart();
    rig.shuffler->tick();
    EXPECT_EQ(rig.offer().key, wire::HpkePublicKey{});
    EXPECT_EQ(rig.offer().waits, wire::Waits::directory);
    // Nor is it believed when it says that a release is noted.
    rig.issuer.*fault = false;
    ASSERT_NO_FATAL_FAILURE(rig.open_round());
    for (std::uint8_t i = 0; i < ShufflerFixture::kNeeded; ++i) rig.shuffler->upload(rig.report(i));
    rig.issuer.*fault = true;
    rig.clock.advance(ShufflerFixture::kRound);
    EXPECT_FALSE(rig.manifest());
    EXPECT_FALSE(rig.shuffler->batch(1, 0, 0));
    rig.issuer.*fault = false;
    EXPECT_TRUE(rig.manifest());
  }
}

}  // namespace
}  // namespace muster::service
