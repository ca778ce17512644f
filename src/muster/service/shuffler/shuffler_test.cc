// Plays rounds with a shuffler whose issuer and aggregator are test doubles: what it releases, what it
// refuses and counts, and for which ledgers it opens a round.
#include "muster/service/shuffler/shuffler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/shuffler/shuffler_fixture_test.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::Manifest;
using wire::Rejected;

std::uint64_t rejected(const Manifest& manifest, Rejected why) {
  return manifest.rejected[static_cast<std::size_t>(why)];
}

// Sends the reports of `reports` devices, whose payloads are numbered from 0, and the dummies of `dummies`.
void send(ShufflerFixture& rig, int reports, int dummies) {
  for (int i = 0; i < reports; ++i) {
    EXPECT_EQ(rig.shuffler->upload(rig.report(static_cast<std::uint8_t>(i))), Answer::stored);
  }
  for (int i = 0; i < dummies; ++i) EXPECT_EQ(rig.shuffler->upload(rig.dummy()), Answer::stored);
}

std::vector<int> numbers(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) all.push_back(i);
  return all;
}

std::vector<int> sorted(std::vector<int> values) {
  std::ranges::sort(values);
  return values;
}

TEST(Shuffler, ARoundIsHeardShuffledHandedOverAndForgotten) {
  ShufflerFixture rig;
  for (int round = 1; round <= 3; ++round) {
    ASSERT_NO_FATAL_FAILURE(rig.open_round());
    EXPECT_EQ(rig.shuffler->round()->remaining_ms, ShufflerFixture::kRound);
    EXPECT_TRUE(wire::read_descriptor(rig.shuffler->round()->descriptor, rig.aggregator.identity(),
                                      rig.shuffler_key.identity()));
    EXPECT_EQ(rig.shuffler->blob(rig.descriptor.model), rig.model);
    send(rig, 6, 4);
    EXPECT_EQ(rig.shuffler->heard(), 10u);
    EXPECT_FALSE(rig.manifest());
    EXPECT_FALSE(rig.shuffler->batch(rig.descriptor.round, 0, 1));
    rig.clock.advance(ShufflerFixture::kRound);
    EXPECT_FALSE(rig.shuffler->round());
    const auto manifest = rig.manifest();
    ASSERT_TRUE(manifest);
    EXPECT_EQ(manifest->round, static_cast<std::uint64_t>(round));
    EXPECT_EQ(manifest->heard, 10u);
    EXPECT_EQ(manifest->reports, 6u);
    EXPECT_EQ(sorted(rig.batch()), numbers(6));
    const Buffer receipt = rig.conclude();
    EXPECT_TRUE(rig.shuffler->receipt(receipt));
    EXPECT_TRUE(rig.shuffler->receipt(receipt));
    EXPECT_FALSE(rig.shuffler->batch(rig.descriptor.round, 0, 6));
    EXPECT_TRUE(rig.disk.logs().names().empty());
    EXPECT_FALSE(rig.disk.memory().blob("key"));
  }
}

TEST(Shuffler, OnlyARoundInWhichEnoughDevicesWereHeardIsReleased) {
  for (const int heard : {0, 9, 10, 11}) {
    ShufflerFixture rig;
    ASSERT_NO_FATAL_FAILURE(rig.open_round());
    send(rig, heard, 0);
    rig.clock.advance(ShufflerFixture::kRound);
    rig.shuffler->tick();
    const auto manifest = rig.manifest();
    ASSERT_TRUE(manifest);
    EXPECT_EQ(manifest->heard, static_cast<std::uint64_t>(heard));
    const bool released = heard >= 10;
    EXPECT_EQ(manifest->outcome == Manifest::Outcome::released, released) << heard;
    EXPECT_EQ(rig.shuffler->batch(1, 0, 0).has_value(), released);
    EXPECT_EQ(rig.disk.logs().names().size(), released ? 1u : 0u);
  }
}

TEST(Shuffler, ARoundOfDummiesAloneOrOfOneReportIsReleased) {
  for (const int reports : {0, 1}) {
    ShufflerFixture rig;
    ASSERT_NO_FATAL_FAILURE(rig.open_round());
    send(rig, reports, 10 - reports);
    rig.clock.advance(ShufflerFixture::kRound);
    EXPECT_EQ(rig.manifest()->outcome, Manifest::Outcome::released);
    EXPECT_EQ(rig.batch(), numbers(reports));
  }
}

TEST(Shuffler, ClosesOnceAsManyTokensAreSpentAsWereIssued) {
  ShufflerFixture rig;
  rig.issuer.issued = 11;
  rig.restart();
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 10, 0);
  rig.shuffler->tick();
  EXPECT_TRUE(rig.shuffler->round());
  send(rig, 0, 1);
  rig.shuffler->tick();
  EXPECT_FALSE(rig.shuffler->round());
  EXPECT_EQ(rig.manifest()->heard, 11u);
}

TEST(Shuffler, ATokenIsHeardOnceAndItsFirstUploadWins) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 8, 1);
  const wire::Token token = rig.token();
  Buffer payload(ShufflerFixture::kPayload);
  payload[0] = 8;
  const Buffer first = wire::seal_report(rig.keys(), token, payload);
  payload[0] = 99;
  const Buffer other = wire::seal_report(rig.keys(), token, payload),
               dummy = wire::seal_dummy(rig.keys(), token, ShufflerFixture::kSizes);
  for (const Buffer& upload : {first, first, other, dummy, first}) {
    EXPECT_EQ(rig.shuffler->upload(upload), Answer::stored);
  }
  EXPECT_EQ(rig.shuffler->heard(), 10u);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(sorted(rig.batch()), numbers(9));
  EXPECT_EQ(rejected(*rig.manifest(), Rejected::repeated), 2u);
}

TEST(Shuffler, AThousandCopiesOfOneTokenAreOneDevice) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  const Buffer upload = rig.report(1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rig.shuffler->upload(upload), Answer::stored);
  EXPECT_EQ(rig.shuffler->heard(), 1u);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.manifest()->outcome, Manifest::Outcome::destroyed);
}

// A token for round 1 that another issuer signed.
wire::Token token_of_another_issuer(const ShufflerFixture& rig) {
  const wire::RsaSecretKey& key = IssuerDouble::key_of(2);
  const auto pending = wire::begin_token(key.public_key(), wire::round_challenge_digest(rig.task.name(), 1));
  return wire::finish_token(key.public_key(), pending, wire::issue_token(key, pending.request).value())
      .value();
}

TEST(Shuffler, WhatIsNotAnUploadOfTheRoundIsRefusedAndCounted) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 10, 0);
  const Buffer good = rig.report(1);
  const auto with = [&](std::size_t place, std::uint8_t value) {
    Buffer changed = good;
    changed[place] = value;
    return changed;
  };
  // The outer layer with the point 0 or 1 of X25519, whose shared secret is 0 for every key.
  const auto with_point = [&](std::uint8_t point) {
    Buffer changed = with(9, point);
    std::fill_n(changed.begin() + 10, 31, std::uint8_t{0});
    return changed;
  };
  Buffer longer = good;
  longer.push_back(0);
  const wire::RoundKeys keys = rig.keys();
  wire::RoundKeys wrong_descriptor = keys, wrong_key = keys;
  wrong_descriptor.descriptor[0] ^= 1;
  wrong_key.shuffler = wire::HpkeKeyPair::fresh().public_key();
  // The tokens of rounds 1 and 3 have the same key here, so that only their round tells them apart.
  ASSERT_EQ(IssuerDouble::key_of(3).public_key().id(), rig.descriptor.token_key);
  const wire::Token same_key = IssuerDouble::token(rig.task.name(), 3);
  const Buffer payload(ShufflerFixture::kPayload);
  const struct {
    Buffer upload;
    Rejected why;
    Answer answer = Answer::refused;
  } uploads[] = {
      {{}, Rejected::length},
      {Buffer(good.begin(), good.end() - 1), Rejected::length},
      {longer, Rejected::length},
      {Buffer(std::size_t{10} << 20), Rejected::length},
      {with(0, 2), Rejected::version},
      {with(1, 0), Rejected::late, Answer::over},  // round 0
      {with(1, 2), Rejected::late},                // a round that is not open yet
      {with(9, static_cast<std::uint8_t>(good[9] ^ 1)), Rejected::layer},
      {with(good.size() - 1, static_cast<std::uint8_t>(good.back() ^ 1)), Rejected::layer},
      {with_point(0), Rejected::layer},
      {with_point(1), Rejected::layer},
      {wire::seal_report(wrong_descriptor, rig.token(), payload), Rejected::layer},
      {wire::seal_report(wrong_key, rig.token(), payload), Rejected::layer},
      {wire::seal_report(keys, IssuerDouble::token(rig.task.name(), 2), payload), Rejected::token},
      {wire::seal_report(keys, same_key, payload), Rejected::token},
      {wire::seal_report(keys, IssuerDouble::token({1}, 1), payload), Rejected::token},
      {wire::seal_report(keys, token_of_another_issuer(rig), payload), Rejected::token},
      {wire::seal_report(keys, {}, payload), Rejected::token},
  };
  std::array<std::uint64_t, wire::kRejectReasons> expected{};
  for (const auto& [upload, why, answer] : uploads) {
    EXPECT_EQ(rig.shuffler->upload(upload), answer);
    ++expected[static_cast<std::size_t>(why)];
  }
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.manifest()->rejected, expected);
  EXPECT_EQ(rig.manifest()->heard, 10u);
  EXPECT_EQ(sorted(rig.batch()), numbers(10));
}

TEST(Shuffler, EveryByteOfAnUploadIsBound) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  const Buffer good = rig.report(1);
  for (std::size_t i = 0; i < good.size(); ++i) {
    Buffer changed = good;
    changed[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    EXPECT_NE(rig.shuffler->upload(changed), Answer::stored) << i;
  }
  EXPECT_EQ(rig.shuffler->heard(), 0u);
  EXPECT_EQ(rig.shuffler->upload(good), Answer::stored);
}

TEST(Shuffler, ALateUploadIsOverAndNeverCarriedOver) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 10, 0);
  const Buffer late = rig.report(99);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.shuffler->upload(late), Answer::over);
  EXPECT_EQ(rig.manifest()->heard, 10u);
  EXPECT_TRUE(rig.shuffler->receipt(rig.conclude()));
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  EXPECT_EQ(rig.shuffler->upload(late), Answer::over);
  EXPECT_EQ(rig.shuffler->heard(), 0u);
}

TEST(Shuffler, AnUploadThatWasCheckedInTimeAndComesLateIsOver) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 10, 0);
  const auto intake = rig.shuffler->intake();
  const Buffer upload = rig.report(10);
  wire::OpenedUpload opened;
  const auto verdict = intake->check(upload, opened);
  EXPECT_FALSE(verdict);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.shuffler->take(*intake, upload, verdict, opened), Answer::over);
  EXPECT_EQ(rig.manifest()->heard, 10u);
}

TEST(Shuffler, OpensOnlyForALedgerThatGoesOn) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  EXPECT_TRUE(rig.ask_to_open(0));  // the same again
  send(rig, 10, 0);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_TRUE(rig.shuffler->receipt(rig.conclude()));
  EXPECT_EQ(rig.offer().head, rig.ledger.head());
  EXPECT_EQ(rig.offer().entries, 3u);
  rig.shuffler->tick();
  rig.shuffler->put_blob(rig.model);
  rig.write_open();
  EXPECT_FALSE(rig.ask_to_open(1));
  EXPECT_FALSE(rig.ask_to_open(2));
  // Another ledger of the same aggregator, which never charged the first round.
  MemoryStore other_store;
  Ledger other(other_store, "other");
  other.append(TaskEntry{rig.task.name(), 0.5, 1e-5});
  OpenEntry second = *rig.ledger.open_round();
  second.round = 1;
  second.update = 0;
  other.append(second);
  const Buffer honest = rig.offered;
  rig.offered = wire::sign_descriptor(descriptor_of(second, rig.task.name(), other.head()), rig.aggregator);
  EXPECT_FALSE(rig.shuffler->open(rig.offered, 0, other_store.rows()));
  rig.offered = honest;
  // A row is changed, missing or swapped.
  auto rows = rig.ledger_store.rows();
  const auto open_with = [&](const std::vector<Buffer>& tail) { return rig.shuffler->open(honest, 0, tail); };
  auto changed = rows;
  changed[1][5] ^= 1;
  EXPECT_FALSE(open_with(changed));
  auto missing = rows;
  missing.erase(missing.begin() + 1);
  EXPECT_FALSE(open_with(missing));
  auto swapped = rows;
  std::swap(swapped[1], swapped[2]);
  EXPECT_FALSE(open_with(swapped));
  EXPECT_FALSE(open_with({}));
  EXPECT_TRUE(rig.ask_to_open(3));
}

TEST(Shuffler, ARoundThatWasHandedOutIsNotVoid) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 10, 0);
  rig.clock.advance(ShufflerFixture::kRound);
  EXPECT_EQ(rig.batch().size(), 10u);
  // The aggregator says that the round was void, first with the manifest of the batch, and then with a
  // manifest that it signed itself.
  const Buffer manifest = rig.shuffler->manifest(1).value();
  Manifest forged = *rig.manifest();
  forged = {forged.task, 1, forged.descriptor, Manifest::Outcome::destroyed, 3, 0, 0, {}, {}};
  for (const Buffer& word : {manifest, wire::sign_manifest(forged, rig.aggregator)}) {
    MemoryStore store = rig.ledger_store;
    Ledger ledger(store, "forged");
    SignedManifest kept;
    std::ranges::copy(word, kept.begin());
    ledger.append(VoidEntry{1, kept});
    rig.shuffler->tick();
    const OpenEntry open{.round = 2,
                         .model = wire::hash_of({rig.model}),
                         .token_key = IssuerDouble::key_of(2).public_key().id(),
                         .shuffler = rig.offer().key,
                         .aggregator = rig.round_key.public_key()};
    ledger.append(open);
    const Buffer offered =
        wire::sign_descriptor(descriptor_of(open, rig.task.name(), ledger.head()), rig.aggregator);
    const auto rows = store.rows();
    EXPECT_FALSE(rig.shuffler->open(offered, 2, {rows.begin() + 2, rows.end()}));
    EXPECT_FALSE(rig.shuffler->open(offered, 0, rows));
  }
}

TEST(Shuffler, ALedgerThatLostItsEndGoesOnWithTheLostRoundsCharged) {
  ShufflerFixture rig;
  for (int round = 1; round <= 2; ++round) {
    ASSERT_NO_FATAL_FAILURE(rig.open_round());
    send(rig, 10, 0);
    rig.clock.advance(ShufflerFixture::kRound);
    EXPECT_TRUE(rig.shuffler->receipt(rig.conclude()));
  }
  EXPECT_FALSE(rig.opens_with_older_ledger(false));
  EXPECT_TRUE(rig.opens_with_older_ledger(true));
  EXPECT_TRUE(rig.shuffler->round());
}

TEST(Shuffler, ARoundWithoutItsModelIsNotOpenedYet) {
  ShufflerFixture rig;
  rig.shuffler->tick();
  rig.write_open();
  EXPECT_FALSE(rig.ask_to_open(0));
  rig.shuffler->put_blob(Buffer{9});
  EXPECT_FALSE(rig.ask_to_open(0));
  rig.shuffler->put_blob(rig.model);
  EXPECT_TRUE(rig.ask_to_open(0));
  EXPECT_FALSE(rig.shuffler->blob(wire::hash_of({Buffer{9}})));
}

TEST(Shuffler, BlobsThatNobodyNamesDoNotPileUp) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  for (std::uint8_t i = 10; i < 30; ++i) rig.shuffler->put_blob(Buffer{i});
  EXPECT_TRUE(rig.shuffler->blob(rig.descriptor.model));
  int kept = 0;
  for (std::uint8_t i = 10; i < 30; ++i) kept += rig.shuffler->blob(wire::hash_of({Buffer{i}})) ? 1 : 0;
  EXPECT_EQ(kept, 5);  // with the model, six
}

TEST(Shuffler, ADescriptorWithAnotherKeyMakesTheRoundVoid) {
  ShufflerFixture rig;
  rig.shuffler->tick();
  rig.shuffler->put_blob(rig.model);
  rig.write_open();
  OpenEntry wrong = *rig.ledger.open_round();
  MemoryStore store;
  Ledger ledger(store, "wrong");
  ledger.append(TaskEntry{rig.task.name(), 0.5, 1e-5});
  wrong.shuffler = wire::HpkeKeyPair::fresh().public_key();
  ledger.append(wrong);
  rig.descriptor = descriptor_of(wrong, rig.task.name(), ledger.head());
  EXPECT_TRUE(rig.shuffler->open(wire::sign_descriptor(rig.descriptor, rig.aggregator), 0, store.rows()));
  EXPECT_FALSE(rig.shuffler->round());
  EXPECT_EQ(rig.manifest()->outcome, Manifest::Outcome::destroyed);
  EXPECT_EQ(rig.manifest()->heard, 0u);
}

TEST(Shuffler, ADescriptorThatTheAggregatorDidNotSignIsRefused) {
  ShufflerFixture rig;
  rig.shuffler->tick();
  rig.shuffler->put_blob(rig.model);
  rig.write_open();
  const Buffer honest = rig.offered;
  for (std::size_t i = 0; i < honest.size(); ++i) {
    rig.offered = honest;
    rig.offered[i] ^= 1;
    EXPECT_FALSE(rig.ask_to_open(0)) << i;
  }
  rig.offered = wire::sign_descriptor(rig.descriptor, rig.shuffler_key);
  EXPECT_FALSE(rig.ask_to_open(0));
  wire::Descriptor of_another_task = rig.descriptor;
  of_another_task.task[0] ^= 1;
  rig.offered = wire::sign_descriptor(of_another_task, rig.aggregator);
  EXPECT_FALSE(rig.ask_to_open(0));
  rig.offered = honest;
  EXPECT_TRUE(rig.ask_to_open(0));
}

TEST(Shuffler, ABatchIsReadInPieces) {
  ShufflerFixture rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  send(rig, 10, 0);
  rig.clock.advance(ShufflerFixture::kRound);
  const Buffer whole = (rig.shuffler->tick(), rig.shuffler->batch(1, 0, 10).value());
  Buffer together;
  for (std::uint64_t first : {0u, 3u, 9u}) {
    const Buffer piece = rig.shuffler->batch(1, first, first == 9 ? 1 : first == 0 ? 3 : 6).value();
    together.insert(together.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(together, whole);
  EXPECT_FALSE(rig.shuffler->batch(1, 10, 1));
  EXPECT_FALSE(rig.shuffler->batch(1, 0, 11));
  EXPECT_FALSE(rig.shuffler->batch(1, ~std::uint64_t{0}, 2));
  EXPECT_FALSE(rig.shuffler->batch(2, 0, 1));
}

TEST(Shuffler, AWallClockThatJumpsEndsARoundEarlyOrLateButNeverTwice) {
  for (const auto jump :
       std::initializer_list<std::int64_t>{-31'536'000'000, -30'000, 30'000, 31'536'000'000}) {
    ShufflerFixture rig;
    ASSERT_NO_FATAL_FAILURE(rig.open_round());
    send(rig, 10, 0);
    rig.clock.set_wall(rig.clock.wall_ms() + jump);
    EXPECT_EQ(rig.shuffler->round()->remaining_ms, ShufflerFixture::kRound);  // steady time does not jump
    rig.restart();
    if (const auto round = rig.shuffler->round()) {
      EXPECT_EQ(round->remaining_ms, jump < 0 ? ShufflerFixture::kRound : ShufflerFixture::kRound - jump);
      rig.clock.advance(round->remaining_ms);
    } else {
      EXPECT_GT(jump, ShufflerFixture::kRound);
    }
    EXPECT_EQ(sorted(rig.batch()), numbers(10));
  }
}

TEST(Shuffler, TheStoreOfAnotherTaskIsRefused) {
  ShufflerFixture rig;
  rig.shuffler.reset();
  rig.disk.memory().commit({{}, {{"task", Buffer(32)}}, {}});
  EXPECT_ERROR(ErrorCode::file, rig.start());
}

TEST(Shuffler, AnotherIdentityThanTheTasksIsRefused) {
  ShufflerFixture rig;
  EXPECT_ERROR(ErrorCode::plan, Shuffler(rig.task, rig.aggregator, ShufflerFixture::kSizes, rig.disk.store(),
                                         rig.disk.logs(), rig.clock, rig.issuer));
}

}  // namespace
}  // namespace muster::service
