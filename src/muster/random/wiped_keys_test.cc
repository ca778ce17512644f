// Tests that nothing of a key, or of the words drawn ahead, is left in memory when the object that held them
// is destroyed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "muster/random/aes.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/os_source.h"

namespace muster::random {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::array<std::uint8_t, 16> kKey = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                               0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
constexpr StreamAddress kAddress{Purpose::shuffle, 3, 0};

// Holds storage for one T, whose bytes can be read after the T is destroyed. The reads are volatile, because
// a compiler may assume that nobody reads the bytes that an object leaves behind.
template <typename T>
class Place {
 public:
  template <typename Make>
  T& make(Make&& construct) {
    return *construct(static_cast<void*>(storage_));
  }
  Bytes image() const {
    const volatile unsigned char* from = storage_;
    Bytes bytes(sizeof(T));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = from[i];
    return bytes;
  }

 private:
  alignas(T) unsigned char storage_[sizeof(T)] = {};
};

bool holds(const Bytes& image, const void* secret, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(secret);
  return std::search(image.begin(), image.end(), bytes, bytes + size) != image.end();
}

// Counts the round keys of kKey, of which there are eleven, in the image. Half a round key counts as found.
int round_keys_in(const Bytes& image) {
  const AesSchedule schedule = expand_aes128_key(kKey);
  int found = 0;
  for (std::size_t round = 0; round < 11; ++round) {
    const std::uint8_t* key = schedule.data() + 16 * round;
    found += holds(image, key, 8) || holds(image, key + 8, 8) ? 1 : 0;
  }
  return found;
}

// Counts how many of the first 32 words of the stream are in the image.
int words_in(const Bytes& image) {
  std::vector<std::uint64_t> words(32);
  fill_words(RunKey::from_bytes(kKey), kAddress, 0, words);
  return static_cast<int>(
      std::ranges::count_if(words, [&](std::uint64_t word) { return holds(image, &word, sizeof word); }));
}

// This key is faulty: its destructor, which like that of RunKey is not inlined, wipes nothing.
struct UnwipedKey {
  AesSchedule schedule;
  [[gnu::noinline]] ~UnwipedKey() {}  // NOLINT(modernize-use-equals-default)
};

TEST(WipedKeys, WhatIsNotWipedIsFound) {
  Place<UnwipedKey> place;
  UnwipedKey& key = place.make([](void* at) { return new (at) UnwipedKey{expand_aes128_key(kKey)}; });
  EXPECT_EQ(round_keys_in(place.image()), 11);
  key.~UnwipedKey();
  EXPECT_EQ(round_keys_in(place.image()), 11);
}

TEST(WipedKeys, OfAKey) {
  Place<RunKey> place;
  RunKey& key = place.make([](void* at) { return new (at) RunKey(RunKey::from_bytes(kKey)); });
  EXPECT_EQ(round_keys_in(place.image()), 11);
  key.~RunKey();
  EXPECT_EQ(round_keys_in(place.image()), 0);
  EXPECT_EQ(place.image(), Bytes(sizeof(RunKey)));
}

TEST(WipedKeys, OfAKeyThatWasMoved) {
  Place<RunKey> from, to;
  RunKey& source = from.make([](void* at) { return new (at) RunKey(RunKey::from_bytes(kKey)); });
  // The test checks that even moving a key copies it.
  // NOLINTNEXTLINE(performance-move-const-arg)
  RunKey& target = to.make([&](void* at) { return new (at) RunKey(std::move(source)); });
  EXPECT_EQ(target.schedule(), source.schedule()) << "a key that was moved from is no key of zeros";
  source.~RunKey();
  EXPECT_EQ(round_keys_in(from.image()), 0);
  EXPECT_EQ(round_keys_in(to.image()), 11);
  target.~RunKey();
  EXPECT_EQ(round_keys_in(to.image()), 0);
}

TEST(WipedKeys, OfAStreamAndItsWords) {
  Place<KeyedStream> place;
  KeyedStream& stream =
      place.make([](void* at) { return new (at) KeyedStream(RunKey::from_bytes(kKey), kAddress); });
  EXPECT_EQ(words_in(place.image()), 0);
  stream.next_u64();
  EXPECT_EQ(round_keys_in(place.image()), 11);
  EXPECT_EQ(words_in(place.image()), 32);
  stream.~KeyedStream();
  EXPECT_EQ(round_keys_in(place.image()), 0);
  EXPECT_EQ(words_in(place.image()), 0);
}

TEST(WipedKeys, OfWordsOfTheOperatingSystem) {
  Place<OsSource> place;
  OsSource& source = place.make([](void* at) { return new (at) OsSource; });
  const std::uint64_t used = source.next_u64();
  const Bytes drawn = place.image();
  EXPECT_FALSE(holds(drawn, &used, sizeof used)) << "a word is wiped when it is used";
  EXPECT_GT(std::set<unsigned char>(drawn.begin(), drawn.end()).size(), 64U) << "31 words are drawn ahead";
  source.~OsSource();
  const Bytes left = place.image();
  for (std::size_t at = 0; at + sizeof used <= drawn.size(); at += sizeof used) {
    std::uint64_t word;
    std::memcpy(&word, drawn.data() + at, sizeof word);
    // Skip the number of used words and the pointer to the virtual table, which are not secret: their highest
    // bytes are 0.
    if (word >> 56 != 0) {
      EXPECT_FALSE(holds(left, &word, sizeof word)) << "at " << at;
    }
  }
}

static_assert(!std::is_copy_constructible_v<KeyedStream> && !std::is_move_constructible_v<KeyedStream>,
              "a stream has one place in memory, which its destructor wipes");
static_assert(!std::is_copy_constructible_v<OsSource> && !std::is_move_constructible_v<OsSource>);

}  // namespace
}  // namespace muster::random
