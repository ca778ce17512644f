// One upload of a device in a round, whatever its coin: every upload of a task has the same length.
//
//     upload = version u8 | round u64 | enc_S 32 | AEAD_S(kind u8 | token 354 | inner) + 16    460 + P bytes
//     inner  = enc_A 32 | AEAD_A(payload P) + 16                                                48 + P bytes
//
// P is the length of the task's payloads (payload.h). The outer layer is sealed for the shuffler and the
// inner one for the aggregator (hpke.h), both bound to the round's descriptor by its hash, and the outer one
// to the header as well: a device that was shown another descriptor sends what nobody can open. A dummy has
// random bytes in place of the inner layer; only the shuffler can tell it from a report. The functions are
// pure but for fresh keys and random bytes, and may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "muster/wire/bytes.h"
#include "muster/wire/hpke.h"
#include "muster/wire/token.h"

namespace muster::wire {

inline constexpr std::uint8_t kWireVersion = 1;
inline constexpr std::size_t kUploadHeader = 1 + 8;

// The lengths of a task whose payloads have `payload` bytes.
struct UploadSizes {
  std::size_t payload;
  std::size_t inner() const { return payload + kSealing; }
  std::size_t outer_plain() const { return 1 + kToken + inner(); }
  std::size_t upload() const { return kUploadHeader + outer_plain() + kSealing; }
};

// What both layers are bound to, and the keys of a round.
struct RoundKeys {
  std::uint64_t round = 0;
  Hash descriptor{};  // the hash of the round's descriptor (descriptor.h)
  HpkePublicKey shuffler{}, aggregator{};
};

enum class UploadKind : std::uint8_t { dummy = 0, report = 1 };

// The sealed bytes that a device sends. Both kinds take the same work: the payload is sealed for the
// aggregator, and in a dummy random bytes take the place of the result. Throws Error(data) if a key of the
// round is of low order.
Buffer seal_upload(const RoundKeys& keys, UploadKind kind, const Token& token, Bytes payload);
// A report of this payload, and a dummy without one, for payloads of this length.
Buffer seal_report(const RoundKeys& keys, const Token& token, Bytes payload);
Buffer seal_dummy(const RoundKeys& keys, const Token& token, UploadSizes sizes);

// What the shuffler sees of an upload.
struct OpenedUpload {
  UploadKind kind;
  Token token;
  Buffer inner;
};
// Why an upload cannot be opened. `layer` means that the outer layer does not open: it was sealed for another
// key, round or descriptor, or was changed.
enum class UploadFault : std::uint8_t { none, length, version, round, layer, kind };

// Reads any bytes as an upload of the round. Returns the fault, and leaves `opened` unspecified unless that
// is UploadFault::none. Does not look at the token.
UploadFault open_upload(const HpkeKeyPair& shuffler, std::uint64_t round, const Hash& descriptor,
                        UploadSizes sizes, Bytes upload, OpenedUpload& opened);

// Opens the inner layer into `payload` and returns true. Returns false if it does not open; `payload` is then
// zero.
bool open_inner(const HpkeKeyPair& aggregator, const Hash& descriptor, Bytes inner,
                std::span<std::uint8_t> payload);

}  // namespace muster::wire
