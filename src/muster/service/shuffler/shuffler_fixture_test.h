// What the shuffler's tests need around it: an issuer, an aggregator's ledger and devices, each reduced to
// what the shuffler sees of it, with real keys. Ten devices are needed for a round. Call from the thread of
// the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/ports/manual_clock_test.h"
#include "muster/service/shuffler/shuffler.h"
#include "muster/service/store/disk_test.h"
#include "muster/service/task/plans_test.h"
#include "muster/wire/hash.h"
#include "muster/wire/issuer_keys_test.h"
#include "muster/wire/offer.h"
#include "muster/wire/receipt.h"
#include "muster/wire/round_notice.h"
#include "muster/wire/token.h"

namespace muster::service {

// Issues tokens with two keys in turn. Its directory states the numbers of tokens that a test sets.
class IssuerDouble final : public IssuerForShuffler {
 public:
  IssuerDouble(wire::Hash task, const wire::SigningKey& identity, const wire::IdentityKey& shuffler)
      : task_(task), identity_(identity), shuffler_(shuffler) {}

  wire::Buffer keys() override {
    if (away) throw Unreachable();
    wire::KeyDirectory directory{task_, ++serial, issued + without_token, released_, {}};
    for (std::uint64_t round = closed_; round <= closed_ + (has_more_keys ? 3 : 0); ++round) {
      if (round > 0) directory.entries.push_back({round, key_of(round).public_key().modulus(), issued});
    }
    if (of_another_task) directory.task[0] ^= 1;
    if (signs_with_another_key) return wire::sign_key_directory(directory, wire::SigningKey::fresh());
    return wire::sign_key_directory(directory, identity_);
  }
  std::optional<wire::Buffer> close_issuance(wire::Bytes signed_close) override {
    if (away) throw Unreachable();
    const auto close = wire::read_close_issuance(signed_close, shuffler_);
    if (!close || close->task != task_ || close->round > closed_ + 1) return std::nullopt;
    closed_ = std::max(closed_, close->round);
    return keys();
  }
  std::optional<wire::Buffer> note_release(wire::Bytes signed_notice) override {
    if (away) throw Unreachable();
    const auto notice = wire::read_release_notice(signed_notice, shuffler_);
    if (!notice || notice->task != task_ || notice->round > closed_) return std::nullopt;
    released_ = std::max(released_, notice->round);
    return keys();
  }

  static const wire::RsaSecretKey& key_of(std::uint64_t round) {
    static const wire::RsaSecretKey odd = wire::stored_issuer_key(), even = wire::other_issuer_key();
    return round % 2 == 1 ? odd : even;
  }
  static wire::Token token(const wire::Hash& task, std::uint64_t round) {
    const wire::RsaSecretKey& key = key_of(round);
    const auto pending = wire::begin_token(key.public_key(), wire::round_challenge_digest(task, round));
    return wire::finish_token(key.public_key(), pending, wire::issue_token(key, pending.request).value())
        .value();
  }

  // Goes on from an older copy, in which the issuance of rounds up to `closed` had ended and rounds up to
  // `released` were released.
  void restore(std::uint64_t closed, std::uint64_t released) {
    closed_ = closed;
    released_ = released;
  }

  std::uint64_t issued = 12, without_token = 0, serial = 0;
  bool away = false, has_more_keys = true, of_another_task = false, signs_with_another_key = false;

 private:
  wire::Hash task_;
  const wire::SigningKey& identity_;
  wire::IdentityKey shuffler_;
  std::uint64_t closed_ = 0, released_ = 0;
};

struct ShufflerFixture {
  static constexpr std::size_t kPayload = 17;
  static constexpr wire::UploadSizes kSizes{kPayload};
  static constexpr std::uint64_t kNeeded = 10, kSeconds = 60;
  static constexpr std::int64_t kRound = static_cast<std::int64_t>(kSeconds) * 1000;  // in milliseconds

  // All fixtures have the same task, so that tokens need to be made only once.
  static const wire::SigningKey& key(std::size_t role) {
    static const std::array<wire::SigningKey, 3> keys{wire::SigningKey::fresh(), wire::SigningKey::fresh(),
                                                      wire::SigningKey::fresh()};
    return keys[role];
  }
  const wire::SigningKey &aggregator = key(0), &issuer_key = key(1), &shuffler_key = key(2);
  TaskDocument task = TaskDocument::make(deployed_plan(8), {.malicious = 2,
                                                            .seconds = kSeconds,
                                                            .most_rounds = 30,
                                                            .aggregator = aggregator.identity(),
                                                            .issuer = issuer_key.identity(),
                                                            .shuffler = shuffler_key.identity()});
  ManualClock clock;
  Disk disk;
  IssuerDouble issuer{task.name(), issuer_key, shuffler_key.identity()};
  std::unique_ptr<Shuffler> shuffler = start();

  // The aggregator's side.
  MemoryStore ledger_store;
  Ledger ledger{ledger_store, "ledger"};
  wire::HpkeKeyPair round_key = wire::HpkeKeyPair::fresh();
  wire::Buffer model = {1, 2, 3};
  wire::Descriptor descriptor;
  wire::Buffer offered;

  ShufflerFixture() { ledger.append(TaskEntry{task.name(), 0.5, 1e-5}); }

  std::unique_ptr<Shuffler> start() {
    return std::make_unique<Shuffler>(task, shuffler_key, kSizes, disk.store(), disk.logs(), clock, issuer);
  }
  // Ends the process, lets the disk lose what was not synced, and starts the shuffler again.
  void restart() {
    shuffler.reset();
    disk.crash([](std::size_t most) { return most; });
    shuffler = start();
  }

  wire::Offer offer() { return wire::read_offer(shuffler->offer(), shuffler_key.identity()).value(); }

  // Writes the round into the ledger and makes its descriptor.
  void write_open() {
    const OpenEntry open{.round = ledger.counts().opened + 1,
                         .update = ledger.counts().released,
                         .model = wire::hash_of({model}),
                         .token_key = IssuerDouble::key_of(ledger.counts().opened + 1).public_key().id(),
                         .shuffler = offer().key,
                         .aggregator = round_key.public_key()};
    ledger.append(open);
    describe(open);
  }
  void describe(const OpenEntry& open) {
    descriptor = descriptor_of(open, task.name(), ledger.head());
    offered = wire::sign_descriptor(descriptor, aggregator);
  }
  bool ask_to_open(std::uint64_t first) {
    const auto rows = ledger_store.rows();
    return shuffler->open(offered, first, {rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end()});
  }
  // Whether the shuffler opens the next round of an aggregator that was restored from an older copy, after
  // two rounds. Its ledger knows round 1 alone and, if `charged`, round 2 as one that was lost and charged.
  bool opens_with_older_ledger(bool charged) {
    MemoryStore store;
    for (std::size_t i = 0; i < 3; ++i) store.commit({{ledger_store.rows()[i]}, {}, {}});
    Ledger older(store, "older");
    if (charged) {
      older.append(OpenEntry{.round = 2, .update = 1});
      older.append(SpentEntry{2, 0.3, SpentEntry::Why::lost, {}});
    }
    shuffler->tick();
    const OpenEntry open{.round = older.counts().opened + 1,
                         .update = 1,
                         .model = wire::hash_of({model}),
                         .token_key = IssuerDouble::key_of(3).public_key().id(),
                         .shuffler = offer().key,
                         .aggregator = round_key.public_key()};
    older.append(open);
    shuffler->put_blob(model);
    const wire::Descriptor next = descriptor_of(open, task.name(), older.head());
    return shuffler->open(wire::sign_descriptor(next, aggregator), 0, store.rows());
  }
  // Opens the next round, as the shuffler's offer allows.
  void open_round() {
    shuffler->tick();
    shuffler->put_blob(model);
    write_open();
    ASSERT_TRUE(ask_to_open(offer().entries));
  }

  wire::RoundKeys keys() const {
    return {descriptor.round, wire::descriptor_hash(descriptor), descriptor.shuffler, descriptor.aggregator};
  }
  // A token of the open round that this fixture has not given before.
  wire::Token token() {
    static std::map<std::uint64_t, std::vector<wire::Token>> made;
    std::vector<wire::Token>& tokens = made[descriptor.round];
    const std::size_t number = given_[descriptor.round]++;
    if (number == tokens.size()) tokens.push_back(IssuerDouble::token(task.name(), descriptor.round));
    return tokens[number];
  }
  // A report whose payload begins with this byte, or a dummy.
  wire::Buffer report(std::uint8_t first) {
    wire::Buffer payload(kPayload);
    payload[0] = first;
    return wire::seal_report(keys(), token(), payload);
  }
  wire::Buffer dummy() { return wire::seal_dummy(keys(), token(), kSizes); }

  // Ends the round, if it is due, and announces its release; the next round is not prepared.
  void let_announce() {
    issuer.has_more_keys = false;
    shuffler->tick();
    issuer.has_more_keys = true;
  }
  std::optional<wire::Manifest> manifest() {
    let_announce();
    const auto bytes = shuffler->manifest(descriptor.round);
    return bytes ? wire::read_manifest(*bytes, shuffler_key.identity()) : std::nullopt;
  }
  // The first bytes of the payloads of the round's batch, in its order; nullopt if there is no batch, or if
  // it is not as its manifest says.
  std::optional<std::vector<int>> read_batch() {
    const auto stated = manifest();
    if (!stated || stated->outcome != wire::Manifest::Outcome::released) return std::nullopt;
    const auto reports = shuffler->batch(stated->round, 0, stated->reports);
    if (!reports || wire::hash_of({*reports}) != stated->batch) return std::nullopt;
    std::vector<int> firsts;
    for (std::uint64_t i = 0; i < stated->reports; ++i) {
      wire::Buffer payload(kPayload);
      const wire::Bytes one = wire::Bytes(*reports).subspan(i * stated->width, stated->width);
      if (!wire::open_inner(round_key, wire::descriptor_hash(descriptor), one, payload)) return std::nullopt;
      firsts.push_back(payload[0]);
    }
    return firsts;
  }
  // The same, but fails the test if there is no batch.
  std::vector<int> batch() {
    const auto firsts = read_batch();
    EXPECT_TRUE(firsts.has_value());
    return firsts.value_or(std::vector<int>{});
  }

  // Writes the outcome that the manifest allows into the ledger. Returns the aggregator's receipt if there is
  // a batch.
  wire::Buffer conclude() {
    let_announce();
    const wire::Buffer bytes = shuffler->manifest(descriptor.round).value();
    const auto stated = wire::read_manifest(bytes, shuffler_key.identity()).value();
    SignedManifest kept;
    std::ranges::copy(bytes, kept.begin());
    if (stated.outcome == wire::Manifest::Outcome::destroyed) {
      ledger.append(VoidEntry{stated.round, kept});
      return {};
    }
    ledger.append(ReleaseEntry{stated.round, 0.1 * static_cast<double>(ledger.counts().charged() + 1),
                               wire::hash_of({model}), kept});
    return wire::sign_receipt(
        {task.name(), stated.round, wire::hash_of({bytes}), wire::Receipt::Outcome::released, ledger.head()},
        aggregator);
  }

 private:
  std::map<std::uint64_t, std::size_t> given_;
};

}  // namespace muster::service
