#include "muster/random/keyed_stream.h"

#include <sodium.h>

#include <algorithm>
#include <string>

#include "muster/core/error.h"
#include "muster/random/aes.h"
#include "muster/random/counter_blocks.h"
#include "muster/random/os_bytes.h"

namespace muster::random {

RunKey::RunKey(const std::array<std::uint8_t, 16>& bytes) : schedule_(expand_aes128_key(bytes)) {}

RunKey::~RunKey() { sodium_memzero(schedule_.data(), schedule_.size()); }

RunKey RunKey::from_bytes(const std::array<std::uint8_t, 16>& bytes) { return RunKey(bytes); }

RunKey RunKey::from_seed(std::uint64_t seed) {
  start_libsodium();
  const std::string label = "muster run key v1";
  std::array<std::uint8_t, 17 + 8> text;
  std::copy(label.begin(), label.end(), text.begin());
  for (std::size_t i = 0; i < 8; ++i) text[17 + i] = static_cast<std::uint8_t>(seed >> (8 * i));
  std::array<std::uint8_t, 16> bytes;
  crypto_generichash(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, 0);
  return from_bytes(bytes);
}

RunKey RunKey::fresh() {
  std::array<std::uint8_t, 16> bytes;
  fill_from_os(bytes);
  const RunKey key = from_bytes(bytes);
  sodium_memzero(bytes.data(), bytes.size());
  return key;
}

KeyedStream::KeyedStream(const RunKey& key, const StreamAddress& address) : key_(key), address_(address) {
  counter_of(address, 0);  // refuses a bad address here rather than at the first word
}

KeyedStream::~KeyedStream() { sodium_memzero(buffer_.data(), sizeof buffer_); }

std::uint64_t KeyedStream::next_u64() {
  if (used_ == kBuffered) {
    // A stream has 2^32 blocks, a whole number of buffers, so the index cannot wrap around inside a refill.
    if (exhausted_)
      throw Error(ErrorCode::internal, "index", "", "2^32 blocks a stream", "the stream is exhausted");
    encrypt_indices(key_, counter_of(address_, next_block_), buffer_);
    next_block_ += kBuffered / 2;
    exhausted_ = next_block_ == 0;
    used_ = 0;
  }
  return buffer_[used_++];
}

void fill_words(const RunKey& key, const StreamAddress& address, std::uint64_t first_word,
                std::span<std::uint64_t> out) {
  if (first_word % 2 != 0 || first_word >> 33 != 0) {
    throw Error(ErrorCode::internal, "first_word", std::to_string(first_word), "even, below 2^33",
                "no such word");
  }
  const Counter first = counter_of(address, static_cast<std::uint32_t>(first_word / 2));
  const std::size_t even = out.size() / 2 * 2;
  encrypt_indices(key, first, out.first(even));
  if (even != out.size()) {
    std::array<std::uint64_t, 2> last;
    if ((first_word + even) >> 33 != 0) {
      throw Error(ErrorCode::internal, "index", "", "2^32 blocks a stream", "the stream is exhausted");
    }
    encrypt_indices(key, counter_of(address, static_cast<std::uint32_t>((first_word + even) / 2)), last);
    out.back() = last[0];
  }
}

void fill_first_words(const RunKey& key, Purpose purpose, std::uint64_t round, std::uint64_t first_client,
                      std::span<std::uint64_t> out) {
  if (out.empty()) return;
  counter_of({purpose, round, first_client + (out.size() - 1)}, 0);  // refuses a last client out of range
  encrypt_clients(key, counter_of({purpose, round, first_client}, 0), out);
}

}  // namespace muster::random
