// Compares AES with the vectors of FIPS 197, and the streams with stored words on every vector target.
// Neighbouring streams must pass a test of independence that notices one shared word in twenty.
#include "muster/random/keyed_stream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/aes.h"
#include "muster/random/vector_targets_test.h"
#include "tests/support/statistics.h"

namespace muster::random {
namespace {

constexpr double kAlpha = 1e-6;

std::array<std::uint8_t, 16> bytes_of_hex(const std::string& hex) {
  std::array<std::uint8_t, 16> bytes;
  for (std::size_t i = 0; i < 16; ++i) {
    bytes[i] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

struct Row {
  RunKey key;
  StreamAddress address;
  std::uint64_t word, value;
};

std::vector<Row> golden_rows() {
  std::ifstream file("testdata/keyed_stream.txt");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("seed")) continue;
    std::istringstream text(line);
    std::string key;
    unsigned purpose;
    StreamAddress address{};
    std::uint64_t word, value;
    text >> key >> purpose >> address.round >> address.client >> word >> std::hex >> value;
    address.purpose = static_cast<Purpose>(purpose);
    rows.push_back({RunKey::from_bytes(bytes_of_hex(key)), address, word, value});
  }
  return rows;
}

TEST(Aes, Fips197AppendixC1) {
  const AesSchedule schedule = expand_aes128_key(bytes_of_hex("000102030405060708090a0b0c0d0e0f"));
  EXPECT_EQ(encrypt_aes128_block(schedule, bytes_of_hex("00112233445566778899aabbccddeeff")),
            bytes_of_hex("69c4e0d86a7b0430d8cdb78070b4c55a"));
}

TEST(Aes, Fips197AppendixA1LastRoundKey) {
  const AesSchedule schedule = expand_aes128_key(bytes_of_hex("2b7e151628aed2a6abf7158809cf4f3c"));
  std::array<std::uint8_t, 16> last;
  std::copy(schedule.end() - 16, schedule.end(), last.begin());
  EXPECT_EQ(last, bytes_of_hex("d014f9a8c9ee2589e13f0cc8b6630ca6"));
}

TEST(KeyedStream, FrozenWordsOnEveryTarget) {
  const std::vector<Row> rows = golden_rows();
  ASSERT_GT(rows.size(), 300u);
  const int targets = on_every_target([&](const std::string&) {
    for (const Row& row : rows) {
      std::array<std::uint64_t, 2> pair;
      fill_words(row.key, row.address, row.word / 2 * 2, pair);
      ASSERT_EQ(pair[row.word % 2], row.value) << row.word;
      if (row.word < 1024) {
        std::vector<std::uint64_t> words(row.word + 1);
        fill_words(row.key, row.address, 0, words);
        ASSERT_EQ(words.back(), row.value);
        KeyedStream stream(row.key, row.address);
        for (std::uint64_t w = 0; w < row.word; ++w) stream.next_u64();
        ASSERT_EQ(stream.next_u64(), row.value);
      }
      if (row.word == 0) {
        std::array<std::uint64_t, 1> first;
        fill_first_words(row.key, row.address.purpose, row.address.round, row.address.client, first);
        ASSERT_EQ(first[0], row.value);
      }
    }
  });
  EXPECT_GE(targets, 2);
}

// Highway compiles the widest encryption, four counter blocks in one instruction, only on request.
TEST(KeyedStream, TheWidestEncryptionIsCompiled) {
#if HWY_ARCH_X86
  EXPECT_NE(HWY_TARGETS & HWY_AVX3_DL, 0);
#endif
  // The target in use is the best one that the processor has.
  const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  EXPECT_STREQ(vector_target(),
               supported == 0 ? hwy::TargetName(HWY_STATIC_TARGET) : hwy::TargetName(supported & -supported));
}

TEST(KeyedStream, SeedsAreFrozen) {
  std::ifstream file("testdata/keyed_stream.txt");
  int seen = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("seed")) continue;
    std::istringstream text(line.substr(5));
    std::uint64_t seed, value;
    text >> seed >> std::hex >> value;
    KeyedStream stream(RunKey::from_seed(seed), {Purpose::check_in});
    EXPECT_EQ(stream.next_u64(), value) << seed;
    ++seen;
  }
  EXPECT_EQ(seen, 4);
}

TEST(KeyedStream, FirstWordsAreThoseOfEachClientsStream) {
  const RunKey key = RunKey::from_seed(5);
  on_every_target([&](const std::string&) {
    // The second range carries from the low 32 bits of the client number into its high 16 bits.
    for (std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 21}) {
      for (std::size_t size = 1; size < 75; ++size) {
        std::vector<std::uint64_t> words(size + 1, 99);
        fill_first_words(key, Purpose::check_in, 3, first, std::span(words).first(size));
        for (std::size_t i = 0; i < size; ++i) {
          KeyedStream stream(key, {Purpose::check_in, 3, first + i});
          ASSERT_EQ(words[i], stream.next_u64()) << size << " " << i;
        }
        ASSERT_EQ(words[size], 99u) << "wrote past the end";
      }
    }
  });
}

TEST(KeyedStream, EverySizeFromEveryStart) {
  const RunKey key = RunKey::from_seed(6);
  const StreamAddress address{Purpose::audit, 1, 2};
  std::vector<std::uint64_t> all(300);
  KeyedStream stream(key, address);
  for (std::uint64_t& word : all) word = stream.next_u64();
  on_every_target([&](const std::string&) {
    for (std::size_t first = 0; first < 40; first += 2) {
      for (std::size_t size = 0; size < 140; ++size) {
        std::vector<std::uint64_t> words(size + 1, 99);
        fill_words(key, address, first, std::span(words).first(size));
        ASSERT_TRUE(
            std::equal(words.begin(), words.end() - 1, all.begin() + static_cast<std::ptrdiff_t>(first)));
        ASSERT_EQ(words[size], 99u) << "wrote past the end";
      }
    }
  });
}

TEST(KeyedStream, RefusesAddressesOutsideItsFields) {
  const RunKey key = RunKey::from_seed(1);
  std::array<std::uint64_t, 4> out;
  EXPECT_ERROR(ErrorCode::internal, KeyedStream(key, {Purpose::audit, std::uint64_t{1} << 40, 0}));
  EXPECT_ERROR(ErrorCode::internal, KeyedStream(key, {Purpose::audit, 0, std::uint64_t{1} << 48}));
  EXPECT_ERROR(ErrorCode::internal, fill_words(key, {Purpose::audit}, 1, out));
  EXPECT_ERROR(ErrorCode::internal, fill_words(key, {Purpose::audit}, (std::uint64_t{1} << 33) - 2, out));
  EXPECT_ERROR(ErrorCode::internal,
               fill_first_words(key, Purpose::audit, 0, (std::uint64_t{1} << 48) - 3, out));
}

TEST(KeyedStream, StreamsDifferInEveryPartOfTheAddress) {
  const RunKey key = RunKey::from_seed(1), other = RunKey::from_seed(2), fresh = RunKey::fresh();
  std::set<std::uint64_t> words;
  for (const auto& [k, address] :
       std::vector<std::pair<RunKey, StreamAddress>>{{key, {Purpose::audit, 0, 0}},
                                                     {other, {Purpose::audit, 0, 0}},
                                                     {fresh, {Purpose::audit, 0, 0}},
                                                     {key, {Purpose::shuffle, 0, 0}},
                                                     {key, {Purpose::audit, 1, 0}},
                                                     {key, {Purpose::audit, 0, 1}}}) {
    words.insert(KeyedStream(k, address).next_u64());
  }
  EXPECT_EQ(words.size(), 6u);
}

// The number of equal bits of neighbouring streams has the law of fair coins. Each neighbour is compared over
// 4096 words of 64 bits.
TEST(KeyedStream, NeighbouringStreamsAreIndependent) {
  const RunKey key = RunKey::from_seed(9);
  const auto words_of = [&](const StreamAddress& address) {
    std::vector<std::uint64_t> words(4096);
    fill_words(key, address, 0, words);
    return words;
  };
  const auto base = words_of({Purpose::randomize, 10, 20});
  for (const StreamAddress& near :
       {StreamAddress{Purpose::randomize, 10, 21}, StreamAddress{Purpose::randomize, 11, 20},
        StreamAddress{Purpose::dropout, 10, 20}}) {
    const auto words = words_of(near);
    std::uint64_t agree = 0, shifted = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      agree += static_cast<std::uint64_t>(std::popcount(~(words[i] ^ base[i])));
      shifted += static_cast<std::uint64_t>(std::popcount(~(words[i] ^ base[(i + 2) % base.size()])));
    }
    for (std::uint64_t count : {agree, shifted}) {
      const auto verdict = testing::binomial_test(count, words.size() * 64, 0.5, kAlpha);
      EXPECT_TRUE(verdict.pass) << verdict.summary;
    }
  }
  // The test must reject two streams that share one word in twenty.
  auto leaky = words_of({Purpose::randomize, 10, 22});
  std::uint64_t agree = 0;
  for (std::size_t i = 0; i < leaky.size(); ++i) {
    if (i % 20 == 0) leaky[i] = base[i];
    agree += static_cast<std::uint64_t>(std::popcount(~(leaky[i] ^ base[i])));
  }
  EXPECT_FALSE(testing::binomial_test(agree, leaky.size() * 64, 0.5, kAlpha).pass);
}

}  // namespace
}  // namespace muster::random
