// How the shuffler prepares and opens a round, and what it answers to the aggregator.
#include <algorithm>
#include <string>
#include <utility>

#include "muster/service/shuffler/open_round.h"
#include "muster/service/shuffler/shuffler.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/hash.h"
#include "muster/wire/offer.h"
#include "muster/wire/receipt.h"
#include "muster/wire/round_notice.h"

namespace muster::service {

using wire::Buffer;
using wire::Bytes;
using wire::Manifest;
using wire::Waits;

// Takes the directory if the issuer signed it for this task and it follows the one before. Returns whether it
// does.
bool Shuffler::accept_directory(const Buffer& bytes) {
  auto read = wire::read_key_directory(bytes, task_.settings().issuer);
  if (!read || read->task != task_.name()) return false;
  if (directory_ && !wire::follows(*read, *directory_)) return false;
  directory_ = std::move(read);
  return true;
}

std::optional<wire::KeyDirectory::Entry> Shuffler::entry_of(std::uint64_t round) const {
  if (!directory_) return std::nullopt;
  const auto found = std::ranges::find(directory_->entries, round, &wire::KeyDirectory::Entry::round);
  return found == directory_->entries.end() ? std::nullopt : std::optional(*found);
}

std::optional<wire::KeyDirectory::Entry> Shuffler::ready_entry_of(std::uint64_t round) const {
  const auto entry = entry_of(round);
  return entry && entry->issued >= task_.needed() ? entry : std::nullopt;
}

// Once enough devices have a token of the round, the others have a tenth of a round's length to get theirs.
bool Shuffler::others_had_time(const wire::KeyDirectory::Entry& ready) {
  if (enough_.first != ready.round) enough_ = {ready.round, clock_.steady_ms()};
  const std::int64_t tenth = static_cast<std::int64_t>(task_.settings().seconds) * 1000 / 10;
  return ready.issued >= directory_->enrolled || clock_.steady_ms() - enough_.second >= tenth;
}

// The last round whose issuance may have ended, by the issuer's word. Its directory begins with that round.
std::uint64_t Shuffler::last_issued() const {
  return directory_ && !directory_->entries.empty() ? directory_->entries.front().round : 0;
}

// The reports of a round may leave only once the issuer has stored that the round is released, and so can
// tell it to a shuffler that has lost its memory.
void Shuffler::announce_release() {
  const auto closed = last_manifest();
  if (!closed || closed->outcome != Manifest::Outcome::released || is_announced(closed->round)) return;
  const wire::RoundNotice notice{task_.name(), closed->round};
  ask_issuer([&] {
    const auto noted = issuer_.note_release(wire::sign_release_notice(notice, identity_));
    if (!noted || !accept_directory(*noted)) return Waits::directory;
    // The batch is handed out after a restart, too, also while the issuer is away.
    store_.commit({{}, {{"directory", *noted}}, {}});
    return Waits::nothing;
  });
}

bool Shuffler::is_announced(std::uint64_t round) const { return directory_ && directory_->released >= round; }

void Shuffler::prepare_next() {
  const std::uint64_t next = ledger_.opened + 1;
  if (over_ || !knows_rounds_ || next > task_.settings().most_rounds || (key_ && key_->round == next)) return;
  ask_issuer([&] {
    if (!accept_directory(issuer_.keys())) return Waits::directory;
    const auto ready = ready_entry_of(next);
    if (!ready || !others_had_time(*ready)) return Waits::issuance;
    const auto closed = close_issuance(next);
    if (!closed) return Waits::issuance;
    if (!accept_directory(*closed) || !ready_entry_of(next)) return Waits::directory;
    RoundKey key{next, wire::HpkeKeyPair::fresh()};
    store_.commit({{}, {{"key", encode(key)}, {"directory", *closed}}, {}});
    key_ = std::move(key);
    // Devices ask for tokens of several rounds at once, so that a later round need not wait any more.
    if (ready_entry_of(next + 1)) enough_ = {next + 1, clock_.steady_ms()};
    return Waits::nothing;
  });
}

// The issuance of tokens ends in the order of the rounds. For a round that was destroyed before it was
// prepared, it has not ended yet.
std::optional<Buffer> Shuffler::close_issuance(std::uint64_t round) {
  const auto order = [&](std::uint64_t ended) {
    return issuer_.close_issuance(wire::sign_close_issuance({task_.name(), ended}, identity_));
  };
  auto closed = order(round);
  if (closed) return closed;
  for (std::uint64_t before = last_issued(); before < round; ++before) {
    if (!order(before)) return std::nullopt;
  }
  return order(round);
}

Buffer Shuffler::offer() {
  close_if_due();
  wire::Offer offer{
      task_.name(), ledger_.opened, ledger_.place.entries, ledger_.place.head, {}, Waits::nothing, 0};
  if (!open_ && key_ && key_->round == ledger_.opened + 1) offer.key = key_->pair.public_key();
  offer.waits = waits_;
  if (const auto next = entry_of(ledger_.opened + 1)) offer.issued = next->issued;
  return wire::sign_offer(offer, identity_);
}

Buffer Shuffler::keys() { return store_.blob("directory").value_or(Buffer{}); }

void Shuffler::put_blob(Bytes blob) { blobs_.put(blob); }

bool Shuffler::open(Bytes offered, std::uint64_t first, const std::vector<Buffer>& rows) {
  close_if_due();
  const auto descriptor = wire::read_offered_descriptor(offered, task_.settings().aggregator);
  if (!descriptor || descriptor->task != task_.name()) return false;
  const wire::Hash hash = wire::descriptor_hash(*descriptor);
  if (open_) return open_->intake->descriptor() == hash;
  if (const auto closed = last_manifest(); closed && closed->round == descriptor->round) {
    return closed->descriptor == hash;
  }
  if (over_ || !knows_rounds_ || descriptor->round <= ledger_.opened ||
      descriptor->round > task_.settings().most_rounds)
    return false;
  const auto followed = follow(ledger_, first, rows, *descriptor, identity_.identity(), last_issued());
  // Devices agreed to the cost of the planned rounds, and only void rounds come on top of these.
  if (!followed || followed->charged >= task_.plan().rounds()) return false;
  const SeenLedger& ledger = *followed;
  const auto entry = ready_entry_of(descriptor->round);
  const auto token_key = entry ? wire::RsaPublicKey::of_modulus(entry->modulus) : std::nullopt;
  const bool is_ours = key_ && key_->round == descriptor->round &&
                       key_->pair.public_key() == descriptor->shuffler && token_key &&
                       token_key->id() == descriptor->token_key;
  if (!is_ours) {
    destroy(*descriptor, ledger);
    return true;
  }
  const StoredRound stored{
      wire::countersign_descriptor(offered, task_.settings().aggregator, identity_).value(),
      clock_.wall_ms() + static_cast<std::int64_t>(task_.settings().seconds) * 1000, entry->issued,
      entry->modulus};
  return start(stored, *descriptor, ledger);
}

bool Shuffler::start(const StoredRound& stored, const wire::Descriptor& descriptor,
                     const SeenLedger& ledger) {
  Store::Commit commit{{}, {{"round", encode(stored)}, {"ledger", encode(ledger)}}, {"manifest", "receipt"}};
  if (!blobs_.keep_for(descriptor, commit)) return false;
  std::unique_ptr<Log> log = logs_.create(uploads_of(descriptor.round), sizes_.upload());
  store_.commit(commit);
  ledger_ = ledger;
  manifest_.reset();
  batch_.reset();
  resume(stored, descriptor, std::move(log));
  remove_leftovers();
  return true;
}

std::optional<Manifest> Shuffler::last_manifest() const {
  return manifest_ ? wire::read_manifest(*manifest_, identity_.identity()) : std::nullopt;
}

std::optional<Buffer> Shuffler::manifest(std::uint64_t round) {
  close_if_due();
  const auto closed = last_manifest();
  if (!closed || closed->round != round) return std::nullopt;
  const bool may_leave = closed->outcome == Manifest::Outcome::destroyed || is_announced(round);
  return may_leave ? manifest_ : std::nullopt;
}

std::optional<Buffer> Shuffler::batch(std::uint64_t round, std::uint64_t first, std::uint64_t count) {
  const auto closed = last_manifest();
  if (!batch_ || closed->round != round || !is_announced(round)) return std::nullopt;
  if (first > batch_->size() || count > batch_->size() - first) return std::nullopt;
  Buffer reports;
  reports.reserve(count * batch_->width());
  batch_->read(first, count, [&](Bytes one) { reports.insert(reports.end(), one.begin(), one.end()); });
  return reports;
}

bool Shuffler::receipt(Bytes signed_receipt) {
  const auto receipt = wire::read_receipt(signed_receipt, task_.settings().aggregator);
  if (!receipt || receipt->task != task_.name()) return false;
  const auto closed = last_manifest();
  if (!closed || receipt->round != closed->round)
    return receipt->round <= ledger_.opened && !open_is(receipt->round);
  if (closed->outcome != Manifest::Outcome::released || receipt->manifest != wire::hash_of({*manifest_})) {
    return false;
  }
  if (!batch_) return true;
  // The outcome is the entry that follows the opening.
  const SeenLedger ledger{{ledger_.place.entries + 1, receipt->ledger_head},
                          ledger_.opened,
                          ledger_.outcomes + 1,
                          ledger_.charged + 1};
  store_.commit(
      {{},
       {{"receipt", Buffer(signed_receipt.begin(), signed_receipt.end())}, {"ledger", encode(ledger)}},
       {}});
  ledger_ = ledger;
  batch_.reset();
  remove_leftovers();
  return true;
}

bool Shuffler::end(Bytes signed_over) {
  const auto notice = wire::read_task_over(signed_over, task_.settings().aggregator);
  if (!notice || notice->task != task_.name() || open_) return false;
  if (over_) return true;
  Buffer over(signed_over.begin(), signed_over.end());
  store_.commit({{}, {{"over", over}}, {"key"}});
  over_ = std::move(over);
  key_.reset();
  return true;
}

bool Shuffler::open_is(std::uint64_t round) const { return open_ && open_->descriptor.round == round; }

}  // namespace muster::service
