// Provides keyed streams of random words: AES-128 in counter mode, addressed by
// (run key, purpose, round, client, index).
//
// Any word of any stream can be computed by itself, so results depend on the plan and the seed, never on
// threads, ranks or the order of work. Block b of a stream is AES_key(counter), where the 16 bytes of the
// counter are little-endian fields:
//     bytes 0-3 index (b), bytes 4-9 client (48 bits), bytes 10-14 round (40 bits), byte 15 purpose.
// Test vectors fix this layout, so a changed layout is a new format. A RunKey may be shared between threads,
// but a KeyedStream belongs to one thread.
//
// Some keys are secret (RunKey::fresh), so every key and stream overwrites its memory when it is destroyed.
// Copies in registers, and those that a compiler spills to the stack, are not overwritten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/random/bit_source.h"

namespace muster::random {

// Says what the words of a stream are used for. The values are fixed: add new ones, but never renumber.
// Purpose p + 128 addresses the further bits of the normals of purpose p, and the keys for these bits
// (exact_normals.h).
enum class Purpose : std::uint8_t {
  check_in = 1,             // a client's check-in coin after its first 16 bits
  dropout = 2,              // a client's coin for dropping out
  randomize = 3,            // a client's local randomizer
  direction = 4,            // the public direction of an ldp-sgd message, under the message's own key
  initialize = 5,           // initial model parameters
  digits = 6,               // the procedural data set
  bootstrap = 7,            // which records a client holds when clients share records
  shuffle = 8,              // the secret permutation, under a fresh key
  audit = 9,                // tests and benchmarks
  subset = 10,              // which k of n clients report
  slot = 11,                // the slot of a client that checked in, and whether the server picks it there
  own_rate = 12,            // a client's own check-in rate, where rates differ
  check_in_beginning = 13,  // the first 16 bits of many clients' coins, packed
  sum_noise = 14,           // the noise of all messages of a round together
  partition = 15,           // how records are dealt to clients (simulation/partitions)
  local_batches = 16,       // the order in which a client's local SGD takes its records
};

struct StreamAddress {
  Purpose purpose;
  std::uint64_t round = 0;   // < 2^40
  std::uint64_t client = 0;  // < 2^48
};

// Holds an expanded AES-128 key. Moving a key copies it, because zeros left behind would look like a key.
class RunKey {
 public:
  RunKey(const RunKey&) = default;
  RunKey& operator=(const RunKey&) = default;
  ~RunKey();  // wipes the schedule

  static RunKey from_bytes(const std::array<std::uint8_t, 16>& bytes);
  // Returns the key of a simulation: BLAKE2b-128 of "muster run key v1" and the little-endian seed.
  static RunKey from_seed(std::uint64_t seed);
  // Returns a secret key from the operating system's CSPRNG.
  static RunKey fresh();

  const std::array<std::uint8_t, 176>& schedule() const { return schedule_; }

 private:
  explicit RunKey(const std::array<std::uint8_t, 16>& bytes);
  alignas(16) std::array<std::uint8_t, 176> schedule_;
};

// Draws the words of one stream in order. The constructor throws Error(internal) for an address out of range,
// and next_u64 does after all 2^33 words.
class KeyedStream final : public BitSource {
 public:
  KeyedStream(const RunKey& key, const StreamAddress& address);
  ~KeyedStream() override;  // wipes the words drawn ahead
  KeyedStream(const KeyedStream&) = delete;
  KeyedStream& operator=(const KeyedStream&) = delete;
  std::uint64_t next_u64() override;

 private:
  RunKey key_;
  StreamAddress address_;
  std::uint32_t next_block_ = 0;
  bool exhausted_ = false;
  static constexpr std::size_t kBuffered = 32;
  alignas(64) std::array<std::uint64_t, kBuffered> buffer_{};
  std::size_t used_ = kBuffered;
};

// Both functions below compute words of KeyedStream in bulk, with vector instructions. They overwrite `out`,
// and throw Error(internal) for words that do not exist.
//
// fill_words computes words first_word, first_word + 1, ... of one stream. Word w is the first (w even) or
// second (w odd) half of block floor(w / 2). The first word must be even.
void fill_words(const RunKey& key, const StreamAddress& address, std::uint64_t first_word,
                std::span<std::uint64_t> out);
// Computes word 0 of the streams of the consecutive clients first_client, first_client + 1, ...
void fill_first_words(const RunKey& key, Purpose purpose, std::uint64_t round, std::uint64_t first_client,
                      std::span<std::uint64_t> out);

}  // namespace muster::random
