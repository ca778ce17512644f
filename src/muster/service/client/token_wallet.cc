#include "muster/service/client/token_wallet.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "muster/wire/issuance.h"

namespace muster::service {
namespace {

// With this many tokens a device does not ask for more.
constexpr std::size_t kEnough = wire::kMaxTokenBlock / 2;
// After this many answers in a row with a token that is not valid, the wallet goes on without it.
constexpr unsigned kMostInvalid = 3;
constexpr std::int64_t kLongestTurn = 600'000;  // milliseconds; a turn is the length of a round, or this
constexpr std::size_t kKeyIdAt = 2 + 32 + 32;   // of the key id in a token (wire/token.h)

std::int64_t turn_of(const TaskDocument& task) {
  return std::min(static_cast<std::int64_t>(task.settings().seconds) * 1000, kLongestTurn);
}

}  // namespace

TokenWallet::TokenWallet(const TaskDocument& task, const wire::SigningKey& device, Store& store,
                         IssuerForDevices& issuer, Draws& draws, DeviceLedger& ledger, DeviceState loaded,
                         std::int64_t now)
    : task_(task),
      device_(device),
      store_(store),
      issuer_(issuer),
      draws_(draws),
      ledger_(ledger),
      tokens_(std::move(loaded.tokens)),
      pending_(std::move(loaded.pending)),
      backoff_(turn_of(task) / 50, turn_of(task)),
      due_(now) {}

void TokenWallet::step(std::int64_t now) {
  if (now < due_) return;
  bool done = false;
  std::string why;
  try {
    done = fetch();
  } catch (const Unreachable& error) {
    why = error.what();
  }
  if (done) backoff_.succeeded();
  due_ = now + (done ? until_next() : backoff_.next(draws_, std::move(why)));
}

// The time until the next look is about half a turn for each token that is held, and is drawn between half
// and one and a half times that. So a device looks again long before its tokens run out, and soon if it has
// none.
std::int64_t TokenWallet::until_next() {
  const auto turns = static_cast<std::int64_t>(std::max<std::size_t>(1, tokens_.size() / 2));
  const std::int64_t whole = turns * turn_of(task_);
  return whole / 2 + static_cast<std::int64_t>(draws_.below(static_cast<std::uint64_t>(whole)));
}

bool TokenWallet::fetch() {
  if (pending_.empty()) {
    if (tokens_.size() >= kEnough) return true;
    const std::optional<wire::KeyDirectory> listed = directory();
    if (!listed) return false;
    begin(*listed);
  }
  while (!pending_.empty()) {
    if (!ask()) return false;
  }
  return true;
}

std::optional<wire::KeyDirectory> TokenWallet::directory() {
  std::optional<wire::KeyDirectory> listed =
      wire::read_key_directory(issuer_.keys(), task_.settings().issuer);
  if (listed && listed->task == task_.name() && listed->serial >= ledger_.serial) return listed;
  ++faults_;
  return std::nullopt;
}

void TokenWallet::begin(const wire::KeyDirectory& listed) {
  const std::uint64_t after = std::max(ledger_.asked, ledger_.seen);
  for (const wire::KeyDirectory::Entry& entry : listed.entries) {
    if (entry.round <= after || entry.round > task_.settings().most_rounds) continue;
    if (pending_.size() == wire::kMaxTokenBlock) break;
    const auto key = wire::RsaPublicKey::of_modulus(entry.modulus).value();
    pending_.push_back(
        {entry.round, key, wire::begin_token(key, wire::round_challenge_digest(task_.name(), entry.round))});
  }
  one_by_one_ = false;
  ledger_.serial = listed.serial;
  if (!pending_.empty()) ledger_.asked = pending_.back().round;
  commit_pending();
}

bool TokenWallet::ask() {
  const std::size_t count = one_by_one_ ? 1 : pending_.size();
  wire::TokenBlock block{task_.name(), device_.identity(), {}};
  for (std::size_t i = 0; i < count; ++i) {
    block.entries.push_back({pending_[i].round, pending_[i].pending.request});
  }
  const IssuerForDevices::Tokens answer = issuer_.tokens(wire::sign_token_block(block, device_));
  switch (answer.answer) {
    case Answer::stored:
      if (answer.responses.size() != count * wire::kTokenResponse) break;
      return take(count, answer.responses);
    case Answer::over:
      return one_by_one_ ? drop_first() : drop_rounds_without_keys();
    case Answer::refused:
      if (one_by_one_) {
        ++refused_;
        return drop_first();
      }
      one_by_one_ = true;
      return true;
    case Answer::busy:
      return false;
  }
  ++faults_;
  return false;
}

bool TokenWallet::take(std::size_t count, wire::Bytes responses) {
  std::vector<AskedToken> left;
  for (std::size_t i = 0; i < count; ++i) {
    AskedToken& asked = pending_[i];
    const auto token = wire::finish_token(asked.key, asked.pending,
                                          responses.subspan(i * wire::kTokenResponse, wire::kTokenResponse));
    if (!token) {
      ++faults_;
      left.push_back(std::move(asked));
    } else if (asked.round > ledger_.seen) {
      tokens_.push_back({asked.round, *token});
    }
  }
  invalid_ = left.empty() ? 0 : invalid_ + 1;
  const bool asks_again = invalid_ > 0 && invalid_ < kMostInvalid;
  if (!asks_again) {
    left.clear();
    invalid_ = 0;
  }
  std::move(pending_.begin() + static_cast<std::ptrdiff_t>(count), pending_.end(), std::back_inserter(left));
  pending_ = std::move(left);
  std::ranges::sort(tokens_, {}, &HeldToken::round);
  commit_pending();
  return !asks_again;
}

// The other rounds are asked for with the same requests: the issuer may have answered them, and the answer
// may have been lost. If the directory does not say which round has ended, they are asked for one by one.
bool TokenWallet::drop_rounds_without_keys() {
  const std::optional<wire::KeyDirectory> listed = directory();
  if (!listed) return false;
  const std::size_t before = pending_.size();
  std::erase_if(pending_, [&](const AskedToken& asked) {
    return std::ranges::none_of(listed->entries, [&](const wire::KeyDirectory::Entry& entry) {
      return entry.round == asked.round && entry.modulus == asked.key.modulus();
    });
  });
  one_by_one_ = pending_.size() == before;
  ledger_.serial = listed->serial;
  commit_pending();
  return true;
}

bool TokenWallet::drop_first() {
  pending_.erase(pending_.begin());
  commit_pending();
  return true;
}

void TokenWallet::commit_pending() {
  Store::Commit changes;
  changes.put = {{kDeviceBlob, encode_device(task_, device_.identity(), ledger_)},
                 {kTokensBlob, encode_tokens(tokens_)}};
  if (pending_.empty()) {
    changes.remove = {kPendingBlob};
  } else {
    changes.put.emplace_back(kPendingBlob, encode_pending(pending_));
  }
  // The value that blinded a token which is used stays no longer than the token, because the end of the
  // token's round empties the store of all traces.
  changes.may_leave_traces = true;
  store_.commit(changes);
}

std::optional<wire::Token> TokenWallet::token(std::uint64_t round, const wire::Hash& key_id) const {
  const auto held = std::ranges::find(tokens_, round, &HeldToken::round);
  if (held == tokens_.end()) return std::nullopt;
  const bool of_key = std::ranges::equal(wire::Bytes(held->token).subspan(kKeyIdAt, key_id.size()), key_id);
  return of_key ? std::optional(held->token) : std::nullopt;
}

void TokenWallet::forget_until(std::uint64_t round, Store::Commit& changes) {
  std::erase_if(tokens_, [&](const HeldToken& held) { return held.round <= round; });
  changes.put.emplace_back(kTokensBlob, encode_tokens(tokens_));
}

}  // namespace muster::service
