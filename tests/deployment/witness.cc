#include "tests/deployment/witness.h"

#include <fmt/format.h>

#include <algorithm>

#include "muster/wire/descriptor.h"
#include "muster/wire/manifest.h"

namespace muster::deployment {
namespace {

using wire::Manifest;

// Where a token has its nonce.
Buffer nonce_of(const wire::Token& token) { return {token.begin() + 2, token.begin() + 34}; }

}  // namespace

void Witness::sees_round(Bytes signed_descriptor, const std::optional<Buffer>& key) {
  const auto descriptor =
      wire::read_descriptor(signed_descriptor, task_.settings().aggregator, task_.settings().shuffler);
  if (!descriptor || !key) return;
  Round& round = rounds_[wire::descriptor_hash(*descriptor)];
  round.number = descriptor->round;
  wire::FieldReader fields(*key);
  if (round.key || fields.integer<std::uint64_t>() != descriptor->round) return;
  round.key = wire::HpkeKeyPair::from_secret(
      wire::SecretBytes<wire::kHpkeKey>(std::span<const std::uint8_t, wire::kHpkeKey>(fields.rest())));
}

// Returns the entry of the upload among those that were sent, which is made if it is new; nullptr if no
// round's key opens the upload.
Witness::Sent* Witness::find(Bytes upload) {
  for (auto& [descriptor, round] : rounds_) {
    wire::OpenedUpload opened;
    if (!round.key || wire::open_upload(*round.key, round.number, descriptor, sizes_, upload, opened) !=
                          wire::UploadFault::none) {
      continue;
    }
    std::vector<Sent>& sent = round.by_token[nonce_of(opened.token)];
    const auto known = std::ranges::find(sent, opened.inner, &Sent::inner);
    if (known != sent.end()) return &*known;
    sent.push_back({opened.kind, opened.inner, false});
    return &sent.back();
  }
  return nullptr;
}

void Witness::sees_upload(Bytes upload) {
  find(upload);
  const Buffer bytes(upload.begin(), upload.end());
  if (std::ranges::find(uploads_, bytes) == uploads_.end()) uploads_.push_back(bytes);
}

void Witness::sees_answer(Bytes upload, service::Answer answer) {
  Sent* sent = find(upload);
  if (answer != service::Answer::stored) return;
  if (sent == nullptr) return findings_.push_back("an upload that nobody could open was acknowledged");
  sent->acknowledged = true;
}

void Witness::sees_manifest(std::uint64_t number, const Buffer& manifest) {
  const auto read = wire::read_manifest(manifest, task_.settings().shuffler);
  if (!read || read->round != number) {
    return findings_.push_back(fmt::format("round {} has a manifest that the shuffler did not sign", number));
  }
  Round& round = opening(*read);
  closed_[number] = read->descriptor;
  if (round.manifest && *round.manifest != manifest) find_fault(round, "has two manifests");
  if (read->outcome != Manifest::Outcome::released) return;
  if (read->heard < task_.needed()) find_fault(round, "is released with too few devices");
  if (read->heard > round.by_token.size()) find_fault(round, "heard more devices than there were");
  if (!round.manifest) round.manifest = manifest;
}

void Witness::sees_piece(std::uint64_t number, std::uint64_t first, const Buffer& piece) {
  Round& round = rounds_[closed_.at(number)];
  const std::size_t width = sizes_.inner();
  for (std::size_t i = 0; i < piece.size() / width; ++i) {
    const auto at = piece.begin() + static_cast<std::ptrdiff_t>(i * width);
    const Buffer report(at, at + static_cast<std::ptrdiff_t>(width));
    const auto [known, is_new] = round.batch.emplace(first + i, report);
    if (!is_new && known->second != report) find_fault(round, "has a batch that changed");
  }
}

void Witness::forgive() {
  for (auto& [descriptor, round] : rounds_) round.forgiven = true;
}

Witness::Round& Witness::opening(const Manifest& manifest) {
  Round& round = rounds_[manifest.descriptor];
  round.number = manifest.round;
  return round;
}

void Witness::find_fault(const Round& round, const std::string& what) {
  findings_.push_back(fmt::format("round {} {}", round.number, what));
}

void Witness::judge_batch(const Round& round) {
  std::map<Buffer, int> times;
  for (const auto& [place, report] : round.batch) ++times[report];
  std::size_t explained = 0;
  for (const auto& [nonce, sent] : round.by_token) {
    int taken = 0;
    for (const Sent& one : sent) {
      const auto found = times.find(one.inner);
      if (found == times.end()) continue;
      ++explained;
      taken += found->second;
      if (one.kind == wire::UploadKind::dummy) find_fault(round, "has a dummy in its batch");
    }
    if (taken > 1) find_fault(round, "has a device twice in its batch");
    const bool acknowledged = std::ranges::any_of(sent, &Sent::acknowledged);
    const bool only_reports =
        std::ranges::all_of(sent, [](const Sent& one) { return one.kind == wire::UploadKind::report; });
    if (acknowledged && only_reports && taken == 0 && !round.forgiven) {
      find_fault(round, "lost an acknowledged report");
    }
  }
  if (explained != times.size()) find_fault(round, "has a report in its batch that nobody sent");
}

// Looks for rounds that were handed over and are not charged, and for a round that was handed over in two
// openings, which would be charged once. An aggregator that lost its ledger does not know which rounds were
// void: it may charge one of them in place of a later one, and ends once it has charged all planned rounds.
// Epsilon follows from the number of rounds charged.
void Witness::judge_charges(const service::Ledger& ledger) {
  std::set<std::uint64_t> charged, handed;
  for (const service::Entry& entry : ledger.entries()) {
    if (const auto* release = std::get_if<service::ReleaseEntry>(&entry)) charged.insert(release->round);
    if (const auto* spent = std::get_if<service::SpentEntry>(&entry)) charged.insert(spent->round);
  }
  const bool all_planned_are = charged.size() >= task_.plan().rounds();
  for (const auto& [descriptor, round] : rounds_) {
    if (round.batch.empty()) continue;
    if (!all_planned_are && !charged.contains(round.number)) {
      find_fault(round, "was handed over and is not charged");
    }
    if (!handed.insert(round.number).second) find_fault(round, "was handed over twice");
  }
  if (handed.size() > charged.size()) {
    findings_.push_back(
        fmt::format("{} rounds were handed over, {} are charged", handed.size(), charged.size()));
  }
}

std::vector<std::string> Witness::judge(const service::Ledger& ledger) {
  judge_charges(ledger);
  for (const service::Entry& entry : ledger.entries()) {
    if (const auto* release = std::get_if<service::ReleaseEntry>(&entry)) {
      const auto manifest = wire::read_manifest(release->manifest, task_.settings().shuffler);
      const Round& round = opening(*manifest);
      if (manifest->reports != round.batch.size()) find_fault(round, "is released without its batch");
      judge_batch(round);
    }
    if (const auto* voided = std::get_if<service::VoidEntry>(&entry)) {
      const Round& round = opening(*wire::read_manifest(voided->manifest, task_.settings().shuffler));
      if (!round.batch.empty()) find_fault(round, "is void and was handed over");
    }
  }
  std::vector<std::string> all = findings_;
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::optional<service::ShufflerForDevices::Round> WitnessedShuffler::round() {
  auto round = CarriedShuffler::round();
  if (round) witness_.sees_round(round->descriptor, process_.disk().memory().blob("key"));
  return round;
}

service::Answer WitnessedShuffler::upload(Bytes upload) {
  witness_.sees_upload(upload);
  const service::Answer answer = CarriedShuffler::upload(upload);
  witness_.sees_answer(upload, answer);
  return answer;
}

std::optional<Buffer> WitnessedShuffler::manifest(std::uint64_t round) {
  auto manifest = CarriedShuffler::manifest(round);
  if (manifest) witness_.sees_manifest(round, *manifest);
  return manifest;
}

std::optional<Buffer> WitnessedShuffler::batch(std::uint64_t round, std::uint64_t first,
                                               std::uint64_t count) {
  auto piece = CarriedShuffler::batch(round, first, count);
  if (piece) witness_.sees_piece(round, first, *piece);
  return piece;
}

}  // namespace muster::deployment
