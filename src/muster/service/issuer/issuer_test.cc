// The issuer's rules: who gets a token, how many, when a round's issuance ends, and what its directory says.
#include "muster/service/issuer/issuer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/issuer/issuer_fixture_test.h"
#include "muster/service/issuer/small_deployment_test.h"
#include "muster/service/store/disk_test.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::KeyDirectory;
using wire::PendingToken;
using wire::TokenBlock;

constexpr std::uint8_t kStranger = 77;

TEST_F(IssuerTest, GivesTokensThatVerifyForABlockOfRounds) {
  const KeyDirectory keys = directory();
  ASSERT_EQ(keys.entries.size(), 3u);
  std::vector<PendingToken> pending;
  std::vector<TokenBlock::Entry> entries;
  for (const auto& entry : keys.entries) {
    pending.push_back(begin(keys, entry.round));
    entries.push_back({entry.round, pending.back().request});
  }
  const auto tokens = answer(0, entries);
  ASSERT_EQ(tokens.answer, Answer::stored);
  ASSERT_EQ(tokens.responses.size(), 3 * wire::kTokenResponse);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const auto key = wire::RsaPublicKey::of_modulus(keys.entries[i].modulus).value();
    const auto response =
        wire::Bytes(tokens.responses).subspan(i * wire::kTokenResponse, wire::kTokenResponse);
    const auto token = wire::finish_token(key, pending[i], response);
    ASSERT_TRUE(token.has_value());
    EXPECT_TRUE(wire::verify_token(key, wire::round_challenge_digest(task(), keys.entries[i].round), *token));
    EXPECT_EQ(issued(keys.entries[i].round), 1u);
  }
}

// Returns whether a device gets exactly one token a round, which means the same answer to the same request,
// also after a restart, and none to another request, and whether a device that is not enrolled gets no token.
bool keeps_to_one_token(const std::function<IssuerForDevices&()>& issuer,
                        const std::function<void()>& restart, const wire::Hash& task) {
  const KeyDirectory keys = read(issuer().keys());
  const auto one = begin(keys, 1), other = begin(keys, 1);
  const auto ask = [&](std::uint8_t device, const PendingToken& pending) {
    return issuer().tokens(block_of(device, {{1, pending.request}}, task));
  };
  const Buffer first = ask(0, one).responses;
  for (int time = 0; time < 2; ++time) {
    const auto again = ask(0, one);
    if (again.answer != Answer::stored || again.responses != first || first.empty()) return false;
    if (ask(0, other).answer != Answer::refused || !ask(0, other).responses.empty()) return false;
    restart();
  }
  if (ask(kStranger, other).answer != Answer::refused) return false;
  return ask(1, other).answer == Answer::stored;  // another device may have it
}

// Answers the requests that the issuer refuses as well, with the key of round 1.
class AnswersEverything final : public IssuerForDevices {
 public:
  explicit AnswersEverything(std::function<Issuer&()> issuer) : issuer_(std::move(issuer)) {}
  Buffer keys() override { return issuer_().keys(); }
  Tokens tokens(wire::Bytes block) override {
    auto tokens = issuer_().tokens(block);
    if (tokens.answer == Answer::stored) return tokens;
    const auto response = wire::issue_token(stored_key(1), wire::read_token_block(block)->entries[0].request);
    return {Answer::stored, Buffer(response->begin(), response->end())};
  }

 private:
  std::function<Issuer&()> issuer_;
};
// Refuses a request that it has answered before.
class AnswersOnce final : public IssuerForDevices {
 public:
  explicit AnswersOnce(std::function<Issuer&()> issuer) : issuer_(std::move(issuer)) {}
  Buffer keys() override { return issuer_().keys(); }
  Tokens tokens(wire::Bytes block) override {
    Buffer copy(block.begin(), block.end());
    if (std::ranges::find(answered_, copy) != answered_.end()) return {};
    answered_.push_back(std::move(copy));
    return issuer_().tokens(block);
  }

 private:
  std::function<Issuer&()> issuer_;
  std::vector<Buffer> answered_;
};

TEST_F(IssuerTest, ADeviceGetsOneTokenARound) {
  EXPECT_TRUE(keeps_to_one_token([&]() -> Issuer& { return issuer(); }, [&] { restart(); }, task()));
  EXPECT_EQ(issued(1), 2u);
}

TEST_F(IssuerTest, AnIssuerThatGivesMoreOrFewerTokensIsNoticed) {
  const auto current = [&]() -> Issuer& { return issuer(); };
  AnswersEverything everything(current);
  EXPECT_FALSE(
      keeps_to_one_token([&]() -> IssuerForDevices& { return everything; }, [&] { restart(); }, task()));
  AnswersOnce once(current);
  EXPECT_FALSE(keeps_to_one_token([&]() -> IssuerForDevices& { return once; }, [&] { restart(); }, task()));
}

TEST_F(IssuerTest, ABlockIsAnsweredWholeOrNotAtAll) {
  const auto first = ask(1), second = ask(2), third = ask(3);
  EXPECT_EQ(answer(0, 2, second), Answer::stored);
  // Another request for round 2 is among them, so rounds 1 and 3 are not answered either.
  EXPECT_EQ(answer(0, {{1, ask(1).request}, {2, ask(2).request}, {3, ask(3).request}}).answer,
            Answer::refused);
  EXPECT_EQ(issued(1), 0u);
  EXPECT_EQ(issued(3), 0u);
  EXPECT_EQ(answer(0, {{1, first.request}, {2, second.request}, {3, third.request}}).answer, Answer::stored);
  EXPECT_EQ(issued(1), 1u);
  EXPECT_EQ(issued(2), 1u);
  EXPECT_EQ(issued(3), 1u);
}

TEST_F(IssuerTest, OnlyAnEnrolledDeviceOfThisTaskIsAnswered) {
  const auto pending = ask(1);
  EXPECT_EQ(answer(kStranger, 1, pending), Answer::refused);
  EXPECT_EQ(issuer().tokens(block_of(0, {{1, pending.request}}, small_task(6).name())).answer,
            Answer::refused);
  const Buffer block = block_of(0, {{1, pending.request}, {2, ask(2).request}}, task());
  for (std::size_t i = 0; i < block.size(); ++i) {
    Buffer changed = block;
    changed[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    ASSERT_EQ(issuer().tokens(changed).answer, Answer::refused) << i;
    ASSERT_EQ(issuer().tokens(wire::Bytes(block).first(i)).answer, Answer::refused) << i;
  }
  EXPECT_EQ(issued(1), 0u);
  EXPECT_EQ(issuer().tokens(block).answer, Answer::stored);
  EXPECT_EQ(answer(kStranger, 1, pending), Answer::refused);
  const wire::SigningKey& stranger = device_identity(kStranger);
  issuer().enrol(std::vector{stranger.identity()});
  EXPECT_EQ(answer(kStranger, 1, pending), Answer::stored);
}

TEST_F(IssuerTest, ARequestThatItsKeyCannotSignIsRefusedWithItsBlock) {
  const auto good = ask(1).request;
  const auto changed = [&](const std::function<void(wire::TokenRequest&)>& change) {
    wire::TokenRequest request = good;
    change(request);
    return request;
  };
  const auto with_number = [&](const wire::RsaBlock& number) {
    return changed([&](auto& r) { std::ranges::copy(number, r.begin() + 3); });
  };
  wire::RsaBlock modulus = directory().entries.at(0).modulus, largest = modulus, most;
  largest.back() -= 1;  // the modulus is odd
  most.fill(0xff);
  // The keys of rounds 1 and 2 end differently, and their requests with them.
  ASSERT_NE(stored_key(1).public_key().id().back(), stored_key(2).public_key().id().back());
  const std::vector<wire::TokenRequest> refused{changed([](auto& r) { r[0] = 1; }),
                                                changed([](auto& r) { r[1] = 1; }),
                                                changed([](auto& r) { r[2] ^= 1; }),
                                                with_number(modulus),
                                                with_number(most),
                                                ask(2).request};
  for (std::size_t i = 0; i < refused.size(); ++i) {
    EXPECT_EQ(answer(0, {{1, refused[i]}, {2, ask(2).request}}).answer, Answer::refused) << i;
  }
  EXPECT_EQ(issued(1), 0u);
  EXPECT_EQ(issued(2), 0u);
  EXPECT_EQ(answer(1, {{1, with_number(largest)}}).answer, Answer::stored);
  EXPECT_EQ(answer(0, {{1, good}}).answer, Answer::stored);
}

TEST_F(IssuerTest, ABlockHasOneToSixtyFourRoundsThatHaveAKey) {
  issuer().prepare(kMostRounds);
  const KeyDirectory keys = directory();
  ASSERT_EQ(keys.entries.size(), kMostRounds);
  // Rounds with the same stored key can have the same request.
  const std::array<wire::TokenRequest, 2> requests{begin(keys, 2).request, begin(keys, 1).request};
  const auto rounds = [&](std::uint64_t first, std::size_t count) {
    std::vector<TokenBlock::Entry> entries;
    for (std::uint64_t round = first; round < first + count; ++round) {
      entries.push_back({round, requests[round % 2]});
    }
    return entries;
  };
  EXPECT_EQ(answer(0, {{0, requests[0]}}).answer, Answer::refused);
  EXPECT_EQ(answer(0, {{~0ull, requests[1]}}).answer, Answer::refused);
  EXPECT_EQ(answer(0, rounds(kMostRounds + 1, 1)).answer, Answer::refused);
  EXPECT_EQ(answer(0, rounds(kMostRounds, 2)).answer, Answer::refused);
  EXPECT_EQ(answer(0, rounds(1, 64)).answer, Answer::stored);
  EXPECT_EQ(answer(0, rounds(1, 64)).responses.size(), 64 * wire::kTokenResponse);
  // Blocks that sign_token_block() does not make: of no round, of 65, and with a round twice.
  const wire::SigningKey& device = device_identity(1);
  const auto made = [&](const std::vector<TokenBlock::Entry>& entries) {
    wire::FieldWriter fields(67 + 267 * entries.size());
    fields.integer(std::uint8_t{1}).bytes(task()).bytes(device.identity());
    fields.integer(static_cast<std::uint16_t>(entries.size()));
    for (const auto& [round, request] : entries) fields.integer(round).bytes(request);
    return issuer().tokens(wire::with_signature(fields.take(), "token block", device)).answer;
  };
  EXPECT_EQ(made(rounds(1, 2)), Answer::stored);
  EXPECT_EQ(made({}), Answer::refused);
  EXPECT_EQ(made(rounds(3, 65)), Answer::refused);
  EXPECT_EQ(made({{3, requests[1]}, {3, requests[1]}}), Answer::refused);
  EXPECT_EQ(made({{4, requests[0]}, {3, requests[1]}}), Answer::refused);
  EXPECT_EQ(issued(3), 1u);
}

TEST_F(IssuerTest, ATaskIsNotOpenedWithTooFewDevices) {
  Disk disk;
  Issuer issuer(small_task(), issuer_identity(), disk.store(), disk.logs(), "issuer.db", stored_keys());
  issuer.enrol(devices(kNeeded - 1));
  const Error error = error_of([&] { issuer.prepare(1); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.reason(), Reason::out_of_range);
  EXPECT_EQ(error.value(), "3");
  EXPECT_EQ(std::string(error.what()),
            "enrolled devices = 3 are too few to open the task; allowed: 4 or more: population.clients + "
            "task.malicious");
  EXPECT_TRUE(read(issuer.keys()).entries.empty());
  EXPECT_EQ(read(issuer.keys()).enrolled, kNeeded - 1);
  issuer.enrol(devices(kNeeded));
  issuer.prepare(1);
  EXPECT_EQ(read(issuer.keys()).entries.size(), 1u);
}

TEST_F(IssuerTest, KeysAreMadeForTheNextRoundsAndNoFurtherThanTheTask) {
  const KeyDirectory before = directory();
  issuer().prepare(2);  // these keys are there already
  EXPECT_EQ(directory(), before);
  issuer().prepare(5);
  const auto entries = directory().entries;
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_TRUE(std::ranges::equal(before.entries, std::span(entries).first(3)));
  issuer().prepare(1023);
  EXPECT_EQ(directory().entries.size(), kMostRounds);
  EXPECT_EQ(directory().entries.back().round, kMostRounds);
  EXPECT_ERROR(ErrorCode::internal, issuer().prepare(1024));
}

TEST_F(IssuerTest, IssuanceEndsOnceEnoughDevicesHaveAToken) {
  give_tokens(1, kNeeded - 1);
  EXPECT_FALSE(close(1).has_value());
  EXPECT_FALSE(disk_.memory().blob("key-1")->empty());
  const auto late = ask(1), of_two = ask(2);
  EXPECT_EQ(answer(kNeeded - 1, 1, ask(1)), Answer::stored);
  const auto closed = close(1);
  ASSERT_TRUE(closed.has_value());
  const KeyDirectory after = read(*closed);
  ASSERT_EQ(after.entries.size(), 3u);
  EXPECT_EQ(after.entries[0].round, 1u);
  EXPECT_EQ(after.entries[0].issued, kNeeded);
  EXPECT_EQ(*closed, issuer().keys());
  // Nothing is left that could give another token.
  EXPECT_FALSE(disk_.memory().blob("key-1").has_value());
  EXPECT_EQ(disk_.logs().names(), (std::vector<std::string>{"tokens-2", "tokens-3"}));
  EXPECT_EQ(answer(5, 1, late), Answer::over);
  EXPECT_EQ(answer(5, {{1, late.request}, {2, of_two.request}}).answer, Answer::over);
  EXPECT_EQ(issued(2), 0u);
  EXPECT_EQ(answer(5, 2, of_two), Answer::stored);
  restart();
  EXPECT_EQ(answer(5, 1, late), Answer::over);
  EXPECT_EQ(issued(1), kNeeded);
}

TEST_F(IssuerTest, AnOrderComesFromTheShufflerForTheNextRound) {
  for (const std::uint64_t round : {1, 2}) give_tokens(round, kNeeded);
  const Buffer order = order_to_close(1, task());
  for (std::size_t i = 0; i < order.size(); ++i) {
    Buffer changed = order;
    changed[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    ASSERT_FALSE(issuer().close_issuance(changed).has_value()) << i;
    ASSERT_FALSE(issuer().close_issuance(wire::Bytes(order).first(i)).has_value()) << i;
  }
  EXPECT_FALSE(
      issuer().close_issuance(wire::sign_close_issuance({task(), 1}, issuer_identity())).has_value());
  EXPECT_FALSE(issuer().close_issuance(order_to_close(1, small_task(6).name())).has_value());
  for (const std::uint64_t round : std::vector<std::uint64_t>{0, 2, 3, 4, kMostRounds + 1, ~0ull}) {
    EXPECT_FALSE(close(round).has_value()) << round;
  }
  EXPECT_TRUE(close(1).has_value());
  EXPECT_FALSE(close(3).has_value());
  EXPECT_TRUE(close(2).has_value());
}

TEST_F(IssuerTest, AnOrderThatComesAgainChangesNothing) {
  for (const std::uint64_t round : {1, 2}) give_tokens(round, kNeeded);
  const Buffer closed = close(1).value();
  EXPECT_EQ(close(1), closed);
  restart();
  EXPECT_EQ(close(1), closed);
  const Buffer next = close(2).value();
  EXPECT_EQ(close(1), next);
  EXPECT_FALSE(close(0).has_value());
  // Of the rounds that are closed only the last one is still listed.
  EXPECT_EQ(read(next).entries.front().round, 2u);
  EXPECT_EQ(read(next).entries.front().issued, kNeeded);
}

TEST_F(IssuerTest, ItsDirectorySaysForGoodWhichRoundWasReleasedLast) {
  for (const std::uint64_t round : {1, 2}) give_tokens(round, kNeeded);
  EXPECT_FALSE(issuer().note_release(notice_of_release(1, task())).has_value());  // it was not even opened
  close(1);
  EXPECT_EQ(directory().released, 0u);
  const Buffer notice = notice_of_release(1, task());
  for (std::size_t i = 0; i < notice.size(); ++i) {
    Buffer changed = notice;
    changed[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    ASSERT_FALSE(issuer().note_release(changed).has_value()) << i;
    ASSERT_FALSE(issuer().note_release(wire::Bytes(notice).first(i)).has_value()) << i;
  }
  EXPECT_FALSE(issuer().note_release(order_to_close(1, task())).has_value());
  EXPECT_FALSE(issuer().note_release(wire::sign_release_notice({task(), 1}, issuer_identity())).has_value());
  EXPECT_FALSE(issuer().note_release(notice_of_release(1, small_task(6).name())).has_value());
  for (const std::uint64_t round : std::vector<std::uint64_t>{0, 2, kMostRounds + 1, ~0ull}) {
    EXPECT_FALSE(issuer().note_release(notice_of_release(round, task())).has_value()) << round;
  }
  const wire::KeyDirectory before = directory();
  const Buffer noted = issuer().note_release(notice).value();
  EXPECT_EQ(read(noted).released, 1u);
  EXPECT_TRUE(wire::follows(read(noted), before));
  EXPECT_EQ(issuer().note_release(notice), noted);
  restart();
  EXPECT_EQ(issuer().keys(), noted);
  close(2);
  EXPECT_EQ(directory().released, 1u);
  issuer().note_release(notice_of_release(2, task()));
  EXPECT_EQ(read(issuer().note_release(notice).value()).released, 2u);
}

TEST_F(IssuerTest, ATaskIsIssuedToItsLastRound) {
  for (std::uint64_t round = 1; round <= kMostRounds; ++round) {
    issuer().prepare(2);
    give_tokens(round, kNeeded);
    ASSERT_TRUE(close(round).has_value()) << round;
  }
  issuer().prepare(2);
  ASSERT_EQ(directory().entries.size(), 1u);
  EXPECT_EQ(directory().entries[0].round, kMostRounds);
  EXPECT_FALSE(close(kMostRounds + 1).has_value());
}

TEST_F(IssuerTest, TheSerialRisesWithEveryChangeAndWithNothingElse) {
  Buffer last = issuer().keys();
  const auto expect_change = [&](const char* what) {
    EXPECT_GT(directory().serial, read(last).serial) << what;
    EXPECT_TRUE(wire::follows(directory(), read(last))) << what;
    last = issuer().keys();
  };
  const auto expect_none = [&](const char* what) { EXPECT_EQ(issuer().keys(), last) << what; };
  issuer().publish();
  expect_none("publish without a change");
  restart();
  expect_none("restart");
  give_tokens(1, kNeeded);
  expect_none("tokens that were not published");
  issuer().publish();
  expect_change("tokens");
  issuer().enrol(devices(kDevices));
  expect_none("enrolled again");
  issuer().enrol(devices(kDevices + 1));
  expect_change("enrolled");
  issuer().prepare(4);
  expect_change("a key");
  close(1);
  expect_change("a round closed");
  EXPECT_EQ(directory().serial, 1ull << 32);
  EXPECT_EQ(directory().enrolled, kDevices + 1u);
}

TEST_F(IssuerTest, TokensThatWereNotPublishedAreCountedAfterARestart) {
  give_tokens(2, 3);
  restart();
  const auto entries = directory().entries;
  EXPECT_EQ(entries.at(1).issued, 3u);
}

}  // namespace
}  // namespace muster::service
