// Makes whole messages from scripted random words, which lead each randomizer through its rare branches. The
// randomizer must send the message that the words determine and consume exactly these words. The branches are
// coins at and just below their threshold, a rejected integer, a number that is drawn again, ties and tails.
//
// The words of gaussian cannot be scripted, because vector kernels compute them from the stream address.
// random/exact_normals_test.cc scripts the further words that the fallback of these kernels draws, and
// exact_gaussian_test.cc compares every step of gaussian's messages with arithmetic of 200 bits. A vector
// kernel also makes the public direction of ldp-sgd and l2, from the two words of its seed, which are
// scripted here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "muster/random/direction.h"
#include "muster/random/scripted_source.h"
#include "muster/randomizers/flip.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/l1.h"
#include "muster/randomizers/l2.h"
#include "muster/randomizers/laplace.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/linf.h"

namespace muster::randomizers {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr std::uint64_t kMax = ~std::uint64_t{0}, kHalf = std::uint64_t{1} << 63;

// Returns the message that the randomizer makes from these words. It must consume all of them.
Message sent(const VectorRandomizer& randomizer, const std::vector<float>& gradient, const Words& words) {
  random::ScriptedSource bits(words);
  const auto scratch = randomizer.make_scratch();
  Message message;
  dynamic_cast<const StreamRandomizer&>(randomizer).randomize_from(bits, gradient, *scratch, message);
  EXPECT_EQ(bits.consumed(), words.size());
  return message;
}

std::pair<std::uint32_t, bool> index_and_sign(const Message& message) {
  const auto& [index, positive] = std::get<SignedIndexMessage>(message);
  return {index, positive};
}
std::pair<std::array<std::uint8_t, 16>, bool> seed_and_sign(const Message& message) {
  const auto& [seed, positive] = std::get<SignedDirectionMessage>(message);
  return {seed, positive};
}
std::uint32_t answer(const Message& message) { return std::get<AnswerMessage>(message).answer; }

// The words of noisy_sign() for a share, with both coins at their threshold or just below it, and the sign
// that results from each pair of words.
struct Coins {
  std::uint64_t negated, flipped;
  bool positive;
};
std::vector<Coins> coins_of(double share, double epsilon0) {
  const std::uint64_t negation = negation_of(share).numerator();
  const std::uint64_t flip = flip_of(epsilon0).probability.numerator();
  const bool sign = share >= 0;
  std::vector<Coins> all{{negation, flip, sign}, {negation, flip - 1, !sign}};
  if (negation > 0) {  // a share of 1 or -1 is never negated
    all.push_back({negation - 1, flip, !sign});
    all.push_back({negation - 1, flip - 1, sign});
  }
  return all;
}

TEST(ScriptedMessages, LinfRejectsAnIndexAndTossesBothCoins) {
  const double epsilon0 = 1.5;
  const auto randomizer = make_linf(epsilon0, 0.5, 3);
  const std::vector<float> gradient{1, 0.125f, -0.25f};
  // uniform_below(3) rejects a word if the low 64 bits of its product with 3 are below 2^64 mod 3 = 1. This
  // is so for the word 0 alone.
  for (const auto& [index_word, index, share] :
       {std::tuple{std::uint64_t{1}, 0u, 1.0}, {kHalf, 1u, 0.25}, {kMax, 2u, -0.5}}) {
    for (const Coins& coins : coins_of(share, epsilon0)) {
      for (const Words& rejected : {Words{}, Words{0}, Words{0, 0}}) {
        Words words = rejected;
        words.insert(words.end(), {index_word, coins.negated, coins.flipped});
        EXPECT_EQ(index_and_sign(sent(*randomizer, gradient, words)), std::pair(index, coins.positive));
      }
    }
  }
}

TEST(ScriptedMessages, L1TossesBothCoins) {
  const double epsilon0 = 0.75;
  const auto randomizer = make_l1(epsilon0, 1, 3);  // four rows of the Hadamard matrix
  for (const auto& [value, share] : {std::pair{0.5f, 0.5}, {-0.25f, -0.25}, {4.0f, 1.0}, {0.0f, 0.0}}) {
    for (const std::uint32_t index : {0u, 1u, 2u, 3u}) {
      for (const Coins& coins : coins_of(share, epsilon0)) {
        const Words words{std::uint64_t{index} << 62, coins.negated, coins.flipped};
        EXPECT_EQ(index_and_sign(sent(*randomizer, {value, 0, 0}, words)), std::pair(index, coins.positive));
      }
    }
  }
}

// A vector kernel draws the direction from the seed. The test calls the same kernel to find the sign of the
// gradient's inner product with the direction.
void expect_signed_directions(const VectorRandomizer& randomizer, double epsilon0, double clip) {
  const Words seed_words{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::array<std::uint8_t, 16> seed{};
  for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = static_cast<std::uint8_t>(i);
  const std::size_t dimension = randomizer.dimension();
  int sides = 0;
  for (const float length : {0.25f, -0.25f, 3.0f, 0.0f}) {
    std::vector<float> gradient(dimension);
    gradient[1] = length;
    std::vector<float> normals(dimension);
    const double dot = random::fill_direction(random::RunKey::from_bytes(seed),
                                              {random::Purpose::direction, 0, 0}, gradient, normals)
                           .dot;
    // For a gradient of length 0, the inner product is 0, which counts as positive, and the first coin is
    // fair.
    const double share = std::min(std::abs(static_cast<double>(length)), clip) / clip;
    sides |= dot > 0 ? 1 : dot < 0 ? 2 : 4;
    for (const Coins& coins : coins_of(dot >= 0 ? share : -share, epsilon0)) {
      const Words words{seed_words[0], seed_words[1], coins.negated, coins.flipped};
      EXPECT_EQ(seed_and_sign(sent(randomizer, gradient, words)), std::pair(seed, coins.positive)) << length;
    }
  }
  EXPECT_EQ(sides, 7);
}

TEST(ScriptedMessages, LdpSgdTakesItsSeedAndTossesBothCoins) {
  expect_signed_directions(*make_ldp_sgd(2, 0.5, 37), 2, 0.5);
}

TEST(ScriptedMessages, L2TakesItsSeedAndTossesBothCoins) {
  expect_signed_directions(*make_l2(0.3, 2, 37), 0.3, 2);
}

TEST(ScriptedMessages, KRandomizedResponseKeepsOrReplaces) {
  const auto randomizer = make_k_rr(1, 3);
  const std::uint64_t replaced = replacement_of(1, 3).probability.numerator();
  const std::vector<float> last{0, 0, 1}, none{0, 0, 0};
  EXPECT_EQ(answer(sent(*randomizer, last, {replaced})), 2u);
  EXPECT_EQ(answer(sent(*randomizer, last, {kMax})), 2u);
  EXPECT_EQ(answer(sent(*randomizer, last, {replaced - 1, kHalf})), 1u);
  EXPECT_EQ(answer(sent(*randomizer, last, {0, 1})), 0u);
  // Among three answers, uniform_below rejects only the word 0.
  EXPECT_EQ(answer(sent(*randomizer, last, {0, 0, 0, kMax})), 2u);
  // Without a category the answer is uniform, whatever the coin says.
  EXPECT_EQ(answer(sent(*randomizer, none, {kMax, kHalf})), 1u);
  EXPECT_EQ(answer(sent(*randomizer, none, {0, 0, 1})), 0u);
}

// Returns a word from which uniform_below(bound) makes `value` without rejection. Requires value < bound <=
// 2^40.
std::uint64_t word_of(std::uint64_t value, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(((Wide(value) << 64) + bound - 1) / bound) + 1;
}

// Returns the words from which Laplace noise draws the geometric number G = rest + whole * scale, for
// rest < scale. The first `rest` that is drawn is accepted. An event of probability e^-x is drawn by tossing
// coins of probability x, x/2, x/3, ... until one is false; it happens if the number of that coin is odd.
Words noise_words(std::uint64_t rest, std::uint64_t scale, int whole) {
  Words words{word_of(rest, scale), kMax};  // for x = rest/scale, the first coin is false
  for (int i = 0; i < whole; ++i) {
    words.insert(words.end(), {1, 0, kMax});  // for x = 1, the coins 1 and 1/2 are true, and 1/3 is false
  }
  words.insert(words.end(), {1, kMax});  // for x = 1, the coin 1 is true, and 1/2 is false
  return words;
}

TEST(ScriptedMessages, LaplaceRoundsAndAddsNoise) {
  const double epsilon0 = 1, clip = 1;
  const auto randomizer = make_laplace(epsilon0, clip);
  const LaplaceGrid grid = laplace_grid(epsilon0, clip);
  const auto steps_of = [&](float value, std::uint64_t up, const Words& noise, std::uint64_t sign) {
    Words words{up};
    words.insert(words.end(), noise.begin(), noise.end());
    words.push_back(sign);
    const Message message = sent(*randomizer, {value}, words);
    return std::get<GridMessage>(message).steps.at(0);
  };
  const auto quarter = static_cast<float>(10.25 * grid.step);
  const std::uint64_t round_up = std::uint64_t{1} << 62;  // words below 2^62 round up, with probability 1/4
  EXPECT_EQ(steps_of(quarter, round_up, noise_words(5, grid.scale, 0), 0), 10 + 3);
  EXPECT_EQ(steps_of(quarter, round_up - 1, noise_words(5, grid.scale, 0), 0), 11 + 3);
  EXPECT_EQ(steps_of(quarter, round_up - 1, noise_words(6, grid.scale, 0), 1), 11 - 3);
  EXPECT_EQ(steps_of(-quarter, std::uint64_t{3} << 62, noise_words(0, grid.scale, 0), 1), -11);
  EXPECT_EQ(steps_of(-quarter, (std::uint64_t{3} << 62) - 1, noise_words(0, grid.scale, 0), 1), -10);
  // If the event of probability e^(-rest/scale) does not happen, `rest` is drawn again. The event does not
  // happen here, because the first coin, of probability rest/scale, is true, and the second, of half that
  // probability, is false.
  Words again{word_of(grid.scale - 1, grid.scale), 1, kMax};
  const Words accepted = noise_words(7, grid.scale, 0);
  again.insert(again.end(), accepted.begin(), accepted.end());
  EXPECT_EQ(steps_of(quarter, kMax, again, 0), 10 + 4);
}

TEST(ScriptedMessages, LaplaceClampsItsTails) {
  const auto randomizer = make_laplace(1, 1);
  const std::uint64_t scale = laplace_grid(1, 1).scale;
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
  const int far = static_cast<int>(2 * kMost / static_cast<std::int64_t>(scale));
  for (const int whole : {far, far + 1}) {
    const Words noise = noise_words(3, scale, whole);
    const std::int64_t magnitude = (3 + static_cast<std::int64_t>(scale) * whole + 1) / 2;
    for (const std::uint64_t sign : {0, 1}) {
      Words words{kMax};
      words.insert(words.end(), noise.begin(), noise.end());
      words.push_back(sign);
      const Message message = sent(*randomizer, {0.0f}, words);
      const std::int64_t expected = std::min(magnitude, kMost);
      EXPECT_EQ(std::get<GridMessage>(message).steps.at(0), sign == 1 ? -expected : expected) << whole;
    }
  }
  EXPECT_GT((3 + static_cast<std::int64_t>(scale) * (far + 1) + 1) / 2, kMost);
}

// randomize() must consume the words of its keyed stream in the order in which the scripted words are
// consumed.
TEST(ScriptedMessages, TheKeyedStreamIsReadInTheSameOrder) {
  const random::RunKey key = random::RunKey::from_seed(3);
  random::KeyedStream stream(key, {random::Purpose::randomize, 5, 9});
  Words words;
  for (int i = 0; i < 4; ++i) words.push_back(stream.next_u64());
  const auto randomizer = make_ldp_sgd(2, 0.5, 37);
  const std::vector<float> gradient(37, 0.01f);
  const auto scratch = randomizer->make_scratch();
  Message message;
  randomizer->randomize(gradient, key, 5, 9, *scratch, message);
  EXPECT_EQ(seed_and_sign(message), seed_and_sign(sent(*randomizer, gradient, words)));
}

}  // namespace
}  // namespace muster::randomizers
