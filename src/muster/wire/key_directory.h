// The issuer's signed list of the token keys of a task's coming rounds.
//
//     directory = version u8 | task 32 | serial u64 | enrolled u64 | released u64 | count u32 |
//                 entry x count | signature 64
//     entry     = round u64 | modulus 256 | issued u64                                        272 bytes
//
// No reader accepts a serial below one that it has seen (follows()). Entries are in the order of their
// rounds, at most one for a round. The functions are pure and may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/wire/blind_rsa.h"
#include "muster/wire/bytes.h"
#include "muster/wire/signature.h"

namespace muster::wire {

struct KeyDirectory {
  struct Entry {
    std::uint64_t round = 0;
    RsaBlock modulus{};        // of the round's key
    std::uint64_t issued = 0;  // tokens of the round so far
    bool operator==(const Entry&) const = default;
  };
  Hash task{};
  std::uint64_t serial = 0;
  std::uint64_t enrolled = 0;  // devices
  // The last round whose reports the shuffler has said it hands out; 0 before the first one.
  std::uint64_t released = 0;
  std::vector<Entry> entries;

  bool operator==(const KeyDirectory&) const = default;
};

inline constexpr std::size_t kMaxDirectoryEntries = 1024;

// Throws Error(internal) for too many entries, or entries out of order.
Buffer sign_key_directory(const KeyDirectory& directory, const SigningKey& issuer);
// Returns nullopt unless this is a signed directory of the issuer, in order, whose moduli are odd and have
// 2048 bits.
std::optional<KeyDirectory> read_key_directory(Bytes signed_directory, const IdentityKey& issuer);

// Returns whether somebody who has seen the directory `seen` of a task accepts the directory `later`: either
// they are the same, or the serial of `later` is higher and nothing in it goes back, which means that
// devices, rounds released and tokens do not become fewer and that a round keeps its key. So an issuer that
// was restored from an older copy is refused.
bool follows(const KeyDirectory& later, const KeyDirectory& seen);

}  // namespace muster::wire
