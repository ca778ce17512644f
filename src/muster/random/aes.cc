#include "muster/random/aes.h"

#include <bit>
#include <cstddef>

namespace muster::random {
namespace {

constexpr std::uint8_t times_x(std::uint8_t a) {
  return static_cast<std::uint8_t>((a << 1) ^ ((a & 0x80) != 0 ? 0x1b : 0));
}

// Builds the S-box of FIPS 197, section 5.1.1: the inverse in GF(2^8), found by powers of the generator 3,
// and then the affine map.
constexpr std::array<std::uint8_t, 256> make_sbox() {
  std::array<std::uint8_t, 256> sbox{};
  std::uint8_t p = 1, q = 1;  // q = 1/p in GF(2^8) throughout
  do {
    p = static_cast<std::uint8_t>(p ^ times_x(p));
    q = static_cast<std::uint8_t>(q ^ (q << 1));
    q = static_cast<std::uint8_t>(q ^ (q << 2));
    q = static_cast<std::uint8_t>(q ^ (q << 4));
    if ((q & 0x80) != 0) q = static_cast<std::uint8_t>(q ^ 0x09);
    sbox[p] = static_cast<std::uint8_t>(q ^ std::rotl(q, 1) ^ std::rotl(q, 2) ^ std::rotl(q, 3) ^
                                        std::rotl(q, 4) ^ 0x63);
  } while (p != 1);
  sbox[0] = 0x63;
  return sbox;
}

constexpr std::array<std::uint8_t, 256> kSbox = make_sbox();
static_assert(kSbox[0x53] == 0xed);  // the example of section 5.1.1

using Block = std::array<std::uint8_t, 16>;

void add_round_key(Block& state, const AesSchedule& schedule, std::size_t round) {
  for (std::size_t i = 0; i < 16; ++i) state[i] ^= schedule[16 * round + i];
}

// Byte i is in row i % 4 of column i / 4. ShiftRows rotates row r by r columns to the left.
Block sub_bytes_and_shift_rows(const Block& state) {
  Block out;
  for (std::size_t i = 0; i < 16; ++i) out[i] = kSbox[state[(i + 4 * (i % 4)) % 16]];
  return out;
}

void mix_columns(Block& state) {
  for (std::size_t c = 0; c < 16; c += 4) {
    const std::uint8_t a = state[c], b = state[c + 1], d = state[c + 2], e = state[c + 3];
    const auto all = static_cast<std::uint8_t>(a ^ b ^ d ^ e);
    state[c] = static_cast<std::uint8_t>(a ^ all ^ times_x(a ^ b));
    state[c + 1] = static_cast<std::uint8_t>(b ^ all ^ times_x(b ^ d));
    state[c + 2] = static_cast<std::uint8_t>(d ^ all ^ times_x(d ^ e));
    state[c + 3] = static_cast<std::uint8_t>(e ^ all ^ times_x(e ^ a));
  }
}

}  // namespace

AesSchedule expand_aes128_key(const std::array<std::uint8_t, 16>& key) {
  AesSchedule w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = key[i];
  std::uint8_t constant = 1;
  for (std::size_t i = 16; i < w.size(); i += 4) {
    std::uint8_t t[4] = {w[i - 4], w[i - 3], w[i - 2], w[i - 1]};
    if (i % 16 == 0) {
      const std::uint8_t first = t[0];
      t[0] = static_cast<std::uint8_t>(kSbox[t[1]] ^ constant);
      t[1] = kSbox[t[2]];
      t[2] = kSbox[t[3]];
      t[3] = kSbox[first];
      constant = times_x(constant);
    }
    for (std::size_t j = 0; j < 4; ++j) w[i + j] = w[i + j - 16] ^ t[j];
  }
  return w;
}

std::array<std::uint8_t, 16> encrypt_aes128_block(const AesSchedule& schedule,
                                                  const std::array<std::uint8_t, 16>& block) {
  Block state = block;
  add_round_key(state, schedule, 0);
  for (std::size_t round = 1; round < 10; ++round) {
    state = sub_bytes_and_shift_rows(state);
    mix_columns(state);
    add_round_key(state, schedule, round);
  }
  state = sub_bytes_and_shift_rows(state);
  add_round_key(state, schedule, 10);
  return state;
}

}  // namespace muster::random
