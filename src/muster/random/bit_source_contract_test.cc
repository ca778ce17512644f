// Tests that every BitSource must pass: all 64 bits of a word are fair and independent of each other and of
// other words, and two objects give the same words or different ones, as the header of their class says.
//
// The words of KeyedStream and ScriptedSource are the same in every run. Those of OsSource are fresh, and by
// chance its tests fail once in 3 * 10^8 runs: the test of all bits together has a false-alarm rate of 1e-9,
// each of the 69 other tests of fair coins has kAlpha = 1e-11, and 2 kWords random words are not all distinct
// with probability at most (2 kWords)^2 / 2^65 < 1.1e-9. What happens after the last word is not tested here:
// ScriptedSource refuses it in samplers_test.cc, a KeyedStream ends after 2^33 words, which are too many for
// a test, and OsSource has no last word.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "muster/random/keyed_stream.h"
#include "muster/random/os_source.h"
#include "muster/random/scripted_source.h"
#include "tests/support/class_name.h"
#include "tests/support/statistics.h"

namespace muster::random {
namespace {

constexpr std::size_t kWords = 100'000;
constexpr double kAlpha = 1e-11;
constexpr double kAlphaOfAllBits = 1e-9;

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;
using Words = std::vector<std::uint64_t>;

// Makes the source with this number. Different numbers are different addresses or scripts.
using Maker = std::function<std::unique_ptr<BitSource>(std::uint64_t number)>;

struct Contract {
  const char* name;
  const char* type;  // the class, which tests/architecture/house_rules.py looks for
  Maker make;
  bool repeats;  // whether two sources with the same number give the same words
};

void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

std::vector<Contract> contracts() {
  return {{.name = "keyed_stream",
           .type = "KeyedStream",
           .make =
               [](std::uint64_t number) {
                 return std::make_unique<KeyedStream>(RunKey::from_seed(4),
                                                      StreamAddress{Purpose::audit, 7, number});
               },
           .repeats = true},
          {.name = "os_source",
           .type = "OsSource",
           .make = [](std::uint64_t) { return std::make_unique<OsSource>(); },
           .repeats = false},
          // A script of words that are uniform themselves.
          {.name = "scripted_source",
           .type = "ScriptedSource",
           .make =
               [](std::uint64_t number) {
                 std::mt19937_64 bits(number);
                 Words words(kWords);
                 for (std::uint64_t& word : words) word = bits();
                 return std::make_unique<ScriptedSource>(words);
               },
           .repeats = true}};
}

Words words_of(BitSource& source) {
  Words words(kWords);
  for (std::uint64_t& word : words) word = source.next_u64();
  return words;
}

AssertionResult fair(std::uint64_t ones, std::uint64_t bits, double alpha, const std::string& what) {
  const auto verdict = testing::binomial_test(ones, bits, 0.5, alpha);
  return verdict.pass ? AssertionSuccess() : AssertionFailure() << what << ": " << verdict.summary;
}

// Tests all bits together, and the bits of each of the 64 places.
AssertionResult every_bit_is_fair(const Words& words) {
  std::uint64_t total = 0;
  std::vector<std::uint64_t> ones(64);
  for (const std::uint64_t word : words) {
    total += static_cast<std::uint64_t>(std::popcount(word));
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += word >> bit & 1;
  }
  AssertionResult result = fair(total, 64 * words.size(), kAlphaOfAllBits, "all bits");
  for (std::size_t bit = 0; result && bit < 64; ++bit) {
    result = fair(ones[bit], words.size(), kAlpha, "bit " + std::to_string(bit));
  }
  return result;
}

// Compares the two halves of each word, neighbouring bits of each word, neighbouring words, and words that
// are 32 words apart, which is how many words KeyedStream and OsSource draw at a time. Where all bits are
// independent and fair, so are the equalities that each comparison counts.
AssertionResult bits_are_independent(const Words& words) {
  std::uint64_t halves = 0, neighbours = 0, next = 0, distant = 0;
  const auto ones = [](std::uint64_t word) { return static_cast<std::uint64_t>(std::popcount(word)); };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t word = words[i];
    halves += ones(~(word ^ word >> 32) & 0xffffffff);
    neighbours += ones(~(word ^ word >> 1) & ~std::uint64_t{0} >> 1);
    if (i >= 1) next += ones(~(word ^ words[i - 1]));
    if (i >= 32) distant += ones(~(word ^ words[i - 32]));
  }
  AssertionResult result = fair(halves, 32 * words.size(), kAlpha, "halves of a word");
  if (result) result = fair(neighbours, 63 * words.size(), kAlpha, "neighbouring bits");
  if (result) result = fair(next, 64 * (words.size() - 1), kAlpha, "neighbouring words");
  if (result) result = fair(distant, 64 * (words.size() - 32), kAlpha, "words 32 apart");
  return result;
}

// Tests that two sources have no word in common, at any place, and that their words of the same place are
// independent.
AssertionResult are_different(const Words& a, const Words& b) {
  Words all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) return AssertionFailure() << "a word occurs twice";
  std::uint64_t agree = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    agree += static_cast<std::uint64_t>(std::popcount(~(a[i] ^ b[i])));
  }
  return fair(agree, 64 * a.size(), kAlpha, "two sources");
}

// Makes two sources with the same number, and a third with another number, and draws from the first two in
// turn.
AssertionResult objects_repeat_or_differ(const Maker& make, bool repeats) {
  const auto first = make(1), second = make(1), other = make(2);
  Words a(kWords), b(kWords);
  for (std::size_t i = 0; i < kWords; ++i) {
    a[i] = first->next_u64();
    b[i] = second->next_u64();
  }
  if (repeats && a != b) return AssertionFailure() << "two sources with one number differ";
  return are_different(a, repeats ? words_of(*other) : b);
}

class BitSourceContract : public ::testing::TestWithParam<Contract> {
 protected:
  const std::unique_ptr<BitSource> source_ = GetParam().make(0);
};

TEST_P(BitSourceContract, IsTheClassOfTheList) { EXPECT_EQ(testing::class_name(*source_), GetParam().type); }

TEST_P(BitSourceContract, EveryBitOfAWordIsFairAndIndependent) {
  const Words words = words_of(*source_);
  EXPECT_TRUE(every_bit_is_fair(words));
  EXPECT_TRUE(bits_are_independent(words));
}

TEST_P(BitSourceContract, TwoObjectsRepeatOrDifferAsStated) {
  EXPECT_TRUE(objects_repeat_or_differ(GetParam().make, GetParam().repeats));
}

INSTANTIATE_TEST_SUITE_P(Sources, BitSourceContract, ::testing::ValuesIn(contracts()),
                         [](const auto& instance) { return std::string(instance.param.name); });

// Returns the words of a faulty source, which changes good words or their order.
Words changed(const std::function<std::uint64_t(const Words&, std::size_t)>& change) {
  KeyedStream stream(RunKey::from_seed(5), {Purpose::audit});
  const Words good = words_of(stream);
  Words words(kWords);
  for (std::size_t i = 0; i < kWords; ++i) words[i] = change(good, i);
  return words;
}

TEST(FaultySources, WithUnfairBitsAreNoticed) {
  EXPECT_TRUE(every_bit_is_fair(changed([](const Words& good, std::size_t i) { return good[i]; })));
  // In these sources the upper half of each word is 0, its highest bit is 0, its lowest bit is 0, or one word
  // in fifty was wiped before use.
  EXPECT_FALSE(every_bit_is_fair(changed([](const Words& good, std::size_t i) { return good[i] >> 32; })));
  EXPECT_FALSE(every_bit_is_fair(changed([](const Words& good, std::size_t i) { return good[i] >> 1; })));
  EXPECT_FALSE(every_bit_is_fair(changed([](const Words& good, std::size_t i) { return good[i] << 1; })));
  EXPECT_FALSE(
      every_bit_is_fair(changed([](const Words& good, std::size_t i) { return i % 50 == 0 ? 0 : good[i]; })));
}

TEST(FaultySources, WithDependentBitsAreNoticed) {
  EXPECT_TRUE(bits_are_independent(changed([](const Words& good, std::size_t i) { return good[i]; })));
  // In these sources the upper half of each word repeats the lower half, the upper half is the complement of
  // the lower half, each bit occurs twice, each word occurs twice, or every buffer of 32 words is used twice.
  const std::uint64_t low = 0xffffffff;
  EXPECT_FALSE(bits_are_independent(
      changed([](const Words& good, std::size_t i) { return (good[i] & low) << 32 | (good[i] & low); })));
  EXPECT_FALSE(bits_are_independent(
      changed([](const Words& good, std::size_t i) { return (~good[i] & low) << 32 | (good[i] & low); })));
  EXPECT_FALSE(bits_are_independent(changed([](const Words& good, std::size_t i) {
    const std::uint64_t even = good[i] & 0x5555555555555555;
    return even | even << 1;
  })));
  EXPECT_FALSE(bits_are_independent(changed([](const Words& good, std::size_t i) { return good[i / 2]; })));
  EXPECT_FALSE(bits_are_independent(
      changed([](const Words& good, std::size_t i) { return good[i / 64 * 32 + i % 32]; })));
}

// Hands out the words of a source that several objects share.
class SharedSource final : public BitSource {
 public:
  explicit SharedSource(std::shared_ptr<BitSource> shared) : shared_(std::move(shared)) {}
  std::uint64_t next_u64() override { return shared_->next_u64(); }

 private:
  std::shared_ptr<BitSource> shared_;
};

TEST(FaultySources, ThatRepeatOrDifferWrongly) {
  const auto stream = [](std::uint64_t client) {
    return std::make_unique<KeyedStream>(RunKey::from_seed(6), StreamAddress{Purpose::audit, 0, client});
  };
  EXPECT_TRUE(objects_repeat_or_differ(stream, true));
  // Objects repeat although they should differ, as if the system's generator had been started again.
  EXPECT_FALSE(objects_repeat_or_differ(stream, false));
  // Objects that should repeat share one state.
  const std::shared_ptr<BitSource> shared = stream(0);
  EXPECT_FALSE(
      objects_repeat_or_differ([&](std::uint64_t) { return std::make_unique<SharedSource>(shared); }, true));
  // Sources with different numbers are equal.
  EXPECT_FALSE(objects_repeat_or_differ([&](std::uint64_t) { return stream(0); }, true));
  // The next number is the same stream, one word later.
  EXPECT_FALSE(objects_repeat_or_differ(
      [&](std::uint64_t number) {
        auto source = stream(0);
        for (std::uint64_t i = 0; i < number; ++i) source->next_u64();
        return source;
      },
      true));
}

}  // namespace
}  // namespace muster::random
