// A shuffler for the aggregator's tests, with the issuer behind it: it follows the rules of the port, and
// seals the reports of devices that it makes up itself. Each call can be lost on its way there or back, and a
// test can make it break the rules. It outlives the aggregators of a test. An object belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/ledger/entry.h"
#include "muster/service/ports/ports.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/hash.h"
#include "muster/wire/hpke.h"
#include "muster/wire/issuer_keys_test.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"
#include "muster/wire/receipt.h"
#include "muster/wire/round_notice.h"

namespace muster::service {

class ShufflerDouble final : public ShufflerForAggregator {
 public:
  using Payloads = std::vector<wire::Buffer>;

  struct Round {
    wire::Descriptor descriptor;
    std::optional<wire::Buffer> manifest;  // once it is closed
    std::optional<wire::Buffer> batch;     // until there is a receipt
    std::uint64_t pulled = 0;              // pieces that were handed out
    std::vector<wire::Receipt> receipts;
  };

  // `task` must outlive the shuffler.
  ShufflerDouble(const TaskDocument& task, const wire::SigningKey& identity, const wire::SigningKey& issuer)
      : task_(task), identity_(identity), issuer_(issuer) {
    directory_ = {.task = task.name(), .serial = 1, .enrolled = 100, .entries = {}};
    static const wire::RsaBlock modulus = wire::stored_issuer_key().public_key().modulus();
    for (std::uint64_t round = 1; round <= 20; ++round) {
      directory_.entries.push_back({round, modulus, task.needed()});
    }
  }

  // What a test looks at and changes.
  std::map<std::uint64_t, Round>& rounds() { return rounds_; }
  wire::KeyDirectory& directory() { return directory_; }
  std::uint64_t opened() const { return opened_; }
  std::uint64_t opens_accepted() const { return opens_accepted_; }
  std::uint64_t calls() const { return calls_; }
  void refuse_to_open(bool refuses) { refuses_ = refuses; }
  void refuse_receipts(bool refuses) { refuses_receipts_ = refuses; }
  void have_key(bool has) { has_key_ = has; }
  void have_directory(bool has) { has_directory_ = has; }
  // The last round of the task, as each notice that the task is over names it.
  const std::vector<std::uint64_t>& ends() const { return ends_; }
  // What its offers say that it waits for.
  void wait_for(wire::Waits waits) { waits_ = waits; }
  // Loses the call that follows after `further` others: on its way there, or its answer.
  enum class Lost { request, answer };
  void lose_after(std::uint64_t further, Lost lost) { lost_ = {calls_ + further, lost}; }
  // Called within each call, before its effect.
  std::function<void(const char* call)> watch;
  // Called with each piece of a batch that is handed out, and the number of its first report. It may change
  // the piece.
  std::function<void(std::uint64_t first, wire::Buffer& piece)> change_piece;

  const wire::SigningKey& identity() const { return identity_; }
  // What a restored shuffler knows.
  struct Memory {
    std::uint64_t opened = 0, entries = 0;
    wire::Hash head{};
  };
  Memory memory() const { return {opened_, entries_, head_}; }
  void restore(const Memory& memory) {
    opened_ = memory.opened;
    entries_ = memory.entries;
    head_ = memory.head;
    key_ = wire::HpkeKeyPair::fresh();
  }

  // Closes the open round, in which `heard` devices were heard and these payloads reported; destroys it if
  // they are too few. The changes are made to the batch and the manifest before they are hashed and signed.
  void close(std::uint64_t heard, const Payloads& payloads,
             const std::function<void(wire::Buffer& batch)>& change_batch = {},
             const std::function<void(wire::Manifest& manifest)>& change_manifest = {}) {
    Round& round = rounds_.at(opened_);
    round.batch = seal(round.descriptor, payloads);
    if (change_batch) change_batch(*round.batch);
    const std::size_t width = payloads.empty() ? kNoReportWidth : payloads[0].size() + wire::kSealing;
    wire::Manifest manifest{.task = task_.name(),
                            .round = opened_,
                            .descriptor = wire::descriptor_hash(round.descriptor),
                            .outcome = wire::Manifest::Outcome::released,
                            .heard = heard,
                            .reports = payloads.size(),
                            .width = static_cast<std::uint32_t>(width),
                            .batch = wire::hash_of({*round.batch}),
                            .rejected = {1, 0, 2, 0, 0, 3}};
    if (heard < task_.needed()) destroy(manifest, round);
    if (change_manifest) change_manifest(manifest);
    round.manifest = wire::sign_manifest(manifest, identity_);
    key_ = wire::HpkeKeyPair::fresh();
  }
  void destroy_round() { close(task_.needed() - 1, {}); }
  // Signs that the descriptor's round is destroyed, without having opened it, as a shuffler does that has
  // lost the round's key.
  void destroy_unopened(const wire::Descriptor& descriptor) {
    Round& round = rounds_[descriptor.round];
    round.descriptor = descriptor;
    wire::Manifest manifest{
        .task = task_.name(), .round = descriptor.round, .descriptor = wire::descriptor_hash(descriptor)};
    round.manifest = wire::sign_manifest(manifest, identity_);
    opened_ = descriptor.round;
  }

  wire::Buffer offer() override {
    return call("offer", [&] {
      return wire::sign_offer({.task = task_.name(),
                               .opened = opened_,
                               .entries = entries_,
                               .head = head_,
                               .key = has_key_ ? key_.public_key() : wire::HpkePublicKey{},
                               .waits = waits_,
                               .issued = 7},
                              identity_);
    });
  }
  wire::Buffer keys() override {
    return call("keys", [&] {
      return has_directory_ ? wire::sign_key_directory(directory_, issuer_) : wire::Buffer{};
    });
  }
  void put_blob(wire::Bytes blob) override {
    call("put_blob", [&] {
      blobs_.push_back(wire::hash_of({blob}));
      return true;
    });
  }
  bool open(wire::Bytes offered, std::uint64_t first, const std::vector<wire::Buffer>& rows) override {
    return call("open", [&] { return accept(offered, first, rows); });
  }
  std::optional<wire::Buffer> manifest(std::uint64_t round) override {
    return call("manifest", [&] {
      const auto found = rounds_.find(round);
      return found == rounds_.end() ? std::nullopt : found->second.manifest;
    });
  }
  std::optional<wire::Buffer> batch(std::uint64_t number, std::uint64_t first, std::uint64_t count) override {
    return call("batch", [&]() -> std::optional<wire::Buffer> {
      const auto found = rounds_.find(number);
      if (found == rounds_.end() || !found->second.batch) return std::nullopt;
      Round& round = found->second;
      ++round.pulled;
      const auto manifest = wire::read_manifest(*round.manifest, identity_.identity());
      const std::uint64_t begin = first * manifest->width, end = (first + count) * manifest->width;
      if (end > round.batch->size()) return wire::Buffer{};
      wire::Buffer piece(round.batch->begin() + static_cast<std::ptrdiff_t>(begin),
                         round.batch->begin() + static_cast<std::ptrdiff_t>(end));
      if (change_piece) change_piece(first, piece);
      return piece;
    });
  }
  bool receipt(wire::Bytes signed_receipt) override {
    return call("receipt", [&] {
      const auto receipt = wire::read_receipt(signed_receipt, task_.settings().aggregator);
      if (!receipt || refuses_receipts_) return false;
      Round& round = rounds_.at(receipt->round);
      if (receipt->manifest != wire::hash_of({*round.manifest})) return false;
      round.receipts.push_back(*receipt);
      round.batch.reset();
      return true;
    });
  }
  bool end(wire::Bytes signed_over) override {
    return call("end", [&] {
      const auto over = wire::read_task_over(signed_over, task_.settings().aggregator);
      if (!over || over->task != task_.name()) return false;
      ends_.push_back(over->round);
      return true;
    });
  }

 private:
  static constexpr std::size_t kNoReportWidth = 4 + wire::kSealing;  // of an answer of k-rr

  static void destroy(wire::Manifest& manifest, Round& round) {
    manifest.outcome = wire::Manifest::Outcome::destroyed;
    manifest.reports = 0;
    manifest.width = 0;
    manifest.batch = {};
    round.batch.reset();
  }

  static wire::Buffer seal(const wire::Descriptor& descriptor, const Payloads& payloads) {
    static const wire::HpkeInfo info("muster v1 aggregator");
    wire::Buffer batch;
    for (const wire::Buffer& payload : payloads) {
      wire::Buffer inner(payload.size() + wire::kSealing);
      wire::seal(descriptor.aggregator, info, wire::descriptor_hash(descriptor), payload, inner);
      batch.insert(batch.end(), inner.begin(), inner.end());
    }
    return batch;
  }

  template <typename Work>
  std::invoke_result_t<const Work&> call(const char* name, const Work& work) {
    const bool now = lost_ && lost_->first == calls_;
    ++calls_;
    if (watch) watch(name);
    if (now && lost_->second == Lost::request) throw Unreachable();
    auto answer = work();
    if (now) throw Unreachable();
    return answer;
  }

  bool accept(wire::Bytes offered, std::uint64_t first, const std::vector<wire::Buffer>& rows) {
    const auto descriptor = wire::read_offered_descriptor(offered, task_.settings().aggregator);
    if (!descriptor || refuses_) return false;
    const auto known = rounds_.find(descriptor->round);
    if (known != rounds_.end()) return known->second.descriptor == *descriptor;
    if (descriptor->shuffler != key_.public_key() || descriptor->round != opened_ + 1) return false;
    if (first != entries_ && first != 0) return false;
    wire::Hash head = first == entries_ ? head_ : wire::Hash{};
    std::uint64_t number = first;
    std::optional<ReadEntry> last;
    for (const wire::Buffer& row : rows) {
      last = read_row(row, head, number++);
      if (!last) return false;
      head = last->hash;
    }
    const auto* open = last ? std::get_if<OpenEntry>(&last->entry) : nullptr;
    if (open == nullptr || descriptor_of(*open, task_.name(), head) != *descriptor) return false;
    if (std::ranges::find(blobs_, descriptor->model) == blobs_.end()) return false;
    rounds_[descriptor->round].descriptor = *descriptor;
    opened_ = descriptor->round;
    entries_ = number;
    head_ = head;
    ++opens_accepted_;
    return true;
  }

  const TaskDocument& task_;
  const wire::SigningKey& identity_;
  const wire::SigningKey& issuer_;
  wire::HpkeKeyPair key_ = wire::HpkeKeyPair::fresh();
  wire::KeyDirectory directory_;
  wire::Waits waits_ = wire::Waits::nothing;
  std::vector<std::uint64_t> ends_;
  std::map<std::uint64_t, Round> rounds_;
  std::vector<wire::Hash> blobs_;
  std::uint64_t opened_ = 0, entries_ = 0, opens_accepted_ = 0, calls_ = 0;
  wire::Hash head_{};
  bool refuses_ = false, refuses_receipts_ = false, has_key_ = true, has_directory_ = true;
  std::optional<std::pair<std::uint64_t, Lost>> lost_;
};

}  // namespace muster::service
