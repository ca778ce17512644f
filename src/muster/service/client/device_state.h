// What a device keeps in its store, as blobs of fixed layouts:
//
//     device  = version u8 | task 32 | device 32 | seen u64 | offered u64 | serial u64 | asked u64     always
//     coin    = round u64 | descriptor hash 32 | kind u8 | send u64     while it takes part in a round
//     upload  = the sealed bytes     from before they are sent until the round ends
//     tokens  = (round u64 | token 354) x count, in the order of the rounds     for coming rounds
//     pending = (round u64 | modulus 256 | nonce 32 | request 259 | unblinding 256) x count
//               what the issuer is being asked for, from before the request leaves until it is answered
//
// Numbers are little-endian. `kind` is that of wire/upload.h, and `send` is the time of sending in
// milliseconds before the end of the round, by the shuffler's clock: so a restarted device finds it again
// whatever its own clock says. The functions are pure, but for load_state(), and may be called from any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/service/store/store.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/token.h"
#include "muster/wire/upload.h"

namespace muster::service {

inline constexpr const char* kDeviceBlob = "device";
inline constexpr const char* kCoinBlob = "coin";
inline constexpr const char* kUploadBlob = "upload";
inline constexpr const char* kTokensBlob = "tokens";
inline constexpr const char* kPendingBlob = "pending";

// The device's own ledger. It counts the rounds in which the device took part, and does not say how a coin
// fell in any of them.
struct DeviceLedger {
  std::uint64_t seen = 0;     // the highest round that the device took part in
  std::uint64_t offered = 0;  // how many rounds it took part in, reports and dummies alike
  std::uint64_t serial = 0;   // the highest serial of a key directory
  std::uint64_t asked = 0;    // the highest round for which a token was asked
  bool operator==(const DeviceLedger&) const = default;
};

struct RoundCoin {
  std::uint64_t round = 0;
  wire::Hash descriptor{};
  wire::UploadKind kind = wire::UploadKind::dummy;
  std::uint64_t send = 0;
  bool operator==(const RoundCoin&) const = default;
};

struct HeldToken {
  std::uint64_t round = 0;
  wire::Token token{};
  bool operator==(const HeldToken&) const = default;
};

struct AskedToken {
  std::uint64_t round = 0;
  wire::RsaPublicKey key;
  wire::PendingToken pending;
};

wire::Buffer encode_coin(const RoundCoin& coin);
wire::Buffer encode_tokens(const std::vector<HeldToken>& tokens);
wire::Buffer encode_pending(const std::vector<AskedToken>& pending);

struct DeviceState {
  DeviceLedger ledger;
  std::optional<RoundCoin> coin;
  wire::Buffer upload;  // empty if there is none
  std::vector<HeldToken> tokens;
  std::vector<AskedToken> pending;
};

wire::Buffer encode_device(const TaskDocument& task, const wire::IdentityKey& device,
                           const DeviceLedger& ledger);
// Reads the store of this task's device; everything is empty in a new store. `upload` is the length of the
// task's uploads. Throws Error(file) if a blob is damaged, naming it, and for the store of another task or
// device.
DeviceState load_state(Store& store, const TaskDocument& task, const wire::IdentityKey& device,
                       std::size_t upload);

}  // namespace muster::service
