#include "muster/service/client/device_state.h"

#include <utility>

#include "muster/core/error.h"

namespace muster::service {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kDevice = 1 + 32 + 32 + 4 * 8;
constexpr std::size_t kCoin = 8 + 32 + 1 + 8;
constexpr std::size_t kHeld = 8 + wire::kToken;
constexpr std::size_t kAsked = 8 + wire::kRsa + 32 + wire::kTokenRequest + wire::kRsa;

[[noreturn]] void damaged(const char* blob, const char* why) {
  throw Error(ErrorCode::file, blob, "", "what this device keeps for its task", why);
}

void expect_length(const char* blob, bool right) {
  if (!right) damaged(blob, "has another length: the store is damaged");
}

DeviceLedger read_device(wire::Bytes bytes, const TaskDocument& task, const wire::IdentityKey& device) {
  expect_length(kDeviceBlob, bytes.size() == kDevice);
  wire::FieldReader in(bytes);
  if (in.integer<std::uint8_t>() != kVersion) damaged(kDeviceBlob, "is of another version of this program");
  if (in.array<32>() != task.name()) damaged(kDeviceBlob, "belongs to another task");
  if (in.array<32>() != device) damaged(kDeviceBlob, "belongs to another device");
  DeviceLedger ledger;
  for (std::uint64_t* field : {&ledger.seen, &ledger.offered, &ledger.serial, &ledger.asked}) {
    *field = in.integer<std::uint64_t>();
  }
  return ledger;
}

RoundCoin read_coin(wire::Bytes bytes) {
  expect_length(kCoinBlob, bytes.size() == kCoin);
  wire::FieldReader in(bytes);
  RoundCoin coin;
  coin.round = in.integer<std::uint64_t>();
  coin.descriptor = in.array<32>();
  const auto kind = in.integer<std::uint8_t>();
  if (kind > 1) damaged(kCoinBlob, "is neither a report nor a dummy: the store is damaged");
  coin.kind = static_cast<wire::UploadKind>(kind);
  coin.send = in.integer<std::uint64_t>();
  return coin;
}

std::vector<HeldToken> read_tokens(wire::Bytes bytes) {
  expect_length(kTokensBlob, bytes.size() % kHeld == 0);
  wire::FieldReader in(bytes);
  std::vector<HeldToken> tokens(bytes.size() / kHeld);
  for (HeldToken& held : tokens) {
    held.round = in.integer<std::uint64_t>();
    held.token = in.array<wire::kToken>();
    if (&held != tokens.data() && held.round <= (&held - 1)->round) damaged(kTokensBlob, "is out of order");
  }
  return tokens;
}

std::vector<AskedToken> read_pending(wire::Bytes bytes, const wire::Hash& task) {
  expect_length(kPendingBlob, bytes.size() % kAsked == 0);
  wire::FieldReader in(bytes);
  std::vector<AskedToken> pending;
  for (std::size_t i = 0; i < bytes.size() / kAsked; ++i) {
    const auto round = in.integer<std::uint64_t>();
    auto key = wire::RsaPublicKey::of_modulus(in.array<wire::kRsa>());
    if (!key) damaged(kPendingBlob, "has a key that is none: the store is damaged");
    if (!pending.empty() && round <= pending.back().round) damaged(kPendingBlob, "is out of order");
    AskedToken asked{round, std::move(*key), {}};
    asked.pending.nonce = in.array<32>();
    asked.pending.challenge_digest = wire::round_challenge_digest(task, round);
    asked.pending.request = in.array<wire::kTokenRequest>();
    asked.pending.unblinding = wire::SecretBytes<wire::kRsa>(in.bytes(wire::kRsa).first<wire::kRsa>());
    pending.push_back(std::move(asked));
  }
  return pending;
}

}  // namespace

wire::Buffer encode_device(const TaskDocument& task, const wire::IdentityKey& device,
                           const DeviceLedger& ledger) {
  wire::FieldWriter out(kDevice);
  out.integer(kVersion).bytes(task.name()).bytes(device);
  out.integer(ledger.seen).integer(ledger.offered).integer(ledger.serial).integer(ledger.asked);
  return out.take();
}

wire::Buffer encode_coin(const RoundCoin& coin) {
  wire::FieldWriter out(kCoin);
  out.integer(coin.round).bytes(coin.descriptor).integer(static_cast<std::uint8_t>(coin.kind));
  out.integer(coin.send);
  return out.take();
}

wire::Buffer encode_tokens(const std::vector<HeldToken>& tokens) {
  wire::FieldWriter out(tokens.size() * kHeld);
  for (const HeldToken& held : tokens) out.integer(held.round).bytes(held.token);
  return out.take();
}

wire::Buffer encode_pending(const std::vector<AskedToken>& pending) {
  wire::FieldWriter out(pending.size() * kAsked);
  for (const AskedToken& asked : pending) {
    out.integer(asked.round).bytes(asked.key.modulus()).bytes(asked.pending.nonce);
    out.bytes(asked.pending.request).bytes(asked.pending.unblinding.span());
  }
  return out.take();
}

DeviceState load_state(Store& store, const TaskDocument& task, const wire::IdentityKey& device,
                       std::size_t upload) {
  DeviceState state;
  const auto ledger = store.blob(kDeviceBlob);
  const auto coin = store.blob(kCoinBlob);
  const auto sealed = store.blob(kUploadBlob);
  const auto tokens = store.blob(kTokensBlob);
  const auto pending = store.blob(kPendingBlob);
  if (!ledger && (coin || sealed || tokens || pending)) damaged(kDeviceBlob, "is missing");
  if (sealed && !coin) damaged(kUploadBlob, "belongs to no round");
  if (ledger) state.ledger = read_device(*ledger, task, device);
  if (coin) state.coin = read_coin(*coin);
  if (sealed) {
    expect_length(kUploadBlob, sealed->size() == upload);
    state.upload = *sealed;
  }
  if (tokens) state.tokens = read_tokens(*tokens);
  if (pending) state.pending = read_pending(*pending, task.name());
  return state;
}

}  // namespace muster::service
