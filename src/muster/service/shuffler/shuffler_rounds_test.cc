// What the shuffler answers to uploads of other rounds than the open one, and while no round is open: 410
// (`over`) means that the round of the upload is over, and everything else that is not valid is 400
// (`refused`), also an upload for a round that comes later.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "muster/service/shuffler/heard.h"
#include "muster/service/shuffler/shuffler_fixture_test.h"
#include "muster/wire/token.h"

namespace muster::service {
namespace {

using wire::Buffer;

// Bytes of an upload's length, or of another one, that name this version and round.
Buffer bytes(std::uint8_t version, std::uint64_t round,
             std::size_t length = ShufflerFixture::kSizes.upload()) {
  Buffer upload = wire::FieldWriter(9).integer(version).integer(round).take();
  upload.resize(length, 0xee);
  return upload;
}

// The answers to bytes that are no upload of the round `opened`, which is the one that was opened last.
void expect_answers(ShufflerFixture& rig, std::uint64_t opened, const std::string& when) {
  const std::size_t length = ShufflerFixture::kSizes.upload();
  const struct {
    const char* what;
    Buffer upload;
    Answer answer;
  } cases[] = {
      {"nothing", {}, Answer::refused},
      {"garbage", Buffer(length, 0xee), Answer::refused},
      {"another version, of this round", bytes(2, opened), Answer::refused},
      {"another version, of a past round", bytes(2, 0), Answer::refused},
      {"a past round and one byte less", bytes(1, 0, length - 1), Answer::refused},
      {"a past round and one byte more", bytes(1, 0, length + 1), Answer::refused},
      {"the next round", bytes(1, opened + 1), Answer::refused},
      {"a round far away", bytes(1, ~std::uint64_t{0}), Answer::refused},
      {"a past round", bytes(1, opened == 0 ? 0 : opened - 1), Answer::over},
      {"round 0", bytes(1, 0), Answer::over},
  };
  for (const auto& [what, upload, answer] : cases) {
    EXPECT_EQ(rig.shuffler->upload(upload), answer) << when << ": " << what;
  }
}

TEST(ShufflerRounds, AnUploadIsOverOnlyIfItsRoundIs) {
  ShufflerFixture rig;
  expect_answers(rig, 0, "before round 1");
  rig.shuffler->tick();
  expect_answers(rig, 0, "before round 1, which is prepared");
  for (std::uint64_t round = 1; round <= 2; ++round) {
    ASSERT_NO_FATAL_FAILURE(rig.open_round());
    const std::string number = std::to_string(round);
    expect_answers(rig, round, "in round " + number);
    std::vector<Buffer> uploads;
    for (std::uint64_t i = 0; i < ShufflerFixture::kNeeded; ++i) {
      uploads.push_back(rig.report(static_cast<std::uint8_t>(i)));
      EXPECT_EQ(rig.shuffler->upload(uploads.back()), Answer::stored);
    }
    rig.clock.advance(ShufflerFixture::kRound);
    rig.shuffler->tick();
    expect_answers(rig, round, "after round " + number);
    EXPECT_EQ(rig.shuffler->upload(uploads.front()), Answer::over);
    EXPECT_EQ(rig.shuffler->upload(bytes(1, round)), Answer::over)
        << "after round " << round << ": this round";
    rig.restart();
    expect_answers(rig, round, "after round " + number + " and a restart");
    EXPECT_EQ(rig.shuffler->upload(uploads.front()), Answer::over);
    EXPECT_TRUE(rig.shuffler->receipt(rig.conclude()));
    expect_answers(rig, round, "after the receipt of round " + number);
  }
}

// Both are counted under `late`, since the manifest's reasons are fixed.
TEST(ShufflerRounds, OtherRoundsAreCountedWithTheLateOnes) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  EXPECT_EQ(rig.shuffler->upload(bytes(1, 0)), Answer::over);
  EXPECT_EQ(rig.shuffler->upload(bytes(1, 2)), Answer::refused);
  EXPECT_EQ(rig.shuffler->upload(bytes(1, 1)), Answer::refused);
  rig.clock.advance(ShufflerFixture::kRound);
  using enum wire::Rejected;
  const auto manifest = rig.manifest();
  EXPECT_EQ(manifest->rejected[static_cast<std::size_t>(late)], 2u);
  EXPECT_EQ(manifest->rejected[static_cast<std::size_t>(layer)], 1u);
  EXPECT_EQ(manifest->heard, 0u);
}

// What a token of a round is bound to.
using Challenge = std::function<wire::Hash(std::uint64_t round)>;

// A report in round 1 with a token of this challenge, which the key of rounds 1, 3 and 5 signed.
Buffer report_with_token_of(ShufflerFixture& rig, const wire::Hash& challenge) {
  const wire::RsaSecretKey& key = IssuerDouble::key_of(1);
  const auto pending = wire::begin_token(key.public_key(), challenge);
  const auto signature = wire::issue_token(key, pending.request).value();
  const wire::Token token = wire::finish_token(key.public_key(), pending, signature).value();
  return wire::seal_report(rig.keys(), token, Buffer(ShufflerFixture::kPayload));
}

// A device that has one token of each round spends those of rounds 1, 3 and 5, whose keys are the same here,
// in round 1. Returns how many devices a shuffler hears that verifies tokens of this challenge.
std::uint64_t heard_of_one_device(ShufflerFixture& rig, const Challenge& challenge) {
  const wire::RsaSecretKey& key = IssuerDouble::key_of(1);
  Heard heard(ShufflerFixture::kSizes.inner());
  for (const std::uint64_t round : {1u, 3u, 5u}) {
    EXPECT_EQ(IssuerDouble::key_of(round).public_key().id(), key.public_key().id());
    const Buffer upload = report_with_token_of(rig, challenge(round));
    wire::OpenedUpload opened;
    EXPECT_FALSE(rig.shuffler->intake()->open(upload, opened));
    if (wire::verify_token(key.public_key(), challenge(1), opened.token)) heard.take(opened, upload);
  }
  return heard.devices();
}

TEST(ShufflerRounds, ATokenThatIsBoundToNoRoundIsNoticed) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  const auto of_its_round = [&](std::uint64_t round) {
    return wire::round_challenge_digest(rig.task.name(), round);
  };
  const auto of_no_round = [&](std::uint64_t) { return wire::round_challenge_digest(rig.task.name(), 0); };
  EXPECT_EQ(heard_of_one_device(rig, of_its_round), 1u);
  EXPECT_EQ(heard_of_one_device(rig, of_no_round), 3u);
  // The shuffler itself hears the device once, with the token of the open round, and takes none that is bound
  // to no round.
  for (const std::uint64_t round : {1u, 3u, 5u, 0u}) {
    EXPECT_EQ(rig.shuffler->upload(report_with_token_of(rig, of_its_round(round))),
              round == 1 ? Answer::stored : Answer::refused);
  }
  EXPECT_EQ(rig.shuffler->heard(), 1u);
}

}  // namespace
}  // namespace muster::service
