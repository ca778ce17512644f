#include "muster/service/issuer/issuer.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/wire/hex.h"
#include "muster/wire/issuance.h"
#include "muster/wire/round_notice.h"

namespace muster::service {
namespace {

constexpr std::uint8_t kState = 1;  // the version of the blob "issuer"
constexpr std::size_t kStateSize = 1 + 32 + 8;
constexpr const char *kStateName = "issuer", *kDirectoryName = "directory";
constexpr std::string_view kLogPrefix = "tokens-";
constexpr std::uint64_t kMaxAhead = wire::kMaxDirectoryEntries - 1;  // one entry is of a closed round

std::string key_name(std::uint64_t round) { return fmt::format("key-{}", round); }
std::string log_name(std::uint64_t round) { return fmt::format("{}{}", kLogPrefix, round); }

// Overwrites bytes that may be a secret key when it goes out of scope.
class Wiped {
 public:
  explicit Wiped(wire::Buffer& bytes) : bytes_(bytes) {}
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { sodium_memzero(bytes_.data(), bytes_.size()); }

 private:
  wire::Buffer& bytes_;
};

}  // namespace

Issuer::Issuer(TaskDocument task, wire::SigningKey identity, Store& store, LogFolder& logs,
               std::string origin, MakeKey make_key)
    : task_(std::move(task)),
      identity_(std::move(identity)),
      store_(store),
      logs_(logs),
      origin_(std::move(origin)),
      make_key_(std::move(make_key)),
      closed_(closed_in_store()),
      enrolment_(store, origin_) {
  load();
  remove_other_logs();
  publish();
}

void Issuer::refuse(const std::string& why) const { throw Error(ErrorCode::file, origin_, "", "", why); }

std::uint64_t Issuer::closed_in_store() const {
  if (identity_.identity() != task_.settings().issuer)
    refuse("is opened with another key than the task's issuer");
  const auto state = store_.blob(kStateName);
  if (!state) return 0;
  if (state->size() != kStateSize || state->front() != kState)
    refuse("has no issuer's state of this version");
  wire::FieldReader fields(wire::Bytes(*state).subspan(1));
  const auto task = fields.array<32>();
  if (task != task_.name()) {
    throw Error(ErrorCode::file, origin_, wire::hex_of(task), wire::hex_of(task_.name()),
                "is the store of another task");
  }
  return fields.integer<std::uint64_t>();
}

void Issuer::load() {
  auto directory = store_.blob(kDirectoryName);
  if (directory.has_value() != store_.blob(kStateName).has_value()) {
    refuse("has lost a part of the issuer's state");
  }
  if (!directory) return commit({task_.name(), 0, enrolment_.size(), 0, {}}, 0, {});
  auto read = wire::read_key_directory(*directory, identity_.identity());
  if (!read || read->task != task_.name())
    refuse("has no key directory that this issuer signed for this task");
  directory_ = *std::move(read);
  published_ = *std::move(directory);
  if (enrolment_.size() < directory_.enrolled) refuse("has fewer devices than were enrolled");
  for (const Directory::Entry& entry : directory_.entries) {
    if (entry.round > closed_) load_round(entry);
  }
}

void Issuer::load_round(const Directory::Entry& entry) {
  auto encoded = store_.blob(key_name(entry.round)).value_or(wire::Buffer{});
  const Wiped wiped(encoded);
  auto key = wire::RsaSecretKey::decode(encoded);
  if (!key || key->public_key().modulus() != entry.modulus) {
    refuse(fmt::format("has lost the key of round {}, or has another one", entry.round));
  }
  auto log = logs_.open(log_name(entry.round), RoundTokens::kWidth);
  if (log->size() < entry.issued) {
    refuse(fmt::format("has lost tokens of round {}: {} are left of {} at least", entry.round, log->size(),
                       entry.issued));
  }
  rounds_.try_emplace(entry.round, *std::move(key), std::move(log), enrolment_, origin_);
}

// A log is left without its round if the process was killed after the round was closed, or before its key was
// stored.
void Issuer::remove_other_logs() {
  std::vector<std::string> kept;
  for (const auto& [round, tokens] : rounds_) kept.push_back(log_name(round));
  for (const std::string& name : logs_.names()) {
    if (name.starts_with(kLogPrefix) && std::ranges::find(kept, name) == kept.end()) logs_.remove(name);
  }
}

std::uint64_t Issuer::enrol(std::span<const wire::IdentityKey> devices) {
  const std::uint64_t added = enrolment_.add(devices);
  publish();
  return added;
}

void Issuer::prepare(std::uint64_t rounds_ahead) {
  if (rounds_ahead > kMaxAhead) {
    throw Error(ErrorCode::internal, "rounds ahead", fmt::format("{}", rounds_ahead),
                fmt::format("at most {}", kMaxAhead), "are too many for a key directory");
  }
  if (enrolment_.size() < task_.needed()) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "enrolled devices",
                fmt::format("{}", enrolment_.size()),
                fmt::format("{} or more: population.clients + task.malicious", task_.needed()),
                "are too few to open the task");
  }
  const std::uint64_t last = std::min(task_.settings().most_rounds, closed_ + rounds_ahead);
  for (std::uint64_t round = rounds_.empty() ? closed_ + 1 : rounds_.rbegin()->first + 1; round <= last;
       ++round) {
    make_round(round);
  }
}

void Issuer::make_round(std::uint64_t round) {
  auto log = logs_.create(log_name(round), RoundTokens::kWidth);
  wire::RsaSecretKey key = make_key_();
  Directory next = present();
  next.entries.push_back({round, key.public_key().modulus(), 0});
  Store::Commit changes;
  changes.put.emplace_back(key_name(round), key.encoded());
  commit(std::move(next), closed_, std::move(changes));
  rounds_.try_emplace(round, std::move(key), std::move(log), enrolment_, origin_);
}

void Issuer::publish() {
  Directory next = present();
  if (next != directory_) commit(std::move(next), closed_, {});
}

Issuer::Directory Issuer::present() {
  sync();
  Directory next = directory_;
  next.enrolled = enrolment_.size();
  for (Directory::Entry& entry : next.entries) {
    const auto found = rounds_.find(entry.round);
    if (found != rounds_.end()) entry.issued = found->second.issued();
  }
  return next;
}

void Issuer::commit(Directory next, std::uint64_t closed, Store::Commit changes) {
  next.serial = std::max(directory_.serial + 1, closed << 32);
  wire::Buffer signed_next = wire::sign_key_directory(next, identity_);
  changes.put.emplace_back(kDirectoryName, signed_next);
  changes.put.emplace_back(
      kStateName, wire::FieldWriter(kStateSize).integer(kState).bytes(task_.name()).integer(closed).take());
  const Wiped wiped(changes.put.front().second);
  store_.commit(changes);
  directory_ = std::move(next);
  published_ = std::move(signed_next);
  closed_ = closed;
}

bool Issuer::may_ask(std::uint32_t device, const std::vector<wire::TokenBlock::Entry>& entries) const {
  return std::ranges::all_of(entries, [&](const wire::TokenBlock::Entry& entry) {
    const auto found = rounds_.find(entry.round);
    return found != rounds_.end() &&
           found->second.asked(device, entry.request) != RoundTokens::Before::another;
  });
}

Issuer::Tokens Issuer::take(wire::Bytes signed_block) {
  Tokens refused{Answer::refused, {}};
  const auto block = wire::read_token_block(signed_block);
  if (!block || block->task != task_.name()) return refused;
  const auto device = enrolment_.number_of(block->device);
  const std::uint64_t first = block->entries.front().round;  // the lowest one
  if (!device || first == 0) return refused;
  if (first <= closed_) return {Answer::over, {}};
  if (!may_ask(*device, block->entries)) return refused;
  wire::FieldWriter responses(wire::kTokenResponse * block->entries.size());
  for (const auto& [round, request] : block->entries) {
    const auto response = wire::issue_token(rounds_.at(round).key(), request);
    if (!response) return refused;
    responses.bytes(*response);
  }
  for (const auto& [round, request] : block->entries) {
    RoundTokens& tokens = rounds_.at(round);
    if (tokens.asked(*device, request) == RoundTokens::Before::never) {
      tokens.note(*device, block->device, request);
    }
  }
  return {Answer::stored, responses.take()};
}

void Issuer::sync() {
  for (auto& [round, tokens] : rounds_) tokens.sync();
}

Issuer::Tokens Issuer::tokens(wire::Bytes signed_block) {
  Tokens answer = take(signed_block);
  if (answer.answer == Answer::stored) sync();
  return answer;
}

std::optional<wire::Buffer> Issuer::close_issuance(wire::Bytes signed_close) {
  const auto order = wire::read_close_issuance(signed_close, task_.settings().shuffler);
  if (!order || order->task != task_.name() || order->round == 0) return std::nullopt;
  if (order->round <= closed_) return published_;  // the order was obeyed before
  const auto found = rounds_.find(order->round);
  if (order->round != closed_ + 1 || found == rounds_.end()) return std::nullopt;
  if (found->second.issued() < task_.needed()) return std::nullopt;
  Directory next = present();
  std::erase_if(next.entries, [&](const Directory::Entry& entry) { return entry.round < order->round; });
  Store::Commit changes;
  changes.remove.push_back(key_name(order->round));
  commit(std::move(next), order->round, std::move(changes));
  rounds_.erase(found);
  logs_.remove(log_name(order->round));
  return published_;
}

std::optional<wire::Buffer> Issuer::note_release(wire::Bytes signed_notice) {
  const auto notice = wire::read_release_notice(signed_notice, task_.settings().shuffler);
  if (!notice || notice->task != task_.name() || notice->round == 0) return std::nullopt;
  if (notice->round > closed_) return std::nullopt;
  if (notice->round > directory_.released) {
    Directory next = present();
    next.released = notice->round;
    commit(std::move(next), closed_, {});
  }
  return published_;
}

}  // namespace muster::service
