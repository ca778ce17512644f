// The rounds of a task: how one is opened, and what becomes of its batch.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/model/model_blob.h"
#include "muster/service/store/round_key.h"
#include "muster/wire/blind_rsa.h"
#include "muster/wire/hash.h"
#include "muster/wire/upload.h"

namespace muster::service {

using wire::Buffer;
using wire::Manifest;
using State = Progress::State;

wire::Descriptor AggregatorRole::descriptor() const {
  return descriptor_of(*ledger_.open_round(), task_.name(), ledger_.head());
}

std::optional<std::string> AggregatorRole::what_shuffler_waits_for(const wire::Offer& offer) const {
  switch (offer.waits) {
    case wire::Waits::nothing:
      return std::nullopt;
    case wire::Waits::issuer:
      return "the shuffler cannot reach the issuer";
    case wire::Waits::directory:
      return "the shuffler refuses the issuer's key directory: it is of another task, or older than one that "
             "was seen";
    case wire::Waits::issuance:
      return issued_text(offer.opened + 1, offer.issued);
  }
  return std::nullopt;
}

std::string AggregatorRole::issued_text(std::uint64_t round, std::uint64_t issued) const {
  return fmt::format("tokens issued for round {}: {}, and {} are needed", round, issued, task_.needed());
}

// A shuffler that was restored from an older copy has opened fewer rounds than the ledger. The next round
// tells it of the others. It cannot have that round's key, so it destroys the round, which then costs nothing
// and needs neither key nor tokens: those of the rounds that the shuffler lacks may be gone.
Progress AggregatorRole::open_next(const wire::Offer& offer) {
  const std::uint64_t round = ledger_.counts().opened + 1;
  const bool is_behind = offer.opened + 1 < round;
  if (!is_behind && offer.key == wire::HpkePublicKey{}) {
    return progress(State::waiting, what_shuffler_waits_for(offer).value_or(
                                        fmt::format("the shuffler has no key for round {} yet", round)));
  }
  wire::Hash token_key{};
  if (!is_behind) {
    std::string reason;
    const auto tokens = token_key_of(round, reason);
    if (!tokens) return progress(State::waiting, reason);
    token_key = wire::RsaPublicKey::of_modulus(tokens->modulus)->id();
  }
  const RoundKey key{round, wire::HpkeKeyPair::fresh()};
  const Buffer model = Learner::model_blob(learner_.model().state);
  const Buffer& frozen = learner_.frozen_blob();
  const OpenEntry entry{.round = round,
                        .update = ledger_.counts().released,
                        .model = blob_hash(model),
                        .frozen = frozen.empty() ? wire::Hash{} : blob_hash(frozen),
                        .token_key = token_key,
                        .shuffler = offer.key,
                        .aggregator = key.pair.public_key()};
  ledger_.append(entry, {.append = {}, .put = {{"key", encode(key)}}, .remove = {}});
  return announce(offer);
}

std::optional<wire::KeyDirectory::Entry> AggregatorRole::token_key_of(std::uint64_t round,
                                                                      std::string& reason) {
  const Buffer bytes = shuffler_.keys();
  const auto directory = wire::read_key_directory(bytes, task_.settings().issuer);
  if (!directory || directory->task != task_.name()) {
    reason = bytes.empty() ? "the shuffler has no key directory of the issuer yet"
                           : "the key directory is not one that the issuer signed for this task";
    return std::nullopt;
  }
  const std::uint64_t seen = read_serial(store_);
  if (directory->serial < seen) {
    reason = fmt::format("the issuer's key directory is older than one that was seen (serial {} after {})",
                         directory->serial, seen);
    return std::nullopt;
  }
  if (directory->serial > seen) {
    store_.commit({.append = {}, .put = {{"serial", encode_serial(directory->serial)}}, .remove = {}});
  }
  enrolled_ = directory->enrolled;
  const auto found = std::ranges::find(directory->entries, round, &wire::KeyDirectory::Entry::round);
  if (found == directory->entries.end()) {
    reason = fmt::format("the issuer has no key for the tokens of round {} yet", round);
    return std::nullopt;
  }
  if (found->issued < task_.needed()) {
    reason = issued_text(round, found->issued);
    return std::nullopt;
  }
  return *found;
}

// Tells the shuffler of the open round. However often this is called, the descriptor is the same.
Progress AggregatorRole::announce(const wire::Offer& offer) {
  const std::uint64_t round = ledger_.open_round()->round;
  if (send_open(offer)) return progress(State::open, fmt::format("round {} is open", round));
  const auto fresh = fetch_offer();
  if (fresh && (fresh->opened >= round || send_open(*fresh))) {
    return progress(State::open, fmt::format("round {} is open", round));
  }
  return progress(State::waiting, fmt::format("the shuffler refuses to open round {}", round));
}

bool AggregatorRole::send_open(const wire::Offer& offer) {
  shuffler_.put_blob(Learner::model_blob(learner_.model().state));
  if (!learner_.frozen_blob().empty()) shuffler_.put_blob(learner_.frozen_blob());
  const std::uint64_t first = is_known(offer) ? offer.entries : 0;
  const std::vector<Buffer> all = store_.rows();
  const std::vector<Buffer> rows(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  return shuffler_.open(wire::sign_descriptor(descriptor(), identity_), first, rows);
}

Progress AggregatorRole::go_on(const wire::Offer& offer) {
  if (const auto accepted = read_accepted_manifest(store_)) return close(*accepted);
  const std::uint64_t round = ledger_.open_round()->round;
  const auto bytes = shuffler_.manifest(round);
  if (!bytes) {
    if (is_given_up(offer)) {
      charge_as_lost();
      return progress(State::waiting, fmt::format("round {} was charged as lost", round));
    }
    if (offer.head == ledger_.head()) {
      const auto waits = what_shuffler_waits_for(offer);
      return progress(State::open,
                      fmt::format("round {} is open{}{}", round, waits ? "; " : "", waits.value_or("")));
    }
    if (offer.opened < round) return announce(offer);
    // The shuffler has opened the round and forgotten it: nobody can say any more what was handed out.
    charge_lost_rounds(offer);
    return progress(State::waiting, fmt::format("round {} was charged as lost", round));
  }
  const auto manifest = read_own_manifest(*bytes);
  if (!manifest) {
    return progress(
        State::open,
        fmt::format("the manifest of round {} is not one that the shuffler signed for it", round));
  }
  SignedManifest accepted{};
  std::ranges::copy(*bytes, accepted.begin());
  if (manifest->outcome == Manifest::Outcome::destroyed) return void_round(accepted, *manifest);
  store_.commit({.append = {}, .put = {{"manifest", *bytes}}, .remove = {}});
  return close(accepted);
}

std::optional<Manifest> AggregatorRole::read_own_manifest(wire::Bytes bytes) const {
  auto manifest = wire::read_manifest(bytes, task_.settings().shuffler);
  const bool own = manifest && manifest->task == task_.name() &&
                   manifest->round == ledger_.open_round()->round &&
                   manifest->descriptor == wire::descriptor_hash(descriptor());
  return own ? manifest : std::nullopt;
}

Progress AggregatorRole::close(const SignedManifest& bytes) {
  using Why = SpentEntry::Why;
  const auto manifest = read_own_manifest(bytes);
  if (!manifest) throw Error(ErrorCode::file, "manifest", "", "", "is damaged in the aggregator's store");
  if (manifest->heard < task_.needed()) return spend(Why::heard, bytes, *manifest);
  const auto key = read_round_key(store_);
  if (!key || key->pair.public_key() != ledger_.open_round()->aggregator) {
    return spend(Why::key, bytes, *manifest);
  }
  if (manifest->width != learner_.payload() + wire::kSealing) return spend(Why::hash, bytes, *manifest);
  if (!pull_) pull_.emplace(*manifest);
  const BatchPull::Result result = pull_->pull(shuffler_);
  if (result != BatchPull::Result::complete) {
    if (++failed_pulls_ >= kPulls) return spend(Why::hash, bytes, *manifest);
    return progress(
        State::closing,
        fmt::format("the batch of round {} is {} (asked for {} of {} times)", manifest->round,
                    result == BatchPull::Result::absent ? "not there" : "not the one of its manifest",
                    failed_pulls_, kPulls));
  }
  if (pull_->has_duplicates()) return spend(Why::duplicate, bytes, *manifest);
  const ReportCounts counts =
      learner_.receive(manifest->reports, [&](std::uint64_t report, std::span<std::uint8_t> payload) {
        return wire::open_inner(key->pair, manifest->descriptor, pull_->report(report), payload);
      });
  return release(bytes, *manifest, counts);
}

Progress AggregatorRole::release(const SignedManifest& bytes, const Manifest& manifest,
                                 const ReportCounts& counts) {
  const std::uint64_t charged = ledger_.counts().charged() + 1;
  LearnedModel next = learner_.next(charged);
  const ReleaseEntry entry{manifest.round, epsilon_(charged), blob_hash(Learner::model_blob(next.state)),
                           bytes};
  add_uploads(rejected_, manifest);
  add_reports(rejected_, counts);
  conclude(entry, receipt_of(bytes, wire::Receipt::Outcome::released),
           {.append = {}, .put = {{"model", encode(next)}}, .remove = {}});
  learner_.adopt(std::move(next));
  send_receipt();
  return progress(State::waiting, fmt::format("round {} was released", manifest.round));
}

Progress AggregatorRole::spend(SpentEntry::Why why, const SignedManifest& bytes, const Manifest& manifest) {
  add_uploads(rejected_, manifest);
  conclude(SpentEntry{manifest.round, epsilon_(ledger_.counts().charged() + 1), why, bytes},
           receipt_of(bytes, wire::Receipt::Outcome::spent), {});
  send_receipt();
  return progress(State::waiting,
                  fmt::format("round {} was charged without an update: {}", manifest.round, name_of(why)));
}

Progress AggregatorRole::void_round(const SignedManifest& bytes, const Manifest& manifest) {
  add_uploads(rejected_, manifest);
  conclude(VoidEntry{manifest.round, bytes}, std::nullopt, {});
  return progress(State::waiting, fmt::format("round {} is void: {} devices were heard, {} are needed",
                                              manifest.round, manifest.heard, task_.needed()));
}

void AggregatorRole::conclude(const Entry& outcome, std::optional<wire::Receipt> receipt,
                              Store::Commit beside) {
  beside.remove.insert(beside.remove.end(), {"key", "manifest"});
  beside.put.emplace_back("counts", encode(rejected_));
  if (receipt) {
    // The hash that the entry will have, and the ledger's head after it.
    const Buffer row = row_of(outcome, ledger_.head(), ledger_.entries().size());
    receipt->ledger_head = wire::FieldReader(wire::Bytes(row).last(32)).array<32>();
    beside.put.emplace_back("receipt", wire::sign_receipt(*receipt, identity_));
  }
  ledger_.append(outcome, std::move(beside));
  history_.look(ledger_);
  pull_.reset();
  failed_pulls_ = 0;
}

wire::Receipt AggregatorRole::receipt_of(const SignedManifest& bytes, wire::Receipt::Outcome outcome) const {
  return {.task = task_.name(),
          .round = ledger_.open_round()->round,
          .manifest = wire::hash_of({bytes}),
          .outcome = outcome,
          .ledger_head = {}};
}

}  // namespace muster::service
