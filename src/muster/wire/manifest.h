// The shuffler's signed word about a round that it closed: how many devices it heard, and that it either
// releases a batch or destroyed everything.
//
//     manifest = version u8 | task 32 | round u64 | descriptor 32 | outcome u8 | heard u64 | reports u64 |
//                width u32 | batch 32 | rejected u64 x 6 | signature 64                       238 bytes
//
// A batch is the reports' inner layers (upload.h) in their secret order, one after another, each of `width`
// bytes. A destroyed round has no batch: its reports, width and batch are zero, and nothing of it ever left
// the shuffler.
//
// The functions are pure and may be called from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "muster/wire/bytes.h"
#include "muster/wire/signature.h"

namespace muster::wire {

// Why the shuffler refused an upload. The order is that of the counts in a manifest.
enum class Rejected : std::uint8_t {
  length,    // not of the task's length
  version,   // of another version of the wire
  layer,     // the outer layer does not open, or its kind is unknown
  token,     // no valid token of this round
  repeated,  // a token that was spent before, with other bytes, or the encapsulated key of another report
  late,      // after the round was closed, or for another round
};
inline constexpr std::size_t kRejectReasons = 6;
const char* name_of(Rejected reason);  // "length", "version", ...

struct Manifest {
  enum class Outcome : std::uint8_t { destroyed = 0, released = 1 };

  Hash task{};
  std::uint64_t round = 0;
  Hash descriptor{};  // the hash of the round's descriptor
  Outcome outcome = Outcome::destroyed;
  std::uint64_t heard = 0;    // devices: distinct valid tokens
  std::uint64_t reports = 0;  // in the batch
  std::uint32_t width = 0;    // bytes of a report
  Hash batch{};               // of the batch's bytes
  std::array<std::uint64_t, kRejectReasons> rejected{};

  bool operator==(const Manifest&) const = default;
};

inline constexpr std::size_t kManifest = 1 + 32 + 8 + 32 + 1 + 8 + 8 + 4 + 32 + 8 * kRejectReasons + 64;

Buffer sign_manifest(const Manifest& manifest, const SigningKey& shuffler);
// Returns nullopt unless this is a signed manifest of the shuffler without a contradiction: it may not have
// more reports than devices and, if the round was destroyed, its reports, width and batch must be zero.
std::optional<Manifest> read_manifest(Bytes signed_manifest, const IdentityKey& shuffler);

}  // namespace muster::wire
