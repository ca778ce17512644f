// The entries of an aggregator's ledger. Every act that costs the devices privacy, or may cost it, has one
// entry, which is written before the act.
//
// An entry's row is its kind (u8), its fields at fixed places, and the hash that links it to the one before:
// BLAKE2b-256("muster ledger" | that hash | number u64 | kind | fields). Numbers are little-endian; an
// epsilon is the bits of a double. The functions are pure and may be called from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "muster/wire/bytes.h"
#include "muster/wire/hpke.h"
#include "muster/wire/manifest.h"

namespace muster::service {

// The bytes of a signed manifest.
using SignedManifest = std::array<std::uint8_t, wire::kManifest>;

// The first entry: the task, and what its planned rounds cost, which is reserved at once.
struct TaskEntry {
  wire::Hash task{};
  double epsilon = 0, delta = 0;
  bool operator==(const TaskEntry&) const = default;
};

// A round is opened: its number, the rounds released before it, and what its descriptor will state. In the
// entry of a lost round that an operator charged, everything after `update` is zero.
struct OpenEntry {
  std::uint64_t round = 0, update = 0;
  wire::Hash model{}, frozen{}, token_key{};
  wire::HpkePublicKey shuffler{}, aggregator{};
  bool operator==(const OpenEntry&) const = default;
};

// The round's batch was used: the model after it, and the epsilon of all rounds charged so far.
struct ReleaseEntry {
  std::uint64_t round = 0;
  double epsilon = 0;
  wire::Hash model{};
  SignedManifest manifest{};
  bool operator==(const ReleaseEntry&) const = default;
};

// The round's batch left the shuffler and could not be used. It is charged all the same.
struct SpentEntry {
  enum class Why : std::uint8_t {
    hash,       // the batch is not the one of the manifest, or not there any more
    duplicate,  // two reports have the same encapsulated key
    heard,      // fewer devices were heard than the rule needs
    key,        // the aggregator no longer has the round's key
    lost,       // an operator charged it with --charge-lost-rounds
  };
  std::uint64_t round = 0;
  double epsilon = 0;
  Why why = Why::hash;
  SignedManifest manifest{};  // zero if it was lost
  bool operator==(const SpentEntry&) const = default;
};

// The shuffler destroyed the round before anything left it, which its manifest says. It costs nothing.
struct VoidEntry {
  std::uint64_t round = 0;
  SignedManifest manifest{};
  bool operator==(const VoidEntry&) const = default;
};

// The task is over.
struct EndEntry {
  enum class Why : std::uint8_t {
    done,      // every planned round was released or spent
    budget,    // the next round would pass the plan's budget
    rounds,    // task.most_rounds were opened
    stopped,   // by an operator
    diverged,  // the step of the last round would have made the model infinite or not a number
  };
  Why why = Why::done;
  double epsilon = 0;
  bool operator==(const EndEntry&) const = default;
};

using Entry = std::variant<TaskEntry, OpenEntry, ReleaseEntry, SpentEntry, VoidEntry, EndEntry>;

const char* name_of(const Entry& entry);  // "task", "open", "release", "spent", "void" or "end"
const char* name_of(SpentEntry::Why why);
const char* name_of(EndEntry::Why why);
const char* sentence_of(EndEntry::Why why);  // "every planned round was charged", ...

// The row of the entry with this number, counted from 0, that follows an entry with the hash `before`. The
// first one follows 32 zero bytes.
wire::Buffer row_of(const Entry& entry, const wire::Hash& before, std::uint64_t number);

// An entry as it was read, and its hash.
struct ReadEntry {
  Entry entry;
  wire::Hash hash;
};
// Returns nullopt unless the row is what row_of() makes of some entry at this place, with an epsilon and a
// delta that are positive normal numbers (epsilon may also be 0 where nothing was charged).
std::optional<ReadEntry> read_row(wire::Bytes row, const wire::Hash& before, std::uint64_t number);

}  // namespace muster::service
