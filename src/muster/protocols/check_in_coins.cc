#include "muster/protocols/check_in_coins.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "muster/core/types.h"
#include "muster/random/samplers.h"

namespace muster::protocols {
namespace {

// The number of clients whose coins are tossed together. The first 16 bits of all their coins take 32 KiB,
// which stay in the first-level cache.
constexpr std::uint64_t kTogether = std::uint64_t{1} << 14;
// The number of clients that one comparison skips if none of them reports.
constexpr std::uint64_t kPassed = 64;
// The first 16 bits of a coin are called its beginning. These are the numbers of beginnings in a 64-bit word,
// and in a whole stream.
constexpr std::uint64_t kInWord = 4;
constexpr std::uint64_t kInStream = std::uint64_t{1} << 35;

using Beginnings = std::array<std::uint16_t, kPassed>;
static_assert(std::endian::native == std::endian::little,
              "a word is read as its four beginnings, lowest first");

// Returns whether any beginning is at most `limit`. The loop has no branch, so that it compiles to vector
// instructions.
bool any_at_most(const Beginnings& beginnings, std::uint16_t limit) {
  unsigned some = 0;
  for (const std::uint16_t beginning : beginnings) {
    some |= beginning <= limit ? 1u : 0u;
  }
  return some != 0;
}

}  // namespace

CheckInCoins::CheckInCoins(const random::RunKey& key, double rate, const Schedule& dropout, double min_rate)
    : key_(key),
      max_probability_(random::Probability::at_most(Rate::of(rate).value())),
      rates_differ_(Rate::of(min_rate).value() < rate),
      // The lowest rate is rounded up, so that no own rate is below `min_rate`; `max_probability_` is rounded
      // down, so that no rate is above `rate`.
      min_numerator_(rates_differ_ ? static_cast<std::uint64_t>(std::ceil(std::ldexp(min_rate, 64))) : 0),
      dropout_(dropout) {
  for (const auto& [round, lost] : dropout.steps()) {
    static_cast<void>(Rate::effective(min_rate, lost));
  }
}

random::Probability CheckInCoins::drawn_rate(std::uint64_t client) const {
  // A rate of 1 would have the numerator 2^64, which 64 bits cannot hold. It is replaced by the largest
  // multiple of 2^-64 below 1.
  const std::uint64_t max = max_probability_.is_one() ? ~std::uint64_t{0} : max_probability_.numerator();
  const std::uint64_t choices = max > min_numerator_ ? max - min_numerator_ + 1 : 1;
  random::KeyedStream draw(key_, {random::Purpose::own_rate, 0, client});
  return random::Probability::of_numerator(min_numerator_ + random::uniform_below(draw, choices));
}

// Returns the double just below 1 - dropout in this round, or 1 without dropout. The effective rate that is
// charged is the rounded product rate * (1 - dropout). The step to the next lower double covers that
// rounding, so clients never report more often than the accountant assumes.
random::Probability CheckInCoins::stay(std::uint64_t round) const {
  const double lost = dropout_.at(round);
  return random::Probability::at_most(lost > 0 ? std::nextafter(1 - lost, 0.0) : 1.0);
}

bool CheckInCoins::checks_in(std::uint64_t round, std::uint64_t client, std::uint16_t beginning) const {
  const random::Probability own = check_in(client);
  const std::uint64_t limit = own.numerator() >> 48;
  if (beginning != limit) {
    return beginning < limit;
  }
  // The upper 48 bits of this word are the rest of the coin.
  std::array<std::uint64_t, 1> rest;
  random::fill_first_words(key_, random::Purpose::check_in, round, client, rest);
  return own.accepts((limit << 48) | (rest[0] >> 16));
}

void CheckInCoins::append_reporting(std::uint64_t round, std::uint64_t first_client, std::uint64_t count,
                                    std::vector<std::uint64_t>& reporting) const {
  const random::Probability staying = stay(round);
  const auto stays = [&](std::uint64_t client) {
    std::array<std::uint64_t, 1> word;
    random::fill_first_words(key_, random::Purpose::dropout, round, client, word);
    return staying.accepts(word[0]);
  };
  const auto consider = [&](std::uint64_t client) {
    if (staying.is_one() || stays(client)) {
      reporting.push_back(client);
    }
  };
  const std::uint64_t end = first_client + count;
  if (max_probability_.is_one() && !rates_differ_) {
    for (std::uint64_t client = first_client; client < end; ++client) {
      consider(client);
    }
    return;
  }
  // The first 16 bits of the highest rate, written as a binary fraction; 16 ones for rate 1.
  const auto limit =
      static_cast<std::uint16_t>(max_probability_.is_one() ? 0xffff : max_probability_.numerator() >> 48);
  std::array<std::uint64_t, kTogether / kInWord> words;
  for (std::uint64_t client = first_client; client < end;) {
    // No batch crosses a multiple of kTogether, so each batch lies within one stream.
    const std::uint64_t start = client - client % kPassed;
    const std::uint64_t stop = std::min(end, client - client % kTogether + kTogether);
    const std::uint64_t tossed = (stop - start + kPassed - 1) / kPassed * kPassed;
    random::fill_words(key_, {random::Purpose::check_in_beginning, round, start / kInStream},
                       start % kInStream / kInWord, std::span(words).first(tossed / kInWord));
    for (std::uint64_t passed = start; passed < stop; passed += kPassed) {
      Beginnings beginnings;
      std::memcpy(beginnings.data(), &words[(passed - start) / kInWord], sizeof beginnings);
      if (!any_at_most(beginnings, limit)) {
        continue;
      }
      for (std::uint64_t i = std::max(client, passed); i < std::min(stop, passed + kPassed); ++i) {
        if (checks_in(round, i, beginnings[i - passed])) {
          consider(i);
        }
      }
    }
    client = stop;
  }
}

}  // namespace muster::protocols
